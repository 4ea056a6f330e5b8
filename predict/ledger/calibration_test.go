package ledger

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"envelope/axioms"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// made is an entry whose prediction is in the given unit.
func made(question string, predicted, measured float64, unit string, attempt int) Entry {
	dim, err := axioms.ParseUnit(unit)
	if err != nil {
		panic(err)
	}
	a := Answer{Question: question, Value: axioms.Quantity{Value: predicted, Dim: dim}}
	e := Entry{Prediction: a.prediction(start), Outcome: &Outcome{Measured: &measured, Unit: unit}, Registered: attempt == 1}
	e.Prediction.Attempt = attempt
	return e
}

func is(p *float64, want float64) bool { return p != nil && near(*p, want) }

func TestCalibrate(t *testing.T) {
	h := []Entry{
		made("barrier/a", 1e-3, 1e-4, "s", 1),  // 10x too much
		made("ladder/b", 0, 65536, "B", 1),     // off
		made("barrier/a", 1e-4, 1e-4, "s", 2),  // a later attempt
		made("barrier/c", 5, 10, "1", 1),       // 2x too little
		made("ladder/d", 65536, 65536, "B", 1), // right
		made("barrier/e", 1, 1, "s", 1),        // void
		made("barrier/f", 1, 1, "s", 1),        // its run died
	}
	h[0].Prediction.Derivation.Value, h[0].Prediction.Derivation.Unit = ptr(5e-5), "s"
	h[0].Prediction.Low, h[0].Prediction.High = ptr(1e-4), ptr(1e-2)
	h[3].Prediction.Low, h[3].Prediction.High = ptr(1.0), ptr(5.0)
	h[4].Outcome.Exact = true
	h[5].Outcome.Verdict = "void"
	h[6].Outcome = nil
	c := Calibrate(h, CalibrateOptions{})
	u := c.Total.User
	if c.Total.N != 6 || c.Total.Unscored != 2 || u.N != 2 || u.Exact != 2 || u.Right != 1 || u.Intervals != 2 {
		t.Errorf("got %+v", c.Total)
	}
	// Logs 1 and -log10(2).
	if !is(u.Factor, math.Sqrt(20)) || !is(u.Bias, math.Sqrt(5)) || !is(u.Within2, 0.5) || !is(u.Within10, 1) {
		t.Errorf("factor %v, bias %v, within %v and %v", *u.Factor, *u.Bias, *u.Within2, *u.Within10)
	}
	// 2 decades and a hit; log10(5) wide and a miss by log10(2).
	if want := (2 + math.Log10(5) + 10*math.Log10(2)) / 2; !is(u.Coverage, 0.5) || !is(u.IntervalScore, want) {
		t.Errorf("coverage %v, interval score %v, want %g", *u.Coverage, *u.IntervalScore, want)
	}
	if d := c.Total.Division; d.N != 1 || !is(d.Factor, 2) || !is(d.Bias, 0.5) || d.Coverage != nil {
		t.Errorf("division %+v", d)
	}
	names := func(groups []Group) string {
		var s []string
		for _, g := range groups {
			s = append(s, g.Name)
		}
		return strings.Join(s, " ")
	}
	if names(c.Labs) != "barrier ladder" || names(c.Dimensions) != "s B 1" {
		t.Errorf("labs %q, dimensions %q", names(c.Labs), names(c.Dimensions))
	}
	if c.Labs[1].User.N != 0 || c.Labs[1].User.Factor != nil || c.Labs[1].User.Exact != 2 {
		t.Errorf("ladder: %+v", c.Labs[1])
	}
	all := Calibrate(h, CalibrateOptions{All: true})
	if all.Total.N != 7 || all.Total.User.N != 3 || !is(all.Total.User.Factor, math.Pow(20, 1.0/3)) {
		t.Errorf("all attempts: %+v", all.Total)
	}
}

