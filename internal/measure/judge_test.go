package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// clocked makes blocks of a timing claim, one for each ratio. Arm B takes about
// a microsecond, a little more or less each time, as real times do.
func clocked(ratios ...float64) Blocks {
	rng := rand.New(rand.NewPCG(1, 2))
	b := Blocks{Per: 2, Form: Ratio, Clocked: true}
	for _, r := range ratios {
		first, second := 1e-6*(1+rng.Float64()/1000), 1e-6*(1+rng.Float64()/1000)
		b.A = append(b.A, r*first, r*second)
		b.B = append(b.B, first, second)
	}
	return b
}

// each returns f(0), ..., f(n-1).
func each(n int, f func(i int) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}

func times(n int, v float64) []float64 { return each(n, func(int) float64 { return v }) }

// jittered returns n ratios of about v, with little noise.
func jittered(n int, v float64) []float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	return each(n, func(int) float64 { return v * (1 + 0.02*rng.NormFloat64()) })
}

// drifting is row 2 of the cases: from 2 to 4.5 over 128 blocks.
var drifting = each(128, func(i int) float64 { return 2 + 2.5*float64(i)/127 })

// judged checks a judgement's verdict, its reason and a part of its detail.
func judged(t *testing.T, j Judgement, verdict Verdict, reason Reason, detail string) {
	t.Helper()
	if j.Verdict != verdict || j.Reason != reason || !strings.Contains(j.Detail, detail) {
		t.Errorf("got %v (%s) %q, want %v (%s) %q", j.Verdict, j.Reason, j.Detail, verdict, reason, detail)
	}
}

// The twelve rows of samples and right verdicts.
func TestRightVerdicts(t *testing.T) {
	check := func(b Blocks, region Region, verdict Verdict, reason Reason, detail string) {
		t.Helper()
		j, decided := JudgeBlocks(b, region, true)
		judged(t, j, verdict, reason, detail)
		if !decided {
			t.Error("the last look did not decide")
		}
	}
	three := AtLeast(3)
	zeros := func(n, every int) Blocks {
		b := clocked(jittered(n, 9)...)
		for i := 0; i < n; i += every {
			b.A[2*i] = 0
		}
		return b
	}

	// 1: one stall does not decide.
	stalled := jittered(16, 9)
	stalled[5] = 900
	check(clocked(stalled...), three, Held, "", "")
	// 2: a drift across the bound.
	check(clocked(drifting...), three, Void, Noisy, "both sides")
	// 3: a clock too coarse for an arm; counts may well be equal.
	equal := clocked(jittered(16, 9)...)
	equal.B = times(len(equal.B), 1e-3)
	check(equal, three, Void, Instrument, "all 32 samples of an arm are equal")
	judged(t, JudgeExact(times(16, 5), Equal(5)), Held, "", "")
	// 4: times of zero void their blocks, and too many of them the claim.
	check(zeros(64, 4), three, Held, "", "")
	check(zeros(16, 1), three, Void, Instrument, "16 of 16 blocks have no value")
	check(zeros(14, 2), three, Void, Noisy, "under 8 nothing is held")
	// 5: a percentile that n does not carry: TestSummarize.
	// 6: too few blocks when the budget ends.
	check(clocked(jittered(7, 100)...), three, Void, Noisy, "7 blocks when the budget ended")
	short := jittered(10, 9)
	short[4] = 1
	check(clocked(short...), three, Void, Noisy, "the time was over after 10 blocks, before the first look at 16: blocks on both sides of the bound: 9 with median 9")
	check(clocked(short...), three, Void, Noisy, "1 with median 1 does not")
	// 7: a drive with power-loss protection, 13.5 µs to 1.5.
	check(clocked(jittered(16, 9)...), three, Held, "", "")
	// 8: tmpfs, 1.6 µs to 1.2.
	check(clocked(jittered(16, 1.6/1.2)...), three, Failed, "", "want >= 3")
	// 9: another writer's journal commits: both medians are shown.
	bimodal := jittered(128, 1)
	for i := range bimodal {
		bimodal[i] *= []float64{20, 1.1}[i%2]
	}
	check(clocked(bimodal...), three, Void, Noisy, "64 with median 20")
	check(clocked(bimodal...), three, Void, Noisy, "64 with median 1.1")
	// 10: outside, but not by the guard's factor.
	check(clocked(jittered(64, 2.6)...), three, Void, Noisy, "not by a factor of 1.25")
	// 11: the retest disagrees.
	first, _ := JudgeBlocks(clocked(jittered(16, 1.3)...), three, true)
	second, _ := JudgeBlocks(clocked(jittered(16, 9)...), three, true)
	judged(t, Retest(first, second), Void, Noisy, "failed at first, held in the retest")
	// 12: writes to a mount that is already synchronous, against a memfd.
	synchronous := Evidence{Blocks: new(clocked(jittered(16, 1)...)), Guard: new(clocked(jittered(16, 300)...))}
	terms := Terms{Kind: Comparison, Region: three, Guard: new(AtMost(10))}
	judged(t, Judge(terms, synchronous, 37e-9), Void, Instrument, "its guard (<= 10) is failed")
}

