package prereg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(got, want, by float64) bool { return math.Abs(got-want) <= by }

// Moments by hand: 1, 2, 3, 6 have mean 3 and central sums of 14, 18 and 98.
func TestMoments(t *testing.T) {
	m := momentsOf([]float64{1, 2, 3, 6})
	want := moments{n: 4, mean: 3, sd: math.Sqrt(14.0 / 3), skew: (18.0 / 4) / math.Pow(3.5, 1.5), kurtosis: (98.0 / 4) / (3.5 * 3.5)}
	if m.n != 4 || m.mean != 3 || !near(m.sd, want.sd, 1e-12) || !near(m.skew, want.skew, 1e-12) || !near(m.kurtosis, want.kurtosis, 1e-12) {
		t.Errorf("got %+v, want %+v", m, want)
	}
}

func TestSharpe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	record := make([]float64, 77)
	for i := range record {
		record[i] = 0.3 + 2*rng.NormFloat64()
	}
	if got, want := sharpe(record), momentsOf(record).sharpe(); !near(got, want, 1e-12) {
		t.Errorf("in one pass %v, in two %v", got, want)
	}
	if got := sharpe([]float64{1, 2, 3, 6}); !near(got, 3/math.Sqrt(14.0/3), 1e-12) {
		t.Errorf("got %v", got)
	}
}

// By hand: over 101 periods a ratio of 0.2 is 2 standard errors, or 2 /
// sqrt(1.02) with the kurtosis of a normal distribution. A left tail makes it less
// certain, a threshold too.
func TestProbability(t *testing.T) {
	check := func(skew, kurtosis, threshold, errors float64) {
		t.Helper()
		m := moments{n: 101, mean: 0.2, sd: 1, skew: skew, kurtosis: kurtosis}
		if got, want := m.probability(threshold), 0.5*math.Erfc(-errors/math.Sqrt2); !near(got, want, 1e-9) {
			t.Errorf("skew %v, kurtosis %v above %v: got %v, want %v", skew, kurtosis, threshold, got, want)
		}
	}
	check(0, 1, 0, 2)
	check(0, 3, 0, 2/math.Sqrt(1.02))
	check(-1, 3, 0, 2/math.Sqrt(1.22))
	check(0, 3, 0.1, 1/math.Sqrt(1.02))
	check(0, 3, 0.2, 0)
}

// The exact means are those of tables of normal order statistics (Harter 1961,
// to five digits); the formula's are by hand, from tables of quantiles.
func TestExpectedBest(t *testing.T) {
	check := func(n int, exact, formula float64) {
		t.Helper()
		if got := exactBest(n); !near(got, exact, 5e-6) {
			t.Errorf("exact mean of the largest of %d: got %.6f, want %.5f", n, got, exact)
		}
		if got := expectedBest(n); !near(got, formula, 5e-4) {
			t.Errorf("formula for the largest of %d: got %.5f, want %.3f", n, got, formula)
		}
	}
	check(2, 0.56419, 0.5198)
	check(5, 1.16296, 1.1926)
	check(10, 1.53875, 1.5746)
	check(20, 1.86748, 1.9005)
	check(50, 2.24907, 2.2762)
	check(100, 2.50759, 2.5306)
}

func TestShare(t *testing.T) {
	var s share
	for i := range 20 {
		s.count(i < 5)
	}
	// Clopper-Pearson at 95 % for 5 of 20.
	low, high := s.interval(1)
	if s.value() != 0.25 || !near(low, 0.0866, 1e-4) || !near(high, 0.4910, 1e-4) {
		t.Errorf("got %v, %v to %v", s.value(), low, high)
	}
	if l, h := s.interval(6); l >= low || h <= high {
		t.Errorf("six intervals together: got %v to %v, want more than %v to %v", l, h, low, high)
	}
}

func TestAtLeast(t *testing.T) {
	check := func(v, bound, want float64) {
		t.Helper()
		if got := atLeast(v, bound); got != want {
			t.Errorf("%v of at least %v: got %v, want %v", v, bound, got, want)
		}
	}
	check(0.5, 0.25, 0.5)
	check(0.25, 0.5, 2)
	check(0, 0.5, unbounded)
	check(1e-9, 0.5, unbounded)
}

// Intervals of a mean that is known hold it about as often as they say.
func TestLargestCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	missed := 0
	const times = 1000
	for range times {
		var l largest
		for range 300 {
			l.add(rng.ExpFloat64())
		}
		if low, high := l.interval(1); low > 1 || high < 1 {
			missed++
		}
	}
	if missed < times/40 || missed > times/11 {
		t.Errorf("%d of %d intervals at 95 %% miss the mean", missed, times)
	}
}
