package kv

import (
	"strings"
	"testing"
)

// read demands a model.
func read(t *testing.T, config string, o Options) *Model {
	t.Helper()
	m, err := Read([]byte(config), o)
	if err != nil {
		t.Fatalf("%s: %v", config, err)
	}
	return m
}

// check demands the bytes that the next token adds at 1 token and at far more
// than any window, and the total and fixed part at 10,000 tokens.
func check(t *testing.T, name, config string, slope, far, total, fixed int64) {
	t.Helper()
	m := read(t, config, Options{})
	got := [4]int64{m.Slope(1), m.Slope(1 << 20), m.Total(10000), m.Fixed()}
	if want := [4]int64{slope, far, total, fixed}; got != want {
		t.Errorf("%s: slopes at 1 and 2^20 tokens, total at 10,000 and fixed part are %v, want %v", name, got, want)
	}
	if m.Intercept(0) != fixed || m.Total(0) != fixed {
		t.Errorf("%s: %d B before the first token, want %d", name, m.Total(0), fixed)
	}
	// The line through the total at T with the slope there meets the total.
	for _, n := range []int64{0, 1, 511, 512, 4095, 4096, 1 << 20} {
		if m.Intercept(n)+n*m.Slope(n) != m.Total(n) {
			t.Errorf("%s: at %d tokens %d + %d x %d is not %d", name, n, m.Intercept(n), n, m.Slope(n), m.Total(n))
		}
	}
}

func grows(t *testing.T, name, config string, bytes int64) {
	t.Helper()
	check(t, name, config, bytes, bytes, 10000*bytes, 0)
}

const mistral7b = `{"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "sliding_window": 4096}`

// TestTable is the table of shapes with the right values.
func TestTable(t *testing.T) {
	grows(t, "llama, every head its own",
		`{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}`, 524288)
	grows(t, "llama, 8 heads of keys and values",
		`{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8}`, 131072)
	grows(t, "llama of 80 layers",
		`{"model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8}`, 327680)
	grows(t, "the same without sharing",
		`{"model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64}`, 2621440)
	check(t, "mistral", mistral7b, 131072, 0, 512<<20, 0)
	grows(t, "mistral, window null", strings.Replace(mistral7b, `w": 4096`, `w": null`, 1), 131072)
	grows(t, "qwen3",
		`{"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}`, 114688)
	grows(t, "deepseek_v3",
		`{"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_key_value_heads": 128}`, 70272)
	grows(t, "gpt2", `{"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768}`, 36864)
}

// The window ends the growth with the token that fills it.
func TestWindowEdge(t *testing.T) {
	m := read(t, mistral7b, Options{})
	if m.Slope(4095) != 131072 || m.Slope(4096) != 0 || m.Total(4095) != 4095*131072 || m.Total(4096) != 512<<20 || m.Total(4097) != 512<<20 {
		t.Errorf("got slopes %d, %d and totals %d, %d, %d", m.Slope(4095), m.Slope(4096), m.Total(4095), m.Total(4096), m.Total(4097))
	}
	if m.Intercept(5000) != 512<<20 {
		t.Errorf("got an intercept of %d behind the window, want all of it", m.Intercept(5000))
	}
}

const llama = `"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32`

func TestHeads(t *testing.T) {
	grows(t, "explicit head_dim", `{`+llama+`, "head_dim": 64}`, 262144)
	grows(t, "head_dim null", `{`+llama+`, "head_dim": null}`, 524288)
	grows(t, "heads null", `{`+llama+`, "num_key_value_heads": null}`, 524288)
	grows(t, "one head for all", `{`+llama+`, "num_key_value_heads": 1}`, 16384)
	const code = `{"model_type": "gpt_bigcode", "n_layer": 40, "n_head": 48, "n_embd": 6144, "multi_query": `
	grows(t, "multi_query", code+`true}`, 40*2*128*2)
	grows(t, "multi_query false", code+`false}`, 40*2*6144*2)
	const falcon = `{"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71, "num_kv_heads": 71, `
	grows(t, "falcon 7B", falcon+`"new_decoder_architecture": false, "multi_query": true}`, 32*2*64*2)
	grows(t, "falcon 40B", `{"model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192, "num_attention_heads": 128,
		"num_kv_heads": 8, "new_decoder_architecture": true, "multi_query": true}`, 60*2*8*64*2)
}