// What row 2 says, also of a run that ends as soon as it is decided: its first
// blocks fail, and its retest, later in the same drift, does not.
func TestDriftInARun(t *testing.T) {
	first, decided := JudgeBlocks(clocked(drifting[:16]...), AtLeast(3), false)
	judged(t, first, Failed, "", "median of 16 blocks")
	if !decided {
		t.Error("got undecided, want decided")
	}
	second, _ := JudgeBlocks(clocked(drifting[112:]...), AtLeast(3), true)
	judged(t, Retest(first, second), Void, Noisy, "held in the retest")
}

// Bad blocks first, good ones after them: by their number alone the claim would
// be held at 32 blocks.
func TestEarlyDrift(t *testing.T) {
	ratios := append(times(9, 1), times(55, 9)...)
	j, decided := JudgeBlocks(clocked(ratios[:32]...), AtLeast(3), false)
	judged(t, j, Void, Noisy, "not decided yet")
	if decided {
		t.Error("got decided, want it to go on")
	}
	j, _ = JudgeBlocks(clocked(ratios[:32]...), AtLeast(3), true)
	judged(t, j, Void, Noisy, "it drifts: median of the first half 1, of the second 9")
	// It went on, and was held later: by what was seen then.
	j, _ = JudgeBlocks(clocked(ratios...), AtLeast(3), true)
	judged(t, j, Held, "", "")
	if j.Estimate.N != 64 {
		t.Errorf("got held by %d blocks, want 64", j.Estimate.N)
	}
}

func TestNoRegionHoldsTooFewBlocks(t *testing.T) {
	j, _ := JudgeBlocks(clocked(jittered(7, 9)...), Region{-inf, inf}, true)
	judged(t, j, Void, Noisy, "7 blocks when the budget ended")
}

func TestDrift(t *testing.T) {
	// The first 50 blocks are good, but for so many that no look decides; half
	// of the others are bad. By their number alone they would be held.
	n, last := 100, heldLimits().at(100, true)
	bad := make([]bool, n)
	for i := range 10 {
		bad[i*4], bad[50+i] = true, true
	}
	for i := range 64 {
		if wrong := len(slices.DeleteFunc(slices.Clone(bad[:64]), func(b bool) bool { return !b })); wrong > heldLimits().at(64, false) {
			break
		}
		bad[i] = true
	}
	for i, wrong := n-1, count(bad); wrong < last; i-- {
		bad[i] = true
		wrong++
	}
	ratios := each(n, func(i int) float64 {
		if bad[i] {
			return 0.1
		}
		return 4
	})
	j, _ := JudgeBlocks(clocked(ratios...), AtLeast(3), true)
	if !AtLeast(3).Covers(j.Estimate.Low, j.Estimate.High) {
		t.Fatalf("interval %g to %g: want it inside, or this is no test of drift", j.Estimate.Low, j.Estimate.High)
	}
	judged(t, j, Void, Noisy, "it drifts: median of the first half 4, of the second 2.05")

	// Half below and half above a region is no failure on one side.
	sides := append(jittered(64, 0.01), jittered(64, 100)...)
	j, _ = JudgeBlocks(clocked(sides...), Within(0.5, 2), true)
	if j.Verdict == Failed {
		t.Errorf("got failed for halves on both sides of the region: %s", j.Detail)
	}
}

