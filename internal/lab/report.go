package lab

import (
	"fmt"
	"slices"

	"envelope/internal/measure"
)

// Observe adds counted observations to an exact claim.
func (r *Run) Observe(claim string, values ...float64) {
	c := r.claim(claim)
	if c.Kind != measure.Exact {
		panic(fmt.Sprintf("claim %s is not exact", claim))
	}
	if !r.Wants(claim) {
		return
	}
	for _, v := range values {
		if !finite(v) {
			r.Void(claim, measure.Error, "the lab observed %v, which is no number", v)
			return
		}
	}
	e := r.record.Evidence[claim]
	e.Values = append(e.Values, values...)
	r.record.Evidence[claim] = e
	for i := range r.record.Series {
		if s := &r.record.Series[i]; s.Name == claim {
			s.Samples = e.Values
			return
		}
	}
	r.AddSeries(Series{Name: claim, Text: c.Observed, Unit: c.Unit, Samples: e.Values})
}

// Trials reports the outcome of independent trials to a binomial claim.
func (r *Run) Trials(claim string, successes, n int) {
	if c := r.claim(claim); c.Kind != measure.Binomial {
		panic(fmt.Sprintf("claim %s is not binomial", claim))
	}
	if r.Wants(claim) {
		r.record.Evidence[claim] = measure.Evidence{Trials: measure.Trials{Successes: successes, N: n}}
	}
}

// Void reports that a claim can't be judged here, and why.
func (r *Run) Void(claim string, reason measure.Reason, format string, args ...any) {
	if r.Wants(claim) {
		r.record.Voids[claim] = measure.VoidFor(reason, format, args...)
	}
}

// AddSeries keeps samples that no claim rests on, or counts for a table. What is
// no finite number is left out, with a note: it could not be written, and the
// whole record with it.
func (r *Run) AddSeries(s Series) {
	numbers := slices.DeleteFunc(slices.Clone(s.Samples), func(v float64) bool { return !finite(v) })
	if n := len(s.Samples) - len(numbers); n > 0 {
		r.Note("series %s: %d of %d samples were no numbers, and are left out", s.Name, n, len(s.Samples))
	}
	s.Samples = numbers
	r.record.Series = append(r.record.Series, s)
}

// Note keeps a sentence for people.
func (r *Run) Note(format string, args ...any) {
	r.record.Notes = append(r.record.Notes, fmt.Sprintf(format, args...))
}

// AddTable keeps a table for people.
func (r *Run) AddTable(t Table) { r.record.Tables = append(r.record.Tables, t) }

// SeriesNamed returns the samples of a series, nil where there is none.
func (r *Run) SeriesNamed(name string) []float64 {
	for _, s := range r.record.Series {
		if s.Name == name {
			return s.Samples
		}
	}
	return nil
}