func TestNesting(t *testing.T) {
	const inner = `{` + llama + `, "num_key_value_heads": 8}`
	for _, name := range []string{"text_config", "llm_config", "language_config"} {
		grows(t, name, `{"model_type": "sees", "vision_config": {"num_hidden_layers": 24}, "`+name+`": `+inner+`}`, 131072)
	}
	grows(t, "two deep", `{"language_config": {"text_config": `+inner+`}}`, 131072)
	grows(t, "repeated around it", `{"num_hidden_layers": 32, "text_config": `+inner+`}`, 131072)
	refused(t, `{"num_hidden_layers": 24, "text_config": `+inner+`}`, `in text_config: num_hidden_layers is "32" there and "24" around it`)
	refused(t, `{"text_config": `+inner+`, "llm_config": `+inner+`}`, "text_config and llm_config are both there")
	refused(t, `{"head_dim": [1], "text_config": {`+llama+`, "head_dim": [1]}}`, "head_dim is a list of 1, and must be")
	refused(t, `{"text_config": 7}`, `text_config is "7", and must be an object`)
	refused(t, `{"text_config": {"num_hidden_layers": 2}}`, "in text_config: there is no model_type")
	refused(t, `{"compress_ratios": [4], "text_config": `+inner+`}`, `the field "compress_ratios"`)
}

func TestWindows(t *testing.T) {
	const qwen2 = `{"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, "num_attention_heads": 28, "num_key_value_heads": 4,
		"sliding_window": 4096, "max_window_layers": 20, "use_sliding_window": `
	grows(t, "switched off", qwen2+`false}`, 57344)
	check(t, "switched on: the layers from 20 on", qwen2+`true}`, 57344, 20*2048, 20*2048*10000+8*2048*4096, 0)

	const gemma2 = `{"model_type": "gemma2", "num_hidden_layers": 42, "hidden_size": 3584, "num_attention_heads": 16, "num_key_value_heads": 8,
		"head_dim": 256, "sliding_window": 4096`
	check(t, "gemma2 alternates", gemma2+`}`, 42*8192, 21*8192, 21*8192*14096, 0)
	refused(t, gemma2+`, "sliding_window_size": 1024}`, "sliding_window is 4096 and sliding_window_size is 1024")

	const gemma3 = `{"model_type": "gemma3_text", "num_hidden_layers": 34, "hidden_size": 2560, "sliding_window": 1024`
	// 5 of 34 layers see everything; 8 heads, 4 of keys and values, 256 wide.
	check(t, "gemma3 with what its family has", gemma3+`}`, 34*4096, 5*4096, 5*4096*10000+29*4096*1024, 0)
	check(t, "gemma3, a pattern of 2", gemma3+`, "sliding_window_pattern": 2}`, 34*4096, 17*4096, 17*4096*11024, 0)
	m := read(t, gemma3+`}`, Options{})
	if notes := strings.Join(m.Notes, "; "); !strings.Contains(notes, "num_key_value_heads is not given: 4") || !strings.Contains(notes, "one layer in 6") {
		t.Errorf("got notes %q, want what the file left out", notes)
	}

	const oss = `{"model_type": "gpt_oss", "num_hidden_layers": 4, "hidden_size": 2880, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "sliding_window": 128`
	check(t, "layer_types", oss+`, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]}`,
		4*2048, 2*2048, 2*2048*10128, 0)
	refused(t, oss+`}`, "layer_types is missing")
	refused(t, oss+`, "layer_types": ["full_attention"]}`, "layer_types has 1 entries for 4 layers")
	refused(t, oss+`, "layer_types": ["full_attention", "chunked_attention", "full_attention", "full_attention"]}`, `layer_types has "chunked_attention" at place 1`)
	refused(t, gemma3+`, "sliding_window_pattern": 2, "_sliding_window_pattern": 6}`, "sliding_window_pattern is 2 and _sliding_window_pattern is 6")
	refused(t, strings.Replace(gemma2, "42", "2", 1)+`, "layer_types": ["full_attention", "sliding_attention"]}`, `"full_attention" at place 0, and the other fields say "sliding_attention"`)
	refused(t, `{`+llama+`, "sliding_window": 4096}`, "what that means for a llama is not known")
	refused(t, strings.Replace(mistral7b, `, "sliding_window": 4096`, "", 1), "sliding_window is missing")
}

