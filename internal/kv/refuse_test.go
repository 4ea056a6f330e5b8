package kv

import (
	"strings"
	"testing"
)

// refused demands an error with these words.
func refused(t *testing.T, config string, want string) {
	t.Helper()
	m, err := Read([]byte(config), Options{})
	if err == nil {
		t.Errorf("%.200s: got %d B a token, want an error with %q", config, m.Slope(1), want)
		return
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("%.200s: got %q, want %q in it", config, err, want)
	}
	if len(err.Error()) > 700 || strings.ContainsAny(err.Error(), "\n\x1b\x00") {
		t.Errorf("the message is %q", err)
	}
}

// Nothing is guessed.
func TestUnknown(t *testing.T) {
	refused(t, `{"model_type": "hyena", "num_hidden_layers": 32}`, `model_type "hyena" is not known to this version, and its cache is not guessed; known are deepseek_v2, `)
	refused(t, `{"num_hidden_layers": 32, "hidden_size": 4096}`, "there is no model_type")
	refused(t, `{"model_type": null}`, "there is no model_type")
	refused(t, `{"model_type": ["llama"]}`, "model_type is a list of 1")
	refused(t, `{`+llama+`, "compress_ratios": [4, 128]}`, `the field "compress_ratios" (a list of 2) may change the cache`)
	refused(t, `{"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_topk": 2048}`, `"index_topk"`)
	for _, field := range []string{`"multi_query": true`, `"v_head_dim": 64`, `"attention_chunk_size": 8192`, `"num_kv_heads": 4`, `"cross_attention_layers": [3]`,
		`"kv_lora_rank": 512`, `"is_encoder_decoder": true`, `"mamba_d_state": 16`, `"attention_sinks": 4`, `"max_window_layers": 3`, `"n_layer": 3`,
		`"num_kv_shared_layers": 4`, `"full_attention_interval": 4`, `"sliding_window_pattern": 6`, `"hybrid_override_pattern": "M*"`, `"global_head_dim": 512`,
		`"attention_k_eq_v": true`, `"cla_share_factor": 2`, `"kv_sharing_map": {}`, `"linear_num_value_heads": 32`} {
		refused(t, `{`+llama+`, `+field+`}`, "may change the cache")
	}
	m, err := Read([]byte(`{`+llama+`, "num_key_value_heads": 8, "compress_ratios": [4]}`), Options{Ignore: []string{"compress_ratios"}})
	if err != nil || m.Slope(1) != 131072 || len(m.Notes) != 1 || m.Notes[0] != `"compress_ratios" is ignored, as you asked` {
		t.Errorf("got %+v, %v, want it read and a note", m, err)
	}
	// What is switched off, and what has to do with other things.
	grows(t, "harmless", `{`+llama+`, "compress_ratios": null, "is_encoder_decoder": false, "attention_bias": false, "use_cache": true, "rms_norm_eps": 1e-05,
		"rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "pretraining_tp": 1, "tie_word_embeddings": false, "num_experts_per_tok": 2, "unsloth_fixed": true,
		"architectures": ["LlamaForCausalLM"], "bos_token_id": 1, "torch_dtype": "bfloat16", "vocab_size": 32000, "intermediate_size": 11008}`, 524288)
}

// Python writes numbers that JSON does not have. Where they have nothing to do with
// the cache they are no hindrance, and elsewhere they are no numbers.
func TestConstants(t *testing.T) {
	grows(t, "constants", `{`+llama+`, "time_step_limit": [0.0, Infinity], "a": -Infinity, "rope_scaling": {"x": NaN}, "text \"NaN": "\\"}`, 524288)
	refused(t, "{\n"+llama+`, "num_key_value_heads": NaN}`, `num_key_value_heads is "NaN", and must be a whole number`)
	refused(t, "{\n"+llama+`, "head_dim": -Infinity}`, `head_dim is "-Infinity"`)
	refused(t, "{"+llama+",\n\"rope_theta\": Infinity,\n\"x\": Infinite}", "line 3:")
	refused(t, `{"model_type": NaN}`, `model_type "NaN" is not known`)
	refused(t, `{"NaN": 1, "Infinity`, "line 1: it ends too early to be JSON")
	m := read(t, `{`+llama+`, "_name_or_path": "NaN and Infinity"}`, Options{Ignore: []string{"NaN"}})
	if len(m.Notes) > 0 {
		t.Errorf("got the notes %q, want none", m.Notes)
	}
}

