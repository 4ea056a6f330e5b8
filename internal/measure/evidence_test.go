package measure

import (
	"testing"
)

func TestJudgeExact(t *testing.T) {
	check := func(region Region, verdict Verdict, reason Reason, value float64, values ...float64) {
		t.Helper()
		j := JudgeExact(values, region)
		judged(t, j, verdict, reason, "")
		if j.Estimate != nil && j.Estimate.Value != value {
			t.Errorf("%v in %v: got the value %g, want %g", values, region, j.Estimate.Value, value)
		}
	}
	check(Equal(0), Held, "", 0, 0, 0, 0)
	check(Equal(0), Failed, "", 1, 0, 1, 0)
	check(Equal(0), Failed, "", -2, 1, -2, 0)
	check(Within(1, 5), Failed, "", 7, 0, 7)
	check(Within(1, 5), Failed, "", -3, -3, 6)
	check(Within(1, 5), Failed, "", 0, 6, 0) // as far on both sides
	check(AtLeast(3), Held, "", 3, 9, 3)     // the one nearest to the bound
	check(AtMost(3), Held, "", 3, 1, 3)
	check(AtMost(3), Failed, "", 4, 1, 4)
	check(Equal(0), Void, Error, 0)
	check(Equal(0), Void, Error, 0, 0, nan)
	check(AtLeast(0), Void, Error, 0, inf)
	judged(t, JudgeExact([]float64{0, 4, 1}, Equal(0)), Failed, "", "2 of 3 observations are not = 0; the furthest is 4")
	judged(t, JudgeExact([]float64{11.0 / 60}, Equal(43.0/240)), Failed, "", "1 of 1 observations are not = 0.179167; the furthest is 0.183333")
	judged(t, JudgeExact([]float64{0.17916666666666}, Equal(43.0/240)), Failed, "", "are not = 0.179167; the furthest is 0.17916666666666")
}

func TestJudgeBinomial(t *testing.T) {
	check := func(successes, n int, scale float64, region Region, verdict Verdict, reason Reason) {
		t.Helper()
		judged(t, JudgeBinomial(Trials{successes, n}, scale, region), verdict, reason, "")
	}
	check(10_000, 10_000, 1, AtLeast(0.99), Held, "")
	check(9_930, 10_000, 1, AtLeast(0.99), Held, "")
	check(9_915, 10_000, 1, AtLeast(0.99), Void, Noisy)
	check(9_870, 10_000, 1, AtLeast(0.99), Void, Noisy) // outside at 95 %, not at 99.9
	check(9_850, 10_000, 1, AtLeast(0.99), Failed, "")
	check(300, 300, 1, AtLeast(0.99), Void, Noisy) // too few trials to say so
	const alterations = 1 << 25
	sixteen := Within(0.8*512, 1.25*512)
	check(512, alterations, alterations, sixteen, Held, "")
	check(0, alterations, alterations, sixteen, Failed, "")
	check(400, alterations, alterations, sixteen, Void, Noisy)
	check(900, alterations, alterations, sixteen, Failed, "")
	check(0, 0, 1, AtLeast(0.5), Void, Error)
	check(3, 2, 1, AtLeast(0.5), Void, Error)
	check(-1, 2, 1, AtLeast(0.5), Void, Error)

	e := JudgeBinomial(Trials{512, alterations}, alterations, sixteen).Estimate
	if e.Value != 512 || e.N != alterations || e.Confidence != 0.95 {
		t.Errorf("got %+v, want the value 512, all trials, and 0.95", e)
	}
	if !(e.Outer.Low < e.Low && e.Low < e.Value && e.Value < e.High && e.High < e.Outer.High) {
		t.Errorf("got %+v, want the value within the interval within the outer one", e)
	}
}

