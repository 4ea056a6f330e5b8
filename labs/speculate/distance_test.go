package speculate

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDistance(t *testing.T) {
	var model chain
	for s := range model {
		model[s] = dist{0.5, 0.5}
	}
	check := func(want float64, counts ...int) {
		t.Helper()
		c := cells{{counts[0], counts[1]}, {counts[2], counts[3], counts[4]}}
		if got := c.distance(&model, 0); !near(got, want) {
			t.Errorf("%v: got %v, want %v", counts, got, want)
		}
	}
	check(0, 3, 3, 3, 3, 0)
	check(0.25, 2, 1, 1, 0, 0)
	check(0.75, 0, 9, 0, 0, 0)
	check(1, 0, 0, 0, 0, 4) // a pair that the model never gives
}

// The bound against values by hand: ln(20) = 2.9957, ln(120) = 4.7875.
func TestSlack(t *testing.T) {
	check := func(n, m int, want float64) {
		t.Helper()
		if got := slack(n, m); math.Abs(got-want) > 1e-7 {
			t.Errorf("%d draws and %d bounds: got %.8f, want %.8f", n, m, got, want)
		}
	}
	check(1_000_000, 1, 0.00122387)
	check(1<<21, 6, 0.00106838)
}

// The bound is one: for decoders whose distance is known by enumeration it lies
// above that.
func TestBoundCovers(t *testing.T) {
	const n = 1 << 14
	below, tries := 0, 0
	for seed := range uint64(40) {
		model := newModel(rand.New(rand.NewPCG(seed, 1)))
		for _, k := range model.kinds(rand.New(rand.NewPCG(seed, 2))) {
			for _, f := range []faults{{}, {redraw: true}, {stale: true}} {
				d := newDecoder(&model, k.chain, 1, f)
				j := exactly(t, d, prompt)
				c, err := drawPairs(t.Context(), rand.New(rand.NewPCG(seed, 3)), d, n)
				if err != nil {
					t.Fatal(err)
				}
				tries++
				if truth := j.from(&model, prompt); c.distance(&model, prompt)+slack(n, 1) < truth {
					below++
				}
			}
		}
	}
	// 5 % may; McDiarmid's constants are far from tight, so hardly any does.
	if below > tries/20 {
		t.Errorf("%d of %d bounds lie below the truth", below, tries)
	}
}

func TestLengths(t *testing.T) {
	l := lengths{1: 2, 2: 1, 5: 1} // 1, 1, 2, 5
	mean, variance, n := l.mean()
	if mean != 2.25 || !near(variance, (1.25*1.25*2+0.25*0.25+2.75*2.75)/3) || n != 4 {
		t.Errorf("got %v, %v and %d", mean, variance, n)
	}
	low, high := l.interval(4, 1)
	log := math.Log(80)
	half := math.Sqrt(2*variance*log/4) + 4*7*log/9
	if !near(low, 2.25-half) || !near(high, 2.25+half) {
		t.Errorf("got %v to %v, want 2.25 +- %v", low, high, half)
	}
}

// Intervals of means that are known hold them, at least as often as they say.
func TestIntervalCovers(t *testing.T) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	missed, tries := 0, 0
	for _, p := range claimed {
		d := newDecoder(&model, model.of(func(d *dist) dist { return flatter(d, p.a) }), p.k, faults{})
		rng := rand.New(rand.NewPCG(uint64(p.k), 1))
		for range 100 {
			l, err := drawPasses(t.Context(), rng, d, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			tries++
			if low, high := l.interval(p.k, 1); expected(p.a, p.k) < low || expected(p.a, p.k) > high {
				missed++
			}
		}
	}
	if missed > tries/20 {
		t.Errorf("%d of %d intervals miss the mean", missed, tries)
	}
}

func TestExpected(t *testing.T) {
	check := func(a float64, k int, want float64) {
		t.Helper()
		if got := expected(a, k); math.Abs(got-want) > 5e-4 {
			t.Errorf("%v, %d: got %v, want %v", a, k, got, want)
		}
	}
	check(0.7, 4, 2.773)
	check(0.7, 8, 3.199)
	check(0.7, 16, 3.326)
	check(0, 4, 1)
	check(1, 4, 5)
	check(0.9, 0, 1)
}
