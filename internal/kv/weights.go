package kv

import "fmt"

// parameters are the families whose files determine how many parameters there
// are, to the last one.
var parameters = map[string]func(*fields) int64{
	"llama":   gated(false),
	"mistral": gated(false),
	"qwen3":   gated(true),
	"gpt2":    gpt2Parameters,
}

// count fills in the weights where the file determines them, and says why where
// it does not.
func (m *Model) count(outer *fields, around []wrapper) {
	f := &fields{o: outer.o, family: m.Type, read: map[string]bool{}}
	switch of := parameters[m.Type]; {
	case len(around) > 0:
		m.Unknown = "the model has parts beside the one that generates text"
	case of == nil:
		m.Unknown = fmt.Sprintf("how a %s's parameters add up is not known here", m.Type)
	case !off(f.o["quantization_config"]):
		m.Unknown = "the weights are quantized, and scales and exceptions are not in the file"
	default:
		n := of(f)
		t := f.text("dtype")
		if t == "" {
			t = f.text("torch_dtype")
		}
		if t == "" {
			f.fail("neither dtype nor torch_dtype says how large a weight is")
		}
		size := f.width("dtype", t)
		if f.err != nil {
			m.Unknown = f.err.Error()
			return
		}
		m.Parameters, m.Size = n, n*size
	}
}

// gated counts a decoder whose layers have attention without a bias unless the
// file says so, a feed-forward part of three matrices, and two norms; with
// norms, one more for each of query and key.
func gated(norms bool) func(*fields) int64 {
	return func(f *fields) int64 {
		n, heads := f.count("num_hidden_layers", 1, mostLayers), f.count("num_attention_heads", 1, 1<<12)
		hidden, inner, vocab := f.count("hidden_size", 1, 1<<18), f.count("intermediate_size", 1, 1<<20), f.count("vocab_size", 1, 1<<24)
		kv, dim := ofHeads(f, "num_key_value_heads", heads), split(f, "head_dim", heads)
		if kv > heads || dim > 1<<12 {
			f.fail("the heads are larger than any model's")
		}
		layer := hidden*dim*(2*heads+2*kv) + 3*hidden*inner + 2*hidden
		if f.flag("attention_bias", false) {
			layer += dim*(heads+2*kv) + hidden
		}
		if f.flag("mlp_bias", false) {
			layer += 2*inner + hidden
		}
		if norms {
			layer += 2 * dim
		}
		tables := int64(2)
		if f.flag("tie_word_embeddings", false) {
			tables = 1
		}
		return tables*vocab*hidden + n*layer + hidden
	}
}

// gpt2Parameters counts a decoder with biases everywhere, learned positions, and
// one table for words in and out.
func gpt2Parameters(f *fields) int64 {
	n, width := f.count("n_layer", 1, mostLayers), f.count("n_embd", 1, 1<<18)
	vocab, places := f.count("vocab_size", 1, 1<<24), f.count("n_positions", 1, 1<<24)
	inner := 4 * width
	if v, ok := f.optional("n_inner", 1, 1<<20); ok {
		inner = v
	}
	if !f.flag("tie_word_embeddings", true) || f.flag("add_cross_attention", false) {
		f.fail("its tables are not tied, or it has cross attention")
	}
	layer := 4*width*width + 4*width + 2*width*inner + inner + width + 4*width
	return (vocab+places)*width + n*layer + 2*width
}
