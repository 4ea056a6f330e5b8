package measure

import (
	"math"
	"slices"
	"sort"

	"github.com/montanaflynn/stats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes a series in the series' own unit. A percentile that n
// observations cannot carry is NaN: p95 needs 20, p99 100, p99.9 1000.
type Summary struct {
	N                             int
	Min, P50, P95, P99, P999, Max float64
}

// Summarize computes nearest-rank percentiles, so that each is a value that was
// observed. An empty series has N 0 and NaN everywhere else.
func Summarize(samples []float64) Summary {
	nan := math.NaN()
	s := Summary{N: len(samples), Min: nan, P50: nan, P95: nan, P99: nan, P999: nan, Max: nan}
	if len(samples) == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(samples))
	rank := func(p float64, needs int) float64 {
		if s.N < needs {
			return nan
		}
		v, err := stats.PercentileNearestRank(sorted, p)
		if err != nil {
			return nan
		}
		return v
	}
	s.Min, s.Max = sorted[0], sorted[s.N-1]
	s.P50, s.P95, s.P99, s.P999 = rank(50, 1), rank(95, 20), rank(99, 100), rank(99.9, 1000)
	return s
}

// MedianInterval returns the order-statistic interval of the median of
// independent samples at a confidence of at least the one asked for, and false
// where there are too few samples for any.
func MedianInterval(samples []float64, confidence float64) (low, high float64, ok bool) {
	n := len(samples)
	wrong := medianLimit(n, (1-confidence)/2)
	if wrong < 0 {
		return math.NaN(), math.NaN(), false
	}
	s := orderInterval(slices.Sorted(slices.Values(samples)), wrong)
	return s.Low, s.High, true
}

// medianLimit returns the largest k such that k or fewer of n fair coins come up
// heads with a probability of at most budget, -1 where there is none.
func medianLimit(n int, budget float64) int {
	if n == 0 || !(budget > 0 && budget < 0.5) {
		return -1
	}
	return sort.Search(n/2, func(k int) bool {
		return mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5) > budget
	}) - 1
}

// ClopperPearson returns the exact binomial interval of a share from successes
// out of n trials. With no trials, or counts that can't be, it is [0, 1].
func ClopperPearson(successes, n int, confidence float64) (low, high float64) {
	if successes < 0 || successes > n {
		return 0, 1
	}
	a := (1 - confidence) / 2
	k, m := float64(successes), float64(n)
	high = 1
	if successes > 0 {
		low = distuv.Beta{Alpha: k, Beta: m - k + 1}.Quantile(a)
	}
	if successes < n {
		high = distuv.Beta{Alpha: k + 1, Beta: m - k}.Quantile(1 - a)
	}
	return low, high
}

// ZeroFailureBound returns the largest failure rate that n trials without a
// failure leave possible at 95 % confidence: 1 - 0.05^(1/n), and 1 for none.
func ZeroFailureBound(n int) float64 {
	if n <= 0 {
		return 1
	}
	return -math.Expm1(math.Log(0.05) / float64(n))
}
