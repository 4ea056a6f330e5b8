package kvcache

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/kv"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// families are shapes of models that are in use, as their config.json has them.
var families = []struct{ text, config string }{
	{"llama 7B, every head keeps", `{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}`},
	{"llama 8B, 4 heads share", `{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8}`},
	{"llama 70B, 8 heads share", `{"model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8}`},
	{"mistral 7B, the last 4,096", `{"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "sliding_window": 4096}`},
	{"qwen3 0.6B, wide heads", `{"model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}`},
	{"gemma3 4B, most see 1,024", `{"model_type": "gemma3_text", "num_hidden_layers": 34, "hidden_size": 2560, "sliding_window": 1024}`},
	{"deepseek_v3, latent vectors", `{"model_type": "deepseek_v3", "num_hidden_layers": 61, "kv_lora_rank": 512, "qk_rope_head_dim": 64}`},
	{"gpt2, every head keeps", `{"model_type": "gpt2", "n_layer": 12, "n_head": 12, "n_embd": 768}`},
}

// lengths are the sequences of the table, in tokens.
var lengths = []int64{2048, 32768}

// show adds the table of shapes, and what ends the batch on the question's card
// and on a core. Both are arithmetic, and no claim rests on them.
func show(r *lab.Run) {
	if r.Config.Control != "" {
		return
	}
	t := lab.Table{Title: "keys and values of real shapes in 16 bits (envelope kv CONFIG has others)",
		Header: []string{"shape", "bytes a token", "2,048 tokens", "32,768 tokens"}}
	for _, m := range families {
		got, err := kv.Read([]byte(m.config), kv.Options{})
		if err != nil {
			r.Note("%s is not in the table: %v", m.text, err)
			continue
		}
		row := []string{m.text, humanize.Comma(got.Slope(0))}
		for _, n := range lengths {
			row = append(row, humanize.Comma((got.Total(n)+1<<19)>>20)+" MiB")
		}
		t.Rows = append(t.Rows, row)
	}
	r.AddTable(t)
	if text, err := binds(r.Axioms); err == nil {
		r.Note("%s", text)
	}
}

// binds says whether memory or arithmetic ends the batch of the question's model
// on its card, and what the same model would meet on a core of this machine.
func binds(set axioms.Set) (string, error) {
	fit, err := deriveFit(set, 2)
	if err != nil {
		return "", err
	}
	card, err := rows(set, "a100-peak", "a100-bandwidth", 2)
	if err != nil {
		return "", err
	}
	core, err := rows(set, "core-peak", "dram-read", 4)
	if err != nil {
		return "", err
	}
	what := "the ceiling binds: memory is full before the arithmetic is"
	if fit.Value.Value >= card {
		what = "it depends on how long reading the caches takes, which moves the ridge out"
	}
	return fmt.Sprintf("7B on an A100: %s sequences fit, and %s rows are the ridge of the weights alone (the caches are read too), so %s. On a core, with float32 weights, it is at %s rows",
		typeset.Number(fit.Value.Value), typeset.Number(card), what, typeset.Number(core)), nil
}

// rows is how many rows it takes until arithmetic takes as long as reading the
// weights, of so many bytes each.
func rows(set axioms.Set, peak, bandwidth string, weight float64) (float64, error) {
	p, err := set.Get(peak)
	if err != nil {
		return 0, err
	}
	b, err := set.Get(bandwidth)
	if err != nil {
		return 0, err
	}
	return p.Quantity.Value / b.Quantity.Value * weight / 2, nil
}
