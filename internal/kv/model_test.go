package kv

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	// The same cases in every run, unless the command line says otherwise.
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// The formula holds for any shape, checked with numbers that cannot overflow.
func TestFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 200).Draw(t, "layers")
		kv := rapid.Int64Range(1, 128).Draw(t, "kv")
		group := rapid.Int64Range(1, 16).Draw(t, "group")
		dim := rapid.Int64Range(1, 512).Draw(t, "dim")
		window := rapid.Int64Range(1, 1<<17).Draw(t, "window")
		first := rapid.Int64Range(0, n).Draw(t, "first")
		tokens := rapid.Int64Range(0, MostTokens).Draw(t, "tokens")
		config := fmt.Sprintf(`{"model_type": "qwen3", "num_hidden_layers": %d, "num_attention_heads": %d, "num_key_value_heads": %d, "head_dim": %d,
			"use_sliding_window": true, "sliding_window": %d, "max_window_layers": %d}`, n, kv*group, kv, dim, window, first)
		m, err := Read([]byte(config), Options{})
		if err != nil {
			t.Fatal(err)
		}
		each := big.NewInt(2 * kv * dim * 2)
		want := new(big.Int).Mul(each, big.NewInt(first*tokens))
		want.Add(want, new(big.Int).Mul(each, big.NewInt((n-first)*min(tokens, window))))
		if got := big.NewInt(m.Total(tokens)); got.Cmp(want) != 0 {
			t.Fatalf("got %v B, want %v", got, want)
		}
		if next := m.Total(tokens + 1); next-m.Total(tokens) != m.Slope(tokens) {
			t.Fatalf("the next token adds %d B, the slope is %d", next-m.Total(tokens), m.Slope(tokens))
		}
		if m.Intercept(tokens)+tokens*m.Slope(tokens) != m.Total(tokens) || m.Intercept(tokens) < 0 {
			t.Fatalf("intercept %d, slope %d, total %d", m.Intercept(tokens), m.Slope(tokens), m.Total(tokens))
		}
		count := 0
		for _, g := range m.Groups() {
			count += g.Count
		}
		if count != int(n) || len(m.Groups()) > 2 {
			t.Fatalf("%d layers in %d groups, want %d in at most 2", count, len(m.Groups()), n)
		}
	})
}

// The order of the fields says nothing.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.Permutation([]string{`"model_type": "mistral"`, `"num_hidden_layers": 32`, `"hidden_size": 4096`, `"num_attention_heads": 32`,
			`"num_key_value_heads": 8`, `"sliding_window": 4096`}).Draw(t, "fields")
		m, err := Read([]byte("{"+strings.Join(fields, ",")+"}"), Options{})
		if err != nil || m.Slope(1) != 131072 {
			t.Fatalf("got %v, %v", m, err)
		}
	})
}

// The largest shapes that are read stay within an int64.
func TestLargest(t *testing.T) {
	m := &Model{}
	for range mostLayers {
		m.Layers = append(m.Layers, Layer{Bytes: mostBytes, State: mostState})
	}
	if err := m.check(); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Total(MostTokens), int64(mostLayers)*mostState+int64(mostLayers)*mostBytes*MostTokens; got != want || got < 0 {
		t.Errorf("got %d, want %d", got, want)
	}
}

// Published counts of parameters, to the last one.
func TestParameters(t *testing.T) {
	check := func(config string, parameters, size int64) {
		t.Helper()
		m := read(t, config, Options{})
		if m.Parameters != parameters || m.Size != size || m.Unknown != "" {
			t.Errorf("%s: got %d parameters in %d B (%s), want %d in %d", m.Type, m.Parameters, m.Size, m.Unknown, parameters, size)
		}
	}
	const seven = `{` + llama + `, "intermediate_size": 11008, "vocab_size": 32000, "torch_dtype": "float16"`
	check(seven+`}`, 6738415616, 2*6738415616)
	check(`{`+llama+`, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "torch_dtype": "bfloat16"}`, 8030261248, 2*8030261248)
	check(strings.Replace(mistral7b, "{", `{"intermediate_size": 14336, "vocab_size": 32000, "torch_dtype": "float32", `, 1), 7241732096, 4*7241732096)
	check(`{"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128,
		"intermediate_size": 3072, "vocab_size": 151936, "tie_word_embeddings": true, "dtype": "bfloat16"}`, 596049920, 2*596049920)
	check(`{"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768, "n_positions": 1024, "vocab_size": 50257, "torch_dtype": "float32"}`, 124439808, 4*124439808)

	unknown := func(config, want string) {
		t.Helper()
		if m := read(t, config, Options{}); m.Size != 0 || !strings.Contains(m.Unknown, want) {
			t.Errorf("got %d B, %q, want none and %q", m.Size, m.Unknown, want)
		}
	}
	unknown(`{`+llama+`}`, "intermediate_size is missing")
	unknown(seven[:strings.LastIndex(seven, ",")]+`}`, "neither dtype nor torch_dtype")
	unknown(seven+`, "quantization_config": {"bits": 4}}`, "quantized")
	unknown(`{"text_config": `+seven+`}}`, "parts beside")
	unknown(`{"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64}`, "not known here")
	unknown(strings.Replace(seven, "float16", "int3", 1)+`}`, "whose size is not known")
}

// FuzzRead offers any text. Either there is a model whose numbers are within the
// limits, and writing its object again gives the same; or there is a short
// message that can be printed.
func FuzzRead(f *testing.F) {
	f.Add([]byte(mistral7b))
	f.Add([]byte(`{` + llama + `}`))
	f.Add([]byte(`{"text_config": {"model_type": "gemma3_text", "num_hidden_layers": 34, "hidden_size": 2560}}`))
	f.Add([]byte(`{"model_type": "nemotron_h", "num_hidden_layers": 1, "hybrid_override_pattern": "M"}`))
	f.Add([]byte(`{"model_type": "qwen3_next", "num_hidden_layers": 2, "full_attention_interval": 0, "layer_types": ["linear_attention", 7]}`))
	f.Add([]byte("{\"a\x00\": [[[[1e400]]]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data, Options{})
		if err != nil {
			if text := err.Error(); len(text) > 900 || strings.ContainsAny(text, "\n\x00\x1b") {
				t.Fatalf("the message %q", text)
			}
			return
		}
		last := int64(-1)
		for _, n := range []int64{0, 1, 100, 1 << 12, 1 << 20, MostTokens} {
			total := m.Total(n)
			if total < last || m.Slope(n) < 0 || m.Intercept(n) < 0 || m.Size < 0 {
				t.Fatalf("%d tokens take %d B, after %d", n, total, last)
			}
			last = total
		}
		o, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Read(text, Options{}); err != nil || again.Total(1000) != m.Total(1000) {
			t.Fatalf("again: %v", err)
		}
	})
}
