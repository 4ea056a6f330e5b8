package manifest

import (
	"math"

	"envelope/internal/measure"
)

// Number returns a pointer to v, nil where v is no finite number: that is how
// a number that there is none of is written.
func Number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Describe fills in the number of the samples and the percentiles that it
// carries.
func (s *Series) Describe() {
	d := measure.Summarize(s.Samples)
	s.N = d.N
	s.Min, s.P50, s.P95, s.P99, s.Max = Number(d.Min), Number(d.P50), Number(d.P95), Number(d.P99), Number(d.Max)
}

// NewEstimate returns what is written of an estimate, null for nil and for one
// without a value.
func NewEstimate(e *measure.Estimate) *Estimate {
	if e == nil || Number(e.Value) == nil {
		return nil
	}
	return &Estimate{
		Value: Number(e.Value), Low: Number(e.Low), High: Number(e.High),
		OuterLow: Number(e.Outer.Low), OuterHigh: Number(e.Outer.High),
		Confidence: e.Confidence, N: e.N,
	}
}

// NewEvidence returns what is written of a claim's evidence, nil for nil. The
// series that it names are CLAIM for counted observations, CLAIM/a and CLAIM/b
// for arms, CLAIM/guard-a and CLAIM/guard-b for those of a guard; those of a
// retest have "retest-" before the arm. A part has its name between the two.
func NewEvidence(claim string, e *measure.Evidence, retest bool) *Evidence {
	if e == nil {
		return nil
	}
	arm := claim + "/"
	if retest {
		arm += "retest-"
	}
	out := &Evidence{}
	for _, p := range e.Parts {
		out.Parts = append(out.Parts, Part{
			Name: p.Name, A: arm + p.Name + "/a", B: arm + p.Name + "/b",
			Per: p.Blocks.Per, Divisor: p.Blocks.Unit, Clocked: p.Blocks.Clocked,
		})
	}
	switch {
	case e.Blocks != nil:
		out.A, out.B = arm+"a", arm+"b"
		out.Per, out.Divisor, out.Clocked = e.Blocks.Per, e.Blocks.Unit, e.Blocks.Clocked
	case e.Trials != (measure.Trials{}):
		out.Successes, out.Trials = &e.Trials.Successes, &e.Trials.N
	case len(e.Values) > 0 && retest:
		out.Values = arm + "values"
	case len(e.Values) > 0:
		out.Values = claim
	}
	if e.Guard != nil {
		out.GuardA, out.GuardB = arm+"guard-a", arm+"guard-b"
		out.GuardPer, out.GuardClocked = e.Guard.Per, e.Guard.Clocked
	}
	return out
}