// What a file says of lengths and types beside the cache is told, not used.
func TestBeside(t *testing.T) {
	m := read(t, `{`+llama+`, "max_position_embeddings": 4096, "seq_length": 17}`, Options{})
	if m.Longest != 4096 || m.LongestField != "max_position_embeddings" {
		t.Errorf("got %d from %q, want 4096 from max_position_embeddings", m.Longest, m.LongestField)
	}
	if m := read(t, `{`+llama+`, "max_position_embeddings": "long", "seq_length": -1}`, Options{}); m.Longest != 0 {
		t.Errorf("got %d tokens from fields that make no sense", m.Longest)
	}
	notes := func(fields, want string, o Options) {
		t.Helper()
		if got := strings.Join(read(t, `{`+llama+fields+`}`, o).Notes, "; "); got != want {
			t.Errorf("%s: got the notes %q, want %q", fields, got, want)
		}
	}
	const told = "dtype is float32, and nothing says what the cache is kept in: f16 is taken, and in f32 it would be twice as much"
	notes(`, "dtype": "float32"`, told, Options{})
	notes(`, "torch_dtype": "float32"`, "torch_"+told, Options{})
	notes(`, "torch_dtype": "bfloat16"`, "", Options{})
	notes(`, "dtype": "float32"`, "", Options{Format: &Half})
}

func TestMissing(t *testing.T) {
	refused(t, `{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32}`, "num_hidden_layers is missing or null")
	refused(t, `{"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 32}`, "hidden_size is missing or null")
	refused(t, `{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096}`, "num_attention_heads is missing or null")
	refused(t, `{"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8}`, "head_dim is missing or null")
	refused(t, `{"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "sliding_window": null}`, "num_key_value_heads is missing")
	refused(t, `{"model_type": "deepseek_v3", "num_hidden_layers": 61, "qk_rope_head_dim": 64}`, "kv_lora_rank is missing")
	refused(t, `{"model_type": "gpt_bigcode", "n_layer": 40, "n_head": 48, "n_embd": 6144}`, "multi_query is missing")
	refused(t, `{"model_type": "falcon", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2}`, "multi_query is missing")
}

// Sizes that no model has, and texts where numbers belong.
func TestHostileNumbers(t *testing.T) {
	for _, v := range []string{"0", "-1", "4096.5", "32.0", "3e1", "1e999", "99999999999999999999999", `"32"`, "true", "[32]", "{}", "4097"} {
		refused(t, `{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": `+v+`}`, "num_hidden_layers is")
	}
	refused(t, `{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 1, "num_key_value_heads": 5}`, "can't share evenly")
	refused(t, `{"model_type": "llama", "hidden_size": 100, "num_attention_heads": 32, "num_hidden_layers": 1}`, "hidden_size is 100, which 32 heads can't share evenly")
	refused(t, `{"model_type": "llama", "head_dim": 65536, "num_attention_heads": 65536, "num_hidden_layers": 4096}`, "more than any model")
	refused(t, `{"model_type": "jamba", "num_hidden_layers": 4096, "hidden_size": 16777216, "num_attention_heads": 1, "num_key_value_heads": 1, "attn_layer_period": 1,
		"attn_layer_offset": 0, "mamba_d_state": 4096, "mamba_d_conv": 256, "mamba_expand": 256}`, "more than any model")
}

func TestHostileText(t *testing.T) {
	refused(t, ``, "line 1: it ends too early")
	refused(t, `{"model_type": "llama"`, "line 1: it ends too early")
	refused(t, `[1]`, "it holds no JSON object")
	refused(t, "{\"model_type\":\n llama}", "line 2: invalid character 'l'")
	refused(t, "{\n\"a\": 1,\n\"a\": 2}", `line 3: "a" stands there twice`)
	refused(t, `{"a": 1} {}`, "something behind the object")
	refused(t, `{"a": nan}`, "line 1: invalid character")
	refused(t, "\ufeff{}", "line 1: invalid character")
	refused(t, "{\n  // no JSON\n}", "line 2: invalid character")
	refused(t, `{"a": `+strings.Repeat("[", 100000)+strings.Repeat("]", 100000)+`}`, "more than 16 deep")
	refused(t, `{"a": "`+strings.Repeat("x", 1<<20)+`"}`, "a config.json has at most 1048576")
	refused(t, `{"model_type": "`+strings.Repeat("\\u001b[31m", 1000)+`"}`, `model_type "\x1b[31m`)
	refused(t, strings.Repeat(`{"text_config": `, 40)+`{}`+strings.Repeat("}", 40), "more than 16 deep")
}
