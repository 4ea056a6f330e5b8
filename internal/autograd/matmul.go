package autograd

import "fmt"

// MatMul returns the matrix products of a [... n k] and b [... k m], [... n m].
// The axes before the last two are broadcast.
func MatMul[F Float](a, b *Node[F]) *Node[F] {
	ra, rb := len(a.shape)-2, len(b.shape)-2
	if ra < 0 || rb < 0 || a.shape[ra+1] != b.shape[rb] {
		panic(fmt.Sprintf("autograd: matmul of %v and %v: want [... n k] and [... k m]", a.shape, b.shape))
	}
	n, k, m := a.shape[ra], a.shape[ra+1], b.shape[rb+1]
	batch, ok := broadcast(a.shape[:ra], b.shape[:rb])
	if !ok {
		panic(fmt.Sprintf("autograd: matmul of %v and %v: an axis before the last two has two sizes, and neither is 1", a.shape, b.shape))
	}
	// Matrices are walked as elements are elsewhere.
	w := newWalk(batch, a.shape[:ra].stretched(batch), b.shape[:rb].stretched(batch))
	return Record("matmul", append(batch, n, m), []*Node[F]{a, b},
		func(out *Node[F]) {
			clear(out.value)
			at := 0
			w.each(func(i, j int) {
				addProduct(out.value[at*n*m:], a.value[i*n*k:], b.value[j*k*m:], n, k, m, k, 1)
				at++
			})
		},
		func(out *Node[F]) {
			at := 0
			w.each(func(i, j int) {
				d := out.grad[at*n*m:]
				if a.grad != nil { // d [n m] times b [k m] transposed
					addProductByRows(a.grad[i*n*k:], d, b.value[j*k*m:], n, m, k)
				}
				if b.grad != nil { // a [n k] transposed times d [n m]
					addProduct(b.grad[j*k*m:], a.value[i*n*k:], d, k, n, m, 1, k)
				}
				at++
			})
		})
}

// addProduct adds a [n k] times b [k m] to c [n m]. Neighbours in a column of a
// lie down apart, neighbours in a row across: so a can be the transposed of what
// is stored. Four rows of b are taken at a time, which keeps c in registers and
// the sums in order.
//
// Exempt from the race detector, which would look at every element: it writes to
// nothing but the buffers of one graph.
//
//go:norace
func addProduct[F Float](c, a, b []F, n, k, m, down, across int) {
	for i := range n {
		c := c[i*m : (i+1)*m]
		p := 0
		for ; p+4 <= k; p += 4 {
			at := i*down + p*across
			a0, a1, a2, a3 := a[at], a[at+across], a[at+2*across], a[at+3*across]
			b0, b1, b2, b3 := b[p*m:][:len(c)], b[(p+1)*m:][:len(c)], b[(p+2)*m:][:len(c)], b[(p+3)*m:][:len(c)]
			for j, v := range c {
				v += F(a0 * b0[j])
				v += F(a1 * b1[j])
				v += F(a2 * b2[j])
				c[j] = v + F(a3*b3[j])
			}
		}
		for ; p < k; p++ {
			x := a[i*down+p*across]
			b := b[p*m:][:len(c)]
			for j := range c {
				c[j] += F(x * b[j])
			}
		}
	}
}

// addProductByRows adds a [n k] times the transposed of b [m k] to c [n m]. Four
// sums are taken at a time, each in order: one alone would wait for itself.
//
//go:norace
func addProductByRows[F Float](c, a, b []F, n, k, m int) {
	for i := range n {
		a, c := a[i*k:(i+1)*k], c[i*m:(i+1)*m]
		j := 0
		for ; j+4 <= m; j += 4 {
			b0, b1, b2, b3 := b[j*k:][:len(a)], b[(j+1)*k:][:len(a)], b[(j+2)*k:][:len(a)], b[(j+3)*k:][:len(a)]
			var s0, s1, s2, s3 F
			for p, x := range a {
				s0 += F(x * b0[p])
				s1 += F(x * b1[p])
				s2 += F(x * b2[p])
				s3 += F(x * b3[p])
			}
			c[j] += s0
			c[j+1] += s1
			c[j+2] += s2
			c[j+3] += s3
		}
		for ; j < m; j++ {
			b := b[j*k:][:len(a)]
			var s F
			for p, x := range a {
				s += F(x * b[p])
			}
			c[j] += s
		}
	}
}
