package autograd

import "fmt"

// Gather returns rows of a table of shape [rows ...]: the result's shape is that
// of the index, and behind it that of a row. A row may be named many times, and
// its gradient is then the sum of all of them. The index is kept, not copied: it
// is read anew by every Forward.
func Gather[F Float](table *Node[F], index []int, shape Shape) *Node[F] {
	if len(table.shape) == 0 || shape.Size() != len(index) {
		panic(fmt.Sprintf("autograd: gather from %v by %d indices of shape %v: want a table of rows, and as many indices as the shape has", table.shape, len(index), shape))
	}
	row := table.shape[1:]
	n := row.Size()
	return Record("gather", append(shape[:len(shape):len(shape)], row...), []*Node[F]{table},
		func(out *Node[F]) {
			for i, at := range index {
				copy(out.value[i*n:(i+1)*n], table.row(at, n, "gather from"))
			}
		},
		func(out *Node[F]) {
			for i, at := range index {
				accumulate(table.grad[at*n:(at+1)*n], out.grad[i*n:(i+1)*n])
			}
		})
}

// ScatterAdd is the reverse of Gather: a table of so many rows, each the sum of
// the rows of a that the index sends there. a has one row for each index, its
// shape [indices ...]. The index is kept, not copied.
func ScatterAdd[F Float](a *Node[F], index []int, rows int) *Node[F] {
	if len(a.shape) == 0 || a.shape[0] != len(index) {
		panic(fmt.Sprintf("autograd: scatter of %v by %d indices: want one row for each", a.shape, len(index)))
	}
	row := a.shape[1:]
	n := row.Size()
	return Record("scatter", append(Shape{rows}, row...), []*Node[F]{a},
		func(out *Node[F]) {
			clear(out.value)
			for i, at := range index {
				accumulate(out.row(at, n, "scatter to"), a.value[i*n:(i+1)*n])
			}
		},
		func(out *Node[F]) {
			for i, at := range index {
				accumulate(a.grad[i*n:(i+1)*n], out.grad[at*n:(at+1)*n])
			}
		})
}

// row returns a row of n elements.
func (n *Node[F]) row(at, size int, what string) []F {
	if at < 0 || at >= n.shape[0] {
		panic(fmt.Sprintf("autograd: %s %v: there is no row %d", what, n.shape, at))
	}
	return n.value[at*size : (at+1)*size]
}

// accumulate adds an array to another of its length.
func accumulate[F Float](to, from []F) {
	to = to[:len(from)]
	for i, v := range from {
		to[i] += v
	}
}
