package report

import (
	"envelope/internal/measure"
	"envelope/manifest"
)

// made is the version of every claim that the pictures were made for. A claim of
// another one measured something else, and has no picture.
const made = 1

// records is one lab's part of a run, as the pictures ask for it.
type records struct {
	*manifest.Lab
	run    *manifest.Run
	series map[string]*manifest.Series
	guess  map[string][]*manifest.Prediction // by LAB/QUESTION
}

func newRecords(run *manifest.Run, l *manifest.Lab) *records {
	r := &records{Lab: l, run: run, series: map[string]*manifest.Series{}, guess: map[string][]*manifest.Prediction{}}
	for i := range l.Series {
		r.series[l.Series[i].Name] = &l.Series[i]
	}
	for i := range run.Predictions {
		p := &run.Predictions[i]
		r.guess[p.Question] = append(r.guess[p.Question], p)
	}
	return r
}

// judged returns the claim of that name if it held or failed, at the version that
// pictures were made for, and nil otherwise.
func (r *records) judged(name string) *manifest.Claim {
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Name == name {
			if c.Version != made || c.Verdict == measure.Void || c.Evidence == nil {
				return nil
			}
			return c
		}
	}
	return nil
}

// samples returns a series that has some, in this unit; nil where there is none.
func (r *records) samples(name, unit string) []float64 {
	s := r.series[name]
	if s == nil || s.Unit != unit || len(s.Samples) == 0 {
		return nil
	}
	return s.Samples
}

// arm returns one arm of a claim that was judged by two: "a" or "b". It has no
// samples where there is none.
func (r *records) arm(claim, which, unit string) arm {
	c := r.judged(claim)
	if c == nil {
		return arm{}
	}
	name := pick(which == "a", c.Evidence.A, c.Evidence.B)
	if name == "" {
		return arm{}
	}
	s := r.samples(name, unit)
	if s == nil {
		return arm{}
	}
	return arm{r.series[name].Text, s}
}

// values returns the observations of a claim that was counted.
func (r *records) values(claim, unit string) []float64 {
	c := r.judged(claim)
	if c == nil || c.Evidence.Values == "" {
		return nil
	}
	return r.samples(c.Evidence.Values, unit)
}

// axiom returns an axiom that was measured for this run, if it was, in this unit.
func (r *records) axiom(name, unit string) (float64, bool) {
	for _, a := range r.run.Axioms {
		if a.Name == name && a.Quantity.Dim.String() == unit && a.Quantity.Value > 0 {
			return a.Quantity.Value, true
		}
	}
	return 0, false
}

// distributions draws both arms of every claim that was judged by blocks of two.
func (r *records) distributions() []*figure {
	var out []*figure
	draw := func(title, a, b string) {
		x, y := r.series[a], r.series[b]
		if x == nil || y == nil || x.Unit != y.Unit || len(x.Samples) == 0 || len(y.Samples) == 0 {
			return
		}
		out = append(out, distribution(title, x.Unit, arm{x.Text, x.Samples}, arm{y.Text, y.Samples}))
	}
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Evidence == nil || c.Verdict == measure.Void {
			continue
		}
		if c.Evidence.A != "" && c.Evidence.B != "" {
			draw(c.Name, c.Evidence.A, c.Evidence.B)
		}
		for _, p := range c.Evidence.Parts {
			draw(c.Name+", "+p.Name, p.A, p.B)
		}
	}
	return out
}

// positive reports whether all numbers are finite and above zero.
func positive(values ...float64) bool {
	for _, v := range values {
		if !(v > 0) || !isFinite(v) {
			return false
		}
	}
	return true
}
