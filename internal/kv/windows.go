package kv

// Kinds of layers, as layer_types lists them.
const (
	slides = "sliding_attention"
	full   = "full_attention"
	linear = "linear_attention"
)

// never is a family without windows.
func never(f *fields, n int64) []int64 {
	if w, ok := f.get("sliding_window"); ok && !off(w) {
		f.fail("sliding_window is %s, and what that means for a %s is not known", show(w), f.family)
	}
	for i, k := range f.kinds(n, nil) {
		if k != full {
			f.fail("layer_types has %s at place %d, and a %s has no window", quote(k), i, f.family)
		}
	}
	return make([]int64, n)
}

// said is a family whose files must say whether there is a window: null is none.
func said(f *fields, n int64) []int64 {
	if _, there := f.o["sliding_window"]; !there {
		f.fail("sliding_window is missing: a %s with one stops growing there; write null if it has none", f.family)
	}
	return maybe(f, n)
}

// maybe is a family with one window for all layers, or none.
func maybe(f *fields, n int64) []int64 {
	w, ok := f.window()
	kind := full
	if ok {
		kind = slides
	}
	return f.place(w, f.kinds(n, func(int64) string { return kind }))
}

// switched is a family whose window counts only where use_sliding_window is
// true, and then from layer max_window_layers on.
func switched(f *fields, n int64) []int64 {
	on := f.flag("use_sliding_window", false)
	w, ok := f.window()
	first, limited := f.optional("max_window_layers", 0, mostLayers)
	if !on {
		if ok {
			f.note("use_sliding_window is not true, so the window of %d does not count", w)
		}
		return f.place(0, f.kinds(n, func(int64) string { return full }))
	}
	if !ok || !limited {
		f.fail("use_sliding_window is true, and sliding_window or max_window_layers is missing")
	}
	return f.place(w, f.kinds(n, func(i int64) string {
		if i >= first {
			return slides
		}
		return full
	}))
}

// alternating is a family in which every other layer has a window, the first
// one among them, and no field says so.
func alternating(f *fields, n int64) []int64 {
	w := f.count("sliding_window", 1, MostTokens)
	f.agrees("sliding_window_size", w, "sliding_window")
	return f.place(w, f.kinds(n, func(i int64) string {
		if i%2 == 0 {
			return slides
		}
		return full
	}))
}

// every is a family in which each layer has a window but the last of every so
// many. What is given here holds where its files leave the fields out.
func every(pattern, window int64) func(*fields, int64) []int64 {
	return func(f *fields, n int64) []int64 {
		_, listed := f.o["layer_types"].([]any)
		p, ok := f.optional("sliding_window_pattern", 1, mostLayers)
		if ok {
			f.agrees("_sliding_window_pattern", p, "sliding_window_pattern")
		} else {
			p, ok = f.optional("_sliding_window_pattern", 1, mostLayers)
		}
		if !ok {
			p = pattern
		}
		if !ok && !listed {
			f.note("sliding_window_pattern is not given: one layer in %d has no window, as a %s has it", pattern, f.family)
		}
		w := f.usual("sliding_window", MostTokens, window)
		rule := func(i int64) string {
			if (i+1)%p == 0 {
				return full
			}
			return slides
		}
		if !ok && listed {
			rule = nil
		}
		return f.place(w, f.kinds(n, rule))
	}
}

// listed is a family whose files must list the kinds of their layers.
func listed(f *fields, n int64) []int64 {
	w := f.count("sliding_window", 1, MostTokens)
	return f.place(w, f.kinds(n, nil))
}

// window returns the window, and whether there is one.
func (f *fields) window() (int64, bool) {
	if f.o["sliding_window"] == false {
		f.read["sliding_window"] = true
		return 0, false
	}
	return f.optional("sliding_window", 1, MostTokens)
}

// kinds returns the kind of each of n layers: what layer_types lists, or by a
// rule where it does not. Where there are both, they must agree.
func (f *fields) kinds(n int64, rule func(i int64) string) []string {
	list := f.texts("layer_types")
	if f.err != nil {
		return nil
	}
	switch {
	case list == nil && rule == nil:
		if f.family == "gemma3n_text" || f.family == "gpt_oss" {
			f.fail("layer_types is missing: which layers of a %s have a window is not said", f.family)
		}
		return nil
	case list != nil && int64(len(list)) != n:
		f.fail("layer_types has %d entries for %d layers", len(list), n)
		return nil
	case list == nil:
		for i := range n {
			list = append(list, rule(i))
		}
		return list
	}
	for i, k := range list {
		if k != slides && k != full && (k != linear || f.family != "qwen3_next") {
			f.fail("layer_types has %s at place %d, which this version does not know of a %s", quote(k), i, f.family)
			return nil
		}
		if rule != nil && k != rule(int64(i)) {
			f.fail("layer_types has %s at place %d, and the other fields say %s", quote(k), i, quote(rule(int64(i))))
			return nil
		}
	}
	return list
}

// place gives the layers that slide their window.
func (f *fields) place(w int64, kinds []string) []int64 {
	out := make([]int64, len(kinds))
	for i, k := range kinds {
		if k == slides {
			out[i] = w
		}
	}
	return out
}
