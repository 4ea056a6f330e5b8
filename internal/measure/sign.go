package measure

import (
	"math"
	"sync"
)

// The error probabilities of the sequential sign test, one side each: 5 % and
// 0.1 % two-sided.
const (
	alphaHeld   = 0.05 / 2
	alphaFailed = 0.001 / 2
)

// Looks are the numbers of blocks after which a timing claim is judged. One
// more look follows when the budget ends.
var Looks = []int{16, 32, 64, 128}

// Under minHeld blocks nothing is held, under minFailed nothing fails.
const (
	minHeld   = 8
	minFailed = 14
)

// limits holds, for one error probability, how many blocks may lie on the wrong
// side at each planned look, and the distribution of that number over the paths
// that have not been decided yet.
type limits struct {
	alpha float64
	atmin int   // fewest blocks at which anything is decided
	wrong []int // per planned look; -1 where even none is too many
	spent []float64
	alive [][]float64 // per planned look: P(undecided so far, s blocks wrong)
}

var (
	heldLimits   = sync.OnceValue(func() *limits { return plan(alphaHeld, minHeld) })
	failedLimits = sync.OnceValue(func() *limits { return plan(alphaFailed, minFailed) })
)

// plan spends alpha evenly over the planned looks. Each block is on the wrong
// side with probability 1/2 at the bound, so the number of wrong blocks is a
// symmetric walk, and its chance of crossing is summed exactly.
func plan(alpha float64, atmin int) *limits {
	l := &limits{alpha: alpha, atmin: atmin}
	alive, n, spent := []float64{1}, 0, 0.0
	for i, look := range Looks {
		alive = extend(alive, look-n)
		n = look
		wrong, p := largest(alive, alpha*float64(i+1)/float64(len(Looks))-spent)
		spent += p
		clear(alive[:wrong+1])
		l.wrong = append(l.wrong, wrong)
		l.spent = append(l.spent, spent)
		l.alive = append(l.alive, alive)
	}
	return l
}

// at returns how many of n blocks may be on the wrong side: at a planned look,
// or, with final set, at the end of the budget, with what is left of the error.
// It returns -1 where nothing can be decided. Its cost grows with the square of
// n: judgedBlocks keeps that small.
func (l *limits) at(n int, final bool) int {
	if n < l.atmin {
		return -1
	}
	if !final {
		for i, look := range Looks {
			if look == n {
				return l.wrong[i]
			}
		}
		return -1
	}
	last := -1
	for i, look := range Looks {
		if look <= n {
			last = i
		}
	}
	if last < 0 {
		// Ended before the first look: its share of the error, no more, so
		// that a starved run is not judged more boldly than a full one.
		wrong, _ := largest(extend([]float64{1}, n), l.alpha/float64(len(Looks)))
		return wrong
	}
	alive := extend(l.alive[last], n-Looks[last])
	wrong, _ := largest(alive, l.alpha-l.spent[last])
	return wrong
}

// extend convolves the distribution of wrong blocks with more fair coins.
func extend(dist []float64, more int) []float64 {
	out := append([]float64(nil), dist...)
	for range more {
		out = append(out, 0)
		for s := len(out) - 1; s > 0; s-- {
			out[s] = (out[s] + out[s-1]) / 2
		}
		out[0] /= 2
	}
	return out
}

// largest returns the largest k with P(wrong <= k) <= budget, and that
// probability; -1 and 0 where there is none. A run of zeros at the front, paths
// that crossed at an earlier look, costs nothing: where no more than that can be
// afforded, the limit of that look still stands.
func largest(dist []float64, budget float64) (k int, p float64) {
	k = -1
	for s, q := range dist {
		if p+q > budget {
			break
		}
		p += q
		k = s
	}
	return k, p
}

// orderInterval returns the order statistics [x(wrong+1), x(n-wrong)] of sorted
// values.
func orderInterval(sorted []float64, wrong int) Span {
	if wrong < 0 || 2*wrong >= len(sorted) {
		return Span{math.Inf(-1), math.Inf(1)}
	}
	return Span{sorted[wrong], sorted[len(sorted)-1-wrong]}
}
