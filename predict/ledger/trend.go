package ledger

import (
	"math"
	"sort"
)

// TrendMin is the least number of predictions, scored by factor, that a trend
// is told of. In halves of ten the largest difference that chance alone makes
// is already rare, and the normal approximation of the rank sum is good.
const TrendMin = 20

// Trend compares the first half of somebody's predictions with the second. Of
// an odd number the one in the middle is left out.
type Trend struct {
	First  float64 `json:"first"`  // geometric mean of the factors off
	Second float64 `json:"second"` // the same, later
	// Clear says that the halves differ by more than chance makes them
	// differ once in twenty: the rank-sum test (Mann and Whitney, Annals of
	// Mathematical Statistics 18, 1947) of the two halves' factors, two-sided.
	Clear bool `json:"clear"`
}

// trend compares the halves of |log10| scores; nil where they are too few.
func trend(sizes []float64) *Trend {
	if len(sizes) < TrendMin {
		return nil
	}
	half := len(sizes) / 2
	a, b := sizes[:half], sizes[len(sizes)-half:]
	return &Trend{First: power(mean(a)), Second: power(mean(b)), Clear: differ(a, b)}
}

// differ is the two-sided rank-sum test at 5 %, in its normal approximation
// with continuity correction. Equal values share their mean rank; the variance
// is not corrected for them, so ties can only hide a difference.
func differ(a, b []float64) bool {
	all := append(append([]float64{}, a...), b...)
	sort.Float64s(all)
	var ranks float64 // of a
	for _, v := range a {
		from := sort.SearchFloat64s(all, v)
		to := sort.Search(len(all), func(i int) bool { return all[i] > v })
		ranks += float64(from+to+1) / 2
	}
	na, nb := float64(len(a)), float64(len(b))
	u := ranks - na*(na+1)/2
	sd := math.Sqrt(na * nb * (na + nb + 1) / 12)
	const z = 1.96
	return math.Abs(u-na*nb/2)-0.5 > z*sd
}