func TestJudgeKinds(t *testing.T) {
	blocks := new(clocked(jittered(16, 9)...))
	check := func(terms Terms, e Evidence, verdict Verdict, reason Reason, detail string) {
		t.Helper()
		judged(t, Judge(terms, e, 37e-9), verdict, reason, detail)
	}
	check(Terms{Kind: Exact, Region: Equal(2)}, Evidence{Values: []float64{2}}, Held, "", "")
	check(Terms{Kind: Exact, Region: Equal(2)}, Evidence{}, Void, Error, "nothing was observed")
	check(Terms{Kind: Binomial, Region: AtLeast(0.9)}, Evidence{Trials: Trials{99, 100}}, Held, "", "")
	check(Terms{Kind: Binomial, Scale: 100, Region: AtLeast(90)}, Evidence{Trials: Trials{99, 100}}, Held, "", "")
	check(Terms{Kind: Binomial, Region: AtLeast(0.9)}, Evidence{}, Void, Error, "nothing was observed")
	check(Terms{Kind: Comparison, Region: AtLeast(3)}, Evidence{Blocks: blocks}, Held, "", "")
	check(Terms{Kind: Comparison, Region: AtLeast(3)}, Evidence{}, Void, Error, "nothing was observed")
	check(Terms{Kind: "median", Region: AtLeast(3)}, Evidence{Blocks: blocks}, Void, Error, `unknown kind of claim "median"`)
	check(Terms{}, Evidence{}, Void, Error, "unknown kind")
}

func TestGuard(t *testing.T) {
	terms := Terms{Kind: Comparison, Region: AtLeast(3), Guard: new(AtMost(10))}
	check := func(guard *Blocks, ratio float64, verdict Verdict, reason Reason, detail string) {
		t.Helper()
		e := Evidence{Blocks: new(clocked(jittered(16, ratio)...)), Guard: guard}
		judged(t, Judge(terms, e, 37e-9), verdict, reason, detail)
	}
	guard := func(n int, ratio float64) *Blocks { return new(clocked(jittered(n, ratio)...)) }
	check(guard(16, 1.2), 9, Held, "", "")
	check(guard(16, 1.2), 1, Failed, "", "")
	// A guard that fails says why the ratio may be small: the claim has not
	// failed. It is nothing against a ratio that is large all the same.
	check(guard(16, 300), 1, Void, Instrument, "its guard (<= 10) is failed: median of 16 blocks")
	check(guard(16, 300), 9, Held, "", "")
	check(guard(16, 11), 1, Void, Noisy, "its guard (<= 10) is void")
	check(guard(5, 1.2), 1, Void, Noisy, "5 blocks")
	check(nil, 9, Void, Error, "its guard was not measured")
}

func TestClockCost(t *testing.T) {
	terms := Terms{Kind: Comparison, Region: AtLeast(3)}
	// Arm B takes a microsecond an operation, A nine.
	check := func(overhead float64, callsA, callsB int, verdict Verdict, reason Reason) {
		t.Helper()
		b := clocked(jittered(16, 9)...)
		j := Judge(terms, Evidence{Blocks: &b, CallsA: callsA, CallsB: callsB}, overhead)
		judged(t, j, verdict, reason, "")
		if j.Estimate == nil {
			t.Error("got no estimate, want it kept")
		}
	}
	check(99e-9, 1, 1, Held, "")
	check(102e-9, 1, 1, Void, Instrument)
	check(102e-9, 1, 2, Held, "") // a span of two operations carries it
	check(950e-9, 1, 10, Void, Instrument)
	check(950e-9, 2, 10, Held, "")
	check(99e-9, 0, 0, Held, "") // not recorded: one
	check(102e-9, 0, 0, Void, Instrument)

	// Counts are not read off a clock.
	counted := Blocks{A: times(16, 9), B: times(16, 1), Per: 1, Form: Ratio}
	judged(t, Judge(terms, Evidence{Blocks: &counted}, 1e9), Held, "", "")
	// What is void by a coarse clock keeps that reason's sentence.
	equal := clocked(jittered(16, 9)...)
	equal.B = times(len(equal.B), 1e-9)
	judged(t, Judge(terms, Evidence{Blocks: &equal}, 37e-9), Void, Instrument, "equal")

	cost := func(overhead, median float64, calls int, want bool) {
		t.Helper()
		if got := TooCostly(overhead, median, calls); got != want {
			t.Errorf("%g for %d of %g: got %v, want %v", overhead, calls, median, got, want)
		}
	}
	cost(1, 10, 1, false)
	cost(1.001, 10, 1, true)
	cost(1, 10, -5, false)
	cost(1, 0, 100, true)
	cost(0, 0, 1, false)
	cost(1, nan, 1, false) // nothing observed is another reason
}