func count(set []bool) int {
	n := 0
	for _, b := range set {
		if b {
			n++
		}
	}
	return n
}

func TestLooks(t *testing.T) {
	check := func(n int, ratio float64, final bool, verdict Verdict, decided bool) {
		t.Helper()
		j, got := JudgeBlocks(clocked(jittered(n, ratio)...), AtLeast(3), final)
		if j.Verdict != verdict || got != decided {
			t.Errorf("%d blocks of %g, final %v: got %v, decided %v; want %v, %v", n, ratio, final, j.Verdict, got, verdict, decided)
		}
	}
	check(0, 9, false, Void, false)
	check(15, 9, false, Void, false)
	check(16, 9, false, Held, true)
	check(17, 9, false, Held, true) // decided at 16
	check(8, 9, true, Held, true)
	check(7, 9, true, Void, true)
	check(13, 1, true, Void, true)
	check(14, 1, true, Failed, true)
	check(15, 1, false, Void, false)
	check(16, 1, false, Failed, true)
	check(0, 9, true, Void, true)
	check(400, 2.6, false, Void, false)
	check(400, 2.6, true, Void, true)
}

func TestLimitsAtALook(t *testing.T) {
	// 128 blocks of which so many are on the wrong side, evenly spread.
	check := func(wrong int, good, bad float64, verdict Verdict) {
		t.Helper()
		ratios := each(128, func(i int) float64 {
			if i*wrong/128 != (i+1)*wrong/128 {
				return bad
			}
			return good
		})
		if j, _ := JudgeBlocks(clocked(ratios...), AtLeast(3), false); j.Verdict != verdict {
			t.Errorf("%d of 128 at %g, the others at %g: got %v, want %v", wrong, bad, good, j.Verdict, verdict)
		}
	}
	check(50, 9, 1, Held)
	check(51, 9, 1, Void)
	check(43, 1, 9, Failed)
	check(44, 1, 9, Void)
	check(43, 2.5, 9, Void) // within the guard
}

func TestVoidBlocks(t *testing.T) {
	spoil := func(b Blocks, at ...int) Blocks {
		for _, i := range at {
			b.B[2*i+1] = 0
		}
		return b
	}
	check := func(b Blocks, final bool, verdict Verdict, reason Reason, detail string) {
		t.Helper()
		j, _ := JudgeBlocks(b, AtLeast(3), final)
		judged(t, j, verdict, reason, detail)
	}
	// A void block counts neither for nor against, and fills no look.
	check(spoil(clocked(jittered(16, 9)...), 3), false, Void, Noisy, "not decided yet")
	check(spoil(clocked(jittered(17, 9)...), 3), false, Held, "", "")
	// The clock picks the blocks that have a value: more than half must.
	check(spoil(clocked(jittered(40, 9)...), evens(40)...), true, Held, "", "")
	check(spoil(clocked(jittered(40, 9)...), append(evens(40), 1)...), true, Void, Instrument, "21 of 40 blocks have no value: a time of zero")
	check(spoil(clocked(jittered(40, 9)...), append(evens(40), 1)...), false, Void, Instrument, "21 of 40")
	check(spoil(clocked(jittered(3, 9)...), 0, 1, 2), true, Void, Instrument, "3 of 3")
	check(spoil(clocked(jittered(3, 9)...), 0, 1, 2), false, Void, Noisy, "not decided yet")
	// A count of zero is a value, unless it divides.
	counted := Blocks{A: times(16, 0), B: times(16, 0), Per: 1, Form: Excess, Unit: 4}
	check(counted, true, Failed, "", "")
	counted.Form = Ratio
	check(counted, true, Void, Instrument, "nothing was counted to divide by")
}

