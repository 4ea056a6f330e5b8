package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/internal/probe"
)

// within is how far a ratio may lie from 1.
const within = 1.15

// report prints a line for each axiom that was measured here.
func report(out io.Writer, series []probe.Series, rows []measure.Row) {
	theirs := map[string]measure.Row{}
	for _, r := range rows {
		theirs[r.Arm.Name] = r
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "axiom\town\tC\town / C\tinterval\tshortest fifth\tn\t")
	for _, s := range series {
		line(t, s, theirs[s.Name])
	}
	t.Flush()
}

func line(out io.Writer, s probe.Series, other measure.Row) {
	if s.Err != nil || len(s.Samples) == 0 {
		fmt.Fprintf(out, "%s\t\t\t\t\t\t0\tnot measured: %v\n", s.Name, s.Err)
		return
	}
	fmt.Fprintf(out, "%s\t%s\t", s.Name, value(s, s.Samples))
	if other.Err == nil && min(len(s.Samples), len(other.Samples)) < 2 {
		other.Err = errors.New("a comparison takes two rounds")
	}
	if other.Err != nil {
		why := fmt.Sprint(other.Err)
		if !errors.Is(other.Err, errSkipped) {
			why = "failed: " + why
		}
		fmt.Fprintf(out, "\t\t\t\t%d\t%s\n", len(s.Samples), why)
		return
	}
	r := ratios(s, other.Samples)
	low, high, ok := measure.MedianInterval(r, 0.95)
	if !ok {
		low, high = slices.Min(r), slices.Max(r)
	}
	mid := middle(r)
	fmt.Fprintf(out, "%s\t%.3f\t%.3f to %.3f\t%.3f\t%d\t%s\n", value(s, other.Samples), mid, low, high, undisturbed(s, other.Samples), len(r),
		verdict(mid, low, high)+because(s.Name, mid))
}

// ratios holds what was sampled in two rounds together, in the axiom's own unit:
// a rate is the larger where the time is the shorter. In one of the two ours was
// first, in the other theirs: what follows its like finds the device awake.
func ratios(s probe.Series, other []float64) []float64 {
	r := make([]float64, min(len(s.Samples), len(other))/2)
	for i := range r {
		r[i] = (s.Samples[2*i] + s.Samples[2*i+1]) / (other[2*i] + other[2*i+1])
		if s.Rate() {
			r[i] = 1 / r[i]
		}
	}
	return r
}

// undisturbed is the ratio of the times that a fifth of each side's samples stay
// under, whatever their rounds: where neighbours take turns with what is
// measured, the medians are theirs.
func undisturbed(s probe.Series, other []float64) float64 {
	fifth := func(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/5] }
	r := fifth(s.Samples) / fifth(other)
	if s.Rate() {
		return 1 / r
	}
	return r
}

func verdict(mid, low, high float64) string {
	switch {
	case mid <= within && mid >= 1/within:
		return "within 15 %"
	case low <= within && high >= 1/within:
		return "undecided: the interval reaches into 15 %"
	}
	return "OFF"
}

// because gives the reason for a difference, where there is one and it is
// known.
func because(name string, mid float64) string {
	if why := differ[name]; why != "" && (mid > within || mid < 1/within || name == "sha256" || byTesting[name] != nil) {
		return "; " + why
	}
	return ""
}

func middle(v []float64) float64 { return measure.Summarize(v).P50 }

func value(s probe.Series, samples []float64) axioms.Quantity {
	if s.Rate() {
		return axioms.Quantity{Value: 1 / middle(samples), Dim: s.Dim}
	}
	return axioms.Seconds(middle(samples))
}
