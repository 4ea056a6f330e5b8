package speculate

import (
	"math"
	"slices"
)

// vocabulary is how many tokens there are. So few that all pairs of them are
// seen thousands of times (distance.go), and a power of two, so that drawing a
// slot of a table takes no division.
const (
	vocabulary = 1 << vocabularyBits

	vocabularyBits = 3
)

type token uint8

// dist is a distribution over the vocabulary. A model of fewer tokens leaves
// the others at zero.
type dist [vocabulary]float64

// overlap is the share of two distributions that they have in common, the sum
// of min(p, q): what of q's proposals p accepts.
func overlap(p, q *dist) (sum float64) {
	for t := range p {
		sum += min(p[t], q[t])
	}
	return sum
}

// acceptance is the probability with which each of q's proposals is taken.
func acceptance(p, q *dist) (a dist) {
	for t := range p {
		a[t] = 1
		if p[t] < q[t] {
			a[t] = p[t] / q[t]
		}
	}
	return a
}

// residual is what a rejected proposal is replaced from: max(0, p-q), made to
// sum to one. Where q leaves nothing of p uncovered nothing is ever rejected,
// and p stands in for it.
func residual(p, q *dist) dist {
	var rest dist
	sum := 0.0
	for t := range p {
		rest[t] = max(0, p[t]-q[t])
		sum += rest[t]
	}
	if sum == 0 {
		return *p
	}
	for t := range rest {
		rest[t] /= sum
	}
	return rest
}

// certain is the distribution that gives one token only.
func certain(t token) (d dist) {
	d[t] = 1
	return d
}

// ranked returns the tokens by falling probability.
func (d *dist) ranked() (order [vocabulary]token) {
	for t := range order {
		order[t] = token(t)
	}
	slices.SortStableFunc(order[:], func(a, b token) int {
		switch {
		case d[a] > d[b]:
			return -1
		case d[a] < d[b]:
			return 1
		}
		return 0
	})
	return order
}

// table draws from a distribution in one step (Walker's alias method, in the
// form of Vose): each of its slots is as likely as any other, and belongs to one
// token below its cut and to another above it.
type table struct {
	dist
	cut   [vocabulary]uint64 // of 2^(64 - vocabularyBits)
	other [vocabulary]token
}

func newTable(d dist) table {
	t := table{dist: d}
	var load dist // what is still to be placed, in slots
	var small, large []int
	for i := range d {
		load[i] = d[i] * vocabulary
		if load[i] < 1 {
			small = append(small, i)
		} else {
			large = append(large, i)
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.cut[s], t.other[s] = uint64(math.Ldexp(load[s], 64-vocabularyBits)), token(l)
		if load[l] -= 1 - load[s]; load[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	// What is left is full, but for rounding.
	for _, i := range append(small, large...) {
		t.cut[i], t.other[i] = 1<<(64-vocabularyBits), token(i)
	}
	return t
}

// at returns the token that a random word stands for.
func (t *table) at(word uint64) token {
	slot := word % vocabulary
	if word>>vocabularyBits < t.cut[slot] {
		return token(slot)
	}
	return t.other[slot]
}