func evens(n int) []int {
	var out []int
	for i := 0; i < n; i += 2 {
		out = append(out, i)
	}
	return out
}

func TestConstantArms(t *testing.T) {
	b := clocked(jittered(16, 9)...)
	b.A = times(len(b.A), 4e-3)
	j, decided := JudgeBlocks(b, AtLeast(3), false)
	judged(t, j, Void, Instrument, "equal")
	if !decided {
		t.Error("got undecided, want the measuring to end")
	}
	b.A[31] = 5e-3
	if j, _ := JudgeBlocks(b, AtLeast(3), false); j.Reason == Instrument {
		t.Errorf("an arm with two values: got %s", j.Detail)
	}
	// Counts repeat themselves honestly.
	b = Blocks{A: times(16, 8), B: times(16, 2), Per: 1, Form: Ratio}
	j, _ = JudgeBlocks(b, AtLeast(3), false)
	judged(t, j, Held, "", "")
}

func TestObservations(t *testing.T) {
	check := func(b Blocks, want ...float64) {
		t.Helper()
		got := b.Observations()
		same := func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("%+v: got %v, want %v", b, got, want)
		}
	}
	check(Blocks{A: []float64{2, 4, 9, 9}, B: []float64{1, 1, 3, 6}, Per: 2, Form: Ratio}, 3, 2)
	check(Blocks{A: []float64{2, 4, 9}, B: []float64{1, 1, 3}, Per: 2, Form: Ratio}, 3)
	check(Blocks{A: []float64{2, 4}, B: []float64{1}, Per: 1, Form: Ratio}, 2)
	check(Blocks{A: []float64{8, 6}, B: []float64{1, 3}, Per: 2, Form: Excess, Unit: 5}, 1)
	check(Blocks{A: []float64{1, 1}, B: []float64{2, 0}, Per: 1, Form: Ratio}, 0.5, nan)
	check(Blocks{A: []float64{-1, 3}, B: []float64{2, 2}, Per: 1, Form: Ratio, Clocked: true}, nan, 1.5)
	check(Blocks{A: []float64{1, nan}, B: []float64{2, 2}, Per: 1, Form: Ratio, Clocked: true}, 0.5, nan)
	check(Blocks{A: []float64{inf}, B: []float64{1}, Per: 1, Form: Ratio}, nan)
	check(Blocks{A: []float64{1}, B: []float64{2}, Per: 1, Form: Excess}, nan)
	check(Blocks{A: []float64{1}, B: []float64{1}})
	check(Blocks{A: []float64{1}, B: []float64{1}, Per: -1})
}

func TestRetest(t *testing.T) {
	failed := Judgement{Verdict: Failed, Detail: "first", Estimate: &Estimate{Value: 1.25}}
	again := Judgement{Verdict: Failed, Detail: "again", Estimate: &Estimate{Value: 1.5}}
	held := Judgement{Verdict: Held, Estimate: &Estimate{Value: 9}}

	got := Retest(failed, again)
	judged(t, got, Failed, "", "again (and 1.25 in the first measurement)")
	if got.Estimate.Value != 1.5 {
		t.Errorf("got the estimate %g, want the retest's", got.Estimate.Value)
	}
	got = Retest(failed, held)
	judged(t, got, Void, Noisy, "failed at first, held in the retest")
	if got.Estimate.Value != 1.25 {
		t.Errorf("got the estimate %g, want the first", got.Estimate.Value)
	}
	judged(t, Retest(failed, VoidFor(Instrument, "coarse")), Void, Noisy, "void (instrument) in the retest")
	judged(t, Retest(held, again), Held, "", "")
	judged(t, Retest(Judgement{Verdict: Failed}, again), Failed, "", "again")
}
