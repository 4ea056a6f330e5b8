package kv

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ErrField and ErrFormat are wrapped by errors that an option can get past:
// Ignore for the one, Format for the other.
var (
	ErrField  = errors.New("what it means is not known to this version; if it leaves the cache as it is, ignore it by name")
	ErrFormat = errors.New("what it says of the cache is not known to this version; say the cache's format instead")
)

// Read says what the text of a config.json says of the model's cache. Its errors
// say what is wrong in it and what to do; they name no file.
func Read(data []byte, o Options) (*Model, error) {
	whole, err := parse(data)
	if err != nil {
		return nil, err
	}
	text, outer, err := textOf(whole)
	if err != nil {
		return nil, err
	}
	where := func(err error) error {
		if len(outer) > 0 {
			return fmt.Errorf("in %s: %w", outer[len(outer)-1].name, err)
		}
		return err
	}
	name, err := typeOf(text)
	if err != nil {
		return nil, where(err)
	}
	f := &fields{o: text, family: name, read: map[string]bool{}}
	m := &Model{Type: name, Format: format(f, outer, o)}
	if f.err == nil {
		m.Layers = families[name](f, m.Format)
	}
	if f.err == nil {
		f.err = leftover(f, outer, o.Ignore)
	}
	if f.err == nil {
		f.err = m.check()
	}
	if f.err != nil {
		return nil, where(f.err)
	}
	m.count(f, outer)
	m.Longest, m.LongestField = longest(text)
	m.Notes = f.notes
	return m, nil
}

// longest returns the longest sequence that an object knows of, and the name of
// the field. It has nothing to do with the size of the cache, so one that makes no
// sense is passed over.
func longest(text object) (tokens int64, field string) {
	for _, name := range []string{"max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len", "seq_length"} {
		if n, err := whole(text[name]); err == nil && n > 0 {
			return n, name
		}
	}
	return 0, ""
}

// wrapper is an object around the one of the text model.
type wrapper struct {
	object
	name string // of the object in it
}

// nested are the names under which models that also see or hear keep the
// configuration of the part that generates text.
var nested = []string{"text_config", "llm_config", "language_config"}

// textOf finds the object that describes the text model, and those around it
// from the outside in.
func textOf(o object) (text object, outer []wrapper, err error) {
	for {
		var here []string
		for _, n := range nested {
			if o[n] != nil {
				here = append(here, n)
			}
		}
		if len(here) == 0 {
			return o, outer, nil
		}
		if len(here) > 1 {
			return nil, nil, fmt.Errorf("%s are both there, and which one generates the text is not said", strings.Join(here, " and "))
		}
		inner, ok := o[here[0]].(object)
		if !ok {
			return nil, nil, fmt.Errorf("%s is %s, and must be an object", here[0], show(o[here[0]]))
		}
		outer = append(outer, wrapper{o, here[0]})
		o = inner
	}
}

// typeOf returns the family of an object.
func typeOf(o object) (string, error) {
	v, there := o["model_type"]
	name, ok := v.(string)
	switch {
	case !there || v == nil:
		return "", fmt.Errorf("there is no model_type, so what the fields mean is not known: is it a model's config.json?")
	case !ok:
		return "", fmt.Errorf("model_type is %s, and must be a text", show(v))
	case families[name] == nil:
		return "", fmt.Errorf("model_type %s is not known to this version, and its cache is not guessed; known are %s", quote(name), strings.Join(Types(), ", "))
	}
	return name, nil
}

// Types lists the families that are known.
func Types() []string { return slices.Sorted(maps.Keys(families)) }

// leftover refuses fields that nobody read and that may change the cache, in the
// text model's object and in those around it.
func leftover(f *fields, outer []wrapper, ignore []string) error {
	f.read["model_type"], f.read["quantization_config"] = true, true
	for _, name := range slices.Sorted(maps.Keys(f.o)) {
		v := f.o[name]
		switch {
		case f.read[name] || off(v) || !suspicious(name):
		case slices.Contains(ignore, name):
			f.note("%s is ignored, as you asked", quote(name))
		default:
			return fmt.Errorf("the field %s (%s) may change the cache of a %s: %w", quote(name), show(v), f.family, ErrField)
		}
	}
	for _, w := range outer {
		for _, name := range slices.Sorted(maps.Keys(w.object)) {
			// A wrapper may repeat a field of the text model, as some tools do. One
			// that says otherwise leaves open which of the two is true.
			inner, both := f.o[name]
			if v := w.object[name]; both && shapes[name] && !off(v) && show(v) != show(inner) {
				return fmt.Errorf("%s is %s there and %s around it: which one is true is not said", name, show(inner), show(v))
			} else if !off(v) && foreign(name) && !slices.Contains(ignore, name) {
				return fmt.Errorf("the field %s (%s) around it may change the cache: %w", quote(name), show(v), ErrField)
			}
		}
	}
	return nil
}

// foreign reports whether a wrapper's field may change the text model's cache. Most
// of a wrapper is about pictures and sounds, so the names that count are fewer.
func foreign(name string) bool {
	low := strings.ToLower(name)
	for _, part := range []string{"kv", "cache", "compress"} {
		if strings.Contains(low, part) && !harmless[name] && !shapes[name] {
			return true
		}
	}
	return false
}

// shapes are fields that a wrapper must not contradict.
var shapes = words(`num_hidden_layers num_attention_heads num_key_value_heads head_dim hidden_size sliding_window`)
