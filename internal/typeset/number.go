package typeset

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/measure"
)

// Quantity prints q in the unit that suits its size, to three significant
// digits. A rate is grouped, "1,000/s" and not "1 k/s": what it counts has no
// unit that a prefix could stand before.
func Quantity(q axioms.Quantity) string {
	if q.Dim != axioms.DimPerSecond {
		return q.String()
	}
	return axioms.Count(q.Value).String() + "/s"
}

// Beside prints q to stand beside another quantity. Bytes beside a size that is
// printed in KiB, MiB and so on are in that unit too: 524,373 B beside 512 KiB are
// 512 KiB, and not 524 kB.
func Beside(q, other axioms.Quantity) string {
	text := Quantity(q)
	_, unit, ok := strings.Cut(Quantity(other), " ")
	if q.Dim != axioms.DimByte || other.Dim != q.Dim || !ok || !strings.HasSuffix(unit, "iB") || strings.HasSuffix(text, "iB") {
		return text
	}
	one, err := axioms.Parse("1 " + unit)
	if err != nil || math.Abs(q.Value) < one.Value {
		return text
	}
	return axioms.Count(q.Value/one.Value).String() + " " + unit
}

// Number prints a plain number to three significant digits, and a whole one in
// full.
func Number(v float64) string { return axioms.Count(v).String() }

// Value prints a number of base units.
func Value(v float64, unit string) string {
	dim, err := axioms.ParseUnit(unit)
	if err != nil {
		return fmt.Sprintf("%s %s", Number(v), Clean(unit))
	}
	return Quantity(axioms.Quantity{Value: v, Dim: dim})
}

// Span prints the least and the largest of several values: "30 to 110", or the one
// value that all are. Ends that three significant digits would show as one have as
// many more as it takes, in base units: "1 to 1.00098".
func Span(low, high float64, unit string) string {
	a, b := Value(low, unit), Value(high, unit)
	if low == high {
		return a
	}
	for _, digits := range []int{short, 9, 17} {
		if a != b {
			break
		}
		a, b = strconv.FormatFloat(low, 'g', digits, 64), strconv.FormatFloat(high, 'g', digits, 64)
		if unit != "1" {
			a, b = a+" "+Clean(unit), b+" "+Clean(unit)
		}
	}
	return a + " to " + b
}

// Exact prints q for people, and in full where that would lose digits: Parse
// reads it back to the bit.
func Exact(q axioms.Quantity) string {
	for _, text := range []string{Quantity(q), grouped(q)} {
		if r, err := axioms.Parse(text); err == nil && r == q {
			return text
		}
	}
	return q.Exact()
}

// grouped is q in base units with all its digits, and commas between them.
func grouped(q axioms.Quantity) string {
	if q.Value != math.Trunc(q.Value) || math.Abs(q.Value) >= 1e15 {
		return q.Exact()
	}
	unit := strings.TrimPrefix(q.Exact(), strconv.FormatFloat(q.Value, 'g', -1, 64))
	return humanize.Comma(int64(q.Value)) + unit
}

// Region prints the condition that a claim's quantity must meet, in its unit:
// ">= 1,000", "= 64 KiB", "in [0.5, 2]". No digit of a bound is lost: one that
// has no short decimal is printed to three digits and as the fraction that it is,
// "0.179 (43/240)".
func Region(r measure.Region, unit string) string {
	switch {
	case r.Min == r.Max:
		return "= " + bound(r.Min, unit)
	case math.IsInf(r.Max, 1):
		return ">= " + bound(r.Min, unit)
	case math.IsInf(r.Min, -1):
		return "<= " + bound(r.Max, unit)
	}
	return "in [" + bound(r.Min, unit) + ", " + bound(r.Max, unit) + "]"
}

// short is how many significant digits a bound may have before it is printed as a
// fraction, and how many the ends of a span have that three don't tell apart.
const short = 6

func bound(v float64, unit string) string {
	dim, err := axioms.ParseUnit(unit)
	if err != nil {
		return strings.TrimSpace(strconv.FormatFloat(v, 'g', -1, 64) + " " + Clean(unit))
	}
	q := axioms.Quantity{Value: v, Dim: dim}
	text := Exact(q)
	if dim != axioms.DimOne || text == q.String() || strconv.FormatFloat(v, 'g', short, 64) == text {
		return text
	}
	if p, n, ok := fraction(v); ok {
		return fmt.Sprintf("%s (%s/%s)", q, humanize.Comma(p), humanize.Comma(n))
	}
	return text
}

// fraction finds the fraction that v is the nearest float to, if one with a
// denominator under a thousand is.
func fraction(v float64) (p, n int64, ok bool) {
	for n = 2; n < 1000; n++ {
		if p := math.Round(v * float64(n)); p/float64(n) == v && math.Abs(p) < 1e12 {
			return int64(p), n, true
		}
	}
	return 0, 0, false
}

// Within stands for a factor where a range was assumed and holds what was measured.
const Within = "within"

// OverAssumed prints the factor between a measured axiom and the assumed one.
// Inside an assumed range it is Within, outside the factor to the nearer end: what
// lies between the ends is no number that anything can be held against. It is ""
// where there is no factor.
func OverAssumed(q axioms.Quantity, c axioms.Constant) string {
	against := c.Quantity
	switch {
	case c.Ranged() && q.Value > c.High.Value:
		against = c.High
	case c.Ranged() && q.Value < c.Low.Value:
		against = c.Low
	case c.Ranged():
		return Within
	}
	r, err := q.Ratio(against)
	if err != nil {
		return ""
	}
	return Number(r)
}
