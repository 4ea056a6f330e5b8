package autograd

import (
	"fmt"
	"slices"
)

// Float is what arrays are made of.
type Float interface{ float32 | float64 }

// Graph is a program over arrays: nodes in the order in which they were made.
// The zero value is an empty graph. It is not safe for concurrent use.
type Graph[F Float] struct {
	nodes []*Node[F]
}

// Node is one array of a graph, and how it comes from others.
type Node[F Float] struct {
	graph             *Graph[F]
	at                int // place in the graph
	name              string
	shape             Shape
	value, grad       []F // grad is nil where nothing upstream can be trained
	inputs            []*Node[F]
	forward, backward func(out *Node[F]) // nil for leaves and views
	reached           bool               // within Backward: some gradient has come this far
}

// Param adds a leaf that can be trained. It keeps values as its buffer; nil means
// zeros.
func (g *Graph[F]) Param(shape Shape, values []F) *Node[F] {
	n := g.leaf("param", shape, values)
	n.grad = make([]F, len(n.value))
	return n
}

// Input adds a leaf that can't: data, or a constant. It keeps values as its
// buffer; nil means zeros.
func (g *Graph[F]) Input(shape Shape, values []F) *Node[F] { return g.leaf("input", shape, values) }

func (g *Graph[F]) leaf(name string, shape Shape, values []F) *Node[F] {
	for _, size := range shape {
		if size < 0 {
			panic(fmt.Sprintf("autograd: %s of shape %v: a size is negative", name, shape))
		}
	}
	if values == nil {
		values = make([]F, shape.Size())
	}
	if len(values) != shape.Size() {
		panic(fmt.Sprintf("autograd: %s of shape %v: got %d values, want %d", name, shape, len(values), shape.Size()))
	}
	return g.add(&Node[F]{name: name, shape: slices.Clone(shape), value: values})
}

func (g *Graph[F]) add(n *Node[F]) *Node[F] {
	n.graph, n.at = g, len(g.nodes)
	g.nodes = append(g.nodes, n)
	return n
}

// Record adds a node that is computed from others of one graph. forward sets
// every element of its value; backward adds to the gradient of each input that
// has one what the node's own contributes. Both find all buffers where they were.
func Record[F Float](name string, shape Shape, inputs []*Node[F], forward, backward func(out *Node[F])) *Node[F] {
	g := inputs[0].graph
	n := &Node[F]{name: name, shape: slices.Clone(shape), value: make([]F, shape.Size()), inputs: inputs, forward: forward, backward: backward}
	for _, in := range inputs {
		if in.graph != g {
			panic(fmt.Sprintf("autograd: %s of %v and %v: they are of two graphs", name, inputs[0].shape, in.shape))
		}
		if in.grad != nil && n.grad == nil {
			n.grad = make([]F, len(n.value))
		}
	}
	n.forward(n)
	return g.add(n)
}

// Shape returns the node's shape, which is not to be changed.
func (n *Node[F]) Shape() Shape { return n.shape }

// Value returns the node's elements. Those of a leaf may be changed, and count
// from the next Forward on.
func (n *Node[F]) Value() []F { return n.value }

// Grad returns the gradient that the last Backward found, of the node's shape; nil
// where nothing upstream can be trained.
func (n *Node[F]) Grad() []F { return n.grad }

// Inputs returns the nodes that this one is computed from, none for a leaf.
func (n *Node[F]) Inputs() []*Node[F] { return n.inputs }

// Forward computes every node again.
func (g *Graph[F]) Forward() {
	for _, n := range g.nodes {
		if n.forward != nil {
			n.forward(n)
		}
	}
}

// Backward sets the gradient of every node to that of the sum of n's elements,
// each times its seed; without seeds each counts once. n must depend on a
// parameter.
func (g *Graph[F]) Backward(n *Node[F], seeds ...F) {
	n.start(seeds)
	n.reached = true
	for i := n.at; i >= 0; i-- {
		n := g.nodes[i]
		if !n.reached {
			continue // and its gradient is 0, whatever its derivative would be
		}
		n.reached = false
		n.Propagate()
		for _, in := range n.inputs {
			in.reached = in.grad != nil
		}
	}
}

// start clears all gradients and sets the node's own.
func (n *Node[F]) start(seeds []F) {
	if n.grad == nil {
		panic(fmt.Sprintf("autograd: backward from %s of shape %v: it depends on no parameter", n.name, n.shape))
	}
	if len(seeds) > 0 && len(seeds) != len(n.grad) {
		panic(fmt.Sprintf("autograd: backward from %s of shape %v: got %d seeds, want %d", n.name, n.shape, len(seeds), len(n.grad)))
	}
	for _, m := range n.graph.nodes {
		clear(m.grad)
	}
	copy(n.grad, seeds)
	for i := range n.grad {
		if len(seeds) == 0 {
			n.grad[i] = 1
		}
	}
}

// Propagate adds to the gradients of the node's inputs what its own contributes:
// one step of the way back. Its own must be complete.
func (n *Node[F]) Propagate() {
	if n.backward != nil {
		n.backward(n)
	}
}
