package prereg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"envelope/internal/lab"
)

const (
	year = 252 // trading days
	// block is how many records are made together: each number of trials divides
	// it, so that the same records serve all of them.
	block = 100
	// blocks is how many a default run makes. See luckiest for what it leaves of
	// the region.
	blocks = 1400
	// commonShare is how much of their variance records have in common that are
	// variants of one idea.
	commonShare = 0.75
)

// trials are the numbers of records of which the best is kept.
var trials = []int{5, 10, 20, 50, block}

// largest collects the best of so many.
type largest struct {
	n            int
	sum, squares float64
}

func (l *largest) add(v float64) {
	l.n++
	l.sum += v
	l.squares += v * v
}

func (l *largest) mean() float64 { return l.sum / float64(l.n) }

// interval is one of m intervals of the mean that hold together with the
// confidence, by the normal distribution of a mean of thousands.
func (l *largest) interval(m int) (low, high float64) {
	n, mean := float64(l.n), l.mean()
	variance := (l.squares - n*mean*mean) / (n - 1)
	half := distuv.UnitNormal.Quantile(1-(1-confidence)/float64(2*m)) * math.Sqrt(variance/n)
	return mean - half, mean + half
}

// luckiest observes both ends of the interval of the mean best Sharpe ratio of a
// year, over the formula.
//
// A worthless record's Sharpe ratio of a year is Student's t with 251 degrees of
// freedom, so its variance V is 251 / 249. The formula is too large by itself
// (expectedBest), most for 5: there the ratio is 0.975, half of what is allowed.
// The best of 5 spreads by 0.67, so that the mean of 28,000 of them is uncertain
// by 0.34 % and the end of its interval lies 0.9 % lower, at 0.967. That it falls
// below 0.95 takes 5 standard deviations, and for each larger number of trials
// more: a true claim fails once in some millions. One try comes to 0, and variants
// that have three quarters in common to sqrt(1/4) of the formula.
func luckiest(ctx context.Context, r *lab.Run) error {
	records := newRecords(r.Rand("records"))
	if r.Sabotaged(variants) {
		records.common = commonShare
	}
	best := make([]largest, len(trials))
	for range scaled(r, blocks) {
		if err := ctx.Err(); err != nil {
			return err
		}
		all := records.block()
		for i, n := range trials {
			for at := 0; at < block; at += n {
				tried := all[at : at+n]
				if r.Sabotaged(oneTrial) {
					tried = tried[:1]
				}
				best[i].add(maximum(tried))
			}
		}
	}
	spread := math.Sqrt(float64(year-1) / float64(year-3))
	t := lab.Table{Title: "best of so many worthless Sharpe ratios, in units of what one of them spreads by",
		Header: []string{"tried", "counted", "of", "formula", "exact", "formula / exact"}}
	for i, n := range trials {
		formula := spread * expectedBest(n)
		low, high := best[i].interval(len(trials))
		r.Observe(looksSkilled, low/formula, high/formula)
		r.AddSeries(lab.Series{Name: bestOf(n), Unit: "1", Samples: []float64{best[i].mean()}, Conditions: -1,
			Text: fmt.Sprintf("mean Sharpe ratio of a year, the best of %d worthless records", n)})
		exact := exactBest(n)
		t.Rows = append(t.Rows, []string{fmt.Sprint(n), fmt.Sprintf("%.3f", best[i].mean()/spread), grouped(best[i].n),
			fmt.Sprintf("%.3f", expectedBest(n)), fmt.Sprintf("%.3f", exact), fmt.Sprintf("%.3f", expectedBest(n)/exact)})
	}
	r.AddTable(t)
	return nil
}

func bestOf(n int) string { return fmt.Sprintf("best-of-%d", n) }

func maximum(all []float64) float64 {
	m := all[0]
	for _, v := range all[1:] {
		m = max(m, v)
	}
	return m
}

// records makes worthless records of a year of days.
type records struct {
	rng    *rand.Rand
	common float64 // share of the variance that all records of a block have in common
	shared []float64
	one    []float64
	ratios []float64
}

func newRecords(rng *rand.Rand) *records {
	return &records{rng: rng, shared: make([]float64, year), one: make([]float64, year), ratios: make([]float64, block)}
}

// block returns the Sharpe ratios of a year of the next records. The slice is
// used again.
func (r *records) block() []float64 {
	own := math.Sqrt(1 - r.common)
	if r.common > 0 {
		for i := range r.shared {
			r.shared[i] = math.Sqrt(r.common) * r.rng.NormFloat64()
		}
	}
	for j := range r.ratios {
		for i := range r.one {
			r.one[i] = r.shared[i] + own*r.rng.NormFloat64()
		}
		r.ratios[j] = math.Sqrt(year) * sharpe(r.one)
	}
	return r.ratios
}
