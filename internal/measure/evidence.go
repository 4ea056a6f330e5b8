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
	// Parts, where a comparison has several pairs of arms, take the place of
	// Blocks: each of them has to meet the region.
	Parts []Part
}

// Part is one of several pairs of arms behind one claim.
type Part struct {
	Name   string // "batch 16"
	Blocks Blocks
	CallsA int
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
	if len(e.Parts) > 0 {
		return judgeParts(t, e, clockOverhead)
	}
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

// Clocked reports whether the evidence holds times.
func (e *Evidence) Clocked() bool {
	for i := range e.Parts {
		if e.Parts[i].Blocks.Clocked {
			return true
		}
	}
	return e.Blocks != nil && e.Blocks.Clocked
}

// judgeParts judges each part by itself: one that failed fails the claim, all
// must hold for it to hold. The estimate is that of the part which decides, or
// comes nearest to the bound.
func judgeParts(t Terms, e Evidence, clockOverhead float64) Judgement {
	var void, nearest *Judgement
	for i := range e.Parts {
		p := &e.Parts[i]
		j := judgeComparison(t, Evidence{Blocks: &p.Blocks, Guard: e.Guard, CallsA: p.CallsA, CallsB: p.CallsB}, clockOverhead)
		if j.Detail != "" {
			j.Detail = p.Name + ": " + j.Detail
		}
		switch {
		case j.Verdict == Failed:
			return j
		case j.Verdict == Void && void == nil:
			void = &j
		case j.Verdict == Held && (nearest == nil || room(t.Region, j.Estimate) < room(t.Region, nearest.Estimate)):
			nearest = &j
		}
	}
	if void != nil {
		return *void
	}
	return *nearest
}

// room is how far an interval lies from the nearer bound of a region that holds
// it.
func room(r Region, e *Estimate) float64 { return min(e.Low-r.Min, r.Max-e.High) }
