package measure

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawnBlocks are blocks around some ratio with some noise, some of them void.
func drawnBlocks(t *rapid.T, most int) (Blocks, Region) {
	n := rapid.IntRange(0, most).Draw(t, "blocks")
	centre := rapid.SampledFrom([]float64{0.3, 1, 2.2, 2.6, 2.9, 3, 3.3, 4, 9, 40}).Draw(t, "centre")
	spread := rapid.SampledFrom([]float64{0.001, 0.1, 0.5, 2}).Draw(t, "spread")
	b := Blocks{Per: rapid.SampledFrom([]int{1, 2}).Draw(t, "per"), Form: Ratio, Clocked: true}
	noise := rapid.Float64Range(-1, 1)
	for range n * b.Per {
		b.A = append(b.A, centre*math.Exp(spread*noise.Draw(t, "a")))
		b.B = append(b.B, math.Exp(spread*noise.Draw(t, "b")))
	}
	for range rapid.IntRange(0, 3).Draw(t, "void") {
		if len(b.A) > 0 {
			b.A[rapid.IntRange(0, len(b.A)-1).Draw(t, "at")] = 0
		}
	}
	regions := []Region{AtLeast(3), AtMost(3), Within(1, 4)}
	return b, rapid.SampledFrom(regions).Draw(t, "region")
}

// The interval that is shown and the verdict are one statement.
func TestIntervalAgreesWithVerdict(t *testing.T) {
	seen := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		b, region := drawnBlocks(t, 200)
		j, _ := JudgeBlocks(b, region, true)
		seen[j.Verdict]++
		if (j.Reason == "") != (j.Verdict != Void) || j.Verdict != Held && j.Detail == "" {
			t.Fatalf("got %+v: a reason belongs to void, and a sentence to all but held", j)
		}
		e := j.Estimate
		if e == nil {
			if j.Verdict != Void {
				t.Fatalf("got %v without an estimate", j.Verdict)
			}
			return
		}
		if !(e.Outer.Low <= e.Low && e.Low <= e.Value && e.Value <= e.High && e.High <= e.Outer.High) {
			t.Fatalf("got %+v, want the median within the interval within the outer one", e)
		}
		covers := region.Covers(e.Low, e.High)
		misses := region.Misses(e.Outer.Low, e.Outer.High, guard)
		switch {
		case j.Verdict == Held && !covers, j.Verdict == Failed && !misses:
			t.Fatalf("got %v for %v, estimate %+v", j.Verdict, region, e)
		case j.Verdict == Void && j.Detail[:2] != "it" && (covers || misses):
			t.Fatalf("got void (%s) for %v, estimate %+v", j.Detail, region, e)
		}
	})
	for v, name := range verdictNames {
		if seen[Verdict(v)] == 0 {
			t.Errorf("no draw came out %s", name)
		}
	}
}

// A run stops at the look that decides, and verify judges what it left: both
// say the same, and so does a run that saw more than it needed.
func TestRunAndVerifyAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, region := drawnBlocks(t, 200)
		run := b
		var live Judgement
		decided := false
		for n := 0; n <= len(b.A)/b.Per && !decided; n++ {
			run.A, run.B = b.A[:n*b.Per], b.B[:n*b.Per]
			live, decided = JudgeBlocks(run, region, false)
		}
		again, _ := JudgeBlocks(run, region, true)
		if decided && (again.Verdict != live.Verdict || again.Reason != live.Reason) {
			t.Fatalf("got %v (%s), want %v (%s) as in the run", again.Verdict, again.Detail, live.Verdict, live.Detail)
		}
		if !decided && len(run.A) != len(b.A) {
			t.Fatalf("undecided at %d of %d samples", len(run.A), len(b.A))
		}
		more, _ := JudgeBlocks(b, region, true)
		if decided && live.Verdict != Void && more.Verdict != Void && more.Verdict != live.Verdict {
			t.Fatalf("got %v with more blocks, want %v or void", more.Verdict, live.Verdict)
		}
	})
}