func TestCalibrateNothing(t *testing.T) {
	for _, h := range [][]Entry{nil, {}, {{Registered: true}}} {
		c := Calibrate(h, CalibrateOptions{})
		if d := cmp.Diff(Summary{}, c.Total.User); d != "" {
			t.Error(d)
		}
		if text, err := json.Marshal(c); err != nil || !strings.Contains(string(text), `"factor":null`) {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if text, err := json.Marshal(Calibrate(nil, CalibrateOptions{})); err != nil || strings.Contains(string(text), `"labs":null`) {
		t.Errorf("got %s, %v", text, err)
	}
}

// Whatever a history holds, the summary can be written, and its numbers are in
// their ranges.
func TestCalibrationIsAlwaysWritable(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Float64Range(0, 1e-300),
		rapid.SampledFrom([]float64{0, 1, math.MaxFloat64, math.SmallestNonzeroFloat64}))
	rapid.Check(t, func(t *rapid.T) {
		var h []Entry
		for range rapid.IntRange(0, 50).Draw(t, "n") {
			e := made("lab/x", number.Draw(t, "p"), number.Draw(t, "m"), "s", rapid.IntRange(1, 2).Draw(t, "attempt"))
			if low, high := number.Draw(t, "low"), number.Draw(t, "high"); low <= high {
				e.Prediction.Low, e.Prediction.High = &low, &high
			}
			e.Prediction.Derivation.Value, e.Prediction.Derivation.Unit = ptr(number.Draw(t, "division")), "s"
			h = append(h, e)
		}
		c := Calibrate(h, CalibrateOptions{All: true})
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
		u := c.Total.User
		if u.N+u.Exact+c.Total.Unscored != c.Total.N || c.Total.N != len(h) || c.Total.Unscored > 0 {
			t.Fatalf("%d predictions: %+v", len(h), c.Total)
		}
		for _, share := range []*float64{u.Within2, u.Within10, u.Coverage} {
			if share != nil && (*share < 0 || *share > 1) {
				t.Fatalf("a share of %g", *share)
			}
		}
		if u.N > 0 && (*u.Factor < 1 || *u.Bias <= 0 || *u.Within2 > *u.Within10) {
			t.Fatalf("got %+v", u)
		}
		if (u.Trend != nil) != (u.N >= TrendMin) {
			t.Fatalf("a trend of %d", u.N)
		}
	})
}

func TestTrend(t *testing.T) {
	series := func(n int, log func(i int) float64) (sizes []float64) {
		for i := range n {
			sizes = append(sizes, log(i))
		}
		return sizes
	}
	check := func(name string, sizes []float64, first, second float64, clear bool) {
		t.Helper()
		got := trend(sizes)
		if got == nil || !near(got.First, first) || !near(got.Second, second) || got.Clear != clear {
			t.Errorf("%s: got %+v, want %g, %g, %v", name, got, first, second, clear)
		}
	}
	if got := trend(series(TrendMin-1, func(int) float64 { return 1 })); got != nil {
		t.Errorf("%d predictions make the trend %+v", TrendMin-1, got)
	}
	check("constant", series(20, func(int) float64 { return 1 }), 10, 10, false)
	check("from 100x to 10x", series(20, func(i int) float64 { return float64(2 - i/10) }), 100, 10, true)
	check("from 10x to 100x, the middle left out", append(append(series(10, func(int) float64 { return 1 }), 300),
		series(10, func(int) float64 { return 2 })...), 10, 100, true)
	check("alternating", series(40, func(i int) float64 { return float64(i % 2) }), math.Sqrt(10), math.Sqrt(10), false)
}

// Chance alone makes the halves differ clearly about once in twenty.
func TestTrendIsRarelyClearByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260517, 0))
	for _, n := range []int{20, 21, 60} {
		const trials = 4000
		clear := 0
		for range trials {
			sizes := make([]float64, n)
			for i := range sizes {
				sizes[i] = rng.ExpFloat64()
			}
			clear += count(trend(sizes).Clear)
		}
		if share := float64(clear) / trials; share < 0.025 || share > 0.06 {
			t.Errorf("n = %d: clear in %.1f %%", n, 100*share)
		}
	}
}
