package prereg

import (
	"math"
	"slices"
)

// ranks returns the rank of each value from 0 on, equal values with the mean of
// the ranks that they take up together.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(values))
	for at := 0; at < len(order); {
		end := at + 1
		for end < len(order) && values[order[end]] == values[order[at]] {
			end++
		}
		for _, i := range order[at:end] {
			out[i] = float64(at+end-1) / 2
		}
		at = end
	}
	return out
}

// correlation is Pearson's; of ranks it is Spearman's. Values that are all equal
// correlate with nothing: 0.
func correlation(a, b []float64) float64 {
	var meanA, meanB float64
	n := float64(len(a))
	for i := range a {
		meanA += a[i] / n
		meanB += b[i] / n
	}
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - meanA) * (b[i] - meanB)
		aa += (a[i] - meanA) * (a[i] - meanA)
		bb += (b[i] - meanB) * (b[i] - meanB)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}

// weights are the positions that a signal's ranks make: they rise in a straight
// line from the lowest rank to the highest, sum to zero, and come to one unit of
// capital, long and short together.
func weights(signal []float64) []float64 {
	w := ranks(signal)
	middle, gross := float64(len(w)-1)/2, 0.0
	for i := range w {
		w[i] -= middle
		gross += math.Abs(w[i])
	}
	for i := range w {
		w[i] /= gross
	}
	return w
}
