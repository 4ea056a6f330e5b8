package precision

import (
	"math"

	"envelope/internal/autograd"
)

// The operations of this file are right forwards and wrong backwards, each in a
// way in which such code has been wrong before.

// wrong is an operation of the engine with another way back.
func wrong[F autograd.Float](right *autograd.Node[F], backward func(out *autograd.Node[F])) *autograd.Node[F] {
	return autograd.Record("wrong", right.Shape(), append([]*autograd.Node[F]{right}, right.Inputs()...),
		func(out *autograd.Node[F]) { copy(out.Value(), right.Value()) }, backward)
}

// addLast gives an element that was repeated the gradient of its last place, not
// the sum of all.
func addLast(a, b *node) *node {
	return wrong(autograd.Add(a, b), func(out *node) {
		for _, in := range []*node{a, b} {
			for i, d := range out.Grad() {
				in.Grad()[source(i, out.Shape(), in.Shape())] = d
			}
		}
	})
}

// source returns which element of an array stands at place i of the shape to which
// it was broadcast.
func source(i int, to, from shape) (at int) {
	stride := 1
	for k := 1; k <= len(from); k++ {
		size := to[len(to)-k]
		if own := from[len(from)-k]; own != 1 {
			at += i % size * stride
			stride *= own
		}
		i /= size
	}
	return at
}

// normConstant takes the mean and the deviation of each row for constants: it
// forgets that every element moves them.
func normConstant(x, gain, bias *node) *node {
	m := len(gain.Value())
	return wrong(autograd.LayerNorm(x, gain, bias), func(out *node) {
		for i, d := range out.Grad() {
			row := x.Value()[i/m*m:][:m]
			mean, square := 0.0, 0.0
			for _, v := range row {
				mean, square = mean+v/float64(m), square+v*v/float64(m)
			}
			inverse := 1 / math.Sqrt(square-mean*mean+1e-5)
			x.Grad()[i] += d * gain.Value()[i%m] * inverse
			gain.Grad()[i%m] += d * (row[i%m] - mean) * inverse
			bias.Grad()[i%m] += d
		}
	})
}

// transposed hands the gradient of a transposed square matrix back as it comes.
func transposed(a *node) *node {
	return wrong(autograd.Permute(a, 1, 0), func(out *node) { add(a.Grad(), out.Grad()) })
}

// reordered hands the gradient of rows in another order back in theirs.
func reordered(a *node, order []int) *node {
	return wrong(autograd.Gather(a, order, shape{len(order)}), func(out *node) { add(a.Grad(), out.Grad()) })
}

// severed hands nothing back through a softmax.
func severed(a *node) *node { return wrong(autograd.Softmax(a), func(*node) {}) }

func add(to, from []float64) {
	for i, v := range from {
		to[i] += v
	}
}

// gatherLast gives a row that was named many times the gradient of its last place.
func gatherLast(table *node, index []int, s shape) *node {
	n := len(table.Value()) / table.Shape()[0]
	return wrong(autograd.Gather(table, index, s), func(out *node) {
		for i, at := range index {
			copy(table.Grad()[at*n:(at+1)*n], out.Grad()[i*n:])
		}
	})
}

// scatterLast keeps of the rows that are sent to one place the last.
func scatterLast(a *node, index []int, rows int) *node {
	n := len(a.Value()) / len(index)
	return autograd.Record("wrong", shape{rows, n}, []*node{a}, func(out *node) {
		for i, at := range index {
			copy(out.Value()[at*n:(at+1)*n], a.Value()[i*n:])
		}
	}, func(*node) {})
}
