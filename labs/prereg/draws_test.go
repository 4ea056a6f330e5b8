package prereg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Records are what they are said to be: the moments of long ones.
func TestReturns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	record := make([]float64, 400_000)
	check := func(k returns, mean, skew, kurtosis float64) {
		t.Helper()
		k.fill(rng, record, mean)
		m := momentsOf(record)
		if !near(m.sharpe(), mean, 0.01) || !near(m.sd, k.spread(), 0.01) || !near(m.skew, skew, 0.05) || !near(m.kurtosis, kurtosis, 0.3) {
			t.Errorf("%s: got %+v, want mean %v, skew %v, kurtosis %v", k.name, m, mean, skew, kurtosis)
		}
	}
	check(kinds[0], 0, 0, 3)
	check(kinds[0], 0.4, 0, 3)
	// p = 0.02, depth 5: variance 1.49, third moment -125 p (1-p) (1-2p), fourth
	// cumulant 625 p (1-p) (1-6p(1-p)).
	check(kinds[1], 0, -2.352/math.Pow(1.49, 1.5), 3+10.81/(1.49*1.49))
	check(kinds[1], 0.4, -2.352/math.Pow(1.49, 1.5), 3+10.81/(1.49*1.49))
}

// Only the first record of a study has the skill, and the best is kept.
func TestSearch(t *testing.T) {
	var room [chosenFrom][weeks]float64
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		s := kinds[0].search(rng, &room, 40, true)
		if s.kept != momentsOf(room[0][:]) || s.kept.sharpe() < 40/math.Sqrt(perYear)/1.5 {
			t.Errorf("kept %+v, want the first record", s.kept)
		}
		for _, other := range room[1:] {
			if v := sharpe(other[:]); math.Abs(v) > 6/math.Sqrt(weeks) {
				t.Errorf("a record without skill has %v", v)
			}
		}
		s = kinds[0].search(rng, &room, 0, true)
		var ratios []float64
		for _, one := range room {
			if v := sharpe(one[:]); v > s.kept.sharpe()+1e-9 {
				t.Errorf("kept %v, and there was %v", s.kept.sharpe(), v)
			}
			ratios = append(ratios, sharpe(one[:]))
		}
		if v := momentsOf(ratios); !near(s.variance, v.sd*v.sd, 1e-12) {
			t.Errorf("got the variance %v, want %v", s.variance, v.sd*v.sd)
		}
	}
}

func TestAutoregression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	record, covariances := make([]float64, 400_000), make([]float64, 5)
	autoregression(rng, record, 0.6)
	autocovariances(record, covariances)
	for k, got := range covariances {
		if want := math.Pow(0.6, float64(k)); !near(got, want, 0.02) {
			t.Errorf("lag %d: got %v, want %v", k, got, want)
		}
	}
	// The first day is like any other: many short records.
	var first, last float64
	short := make([]float64, 3)
	const n = 100_000
	for range n {
		autoregression(rng, short, 0.6)
		first, last = first+short[0]*short[0]/n, last+short[2]*short[2]/n
	}
	if !near(first, 1, 0.03) || !near(last, 1, 0.03) {
		t.Errorf("variances %v on the first day and %v on the third, want 1", first, last)
	}
}

// By hand: 1, 2, 4, 1 less their mean of 2 are -1, 0, 2, -1.
func TestAutocovariances(t *testing.T) {
	check := func(record []float64, want ...float64) {
		t.Helper()
		before := append([]float64(nil), record...)
		got := make([]float64, len(want))
		autocovariances(record, got)
		for k := range want {
			if !near(got[k], want[k], 1e-12) {
				t.Errorf("%v, lag %d: got %v, want %v", before, k, got[k], want[k])
			}
		}
		for i := range record {
			if !near(record[i], before[i], 1e-12) {
				t.Errorf("the record became %v, was %v", record, before)
			}
		}
	}
	check([]float64{1, 2, 4, 1}, 6.0/4, -2.0/4, -2.0/4, 1.0/4)
	check([]float64{1, 2, 4, 1, 2}, 6.0/5, -2.0/5, -2.0/5, 1.0/5, 0)
}

func TestLongRun(t *testing.T) {
	c := []float64{4, 2, 1, 0.5}
	check := func(lag int, want float64) {
		t.Helper()
		if got := longRun(c, lag); !near(got, want, 1e-12) {
			t.Errorf("lag %d: got %v, want %v", lag, got, want)
		}
	}
	check(0, 4)
	check(1, 4+2*0.5*2)
	check(3, 4+2*(0.75*2+0.5*1+0.25*0.5))
}

// The arithmetic of the doc: 15.0 % without lags, 6.44 % with five, and 5 % where
// nothing is missed.
func TestRejected(t *testing.T) {
	check := func(coefficient float64, lag int, want float64) {
		t.Helper()
		if got := rejected(takenAs(coefficient, lag)); !near(got, want, 5e-5) {
			t.Errorf("%v and %d lags: got %.5f, want %.4f", coefficient, lag, got, want)
		}
	}
	check(0, 0, 0.05)
	check(0, 9, 0.05)
	check(0.3, 0, 0.1504)
	check(0.3, lag, 0.0644)
	check(0.3, 100_000, 0.05)
}

func TestRejects(t *testing.T) {
	check := func(mean, variance float64, n int, want bool) {
		t.Helper()
		if got := rejects(mean, variance, n); got != want {
			t.Errorf("mean %v, variance %v, n %d: got %v", mean, variance, n, got)
		}
	}
	check(0.197, 1, 100, true)
	check(-0.197, 1, 100, true)
	check(0.195, 1, 100, false)
	check(0.195, 0.98, 100, true)
}

// The same records serve all numbers of trials only if they divide the block.
func TestTrialsDivideTheBlock(t *testing.T) {
	for _, n := range trials {
		if block%n != 0 {
			t.Errorf("%d does not divide %d", n, block)
		}
	}
}

// Variants of one idea correlate by what they have in common.
func TestRecords(t *testing.T) {
	check := func(common float64) {
		t.Helper()
		r := newRecords(rand.New(rand.NewPCG(5, 5)))
		r.common = common
		var together, alone float64
		const n = 150
		for range n {
			all := momentsOf(r.block())
			together += all.mean * all.mean / n
			alone += all.sd * all.sd / n
		}
		if want := common + (1-common)/block; !near(together, want, 0.25*want+0.005) || !near(alone, 1-common, 0.05) {
			t.Errorf("%v in common: the mean of a block varies by %v and its records by %v", common, together, alone)
		}
	}
	check(0)
	check(commonShare)
}
