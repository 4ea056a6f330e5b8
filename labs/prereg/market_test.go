package prereg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRanks(t *testing.T) {
	check := func(values []float64, want ...float64) {
		t.Helper()
		if d := cmp.Diff(want, ranks(values)); d != "" {
			t.Errorf("%v (-want +got):\n%s", values, d)
		}
	}
	check([]float64{3, -1, 2}, 2, 0, 1)
	check([]float64{5, 1, 5, 0}, 2.5, 1, 2.5, 0)
	check([]float64{7, 7, 7}, 1, 1, 1)
	check([]float64{4}, 0)
}

// Spearman's coefficient without ties is 1 - 6 sum d^2 / (n (n^2 - 1)).
func TestCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 2; n < 40; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		ra, rb := ranks(a), ranks(b)
		sum := 0.0
		for i := range ra {
			sum += (ra[i] - rb[i]) * (ra[i] - rb[i])
		}
		want := 1 - 6*sum/float64(n*(n*n-1))
		if got := correlation(ra, rb); !near(got, want, 1e-9) {
			t.Errorf("n = %d: got %v, want %v", n, got, want)
		}
	}
	if got := correlation([]float64{1, 2, 3, 5}, []float64{-20, -40, -60, -100}); !near(got, -1, 1e-12) {
		t.Errorf("on one line, downwards: got %v, want -1", got)
	}
	if got := correlation([]float64{1, 1, 1}, []float64{1, 2, 3}); got != 0 {
		t.Errorf("with a constant: got %v, want 0", got)
	}
}

func TestWeights(t *testing.T) {
	if d := cmp.Diff([]float64{0.375, -0.375, 0.125, -0.125}, weights([]float64{9, -3, 2, 1})); d != "" {
		t.Errorf("weights (-want +got):\n%s", d)
	}
}

// Thin tails leave every rank, and so every rank correlation, as it was.
func TestThinTailsKeepTheRanks(t *testing.T) {
	fat, thin := newMarket(rand.New(rand.NewPCG(1, 1)), drift, false), newMarket(rand.New(rand.NewPCG(1, 1)), drift, true)
	most := 0.0
	for range 200 {
		fat.day()
		thin.day()
		if !slices.Equal(ranks(fat.moves), ranks(thin.moves)) || !slices.Equal(fat.signal, thin.signal) {
			t.Fatal("the ranks of a day are not the same")
		}
		for i := range thin.moves {
			most = max(most, math.Abs(thin.moves[i]))
		}
	}
	if most > 3*daily {
		t.Errorf("a thin return of %v, want at most 3 standard deviations of %v", most, daily)
	}
}

// The account of a market is what the arithmetic beside rightAndLosing says, and
// each control takes away one of the two facts and leaves the other.
func TestTrade(t *testing.T) {
	trade := func(drift float64, thin bool) account {
		t.Helper()
		a, err := newMarket(rand.New(rand.NewPCG(2, 2)), drift, thin).trade(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := trade(drift, false)
	if !near(a.ic, 0.023, 0.008) || a.t < 5 || !near(a.gross, -0.83, 0.4) || a.sharpe > -1.8 || a.after > a.sharpe-2 {
		t.Errorf("got %+v", a)
	}
	// The first day buys one unit of capital, and is in the net gain alone.
	paid := 0.0015 * 365 * (a.turnover*(marketDays-1) + 1) / marketDays
	if !near(a.turnover, 4.0/3, 0.02) || !near(a.cost, a.turnover*0.0015*365, 1e-12) || !near(a.net, a.gross-paid, 1e-9) {
		t.Errorf("turnover %v, cost %v, net %v of %v", a.turnover, a.cost, a.net, a.gross)
	}
	if b := trade(drift, true); b.t != a.t || b.gross <= 0.1 {
		t.Errorf("thin tails: got %+v, want the same t and a gain", b)
	}
	if c := trade(0, false); c.t > 1 || c.gross >= 0 {
		t.Errorf("no signal: got %+v, want t near -2 and a loss", c)
	}
}

// An honest market keeps far from both bounds.
func TestMarketsKeepFar(t *testing.T) {
	if raceDetector {
		t.Skip("nothing runs beside it: the markets are for a faster build")
	}
	rng := rand.New(rand.NewPCG(9, 9))
	var sharpes []float64
	for range 4 {
		a, err := newMarket(rng, drift, false).trade(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if a.t < 4 {
			t.Errorf("t = %v, want over twice the bound of 2", a.t)
		}
		sharpes = append(sharpes, a.sharpe)
	}
	// Over four years the Sharpe ratio of a year is uncertain by 1/2.
	if m := momentsOf(sharpes); m.mean > -2.7 || m.sd > 0.9 {
		t.Errorf("Sharpe ratios of %v and a spread of %v, want -3.6 and about 0.5", m.mean, m.sd)
	}
}
