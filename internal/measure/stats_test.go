package measure

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// upTo returns 1, 2, ..., n in an order that is not sorted.
func upTo(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64((i+n/2)%n + 1)
	}
	return out
}

func TestSummarize(t *testing.T) {
	check := func(n int, p50, p95, p99, p999 float64) {
		t.Helper()
		samples := upTo(n)
		before := slices.Clone(samples)
		s := Summarize(samples)
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"p50", s.P50, p50}, {"p95", s.P95, p95}, {"p99", s.P99, p99}, {"p99.9", s.P999, p999}, {"min", s.Min, 1}, {"max", s.Max, float64(n)}} {
			if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
				t.Errorf("%s of %d: got %g, want %g", c.name, n, c.got, c.want)
			}
		}
		if s.N != n || !slices.Equal(samples, before) {
			t.Errorf("n %d: got N %d, or the samples were moved", n, s.N)
		}
	}
	check(1, 1, nan, nan, nan)
	check(2, 1, nan, nan, nan)
	check(3, 2, nan, nan, nan)
	check(19, 10, nan, nan, nan)
	check(20, 10, 19, nan, nan)
	check(60, 30, 57, nan, nan) // cases/host.md: a p95, but no p99
	check(99, 50, 95, nan, nan)
	check(100, 50, 95, 99, nan)
	check(999, 500, 950, 990, nan)
	check(1000, 500, 950, 990, 999)
	check(1001, 501, 951, 991, 1000)
}

func TestSummarizeNothing(t *testing.T) {
	s := Summarize(nil)
	for _, v := range []float64{s.Min, s.P50, s.P95, s.P99, s.P999, s.Max} {
		if s.N != 0 || !math.IsNaN(v) {
			t.Fatalf("got %+v, want N 0 and no number", s)
		}
	}
}

// The rank is the smallest one that covers the share, in whole numbers: a
// product of floats may round past it.
func TestPercentileRanks(t *testing.T) {
	sorted := make([]float64, 0, 6000)
	for n := 1; n <= cap(sorted); n++ {
		sorted = append(sorted, float64(n))
		if n < 1000 || n%7 != 0 {
			continue
		}
		s := Summarize(sorted)
		rank := func(perMille int) float64 { return float64((n*perMille + 999) / 1000) }
		got, want := [...]float64{s.P50, s.P95, s.P99, s.P999}, [...]float64{rank(500), rank(950), rank(990), rank(999)}
		if got != want {
			t.Fatalf("ranks of %d: got %v, want %v", n, got, want)
		}
	}
}

func TestPercentilesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(-1e9, 1e9), 1000, 1100).Draw(t, "samples")
		s := Summarize(samples)
		all := []float64{s.Min, s.P50, s.P95, s.P99, s.P999, s.Max}
		if !slices.IsSorted(all) {
			t.Fatalf("got %v, want them in order", all)
		}
		for _, v := range all {
			if !slices.Contains(samples, v) {
				t.Fatalf("%g was never observed", v)
			}
		}
	})
}

