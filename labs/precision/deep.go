package precision

import (
	"context"
	"runtime"

	"envelope/internal/autograd"
	"envelope/internal/lab"
)

// long is how many nodes the deep graphs have.
const long = 40_000

// deep goes back through a chain of so many nodes, and through a ladder whose
// every rung splits in two and joins again: it has 2^13,333 ways from top to
// bottom, and a rung is passed once.
func deep(ctx context.Context, r *lab.Run) error {
	back := (*autograd.Graph[float64]).Backward
	if r.Sabotaged(recursion) {
		back = func(_ *autograd.Graph[float64], n *node, _ ...float64) { n.Grad()[0] = 1; recurse(n) }
	}
	if r.Sabotaged(asFound) {
		back = func(_ *autograd.Graph[float64], n *node, _ ...float64) { n.Grad()[0] = 1; inOrderFound(n) }
	}
	var calls [2]int // on the stack at the chain's lower end, and at its upper
	g := new(autograd.Graph[float64])
	x := g.Param(shape{}, nil)
	n := sounding(x, &calls[0])
	for range long - 2 {
		n = autograd.Scale(n, 1)
	}
	back(g, sounding(n, &calls[1]))
	r.Observe(noRecursion, x.Grad()[0], float64(calls[0])/float64(calls[1]))

	if err := ctx.Err(); err != nil || r.Sabotaged(recursion) {
		return err // a recursion would take all 2^13,333 ways
	}
	g = new(autograd.Graph[float64])
	x = g.Param(shape{}, nil)
	n = x
	for range long / 3 {
		n = autograd.Add(autograd.Scale(n, 0.5), autograd.Scale(n, 0.5))
	}
	back(g, n)
	r.Observe(noRecursion, x.Grad()[0])
	return nil
}

// sounding passes on its input, and tells on the way back how many calls are on
// the stack.
func sounding(in *node, calls *int) *node {
	return autograd.Record("sounding", in.Shape(), []*node{in},
		func(out *node) { copy(out.Value(), in.Value()) },
		func(out *node) {
			*calls = runtime.Callers(0, make([]uintptr, 2*long))
			add(in.Grad(), out.Grad())
		})
}

// recurse is the way back as it is first thought of: whatever a node is made of
// comes after it, one call within the other.
func recurse(n *node) {
	n.Propagate()
	for _, in := range n.Inputs() {
		recurse(in)
	}
}

// inOrderFound keeps a list in place of the stack, and takes each node when it is
// first found, whether or not all of its gradient has come in.
func inOrderFound(n *node) {
	seen := map[*node]bool{}
	for found := []*node{n}; len(found) > 0; {
		n := found[len(found)-1]
		found = found[:len(found)-1]
		if !seen[n] {
			seen[n] = true
			n.Propagate()
			found = append(found, n.Inputs()...)
		}
	}
}
