package kv

import (
	"fmt"
	"strings"
)

// gpt reads the older names of the fields. With choice, one head of keys and
// values may serve all.
func gpt(choice bool) func(*fields, Format) []Layer {
	return func(f *fields, format Format) []Layer {
		n, heads := f.count("n_layer", 1, mostLayers), f.count("n_head", 1, 1<<16)
		dim, kv := f.share("n_embd", heads), heads
		f.known("pad_key_length", "pre_allocate_kv_cache")
		if choice {
			if _, there := f.get("multi_query"); !there {
				f.fail("multi_query is missing: with it a %s keeps one head, without it %d", f.family, heads)
			}
			if f.flag("multi_query", true) {
				kv = 1
			}
		}
		return f.same(n, f.pair(format, kv, dim, 0))
	}
}

// same is n layers that are alike.
func (f *fields) same(n int64, l Layer) (layers []Layer) {
	for range n {
		layers = append(layers, l)
	}
	return layers
}

// falcon's first models keep one head for all, the later ones num_kv_heads.
func falcon(f *fields, format Format) []Layer {
	n, heads := f.count("num_hidden_layers", 1, mostLayers), f.count("num_attention_heads", 1, 1<<16)
	dim, kv := f.share("hidden_size", heads), heads
	given, ok := f.optional("num_kv_heads", 1, 1<<16)
	_, oneThere := f.get("multi_query")
	one := f.flag("multi_query", false)
	switch {
	case f.flag("new_decoder_architecture", false):
		if kv = given; !ok {
			f.fail("num_kv_heads is missing, and the new decoder architecture has it")
		}
	case !oneThere:
		f.fail("multi_query is missing: with it a falcon keeps one head, without it %d", heads)
	case one:
		kv = 1
	}
	return f.same(n, f.pair(format, max(1, kv), dim, 0))
}

// latent reads models that keep one compressed vector for the keys and values of
// all heads, and the part of a key that carries its position. Neither counts
// twice, and the heads do not matter.
func latent(f *fields, format Format) []Layer {
	n := f.count("num_hidden_layers", 1, mostLayers)
	rank, position := f.count("kv_lora_rank", 1, 1<<16), f.count("qk_rope_head_dim", 1, 1<<16)
	f.known("num_attention_heads", "num_key_value_heads", "head_dim", "qk_head_dim", "qk_nope_head_dim", "v_head_dim", "q_lora_rank")
	size, err := format.size(rank + position)
	if err != nil {
		f.fail("%w", err)
	}
	how := fmt.Sprintf("(%d latent values + %d of the position) x %s", rank, position, format.each())
	return f.same(n, Layer{Kind: "latent", Bytes: size, How: how})
}

// state is a layer that keeps a summary: so many values of it, and so many of
// the inputs that its convolution still needs.
func (f *fields) state(format Format, each, summary, inputs int64) Layer {
	return Layer{Kind: "state", State: summary*each + inputs*format.plain(),
		How: fmt.Sprintf("%d values of state x %d B + %d inputs x %d B", summary, each, inputs, format.plain())}
}

// delta reads models in which one layer in several has attention and the others
// a linear one, whose state is a matrix for each head.
func delta(f *fields, format Format) []Layer {
	n, heads := f.count("num_hidden_layers", 1, mostLayers), f.count("num_attention_heads", 1, 1<<16)
	kv, dim := stated(f, "num_key_value_heads", heads), explicit(f, "head_dim", heads)
	step, ok := f.optional("full_attention_interval", 1, mostLayers)
	if _, listed := f.o["layer_types"].([]any); !ok && !listed {
		f.fail("neither full_attention_interval nor layer_types says which layers have attention")
	}
	rule := func(i int64) string {
		if (i+1)%step == 0 {
			return full
		}
		return linear
	}
	if !ok {
		rule = nil
	}
	kinds := f.kinds(n, rule)
	keys := f.count("linear_num_key_heads", 1, 1<<12) * f.count("linear_key_head_dim", 1, 1<<12)
	valueHeads, valueDim := f.count("linear_num_value_heads", 1, 1<<12), f.count("linear_value_head_dim", 1, 1<<12)
	inputs := (f.count("linear_conv_kernel_dim", 1, 1<<8) - 1) * (2*keys + valueHeads*valueDim)
	each := int64(4) // the family's own code keeps it so
	if t := f.text("mamba_ssm_dtype"); t != "" {
		each = f.width("mamba_ssm_dtype", t)
	}
	keyDim, _ := f.optional("linear_key_head_dim", 1, 1<<12)
	one, other := f.pair(format, kv, dim, 0), f.state(format, each, valueHeads*keyDim*valueDim, inputs)
	var layers []Layer
	for _, k := range kinds {
		switch k {
		case full:
			layers = append(layers, one)
		case linear:
			layers = append(layers, other)
		default:
			f.fail("layer_types has %s, and a %s has %s and %s only", quote(k), f.family, full, linear)
		}
	}
	return layers
}

