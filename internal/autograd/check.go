package autograd

import (
	"math"
	"math/rand/v2"
)

// CheckStep is a good step of central differences in float64, for functions whose
// value, argument and derivatives are near 1: of that order is the cube root of
// the roundoff, where what a larger step cuts off and what a smaller one rounds
// off are equally large.
const CheckStep = 1.0 / (1 << 17)

// small is the size of a gradient, in norms of the seeds, below which its error is
// taken as if it were that large. Many terms can cancel to a gradient near zero,
// while the differences of their sum are as far off as ever.
const small = 0.1

// Normal returns n numbers of the standard normal distribution: weights to begin
// with, or seeds of Backward. Random seeds project a gradient onto a direction
// in which a fault has no reason to cancel; in a plain sum it often does.
func Normal[F Float](rng *rand.Rand, n int) []F {
	v := make([]F, n)
	for i := range v {
		v[i] = F(rng.NormFloat64())
	}
	return v
}

// Check compares the gradients of n's elements, each times its seed, with central
// differences. It returns the largest relative error of any parameter that n may
// depend on: the norm of the difference over that of the larger gradient, or over a
// tenth of the seeds' norm, whichever is more.
func Check(n *Node[float64], seeds []float64, step float64) (worst float64) {
	n.graph.Backward(n, seeds...)
	for _, p := range n.graph.nodes[:n.at+1] {
		if p.inputs == nil && p.grad != nil {
			worst = max(worst, p.check(n, seeds, step))
		}
	}
	return worst
}

// check compares one parameter's gradient, element by element, and leaves all
// values as they were.
func (p *Node[F]) check(n *Node[F], seeds []F, step F) float64 {
	var off, ours, theirs float64 // squares of norms
	for i, x := range p.value {
		at := func(x F) F {
			p.value[i] = x
			n.graph.Forward()
			return dot(n.value, seeds)
		}
		high, low := x+step, x-step
		slope := float64((at(high) - at(low)) / (high - low)) // by what the steps came to, rounded
		p.value[i] = x
		grad := float64(p.grad[i])
		off += float64((grad - slope) * (grad - slope))
		ours, theirs = ours+float64(grad*grad), theirs+float64(slope*slope)
	}
	n.graph.Forward()
	if off == 0 {
		return 0 // of nothing, too
	}
	return math.Sqrt(off / max(ours, theirs, small*small*float64(dot(seeds, seeds))))
}

func dot[F Float](a, b []F) (sum F) {
	for i, x := range a {
		sum += F(x * b[i])
	}
	return sum
}