func TestHybrids(t *testing.T) {
	// A quarter of the layers grows. The state of the others: 32 matrices of 128 x
	// 128 in 32 bits, and 3 inputs of 2 x 2048 + 4096 in 16.
	const next = `{"model_type": "qwen3_next", "num_hidden_layers": 48, "hidden_size": 2048, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
		"linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_num_value_heads": 32, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4`
	const nextState = 36 * (32*128*128*4 + 3*8192*2)
	check(t, "qwen3_next", next+`, "full_attention_interval": 4}`, 12*2048, 12*2048, 12*2048*10000+nextState, nextState)
	refused(t, next+`}`, "neither full_attention_interval nor layer_types")

	const jamba = `{"model_type": "jamba", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "attn_layer_period": 8,
		"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "attn_layer_offset": `
	const jambaState = 28 * (8192*16*2 + 8192*3*2)
	check(t, "jamba", jamba+`4}`, 4*4096, 4*4096, 4*4096*10000+jambaState, jambaState)
	refused(t, jamba+`8}`, "no layer would have attention")

	const nemotron = `{"model_type": "nemotron_h", "num_hidden_layers": 5, "num_attention_heads": 32, "num_key_value_heads": 8, "attention_head_dim": 128,
		"mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4, "hybrid_override_pattern": "M-`
	const nemotronState = 2 * (8192*128*2 + 3*(8192+2*8*128)*2)
	check(t, "nemotron_h", nemotron+`M*-"}`, 4096, 4096, 4096*10000+nemotronState, nemotronState)
	refused(t, nemotron+`M*"}`, "hybrid_override_pattern has 4 letters for 5 layers")
	check(t, "experts", nemotron+`*EE"}`, 4096, 4096, 4096*10000+nemotronState/2, nemotronState/2)
	refused(t, nemotron+`MX-"}`, "'X' at place 3")

	const gemma3n = `{"model_type": "gemma3n_text", "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256, "sliding_window": 512,
		"layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]`
	check(t, "num_kv_shared_layers", gemma3n+`, "num_kv_shared_layers": 2}`, 2*2048, 2048, 2048*10512, 0)
	refused(t, gemma3n+`, "num_kv_shared_layers": 4}`, "num_kv_shared_layers is")
	refused(t, gemma3n+`}`, "num_kv_shared_layers is missing")
}

