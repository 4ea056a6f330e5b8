package kv

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// fields reads the fields of one object and keeps which were read, and the
// first error. After an error everything reads as nothing.
type fields struct {
	o      object
	family string
	read   map[string]bool
	notes  []string
	err    error
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

func (f *fields) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// get returns a field that is there and not null.
func (f *fields) get(name string) (any, bool) {
	f.read[name] = true
	v := f.o[name]
	return v, v != nil
}

// optional returns a count, and whether there is one.
func (f *fields) optional(name string, least, most int64) (int64, bool) {
	v, ok := f.get(name)
	if !ok {
		return 0, false
	}
	n, err := whole(v)
	if err != nil || n < least || n > most {
		f.fail("%s is %s, and must be a whole number from %d to %d", name, show(v), least, most)
		return least, false
	}
	return n, true
}

// count demands a count.
func (f *fields) count(name string, least, most int64) int64 {
	n, ok := f.optional(name, least, most)
	if !ok {
		f.fail("%s is missing or null: a %s needs it, as its authors have it", name, f.family)
		return least
	}
	return n
}

// usual returns a count, or what the family's own definition says of a file that
// leaves it out.
func (f *fields) usual(name string, most, otherwise int64) int64 {
	n, ok := f.optional(name, 1, most)
	if !ok {
		f.note("%s is not given: %d, as a %s has it", name, otherwise, f.family)
		return otherwise
	}
	return n
}

// known marks fields that leave the cache of this family as it is.
func (f *fields) known(names ...string) {
	for _, n := range names {
		f.read[n] = true
	}
}

// agrees demands that a second field, if it is there, says the same as the first.
func (f *fields) agrees(name string, want int64, first string) {
	if n, ok := f.optional(name, 0, 1<<24); ok && n != want {
		f.fail("%s is %d and %s is %d: which one is true is not said", first, want, name, n)
	}
}

// flag returns a truth value, or otherwise where there is none.
func (f *fields) flag(name string, otherwise bool) bool {
	v, ok := f.get(name)
	if !ok {
		return otherwise
	}
	b, ok := v.(bool)
	if !ok {
		f.fail("%s is %s, and must be true or false", name, show(v))
	}
	return b
}

// text returns a text, "" where there is none.
func (f *fields) text(name string) string {
	v, ok := f.get(name)
	if !ok {
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.fail("%s is %s, and must be a text", name, show(v))
	}
	return s
}

// texts returns a list of texts, nil where there is none.
func (f *fields) texts(name string) []string {
	v, ok := f.get(name)
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		f.fail("%s is %s, and must be a list", name, show(v))
		return nil
	}
	out := make([]string, 0, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			f.fail("%s has %s at place %d, and must be a list of texts", name, show(v), i)
			return nil
		}
		out = append(out, s)
	}
	return out
}

// whole reads a number that is one. 4096.0 is a whole number that some tool has
// passed through a float, and no one knows what else it did.
func whole(v any) (int64, error) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(n.String(), 10, 64)
}

// concerns are parts of names of fields that may have to do with the cache.
var concerns = []string{"attn", "attention", "head", "kv", "key", "quer", "layer", "window", "cache", "compress", "rank", "latent", "lora",
	"state", "ssm", "mamba", "linear", "recurren", "conv", "sparse", "index", "chunk", "memory", "share", "pattern", "interval", "period",
	"hybrid", "block", "sliding", "local", "global", "sink", "cross", "encoder", "decoder"}

// harmless are fields with such names that leave the cache as it is, in every
// family of the table.
var harmless = words(`
	attention_bias attn_bias attention_multiplier attn_pdrop attn_logit_softcapping query_pre_attn_scalar use_bidirectional_attention
	attn_implementation _attn_implementation _attn_implementation_autoset attention_softmax_in_fp32 scale_attention_softmax_in_fp32
	scale_attn_weights scale_attn_by_inverse_layer_idx reorder_and_upcast_attn parallel_attn num_ln_in_parallel_attn
	apply_residual_connection_post_layernorm use_cache cache_implementation keys_to_ignore_at_inference
	output_hidden_states output_attentions layer_norm_eps layer_norm_epsilon layernorm_epsilon num_nextn_predict_layers
	mlp_only_layers decoder_sparse_step first_k_dense_replace rope_local_base_freq num_logits_to_keep pruned_heads
	chunk_size_feed_forward encoder_no_repeat_ngram_size tie_encoder_decoder is_decoder use_qk_norm`)

func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// suspicious reports whether a field that nobody has read may change the cache.
func suspicious(name string) bool {
	if harmless[name] {
		return false
	}
	low := strings.ToLower(name)
	for _, part := range []string{"expert", "moe", "dropout", "tokenizer"} {
		if strings.Contains(low, part) {
			return false
		}
	}
	for _, end := range []string{"_token_id", "_token_index", "_version", "_name_or_path", "_loss_coef", "_std"} {
		if strings.HasSuffix(low, end) {
			return false
		}
	}
	for _, part := range concerns {
		if strings.Contains(low, part) {
			return true
		}
	}
	return false
}

// off reports whether a value says that there is no such thing.
func off(v any) bool { return v == nil || v == false }
