package compare

import (
	"math"

	"envelope/manifest"
)

// Relation is how a figure stands to that of the first run which has it.
type Relation string

// The relations, the strongest last: the one of a claim is the strongest of its
// runs.
const (
	First   Relation = "first"   // it is what the others are compared with
	None    Relation = "none"    // one of the two runs has no estimate
	Equal   Relation = "equal"   // exact, and the same
	Overlap Relation = "overlap" // the intervals have values in common
	Differs Relation = "differs" // exact, and not the same
	Apart   Relation = "apart"   // the intervals have no value in common
	Method  Relation = "method"  // measured by another method version: not compared
)

// strength orders the relations.
var strength = map[Relation]int{First: 0, None: 1, Equal: 2, Overlap: 3, Differs: 4, Apart: 5, Method: 6}

func stronger(a, b Relation) Relation {
	if strength[b] > strength[a] {
		return b
	}
	return a
}

// news reports whether the figures did not come out alike.
func (r Relation) news() bool { return strength[r] >= strength[Differs] }

// alike is how far two exact values may be apart, relative to the larger, and
// still be the same one: machines that add in another order differ in the last
// bits.
const alike = 1e-9

// interval is a manifest's estimate; nil where it has no value.
func interval(e *manifest.Estimate) *Interval {
	if e == nil || e.Value == nil {
		return nil
	}
	i := &Interval{Value: *e.Value, Low: math.Inf(-1), High: math.Inf(1), Confidence: e.Confidence, N: e.N}
	if e.Low != nil {
		i.Low = *e.Low
	}
	if e.High != nil {
		i.High = *e.High
	}
	return i
}

// relate says how b stands to a. Either may be nil.
func relate(exact bool, a, b *Interval) (Relation, *float64) {
	switch {
	case a == nil || b == nil:
		return None, nil
	case exact && same(a.Value, b.Value) && same(a.Low, b.Low) && same(a.High, b.High):
		return Equal, nil
	case exact:
		return Differs, nil
	case a.Low <= b.High && b.Low <= a.High:
		return Overlap, ratio(a, b)
	}
	return Apart, ratio(a, b)
}

func same(a, b float64) bool {
	return a == b || math.Abs(a-b) <= alike*max(math.Abs(a), math.Abs(b))
}

// ratio is b's value over a's, nil where it would say nothing: an interval holds
// zero, or they lie on two sides of it.
func ratio(a, b *Interval) *float64 {
	positive := a.Low > 0 && b.Low > 0
	negative := a.High < 0 && b.High < 0
	if !positive && !negative {
		return nil
	}
	r := manifest.Number(b.Value / a.Value)
	if r != nil && *r == 0 { // it is too small for a number
		return nil
	}
	return r
}