// How weights are quantized says nothing of the cache.
func TestFormats(t *testing.T) {
	const gqa = `{` + llama + `, "num_key_value_heads": 8`
	grows(t, "weights in 4 bits", gqa+`, "quantization_config": {"quant_method": "gptq", "bits": 4, "kv_cache_scheme": null}}`, 131072)
	grows(t, "the cache in 8 bits", gqa+`, "quantization_config": {"kv_cache_scheme": {"num_bits": 8, "type": "float", "strategy": "tensor"}}}`, 65536)
	grows(t, "said around it", `{"quantization_config": {"kv_cache_scheme": {"num_bits": 8}}, "text_config": `+gqa+`}}`, 65536)
	refused(t, gqa+`, "quantization_config": {"kv_cache_scheme": {"num_bits": 4}}}`, `kv_cache_scheme has "4" bits`)
	refused(t, gqa+`, "quantization_config": {"kv_cache_scheme": {"num_bits": 8, "strategy": "token"}}}`, `by "token"`)
	refused(t, gqa+`, "quantization_config": {"kv_cache_quant_algo": "FP8"}}`, `quantization_config has "kv_cache_quant_algo"`)
	refused(t, gqa+`, "quantization_config": {"export": {"kv_cache_group": ["*k_proj"]}}}`, `quantization_config has "kv_cache_group"`)
	grows(t, "weights in blocks", gqa+`, "quantization_config": {"export": {"kv_cache_group": [], "min_kv_scale": 0.0}, "layer": {"kv_b_proj": {"bits": 4}},
		"exclude": ["model.layers.0.self_attn.kv_a_proj"], "kv_cache_quant_config": {}}}`, 131072)
	refused(t, gqa+`, "quantization_config": 8}`, "quantization_config is")

	for name, want := range map[string]int64{"f16": 131072, "bf16": 131072, "f32": 262144, "fp8": 65536, "int8": 131072 / 2 / 32 * 34, "q8_0": 69632,
		"int4": 131072 / 2 / 32 * 18, "q4_0": 36864} {
		f, err := FormatOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, gqa+`}`, Options{Format: &f}).Slope(1); got != want {
			t.Errorf("%s: got %d B a token, want %d", name, got, want)
		}
	}
	int8, _ := FormatOf("int8")
	if _, err := Read([]byte(`{"model_type": "gpt2", "n_layer": 1, "n_head": 1, "n_embd": 8}`), Options{Format: &int8}); err == nil || !strings.Contains(err.Error(), "16 values a token, which do not fill whole blocks of 32") {
		t.Errorf("got %v, want a complaint about blocks", err)
	}
	if _, err := FormatOf("int3"); err == nil || !strings.Contains(err.Error(), "f16, f32, fp8, int8, int4") {
		t.Errorf("got %v, want the formats", err)
	}
}

