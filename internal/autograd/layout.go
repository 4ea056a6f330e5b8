package autograd

import (
	"fmt"
	"slices"
)

// Reshape returns the same elements in another shape of as many. It is a view:
// both nodes share their value and their gradient.
func Reshape[F Float](a *Node[F], shape Shape) *Node[F] {
	if shape.Size() != len(a.value) {
		panic(fmt.Sprintf("autograd: reshape of %v to %v: %d elements to %d", a.shape, shape, len(a.value), shape.Size()))
	}
	return a.graph.add(&Node[F]{name: "reshape", shape: slices.Clone(shape), value: a.value, grad: a.grad, inputs: []*Node[F]{a}})
}

// Permute returns a with its axes in another order: axis i of the result is axis
// axes[i] of a. Every axis is named once.
func Permute[F Float](a *Node[F], axes ...int) *Node[F] {
	sorted := slices.Sorted(slices.Values(axes))
	for i := range a.shape {
		if len(axes) != len(a.shape) || sorted[i] != i {
			panic(fmt.Sprintf("autograd: permute of %v by %v: want each of its axes once", a.shape, axes))
		}
	}
	own := a.shape.strides()
	shape, from := make(Shape, len(axes)), make([]int, len(axes))
	for i, axis := range axes {
		shape[i], from[i] = a.shape[axis], own[axis]
	}
	w := newWalk(shape, shape.strides(), from)
	return Record("permute", shape, []*Node[F]{a},
		func(out *Node[F]) { w.each(func(i, j int) { out.value[i] = a.value[j] }) },
		func(out *Node[F]) { w.each(func(i, j int) { a.grad[j] += out.grad[i] }) })
}