// width is the size of a type of numbers.
func (f *fields) width(name, t string) int64 {
	switch strings.TrimPrefix(t, "torch.") {
	case "float32":
		return 4
	case "float16", "bfloat16":
		return 2
	}
	f.fail("%s is %s, whose size is not known: want float32, float16 or bfloat16", name, quote(t))
	return 1
}

// jamba reads models in which one layer in a period has attention and the others
// a state space.
func jamba(f *fields, format Format) []Layer {
	n, heads := f.count("num_hidden_layers", 1, mostLayers), f.count("num_attention_heads", 1, 1<<16)
	kv, dim := stated(f, "num_key_value_heads", heads), f.share("hidden_size", heads)
	if w, ok := f.get("sliding_window"); ok && !off(w) {
		f.fail("sliding_window is %s, and what that means for a jamba is not known", show(w))
	}
	period, offset := f.count("attn_layer_period", 1, mostLayers), f.count("attn_layer_offset", 0, mostLayers)
	if f.err == nil && offset >= period {
		f.fail("attn_layer_offset is %d in a period of %d layers, so no layer would have attention", offset, period)
	}
	f.known("mamba_conv_bias", "mamba_proj_bias", "mamba_dt_rank", "mamba_inner_layernorms", "use_mamba_kernels")
	inner := f.count("mamba_expand", 1, 1<<8) * f.count("hidden_size", 1, 1<<24)
	other := f.state(format, format.plain(), inner*f.count("mamba_d_state", 1, 1<<12), inner*(f.count("mamba_d_conv", 1, 1<<8)-1))
	one := f.pair(format, kv, dim, 0)
	var layers []Layer
	for i := range n {
		if i%period == offset {
			layers = append(layers, one)
		} else {
			layers = append(layers, other)
		}
	}
	return layers
}

// nemotron reads models whose layers are spelled out: * has attention, M a state
// space, and - and E, which are feed-forward, keep nothing.
func nemotron(f *fields, format Format) []Layer {
	n, heads := f.count("num_hidden_layers", 1, mostLayers), f.count("num_attention_heads", 1, 1<<16)
	kv := stated(f, "num_key_value_heads", heads)
	dim, ok := f.optional("head_dim", 1, 1<<16)
	older, second := f.optional("attention_head_dim", 1, 1<<16)
	switch {
	case ok && second && dim != older:
		f.fail("head_dim is %d and attention_head_dim is %d", dim, older)
	case !ok && !second:
		f.fail("neither head_dim nor attention_head_dim is there")
	case !ok:
		dim = older
	}
	pattern := f.text("hybrid_override_pattern")
	if int64(len(pattern)) != n {
		f.fail("hybrid_override_pattern has %d letters for %d layers", len(pattern), n)
	}
	inner := f.count("mamba_num_heads", 1, 1<<12) * f.count("mamba_head_dim", 1, 1<<12)
	size := f.count("ssm_state_size", 1, 1<<12)
	inputs := (f.count("conv_kernel", 1, 1<<8) - 1) * (inner + 2*f.count("n_groups", 1, 1<<12)*size)
	f.known("mamba_hidden_act", "mamba_proj_bias", "use_mamba_kernels", "use_conv_bias", "chunk_size", "time_step_rank",
		"mtp_hybrid_override_pattern")
	f.agrees("num_query_groups", kv, "num_key_value_heads")
	one, other := f.pair(format, kv, max(1, dim), 0), f.state(format, format.plain(), inner*size, inputs)
	var layers []Layer
	for i, c := range pattern {
		switch c {
		case '*':
			layers = append(layers, one)
		case 'M':
			layers = append(layers, other)
		case '-', 'E':
			layers = append(layers, Layer{Kind: "none", How: "nothing is kept"})
		default:
			f.fail("hybrid_override_pattern has %+q at place %d, and *, M, - and E are known", c, i)
		}
	}
	return layers
}
