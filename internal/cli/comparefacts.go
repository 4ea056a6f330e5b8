package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"envelope/internal/compare"
	"envelope/internal/host"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// factLine is a fact that differs, and what the runs say of it: "A, C ext4; B tmpfs".
type factLine struct{ label, text string }

// factLines are those of a comparison. Packages whose sources differ share a line.
func factLines(list []compare.Difference) []factLine {
	var out []factLine
	var packages []string
	for _, d := range list {
		if dir, ok := strings.CutPrefix(d.Name, "program.sources."); ok {
			if dir == "." {
				dir = "main"
			}
			packages = append(packages, dir)
			continue
		}
		out = append(out, factLine{inTable(d.Label), byRun(factTexts(d))})
	}
	if len(packages) > 0 {
		out = append(out, factLine{"sources", "other ones in " + plural(len(packages), "package") + ": " + strings.Join(packages, ", ")})
	}
	return out
}

// byRun puts runs that say the same together.
func byRun(texts []string) string {
	var parts []string
	said := map[string]bool{}
	for i, text := range texts {
		if said[text] {
			continue
		}
		said[text] = true
		marks := mark(i)
		for j := i + 1; j < len(texts); j++ {
			if texts[j] == text {
				marks += ", " + mark(j)
			}
		}
		parts = append(parts, marks+" "+text)
	}
	return strings.Join(parts, "; ")
}

// factTexts is what each run says. Values that would look alike are printed in
// full, and lists of names as what each has beyond the others.
func factTexts(d compare.Difference) []string {
	var out []string
	alike := false
	for i, v := range d.Values {
		out = append(out, factText(d, v))
		for j := range i {
			alike = alike || out[i] == out[j] && !reflect.DeepEqual(d.Values[i], d.Values[j])
		}
	}
	if alike {
		for i, v := range d.Values {
			if v.Value != nil {
				out[i] = strings.TrimSpace(inFull(v.Value) + " " + strings.TrimPrefix(d.Unit, "1"))
			}
		}
	}
	if beyond := beyondCommon(d.Values); beyond != nil {
		return beyond
	}
	return out
}

// inFull is a value with all that tells it from others.
func inFull(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case float64:
		if t == math.Trunc(t) && math.Abs(t) < 1e15 {
			return strconv.FormatFloat(t, 'f', 0, 64)
		}
		return strconv.FormatFloat(t, 'g', -1, 64)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func factText(d compare.Difference, v compare.Value) string {
	switch t := v.Value.(type) {
	case nil:
		return "unknown (" + v.Unknown + ")"
	case bool:
		if t {
			return "yes"
		}
		return "no"
	case float64:
		if d.Share {
			return typeset.Number(100*t) + " %"
		}
		return typeset.Value(t, d.Unit)
	case int:
		return typeset.Value(float64(t), d.Unit)
	case uint64:
		if d.Unit == "B" {
			return typeset.Value(float64(t), d.Unit)
		}
		return strconv.FormatUint(t, 10)
	case []string:
		return orNone(strings.Join(t, " "))
	case []host.Cache:
		return orNone(host.CachesText(t))
	case []host.Layer:
		return orNone(host.LayersText(t))
	}
	text := fmt.Sprint(v.Value)
	if d.Hash && len(text) > shortHash {
		return text[:shortHash]
	}
	return text
}

// shortHash is how much of a hash is printed.
const shortHash = 12

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// beyondCommon is what each list has that not all of them have. nil means that
// the values are no lists, or differ by their order alone.
func beyondCommon(values []compare.Value) []string {
	var lists [][]string
	for _, v := range values {
		list, ok := v.Value.([]string)
		if !ok {
			return nil
		}
		lists = append(lists, list)
	}
	in := map[string]int{} // how many lists have it
	for _, list := range lists {
		for _, s := range slices.Compact(slices.Sorted(slices.Values(list))) {
			in[s]++
		}
	}
	var out []string
	found := false
	for _, list := range lists {
		more := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return in[s] == len(lists) })
		if len(more) == 0 {
			out = append(out, "nothing more")
			continue
		}
		found = true
		out = append(out, "also "+strings.Join(more, " "))
	}
	if !found {
		return nil
	}
	return out
}

// runText is what is said of one run in a line.
func runText(c compare.Comparison, i int, name string) string {
	r := c.Runs[i]
	text := fmt.Sprintf("%s (%s), %s, %s, on %s (%s CPUs, %s, virtual machine %s), file system %s", shortID(c, i), name,
		r.Started.UTC().Format("2006-01-02 15:04:05 UTC"), written(r.Version, r.Commit, r.Dirty),
		known(r.Processor), known(r.Logical), bytesOf(r.Memory), known(r.Machine), known(r.Filesystem))
	if r.Outcome != manifest.Complete {
		text += ", " + string(r.Outcome)
	}
	return text
}

// written names the program that a run was written by.
func written(version string, commit host.Fact[string], dirty host.Fact[bool]) string {
	text := "envelope " + version
	if hash, ok := commit.Get(); ok {
		text += " at " + hash[:min(shortHash, len(hash))]
	} else {
		text += " of an unknown commit"
	}
	if changed, ok := dirty.Get(); ok && changed {
		text += ", dirty"
	}
	return text
}

// known is a fact's value, or "unknown".
func known[T any](f host.Fact[T]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprint(v)
	}
	return "unknown"
}

func bytesOf(f host.Fact[uint64]) string {
	if v, ok := f.Get(); ok {
		return typeset.Value(float64(v), "B")
	}
	return "memory unknown"
}

// idShown is as much of an id as tells milliseconds apart.
const idShown = 13

// shortID is the beginning of a run's id, or all of it where another run begins
// like it.
func shortID(c compare.Comparison, i int) string {
	id := c.Runs[i].ID
	short := id[:min(idShown, len(id))]
	if slices.ContainsFunc(c.Runs, func(r compare.Run) bool { return r.ID != id && strings.HasPrefix(r.ID, short) }) {
		return id
	}
	return short
}