// Files with all the fields that tools write into them, as they are published.
func TestWholeFiles(t *testing.T) {
	const common = `"architectures": ["X"], "attention_dropout": 0.0, "auto_map": {"AutoConfig": "x.X"}, "bos_token_id": 1, "eos_token_id": [1, 2], "hidden_act": "silu",
		"initializer_range": 0.02, "pad_token_id": 0, "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 10000.0, "tie_word_embeddings": false,
		"torch_dtype": "bfloat16", "transformers_version": "4.46.2", "use_cache": true, "vocab_size": 65536, "_name_or_path": "/a/b", "attention_bias": false`
	m := read(t, `{"model_type": "jamba", "attn_layer_offset": 4, "attn_layer_period": 8, "expert_layer_offset": 1, "expert_layer_period": 2, "hidden_size": 4096,
		"intermediate_size": 14336, "mamba_conv_bias": true, "mamba_d_conv": 4, "mamba_d_state": 16, "mamba_dt_rank": 256, "mamba_expand": 2, "mamba_proj_bias": false,
		"mamba_inner_layernorms": true, "max_position_embeddings": 262144, "n_ctx": 262144, "num_attention_heads": 32, "num_experts": 16, "num_experts_per_tok": 2,
		"num_hidden_layers": 32, "num_key_value_heads": 8, "num_logits_to_keep": 1, "output_router_logits": false, "router_aux_loss_coef": 0.001,
		"calc_logits_for_entire_prompt": false, "sliding_window": null, "use_mamba_kernels": true, `+common+`}`, Options{})
	if m.Slope(1) != 16384 {
		t.Errorf("jamba: got %d B a token", m.Slope(1))
	}
	check(t, "gemma2", `{"model_type": "gemma2", "attn_logit_softcapping": 50.0, "cache_implementation": "hybrid", "final_logit_softcapping": 30.0, "head_dim": 256,
		"hidden_activation": "gelu_pytorch_tanh", "hidden_size": 3584, "intermediate_size": 14336, "max_position_embeddings": 8192, "num_attention_heads": 16,
		"num_hidden_layers": 42, "num_key_value_heads": 8, "query_pre_attn_scalar": 256, "sliding_window": 4096, "sliding_window_size": 4096, `+common+`}`,
		42*8192, 21*8192, 21*8192*14096, 0)
	grows(t, "deepseek_v3", `{"model_type": "deepseek_v3", "aux_loss_alpha": 0.001, "ep_size": 1, "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432,
		"kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256, "n_shared_experts": 1,
		"norm_topk_prob": true, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1,
		"pretraining_tp": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "topk_group": 4, "topk_method": "noaux_tc", "seq_aux": true,
		"scoring_func": "sigmoid", "routed_scaling_factor": 2.5,
		"quantization_config": {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": [128, 128]}, `+common+`}`, 70272)
	check(t, "gpt_oss", `{"model_type": "gpt_oss", "experts_per_token": 4, "head_dim": 64, "hidden_size": 2880, "initial_context_length": 4096, "intermediate_size": 2880,
		"layer_types": ["sliding_attention", "full_attention"], "max_position_embeddings": 131072, "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 2,
		"num_key_value_heads": 8, "num_local_experts": 32, "output_router_logits": false, "router_aux_loss_coef": 0.9, "sliding_window": 128, "swiglu_limit": 7.0, `+common+`}`,
		2*2048, 2048, 2048*10128, 0)
	m = read(t, `{"model_type": "qwen3_next", "decoder_sparse_step": 1, "head_dim": 256, "hidden_size": 2048, "intermediate_size": 5120,
		"layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"], "full_attention_interval": 4, "linear_conv_kernel_dim": 4,
		"linear_key_head_dim": 128, "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_value_head_dim": 128, "max_position_embeddings": 262144,
		"mlp_only_layers": [], "moe_intermediate_size": 512, "norm_topk_prob": true, "num_attention_heads": 16, "num_experts": 512, "num_experts_per_tok": 10,
		"num_hidden_layers": 4, "num_key_value_heads": 2, "output_router_logits": false, "partial_rotary_factor": 0.25, "router_aux_loss_coef": 0.001,
		"shared_expert_intermediate_size": 512, `+common+`}`, Options{})
	if m.Slope(1) != 2048 {
		t.Errorf("qwen3_next: got %d B a token", m.Slope(1))
	}
	m = read(t, `{"model_type": "gemma3n_text", "activation_sparsity_pattern": [0.95, 0.0], "altup_active_idx": 0, "altup_correct_scale": true, "altup_num_inputs": 4,
		"final_logit_softcapping": 30.0, "head_dim": 256, "hidden_size": 2048, "hidden_size_per_layer_input": 256, "intermediate_size": [16384, 16384], "laurel_rank": 64,
		"layer_types": ["sliding_attention", "full_attention"], "num_attention_heads": 8, "num_hidden_layers": 2, "num_key_value_heads": 2, "num_kv_shared_layers": 1,
		"rope_local_base_freq": 10000.0, "sliding_window": 512, "vocab_size_per_layer_input": 262144, `+common+`}`, Options{})
	if m.Slope(1) != 2048 {
		t.Errorf("gemma3n_text: got %d B a token", m.Slope(1))
	}
	// One that another tool has filled with what every model may have.
	grows(t, "qwen2 in a wrapper", `{"model_type": "sees", "force_image_size": 448, "select_layer": -1, "use_backbone_lora": 0, "vision_config": {"num_hidden_layers": 24},
		"llm_config": {"model_type": "qwen2", "add_cross_attention": false, "chunk_size_feed_forward": 0, "cross_attention_hidden_size": null, "decoder_start_token_id": null,
		"encoder_no_repeat_ngram_size": 0, "is_decoder": false, "is_encoder_decoder": false, "output_attentions": false, "output_hidden_states": false, "pruned_heads": {},
		"tie_encoder_decoder": false, "attn_implementation": "flash_attention_2", "hidden_size": 896, "max_window_layers": 21, "num_attention_heads": 14, "num_hidden_layers": 24,
		"num_key_value_heads": 2, "sliding_window": 32768, "use_sliding_window": false, `+common+`}}`, 24*2*2*64*2)
}
