package ledger

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"envelope/axioms"

	"pgregory.net/rapid"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func TestRateByFactor(t *testing.T) {
	check := func(predicted, measured string, log, factor float64, right bool) {
		t.Helper()
		s, err := Rate(axioms.MustParse(predicted), nil, nil, axioms.MustParse(measured), false)
		if err != nil || s.Kind != Factor || !near(s.Log, log) || !near(s.Factor, factor) || s.Right != right || s.Covered != nil || s.Interval != nil {
			t.Errorf("%s for %s: got %+v, %v; want log %g, factor %g, right %v", predicted, measured, s, err, log, factor, right)
		}
	}
	check("1 ms", "100 us", 1, 10, false)
	check("100 us", "1 ms", -1, 10, false)
	check("0.3 ms", "300us", 0, 1, true)
	check("1 MiB", "1048576 B", 0, 1, true)
	check("2x", "1x", math.Log10(2), 2, false)
	check("50 %", "1x", -math.Log10(2), 2, false)
}

func TestRateExactly(t *testing.T) {
	check := func(predicted, measured string, exact, right bool, off float64) {
		t.Helper()
		s, err := Rate(axioms.MustParse(predicted), nil, nil, axioms.MustParse(measured), exact)
		if err != nil || s.Kind != Exact || s.Right != right || s.Off != off || s.Log != 0 || s.Factor != 1 {
			t.Errorf("%s for %s: got %+v, %v; want right %v, off %g", predicted, measured, s, err, right, off)
		}
	}
	check("none", "0 B", false, true, 0)
	check("none", "65536 B", false, false, -65536)
	check("64 KiB", "none", false, false, 65536)
	check("64 KiB", "65536 B", true, true, 0)
	check("64 kB", "65536 B", true, false, -1536)
	check("0", "0", true, true, 0)
	check("71", "0", true, false, 71)
}

// Nothing that can be handed over makes a number that can't be written.
func TestRateAtTheEdges(t *testing.T) {
	q := func(v float64) axioms.Quantity { return axioms.Seconds(v) }
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	check := func(p, low, high, m float64, ok bool) {
		t.Helper()
		for _, exact := range []bool{false, true} {
			s, err := Rate(q(p), ptr(q(low)), ptr(q(high)), q(m), exact)
			if (err == nil) != ok {
				t.Errorf("%g in %g..%g for %g: got %+v, %v", p, low, high, m, s, err)
			}
			if _, err := json.Marshal(s); err != nil {
				t.Errorf("%g in %g..%g for %g: %v", p, low, high, m, err)
			}
		}
	}
	check(0, 0, 0, 0, true)
	check(0, 0, 1, 1, true)
	check(1, 0, 1, 0, true)
	check(1, 0, 1, 1, true)
	check(most, least, most, least, true)
	check(least, least, least, most, true)
	check(1, 1, 1, 1, true)
	check(1, 2, 1, 1, false)
	check(-1, 0, 1, 1, false)
	check(1, -1, 1, 1, false)
	check(1, 0, 1, -1, false)
	check(math.Inf(1), 0, 1, 1, false)
	check(1, 0, math.Inf(1), 1, false)
	check(1, 0, 1, math.Inf(1), false)
	check(math.NaN(), 0, 1, 1, false)
	check(1, 0, 1, math.NaN(), false)
	for _, bad := range []axioms.Quantity{axioms.Bytes(1), axioms.Count(1)} {
		if s, err := Rate(bad, nil, nil, q(1), false); err == nil {
			t.Errorf("%s against seconds: %+v", bad, s)
		}
		if s, err := Rate(q(1), &bad, ptr(q(1)), q(1), false); err == nil {
			t.Errorf("an end of %s in seconds: %+v", bad, s)
		}
	}
	if s, err := Rate(q(1), ptr(q(1)), nil, q(1), false); err == nil {
		t.Errorf("half an interval: %+v", s)
	}
}

func TestIntervalScore(t *testing.T) {
	check := func(low, high, measured string, covered bool, want float64) {
		t.Helper()
		l, h, m := axioms.MustParse(low), axioms.MustParse(high), axioms.MustParse(measured)
		s, err := Rate(h, &l, &h, m, false)
		if err != nil || s.Covered == nil || *s.Covered != covered {
			t.Fatalf("%s..%s for %s: got %+v, %v", low, high, measured, s, err)
		}
		if s.Interval == nil || !near(*s.Interval, want) {
			t.Errorf("%s..%s for %s: score %v, want %g", low, high, measured, *s.Interval, want)
		}
	}
	check("100 us", "1 ms", "300 us", true, 1)
	check("100 us", "1 ms", "0.1 ms", true, 1)  // an end belongs to it
	check("100 us", "1 ms", "1000 us", true, 1) // either end
	check("100 us", "1 ms", "10 us", false, 11) // one decade below: 1 + 10 x 1
	check("100 us", "1 ms", "100 ms", false, 21)
	check("1 ms", "1 ms", "1 ms", true, 0)
	// In log space there is no width down to zero.
	s, err := Rate(axioms.Seconds(1), ptr(axioms.Seconds(0)), ptr(axioms.Seconds(1)), axioms.Seconds(0.5), false)
	if err != nil || !*s.Covered || s.Interval != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Twice too much and half of it are equally far off, in whatever unit.
func TestRateIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.Float64Range(1e-12, 1e15)
		p, m := side.Draw(t, "p"), side.Draw(t, "m")
		k := rapid.SampledFrom([]float64{1, 1e-9, 1e-3, 1024, 1 << 30}).Draw(t, "unit")
		rate := func(p, m float64) Score {
			s, err := Rate(axioms.Bytes(p), nil, nil, axioms.Bytes(m), false)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		a, b, c := rate(p, m), rate(m, p), rate(k*p, k*m)
		if a.Log != -b.Log || a.Factor != b.Factor || a.Right != b.Right || a.Off != -b.Off {
			t.Fatalf("%g and %g: %+v, turned round %+v", p, m, a, b)
		}
		if !near(a.Log, c.Log) || a.Factor < 1 {
			t.Fatalf("%g and %g: %+v, times %g %+v", p, m, a, k, c)
		}
		if (a.Log > 0) != (p > m) && math.Abs(p-m) > 1e-9*p {
			t.Fatalf("%g and %g: %+v", p, m, a)
		}
	})
}