// tail returns P(X <= k) for a binomial of n trials at p, summed in 200 bits.
func tail(k, n int, p float64) float64 {
	prec := func() *big.Float { return new(big.Float).SetPrec(200) }
	x := prec().SetFloat64(p)
	y := prec().Sub(prec().SetInt64(1), x)
	term := prec().SetInt64(1) // y^n
	for range n {
		term.Mul(term, y)
	}
	sum := prec().Set(term)
	for i := 1; i <= k; i++ {
		term.Mul(term, x)
		term.Quo(term, y)
		term.Mul(term, prec().SetInt64(int64(n-i+1)))
		term.Quo(term, prec().SetInt64(int64(i)))
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return f
}

func TestClopperPearsonPublished(t *testing.T) {
	check := func(successes, n int, confidence, low, high, within float64) {
		t.Helper()
		l, h := ClopperPearson(successes, n, confidence)
		if math.Abs(l-low) > within || math.Abs(h-high) > within {
			t.Errorf("%d of %d at %g: got [%.6g, %.6g], want [%.6g, %.6g]", successes, n, confidence, l, h, low, high)
		}
	}
	check(0, 10, 0.95, 0, 0.3085, 5e-5)
	check(1, 10, 0.95, 0.0025, 0.4450, 5e-5)
	check(5, 10, 0.95, 0.1871, 0.8129, 5e-5)
	check(10, 10, 0.95, 0.6915, 1, 5e-5)
	check(4, 20, 0.95, 0.0573, 0.4366, 5e-5)
	check(10, 100, 0.95, 0.0490, 0.1762, 5e-5)
	check(81, 263, 0.95, 0.2527, 0.3676, 5e-5) // Newcombe 1998, table I
	check(15, 148, 0.95, 0.0578, 0.1617, 5e-5)
	check(0, 20, 0.95, 0, 0.1684, 5e-5)
	check(1, 29, 0.95, 0.0009, 0.1776, 5e-5)
	check(0, 0, 0.95, 0, 1, 0)
	check(7, 3, 0.95, 0, 1, 0)
	check(-1, 3, 0.95, 0, 1, 0)
}

func TestClopperPearsonAgainstSums(t *testing.T) {
	check := func(successes, n int, confidence float64) {
		t.Helper()
		a := (1 - confidence) / 2
		low, high := ClopperPearson(successes, n, confidence)
		if successes > 0 {
			if got := 1 - tail(successes-1, n, low); math.Abs(got/a-1) > 1e-6 {
				t.Errorf("%d of %d: at least that many at the low end: got %g, want %g", successes, n, got, a)
			}
		}
		if successes < n {
			if got := tail(successes, n, high); math.Abs(got/a-1) > 1e-6 {
				t.Errorf("%d of %d: at most that many at the high end: got %g, want %g", successes, n, got, a)
			}
		}
	}
	for _, confidence := range []float64{0.95, 0.999} {
		for n := 1; n <= 40; n++ {
			for k := range n + 1 {
				check(k, n, confidence)
			}
		}
		check(3, 1000, confidence)
		check(500, 1000, confidence)
		check(990, 1000, confidence)
		check(9900, 10000, confidence)
	}
}

// poisson returns P(X <= k) for a Poisson of mean m. At 2^25 trials and a few
// hundred successes it differs from the binomial by about k/n.
func poisson(k int, m float64) float64 {
	sum := 0.0
	for i := 0; i <= k; i++ {
		logFactorial, _ := math.Lgamma(float64(i + 1))
		sum += math.Exp(float64(i)*math.Log(m) - m - logFactorial)
	}
	return sum
}

func TestClopperPearsonOfManyTrials(t *testing.T) {
	const n = 1 << 25
	check := func(successes int, confidence float64) {
		t.Helper()
		a := (1 - confidence) / 2
		low, high := ClopperPearson(successes, n, confidence)
		if got := 1 - poisson(successes-1, low*n); math.Abs(got/a-1) > 1e-3 {
			t.Errorf("%d of 2^25, low end %g: got %g, want %g", successes, low, got, a)
		}
		if got := poisson(successes, high*n); math.Abs(got/a-1) > 1e-3 {
			t.Errorf("%d of 2^25, high end %g: got %g, want %g", successes, high, got, a)
		}
		// Successes and failures mirror each other.
		l, h := ClopperPearson(n-successes, n, confidence)
		if math.Abs(1-h-low) > 1e-13 || math.Abs(1-l-high) > 1e-13 {
			t.Errorf("%d of 2^25: got [%g, %g], its mirror has [%g, %g]", successes, low, high, 1-h, 1-l)
		}
	}
	for _, confidence := range []float64{0.95, 0.999} {
		for _, successes := range []int{1, 2, 40, 512, 700} {
			check(successes, confidence)
		}
	}
	if low, high := ClopperPearson(0, n, 0.95); low != 0 || math.Abs(high*n-3.688879) > 1e-5 {
		t.Errorf("none of 2^25: got [%g, %g], want [0, 3.688879/n]", low, high)
	}
}

func TestZeroFailureBound(t *testing.T) {
	check := func(n int, oneIn float64) {
		t.Helper()
		if got := 1 / ZeroFailureBound(n); math.Abs(got/oneIn-1) > 1e-3 {
			t.Errorf("%d trials: got 1 in %g, want 1 in %g", n, got, oneIn)
		}
	}
	check(0, 1)
	check(-1, 1)
	check(1, 1/0.95)
	check(200, 67.26)
	check(10_000, 3_339)
	check(1_000_000, 333_809)
}

func TestMedianInterval(t *testing.T) {
	check := func(n int, confidence, low, high float64, ok bool) {
		t.Helper()
		l, h, found := MedianInterval(upTo(n), confidence)
		if found != ok || ok && (l != low || h != high) {
			t.Errorf("%d samples at %g: got [%g, %g] %v, want [%g, %g] %v", n, confidence, l, h, found, low, high, ok)
		}
	}
	check(0, 0.95, 0, 0, false)
	check(5, 0.95, 0, 0, false) // 2/32
	check(6, 0.95, 1, 6, true)  // 2/64
	check(9, 0.95, 2, 8, true)
	check(10, 0.95, 2, 9, true)
	check(20, 0.95, 6, 15, true)
	check(100, 0.95, 40, 61, true)
	check(100, 0.99, 37, 64, true)
	check(1000, 0.95, 469, 532, true)
	check(1_000_000, 0.95, 499_020, 500_981, true) // 500,000 - 1.96 * 500
	check(10, 1, 0, 0, false)
	check(5000, 1, 0, 0, false) // its least probability is under every float
	check(10, 0, 0, 0, false)
	check(10, nan, 0, 0, false)
}

// The limit is the last count whose exact probability fits.
func TestMedianLimitAgainstSums(t *testing.T) {
	for n := 1; n <= 300; n++ {
		for _, confidence := range []float64{0.5, 0.9, 0.95, 0.99, 0.999} {
			budget := (1 - confidence) / 2
			k := medianLimit(n, budget)
			if k >= 0 && tail(k, n, 0.5) > budget {
				t.Errorf("%d samples at %g: %d is too many", n, confidence, k)
			}
			if n > 1 && tail(k+1, n, 0.5) <= budget {
				t.Errorf("%d samples at %g: %d would do", n, confidence, k+1)
			}
		}
	}
}
