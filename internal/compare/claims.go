package compare

import (
	"math"
	"regexp"
	"slices"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/manifest"
)

// labs lines up the claims of all runs, in the order in which the runs have them.
func labs(runs []*manifest.Run) []Lab {
	out := []Lab{}
	for _, row := range table(runs, func(r *manifest.Run) []manifest.Lab { return r.Labs }, func(l *manifest.Lab) string { return l.Name }) {
		out = append(out, lineUp(row.name, row.in))
	}
	return out
}

// row is what each run has under one name; nil where it has nothing.
type row[T any] struct {
	name string
	in   []*T
}

// table lines up lists by name: first the names of the first list, then what each
// of the others adds. Of two things with one name in a list the first counts.
func table[L, T any](lists []L, of func(L) []T, name func(*T) string) []row[T] {
	var out []row[T]
	at := map[string]int{}
	for i, list := range lists {
		things := of(list)
		for j := range things {
			name := name(&things[j])
			k, ok := at[name]
			if !ok {
				k = len(out)
				at[name], out = k, append(out, row[T]{name, make([]*T, len(lists))})
			}
			if out[k].in[i] == nil {
				out[k].in[i] = &things[j]
			}
		}
	}
	return out
}

// lineUp lines up the claims of one lab; a run without it is nil.
func lineUp(name string, in []*manifest.Lab) Lab {
	out := Lab{Name: name, Differences: []Difference{}, Claims: []Claim{}}
	compared := false
	for _, row := range table(in, func(l *manifest.Lab) []manifest.Claim {
		if l == nil {
			return nil
		}
		return l.Claims
	}, func(c *manifest.Claim) string { return c.Name }) {
		c := oneClaim(row.name, row.in)
		compared = compared || c.Relation != First && c.Relation != Method
		out.Claims = append(out.Claims, c)
	}
	if compared {
		out.Differences = append(out.Differences, sources(name, in)...)
	}
	return out
}

// oneClaim holds a claim of several runs against the first that has it.
func oneClaim(name string, in []*manifest.Claim) Claim {
	out := Claim{Name: name, Relation: First, In: make([]*Side, len(in))}
	var first *manifest.Claim
	for i, c := range in {
		if c == nil {
			continue
		}
		s := &Side{Version: c.Version, Verdict: c.Verdict, Reason: c.Reason, Detail: c.Detail, Estimate: interval(c.Estimate), Relation: First}
		out.In[i] = s
		if first == nil {
			first, out.Unit, out.Kind = c, c.Unit, c.Terms.Kind
			continue
		}
		switch {
		case c.Version != first.Version || c.Unit != first.Unit || c.Terms.Kind != first.Terms.Kind:
			s.Relation = Method
		default:
			s.Relation, s.Ratio = relate(c.Terms.Kind == measure.Exact, interval(first.Estimate), s.Estimate)
		}
		out.Relation = stronger(out.Relation, s.Relation)
	}
	out.verdicts()
	return out
}

// verdicts finds out whether runs of one method version disagree.
func (c *Claim) verdicts() {
	for i, a := range c.In {
		for _, b := range c.In[i+1:] {
			if a == nil || b == nil || a.Version != b.Version {
				continue
			}
			c.Changed = c.Changed || a.Verdict != b.Verdict || a.Reason != b.Reason
			c.Reversed = c.Reversed || a.Verdict != b.Verdict && a.Verdict != measure.Void && b.Verdict != measure.Void
		}
	}
}

// measured lines up the axioms that two runs or more have measured themselves.
// What a run has taken from an earlier measurement is not its own figure.
func measured(runs []*manifest.Run) []Axiom {
	out := []Axiom{}
	for _, row := range table(runs, func(r *manifest.Run) []axioms.Measured {
		return slices.DeleteFunc(slices.Clone(r.Axioms), func(m axioms.Measured) bool { return !m.Taken.IsZero() })
	}, func(m *axioms.Measured) string { return m.Name }) {
		if a, several := oneAxiom(row.name, row.in); several {
			out = append(out, a)
		}
	}
	return out
}

// oneAxiom holds an axiom of several runs against the first that has it, and says
// whether there is another.
func oneAxiom(name string, in []*axioms.Measured) (out Axiom, several bool) {
	out = Axiom{Name: name, Relation: First, In: make([]*AxiomSide, len(in))}
	var first *AxiomSide
	method := ""
	for i, m := range in {
		if m == nil {
			continue
		}
		s := &AxiomSide{Estimate: Interval{m.Quantity.Value, m.Low.Value, m.High.Value, confidence(m.N), m.N}, Relation: First}
		unit, how := m.Quantity.Dim.String(), fewSamples.ReplaceAllString(m.Method, "")
		out.In[i] = s
		switch {
		case first == nil:
			first, method, out.Unit = s, how, unit
			continue
		case how != method || unit != out.Unit:
			s.Relation = Method
		default:
			s.Relation, s.Ratio = relate(false, &first.Estimate, &s.Estimate)
		}
		several = true
		out.Relation = stronger(out.Relation, s.Relation)
	}
	return out, several
}

// fewSamples is what a method says where n is too small for an interval at 95 %.
var fewSamples = regexp.MustCompile(` \(\d+ samples: the interval is their range\)$`)

// confidence is that of an axiom's interval: 95 %, or where n is too small for
// that, what the range of n samples has of holding the median.
func confidence(n int) float64 { return min(0.95, 1-math.Pow(2, 1-float64(n))) }