// The interval score rewards saying what one believes: against measurements
// that are uniform in log space, no interval beats the one that leaves a tenth
// on either side.
func TestIntervalScoreIsProper(t *testing.T) {
	mean := func(low, high float64) float64 {
		const n = 1000
		var sum float64
		for i := range n {
			x := (float64(i) + 0.5) / n
			sum += intervalScore(low, high, x, low <= x && x <= high)
		}
		return sum / n
	}
	best := mean(0.1, 0.9)
	for low := 0.0; low < 0.5; low += 0.05 {
		for high := 0.5; high <= 1; high += 0.05 {
			if got := mean(low, high); got < best-1e-6 {
				t.Errorf("%.2f to %.2f scores %g, better than 0.1 to 0.9 with %g", low, high, got, best)
			}
		}
	}
}

func TestScoredAndUnscored(t *testing.T) {
	e := func(o *Outcome) *Entry {
		a := answer("lab/one")
		a.Derivation.Value, a.Derivation.Unit = ptr(3.0), "ms" // converted
		return &Entry{Prediction: a.prediction(start), Outcome: o, Registered: true}
	}
	check := func(o *Outcome, user, division float64) {
		t.Helper()
		for i, f := range []func() (Score, error){e(o).Score, e(o).DivisionScore} {
			s, err := f()
			if want := []float64{user, division}[i]; want == 0 && !errors.Is(err, ErrUnscored) || want > 0 && (err != nil || !near(s.Factor, want)) {
				t.Errorf("%+v, %d: got %+v, %v; want %g", o, i, s, err, want)
			}
		}
	}
	check(&Outcome{Measured: ptr(3e-3), Unit: "s", Verdict: "held"}, 10, 1)
	check(&Outcome{Measured: ptr(3e-3), Unit: "s", Verdict: "failed"}, 10, 1)
	check(&Outcome{Measured: ptr(3e-4), Unit: "s"}, 1, 10)
	check(&Outcome{Measured: ptr(3e-4), Unit: "s", Verdict: "void", Why: "noisy"}, 0, 0)
	check(&Outcome{Unit: "s", Verdict: "held"}, 0, 0)
	check(nil, 0, 0)
	none := e(&Outcome{Measured: ptr(3e-4), Unit: "s"})
	none.Prediction.Derivation.Value = nil
	if _, err := none.DivisionScore(); !errors.Is(err, ErrUnscored) {
		t.Errorf("a division that came to nothing: %v", err)
	}
}

// How far a prediction was off is told in one way, wherever it is told.
func TestScoreString(t *testing.T) {
	check := func(predicted, measured axioms.Quantity, exact bool, want string) {
		t.Helper()
		s, err := Rate(predicted, nil, nil, measured, exact)
		if err != nil || s.String() != want {
			t.Errorf("%v for %v: got %q, %v, want %q", predicted, measured, s, err, want)
		}
	}
	check(axioms.Seconds(3e-3), axioms.Seconds(1e-3), false, "3x too much")
	check(axioms.Seconds(1e-6), axioms.Seconds(1), false, "1,000,000x too little")
	check(axioms.Seconds(1e-3), axioms.Seconds(1e-3), false, "right")
	check(axioms.Seconds(1.004e-3), axioms.Seconds(1e-3), false, "right to within half a percent")
	check(axioms.Seconds(1.01e-3), axioms.Seconds(1e-3), false, "1.01x too much")
	check(axioms.Count(180), axioms.Count(172), true, "8 too much")
	check(axioms.Bytes(0), axioms.Bytes(65536), false, "64 KiB too little")
	check(axioms.Count(172), axioms.Count(172), true, "right")
	check(axioms.Count(8), axioms.Count(7.99), true, "right to within half a percent")
	check(axioms.Count(0.2), axioms.Count(43.0/240), true, "1.12x too much")
	check(axioms.Count(43.0/240), axioms.Count(43.0/240), true, "right")
	check(axioms.Count(0), axioms.Count(0.5), true, "0.5 too little")
}
