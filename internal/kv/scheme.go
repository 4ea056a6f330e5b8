package kv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// format is how the cache is kept: as the user says, or as the file does, or in
// 16 bits. How the weights are quantized says nothing of it.
func format(f *fields, outer []wrapper, o Options) Format {
	said, ok := Half, false
	for _, holder := range append(around(outer), f.o) {
		s, here, err := scheme(holder)
		switch {
		case err != nil && o.Format == nil:
			f.fail("%w", err)
		case here && ok && s != said:
			f.fail("two objects quantization_config say different things of the cache")
		case here:
			said, ok = s, true
		}
	}
	switch {
	case o.Format != nil && ok && *o.Format != said:
		f.note("the file keeps its cache in %s, and you asked for %s", said.Name, o.Format.Name)
		return *o.Format
	case o.Format != nil:
		return *o.Format
	case ok:
		f.note("quantization_config keeps the cache in %s: %s", said.Name, said.Text)
	default:
		for _, name := range []string{"dtype", "torch_dtype"} {
			if f.o[name] == "float32" {
				f.note("%s is float32, and nothing says what the cache is kept in: %s is taken, and in f32 it would be twice as much", name, said.Name)
				break
			}
		}
	}
	return said
}

func around(outer []wrapper) (all []object) {
	for _, w := range outer {
		all = append(all, w.object)
	}
	return all
}

// scheme reads what an object says of the cache's values, if it does.
func scheme(o object) (Format, bool, error) {
	v := o["quantization_config"]
	if off(v) {
		return Half, false, nil
	}
	q, ok := v.(object)
	if !ok {
		return Half, false, fmt.Errorf("quantization_config is %s, and must be an object", show(v))
	}
	if name := cacheField(q, true); name != "" {
		return Half, false, fmt.Errorf("quantization_config has %s: %w", quote(name), ErrFormat)
	}
	v = q["kv_cache_scheme"]
	if off(v) {
		return Half, false, nil
	}
	s, ok := v.(object)
	if !ok {
		return Half, false, fmt.Errorf("kv_cache_scheme is %s, and must be an object", show(v))
	}
	bits, err := whole(s["num_bits"])
	if strategy, ok := s["strategy"]; err != nil || bits != 8 || ok && strategy != nil && strategy != "tensor" {
		return Half, false, fmt.Errorf("kv_cache_scheme has %s bits by %s, and 8 by tensor are known: %w", show(s["num_bits"]), show(s["strategy"]), ErrFormat)
	}
	eight, err := FormatOf("fp8")
	return eight, true, err
}

// cacheField finds a field, at any depth, that says something of the cache and
// that is not the scheme at the top.
func cacheField(o object, top bool) string {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		v := o[name]
		if off(v) || empty(v) || top && name == "kv_cache_scheme" {
			continue
		}
		if strings.Contains(strings.ToLower(name), "cache") {
			return name
		}
		if inner, ok := v.(object); ok {
			if found := cacheField(inner, false); found != "" {
				return found
			}
		}
	}
	return ""
}

// empty reports whether a value is a list or an object with nothing in it.
func empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case object:
		return len(v) == 0
	}
	return false
}
