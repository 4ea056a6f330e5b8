package measure

// Kind is how a claim's observations become an interval.
type Kind string

// The kinds.
const (
	Exact      Kind = "exact"    // every observation lies in the region
	Comparison Kind = "blocks"   // median of blocks of two arms
	Binomial   Kind = "binomial" // share of independent trials
)

// Terms are what a claim's evidence is judged by. They belong to the claim's
// method version.
type Terms struct {
	Kind   Kind    `json:"kind"`
	Region Region  `json:"region"`
	Form   Form    `json:"form,omitempty"`  // Comparison
	Scale  float64 `json:"scale,omitempty"` // Binomial: 0 means 1
	Guard  *Region `json:"guard,omitempty"`
}

// Evidence is all that a verdict rests on. Which fields are set follows from
// the kind.
type Evidence struct {
	Values []float64 // Exact
	Trials Trials    // Binomial
	Blocks *Blocks   // Comparison
	Guard  *Blocks   // Comparison, where the terms have a guard
	CallsA int       // operations in one timed span of each arm
	CallsB int
}

// Judge applies the terms to the evidence. clockOverhead is what reading the
// clock cost in that run, in seconds. The same function judges during a run and
// when a manifest is verified.
func Judge(t Terms, e Evidence, clockOverhead float64) Judgement {
	switch t.Kind {
	case Exact:
		return JudgeExact(e.Values, t.Region)
	case Binomial:
		scale := t.Scale
		if scale == 0 {
			scale = 1
		}
		return JudgeBinomial(e.Trials, scale, t.Region)
	case Comparison:
		return judgeComparison(t, e, clockOverhead)
	}
	return VoidFor(Error, "unknown kind of claim %q", t.Kind)
}

// judgeComparison judges two arms. The guard is heard only where the claim has
// not held: it explains why a ratio may be small here, and a slow bare write
// (a file system served by another process) is nothing against one that is
// large all the same.
func judgeComparison(t Terms, e Evidence, clockOverhead float64) Judgement {
	if e.Blocks == nil {
		return VoidFor(Error, "nothing was observed")
	}
	if t.Guard != nil && e.Guard == nil {
		return VoidFor(Error, "its guard was not measured")
	}
	j, _ := JudgeBlocks(*e.Blocks, t.Region, true)
	if t.Guard != nil && j.Verdict != Held {
		if g, _ := JudgeBlocks(*e.Guard, *t.Guard, true); g.Verdict != Held {
			reason := Instrument
			if g.Verdict == Void {
				reason = g.Reason
			}
			return VoidFor(reason, "its guard (%v) is %v: %s", *t.Guard, g.Verdict, g.Detail)
		}
	}
	if !e.Blocks.Clocked || j.Reason == Instrument {
		return j
	}
	for _, arm := range []struct {
		samples []float64
		calls   int
	}{{e.Blocks.A, e.CallsA}, {e.Blocks.B, e.CallsB}} {
		if mid := Summarize(arm.samples).P50; TooCostly(clockOverhead, mid, arm.calls) {
			v := VoidFor(Instrument, "reading the clock costs %.0f ns, over 10 %% of a sample of %.0f ns",
				clockOverhead*1e9, mid*1e9*float64(max(arm.calls, 1)))
			v.Estimate = j.Estimate
			return v
		}
	}
	return j
}
