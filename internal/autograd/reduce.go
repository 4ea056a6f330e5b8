package autograd

import (
	"fmt"
	"slices"
)

// Sum adds up all elements along the given axes, which stay with size 1; with no
// axes, all elements, to a scalar. The sum of no elements is 0.
func Sum[F Float](a *Node[F], axes ...int) *Node[F] { return total("sum", a, 1, axes) }

// Mean is Sum divided by how many elements each sum has. There must be some.
func Mean[F Float](a *Node[F], axes ...int) *Node[F] {
	n := some("mean", a, axes)
	return total("mean", a, 1/F(n), axes)
}

func total[F Float](name string, a *Node[F], scale F, axes []int) *Node[F] {
	shape, w := reduction(name, a, axes)
	return Record(name, shape, []*Node[F]{a},
		func(out *Node[F]) {
			clear(out.value)
			for row := range w.a {
				i, j := w.a[row], w.b[row]
				for range w.n {
					out.value[j] += a.value[i]
					i, j = i+w.da, j+w.db
				}
			}
			for j := range out.value {
				out.value[j] *= scale
			}
		},
		func(out *Node[F]) {
			for row := range w.a {
				i, j := w.a[row], w.b[row]
				for range w.n {
					a.grad[i] += F(out.grad[j] * scale)
					i, j = i+w.da, j+w.db
				}
			}
		})
}

// Max returns the largest elements along the given axes, which stay with size 1;
// with no axes, the largest of all, as a scalar. The gradient is the first one's.
// There must be some.
func Max[F Float](a *Node[F], axes ...int) *Node[F] {
	some("max", a, axes)
	shape, w := reduction("max", a, axes)
	first := make([]int, shape.Size())
	return Record("max", shape, []*Node[F]{a},
		func(out *Node[F]) {
			for j := range first {
				first[j] = -1
			}
			w.each(func(i, j int) {
				if first[j] < 0 || a.value[i] > out.value[j] {
					first[j], out.value[j] = i, a.value[i]
				}
			})
		},
		func(out *Node[F]) {
			for j, i := range first {
				a.grad[i] += out.grad[j]
			}
		})
}

// some returns how many elements each result has, and panics where there are none.
func some[F Float](name string, a *Node[F], axes []int) int {
	shape, _ := reduction(name, a, axes)
	if a.shape.Size() == 0 {
		panic(fmt.Sprintf("autograd: %s of %v to %v: there are no elements", name, a.shape, shape))
	}
	return a.shape.Size() / shape.Size()
}

// reduction returns the shape that is left, and a walk over a's elements and the
// results that they belong to.
func reduction[F Float](name string, a *Node[F], axes []int) (Shape, walk) {
	kept := slices.Clone(a.shape)
	for _, axis := range axes {
		if axis < 0 || axis >= len(kept) {
			panic(fmt.Sprintf("autograd: %s of %v along axis %d: there is none", name, a.shape, axis))
		}
		kept[axis] = 1
	}
	if len(axes) == 0 {
		kept = Shape{}
	}
	return kept, newWalk(a.shape, a.shape.strides(), kept.stretched(a.shape))
}

func (w *walk) each(do func(i, j int)) {
	for row := range w.a {
		i, j := w.a[row], w.b[row]
		for range w.n {
			do(i, j)
			i, j = i+w.da, j+w.db
		}
	}
}
