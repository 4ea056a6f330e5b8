package kv

import "fmt"

// families says how the files of each model_type are read. A type that is not
// here is refused.
var families = map[string]func(*fields, Format) []Layer{
	"llama":        attention{kv: ofHeads, dim: split, windows: never}.read,
	"granite":      attention{kv: ofHeads, dim: split, windows: never}.read,
	"olmo2":        attention{kv: ofHeads, dim: split, windows: never}.read,
	"mistral":      attention{kv: stated, dim: split, windows: said}.read,
	"mixtral":      attention{kv: stated, dim: split, windows: said}.read,
	"starcoder2":   attention{kv: stated, dim: split, windows: said}.read,
	"phi3":         attention{kv: ofHeads, dim: split, windows: maybe}.read,
	"qwen2":        attention{kv: stated, dim: split, windows: switched}.read,
	"qwen2_moe":    attention{kv: stated, dim: split, windows: switched}.read,
	"qwen3":        attention{kv: stated, dim: explicit, windows: switched}.read,
	"qwen3_moe":    attention{kv: stated, dim: explicit, windows: switched}.read,
	"gemma":        attention{kv: stated, dim: explicit, windows: never}.read,
	"gemma2":       attention{kv: stated, dim: explicit, windows: alternating}.read,
	"gemma3_text":  attention{heads: heads(8), kv: usually(4), dim: usually(256), windows: every(6, 4096)}.read,
	"gemma3n_text": attention{kv: stated, dim: explicit, windows: listed}.read,
	"gpt_oss":      attention{kv: stated, dim: explicit, windows: listed}.read,
	"gpt_neox":     attention{kv: ofHeads, dim: split, windows: never}.read,
	"gpt2":         gpt(false),
	"gpt_bigcode":  gpt(true),
	"falcon":       falcon,
	"deepseek_v2":  latent,
	"deepseek_v3":  latent,
	"qwen3_next":   delta,
	"jamba":        jamba,
	"nemotron_h":   nemotron,
}

// attention reads a model whose layers keep a key and a value for each of its
// heads, each layer of every token or of the last in a window.
type attention struct {
	heads   func(*fields) int64
	kv      func(f *fields, name string, heads int64) int64
	dim     func(f *fields, name string, heads int64) int64
	windows func(f *fields, layers int64) []int64 // of each layer; 0: none
}

func (a attention) read(f *fields, format Format) []Layer {
	n := f.count("num_hidden_layers", 1, mostLayers)
	if a.heads == nil {
		a.heads = func(f *fields) int64 { return f.count("num_attention_heads", 1, 1<<16) }
	}
	heads := a.heads(f)
	kv, dim := a.kv(f, "num_key_value_heads", heads), a.dim(f, "head_dim", heads)
	if f.err == nil && heads%kv != 0 {
		f.fail("num_attention_heads is %d, which %d key-value heads can't share evenly", heads, kv)
	}
	windows := a.windows(f, n)
	if f.err != nil {
		return nil
	}
	layers := make([]Layer, n)
	for i := range layers {
		layers[i] = f.pair(format, kv, dim, windows[i])
	}
	return f.shared(layers)
}

// pair is a layer that keeps a key and a value for each of its heads.
func (f *fields) pair(format Format, kv, dim, window int64) Layer {
	size, err := format.size(2 * kv * dim)
	if err != nil {
		f.fail("%w", err)
	}
	l := Layer{Kind: "attention", Bytes: size, Window: window,
		How: fmt.Sprintf("2 (K and V) x %s x %d values x %s", plural(kv, "head"), dim, format.each())}
	if window > 0 {
		l.Kind = "window"
	}
	return l
}

// shared leaves out the caches of the last layers of a gemma3n, which use an
// earlier layer's. Of another family it is not known what the field would mean.
func (f *fields) shared(layers []Layer) []Layer {
	if f.family != "gemma3n_text" {
		return layers
	}
	f.known("activation_sparsity_pattern", "hidden_size_per_layer_input", "vocab_size_per_layer_input", "laurel_rank")
	own := int64(len(layers)) - f.count("num_kv_shared_layers", 0, int64(len(layers))-1)
	for i := range layers[own:] {
		layers[own:][i] = Layer{Kind: "shared", How: "an earlier layer's cache"}
	}
	return layers
}

// each is a value's size in words.
func (f Format) each() string {
	if f.Values == 1 {
		return fmt.Sprintf("%d B", f.Bytes)
	}
	return fmt.Sprintf("%d B / %d", f.Bytes, f.Values)
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// heads is a family whose files may leave the number of heads out.
func heads(otherwise int64) func(*fields) int64 {
	return func(f *fields) int64 { return f.usual("num_attention_heads", 1<<16, otherwise) }
}

// stated demands the field.
func stated(f *fields, name string, _ int64) int64 { return f.count(name, 1, 1<<16) }

// explicit demands the field too: hidden_size / heads would be another number.
func explicit(f *fields, name string, _ int64) int64 { return f.count(name, 1, 1<<16) }

// ofHeads takes as many as there are heads where the file gives none: every head
// has its own.
func ofHeads(f *fields, name string, heads int64) int64 {
	if n, ok := f.optional(name, 1, 1<<16); ok {
		return n
	}
	return heads
}

// usually takes what the family has where the file gives none.
func usually(otherwise int64) func(*fields, string, int64) int64 {
	return func(f *fields, name string, _ int64) int64 { return f.usual(name, 1<<16, otherwise) }
}

// split shares hidden_size out among the heads where the file gives no head_dim.
func split(f *fields, name string, heads int64) int64 {
	if n, ok := f.optional(name, 1, 1<<16); ok {
		return n
	}
	return f.share("hidden_size", heads)
}

// share divides a width among heads.
func (f *fields) share(name string, heads int64) int64 {
	width := f.count(name, 1, 1<<24)
	if f.err == nil && width%heads != 0 {
		f.fail("%s is %d, which %d heads can't share evenly, and there is no head_dim", name, width, heads)
	}
	return max(1, width/heads)
}
