package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// guard is the factor beyond the bound at which a claim may be called failed.
const guard = 1.25

// judgedBlocks is how many blocks of a claim are looked at, many times what any
// run takes: a file with a million of them can't keep verify busy.
const judgedBlocks = 4096

// Form says how a block's samples of two arms become one observation.
type Form string

// The forms of an observation.
const (
	Ratio  Form = "ratio"  // sum of A / sum of B
	Excess Form = "excess" // (mean of A - mean of B) / unit
	Extra  Form = "extra"  // (sum of A / sum of B - 1) / unit
)

// Divides reports whether observations of the form have a divisor.
func (f Form) Divides() bool { return f == Excess || f == Extra }

// Blocks are the samples of two arms behind one claim, Per samples of each arm
// to a block, in the order in which they were taken.
type Blocks struct {
	A, B []float64
	Per  int
	Form Form
	Unit float64 // divisor of Excess, in the arms' unit, and of Extra, a plain number; 0 for Ratio
	// Clocked is set where the samples are times, which a coarse clock can
	// spoil; counts may repeat themselves honestly.
	Clocked bool
}

// Observations returns one value for each complete block that is judged: NaN
// where a time is zero or negative, or a denominator is zero.
func (b Blocks) Observations() []float64 {
	if b.Per < 1 {
		return nil
	}
	n := min(min(len(b.A), len(b.B))/b.Per, judgedBlocks)
	out := make([]float64, n)
	for i := range out {
		sumA, sumB, ok := 0.0, 0.0, true
		for j := i * b.Per; j < (i+1)*b.Per; j++ {
			sumA += b.A[j]
			sumB += b.B[j]
			ok = ok && (!b.Clocked || b.A[j] > 0 && b.B[j] > 0)
		}
		v := sumA / sumB
		switch b.Form {
		case Excess:
			v = (sumA - sumB) / float64(b.Per) / b.Unit
		case Extra:
			v = (v - 1) / b.Unit
		}
		if !ok || math.IsInf(v, 0) {
			v = math.NaN()
		}
		out[i] = v
	}
	return out
}

// JudgeBlocks judges observations of blocks against a region, as if they had
// come in one after another: at each planned look that they reach, and, with
// final set, once more at their end. Without final a judgement that is not yet
// possible comes back void (noisy) and decided is false.
func JudgeBlocks(b Blocks, region Region, final bool) (j Judgement, decided bool) {
	obs := b.Observations()
	valid := make([]float64, 0, len(obs))
	for _, v := range obs {
		if !math.IsNaN(v) {
			valid = append(valid, v)
		}
	}
	if b.Clocked && len(valid) >= minHeld && (constant(b.A) || constant(b.B)) {
		return VoidFor(Instrument, "all %d samples of an arm are equal: the clock is too coarse for it", len(b.A)), true
	}
	if tooFew(len(valid), len(obs), final) {
		return VoidFor(Instrument, "%d of %d blocks have no value: %s", len(obs)-len(valid), len(obs), b.whyNoValue()), true
	}
	for _, look := range Looks {
		if look > len(valid) {
			break
		}
		if j := lookAt(valid, look, region, false); j.Verdict != Void {
			return j, true
		}
	}
	if !final {
		return VoidFor(Noisy, "not decided yet"), false
	}
	if len(valid) == 0 {
		return VoidFor(Noisy, "no block was finished within the budget"), true
	}
	return lookAt(valid, len(valid), region, true), true
}

// tooFew reports whether blocks without a value spoil the rest. Where most have
// none, those that have one were selected by the clock: of spans about as long
// as its tick, only the long ones are seen.
func tooFew(valid, all int, final bool) bool {
	if !final && all < 2*minHeld {
		return false
	}
	return 2*valid < all || valid < minHeld && all >= 2*minHeld
}

func (b Blocks) whyNoValue() string {
	if b.Clocked {
		return "a time of zero, so the clock is too coarse"
	}
	return "nothing was counted to divide by"
}

// lookAt is one look, at the first n blocks: the sign test at its limits, the
// guard and the drift rule. Blocks past the look exist only where somebody else
// took them; the drift rule heeds them, so that a verdict is not read off the
// first part of a series that ends elsewhere.
func lookAt(all []float64, n int, region Region, final bool) Judgement {
	obs := all[:n]
	sorted := slices.Sorted(slices.Values(obs))
	inner := heldLimits().at(len(obs), final)
	outer := failedLimits().at(len(obs), final)
	in, out := orderInterval(sorted, inner), orderInterval(sorted, outer)
	est := &Estimate{
		Value: median(sorted), Low: in.Low, High: in.High, Outer: out,
		Confidence: 1 - 2*alphaHeld, N: len(obs),
	}
	j := Judgement{Estimate: est}
	switch {
	case inner >= 0 && region.Covers(in.Low, in.High):
		j.Verdict = Held
	case outer >= 0 && region.Misses(out.Low, out.High, guard):
		j.Verdict, j.Detail = Failed, fmt.Sprintf("median of %d blocks %.3g, want %v", n, est.Value, region)
	default:
		j.Reason, j.Detail = Noisy, whyNoisy(sorted, region, inner, in)
		return j
	}
	for _, seen := range [][]float64{obs, all} {
		first, second := halves(seen)
		if side := region.side(est.Value); region.side(first) != side || region.side(second) != side {
			return Judgement{Reason: Noisy, Estimate: est,
				Detail: fmt.Sprintf("it drifts: median of the first half %.3g, of the second %.3g", first, second)}
		}
	}
	return j
}