// Doubling a quantity and its bounds changes nothing: doubling is exact.
func TestVerdictsDoNotDependOnUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, region := drawnBlocks(t, 80)
		scale := math.Ldexp(1, rapid.IntRange(-30, 30).Draw(t, "power"))
		want, _ := JudgeBlocks(b, region, true)
		b.A = slices.Clone(b.A)
		for i := range b.A {
			b.A[i] *= scale
		}
		got, _ := JudgeBlocks(b, Region{region.Min * scale, region.Max * scale}, true)
		if got.Verdict != want.Verdict || got.Reason != want.Reason {
			t.Fatalf("times %g: got %v (%s), want %v (%s)", scale, got.Verdict, got.Detail, want.Verdict, want.Detail)
		}
	})
}

func TestManyBlocksAreCheapToJudge(t *testing.T) {
	n := 1 << 20
	b := Blocks{A: each(n, func(i int) float64 { return float64(2 + i%2*2) }), B: times(n, 1), Per: 1, Form: Ratio}
	if got := len(b.Observations()); got != judgedBlocks {
		t.Errorf("got %d observations, want no more than %d", got, judgedBlocks)
	}
	if j, _ := JudgeBlocks(b, AtLeast(3), true); j.Estimate.N != judgedBlocks {
		t.Errorf("judged by %d blocks, want %d", j.Estimate.N, judgedBlocks)
	}
}

func floats(data []byte) []float64 {
	var out []float64
	for ; len(data) >= 8; data = data[8:] {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(data)))
	}
	return out
}

func packed(values ...float64) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// Whatever a manifest holds, it is judged without a panic, and no verdict rests
// on what is not a number.
func FuzzJudgeBlocks(f *testing.F) {
	good := clocked(jittered(16, 9)...)
	f.Add(packed(good.A...), packed(good.B...), 2, "ratio", 0.0, true, 3.0, inf, true)
	f.Add(packed(good.A...), packed(good.B...), 1, "excess", 1e-6, false, -inf, 3.0, false)
	f.Add(packed(), packed(1), 0, "", nan, true, nan, nan, true)
	f.Add(packed(times(64, inf)...), packed(times(64, -inf)...), -3, "ratio", 0.0, false, 0.0, 0.0, true)
	f.Add(packed(times(40, nan)...), packed(times(9, 0)...), 1, "excess", 0.0, true, inf, -inf, true)
	f.Add(packed(times(40, math.MaxFloat64)...), packed(times(40, 1)...), 1, "ratio", 0.0, false, 1.0, inf, true)
	f.Add(packed(times(40, 5e-324)...), packed(times(40, 3)...), 1, "ratio", 0.0, true, 0.0, 1.0, true)
	f.Add(packed(1), packed(1), math.MaxInt, "ratio", 0.0, true, 0.0, 1.0, true)
	f.Fuzz(func(t *testing.T, a, b []byte, per int, form string, unit float64, timed bool, low, high float64, final bool) {
		blocks := Blocks{A: floats(a), B: floats(b), Per: per, Form: Form(form), Unit: unit, Clocked: timed}
		region := Region{low, high}
		j, decided := JudgeBlocks(blocks, region, final)
		if final && !decided {
			t.Error("the last look did not decide")
		}
		if e := j.Estimate; e != nil && (math.IsNaN(e.Value) || math.IsInf(e.Value, 0)) {
			t.Errorf("got the estimate %g", e.Value)
		}
		if j.Verdict == Held && !region.Covers(j.Estimate.Low, j.Estimate.High) {
			t.Errorf("held outside %v: %+v", region, j.Estimate)
		}
		Judge(Terms{Kind: Comparison, Region: region, Guard: &region}, Evidence{Blocks: &blocks, Guard: &blocks}, unit)
		Judge(Terms{Kind: Exact, Region: region}, Evidence{Values: blocks.A}, unit)
		Judge(Terms{Kind: Binomial, Region: region, Scale: unit}, Evidence{Trials: Trials{per, len(a)}}, unit)
		Retest(j, j)
		Summarize(blocks.A)
		MedianInterval(blocks.A, unit)
	})
}