// whyNoisy says what stands in the way of a verdict.
func whyNoisy(sorted []float64, region Region, inner int, in Span) string {
	n := len(sorted)
	if inner < 0 {
		return fmt.Sprintf("%d blocks when the budget ended: under %d nothing is held, under %d nothing fails", n, minHeld, minFailed)
	}
	if region.Misses(in.Low, in.High, 1) {
		return fmt.Sprintf("median %.3g lies outside (%v), but not by a factor of %.2f with 99.9 %% confidence", median(sorted), region, guard)
	}
	var inside, outside []float64
	for _, v := range sorted {
		if region.Contains(v) {
			inside = append(inside, v)
		} else {
			outside = append(outside, v)
		}
	}
	if len(inside) > 0 && len(outside) > 0 {
		verb := "do not"
		if len(outside) == 1 {
			verb = "does not"
		}
		return before(n) + fmt.Sprintf("blocks on both sides of the bound: %d with median %.3g meet it (%v), %d with median %.3g %s",
			len(inside), median(inside), region, len(outside), median(outside), verb)
	}
	return before(n) + fmt.Sprintf("the interval %.3g to %.3g straddles the bound (%v)", in.Low, in.High, region)
}

// before says that the time was over before the first look, where it was: fewer
// blocks than that may be on the wrong side then, and what stopped the claim is
// that there were no more of them.
func before(n int) string {
	if n >= Looks[0] {
		return ""
	}
	return fmt.Sprintf("the time was over after %d blocks, before the first look at %d: ", n, Looks[0])
}

// JudgeExact judges counted observations, each of which must lie in the region.
// None at all is void: nothing was observed.
func JudgeExact(values []float64, region Region) Judgement {
	if len(values) == 0 {
		return VoidFor(Error, "nothing was observed")
	}
	low, high, bad := values[0], values[0], 0
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return VoidFor(Error, "an observation is not a finite number")
		}
		low, high = min(low, v), max(high, v)
		if !region.Contains(v) {
			bad++
		}
	}
	est := &Estimate{Value: worst(low, high, region), Low: low, High: high,
		Outer: Span{low, high}, Confidence: 1, N: len(values)}
	if bad == 0 {
		return Judgement{Verdict: Held, Estimate: est}
	}
	furthest := digits(est.Value)
	if furthest == digits(region.Min) || furthest == digits(region.Max) {
		furthest = strconv.FormatFloat(est.Value, 'g', -1, 64) // it missed by less than is shown
	}
	return Judgement{Verdict: Failed, Estimate: est,
		Detail: fmt.Sprintf("%d of %d observations are not %v; the furthest is %s", bad, len(values), region, furthest)}
}

// worst returns the end of [low, high] that lies further outside the region, or
// nearer to its bound where neither is outside.
func worst(low, high float64, region Region) float64 {
	if high-region.Max > region.Min-low {
		return high
	}
	return low
}

// Trials is a count of successes out of independent trials.
type Trials struct {
	Successes, N int
}

// JudgeBinomial judges the share of successes by its Clopper-Pearson interval.
// scale turns the share into the claim's quantity (1 for the share itself, the
// number of trials for a count).
func JudgeBinomial(t Trials, scale float64, region Region) Judgement {
	if t.N <= 0 || t.Successes < 0 || t.Successes > t.N {
		return VoidFor(Error, "%d successes of %d trials: nothing was observed", t.Successes, t.N)
	}
	low, high := ClopperPearson(t.Successes, t.N, 1-2*alphaHeld)
	outerLow, outerHigh := ClopperPearson(t.Successes, t.N, 1-2*alphaFailed)
	est := &Estimate{
		Value: scale * float64(t.Successes) / float64(t.N), Low: scale * low, High: scale * high,
		Outer: Span{scale * outerLow, scale * outerHigh}, Confidence: 1 - 2*alphaHeld, N: t.N,
	}
	switch {
	case region.Covers(est.Low, est.High):
		return Judgement{Verdict: Held, Estimate: est}
	case region.Misses(est.Outer.Low, est.Outer.High, 1):
		return Judgement{Verdict: Failed, Estimate: est,
			Detail: fmt.Sprintf("%d of %d, want %v", t.Successes, t.N, region)}
	}
	return Judgement{Reason: Noisy, Estimate: est,
		Detail: fmt.Sprintf("the interval %.4g to %.4g straddles the bound (%v)", est.Low, est.High, region)}
}

// Retest combines a first judgement that failed with a second, independent one:
// a claim has failed only where both say so. Any other first judgement stands.
func Retest(first, second Judgement) Judgement {
	if first.Verdict != Failed {
		return first
	}
	if second.Verdict == Failed {
		if first.Estimate != nil {
			second.Detail += fmt.Sprintf(" (and %.3g in the first measurement)", first.Estimate.Value)
		}
		return second
	}
	what := second.Verdict.String()
	if second.Verdict == Void {
		what += " (" + string(second.Reason) + ")"
	}
	first.Verdict, first.Reason = Void, Noisy
	first.Detail = fmt.Sprintf("failed at first, %s in the retest", what)
	return first
}

func constant(v []float64) bool {
	for _, x := range v[1:] {
		if x != v[0] {
			return false
		}
	}
	return true
}

// halves returns the medians of the first and second half, in order of time.
func halves(obs []float64) (first, second float64) {
	mid := len(obs) / 2
	return median(slices.Sorted(slices.Values(obs[:mid]))), median(slices.Sorted(slices.Values(obs[mid:])))
}

func median(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return sorted[n/2-1]/2 + sorted[n/2]/2 // halved first: the sum may overflow
}
