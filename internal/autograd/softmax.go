package autograd

import (
	"fmt"
	"math"
)

// Softmax returns exp(x) over the sum of its row, along the innermost axis.
func Softmax[F Float](a *Node[F]) *Node[F] {
	m := innermost("softmax", a)
	return Record("softmax", a.shape, []*Node[F]{a},
		func(out *Node[F]) {
			copy(out.value, a.value)
			for row := range rowsOf(out.value, m) {
				normalize(row)
			}
		},
		func(out *Node[F]) {
			at := 0
			for y := range rowsOf(out.value, m) {
				d, da := out.grad[at:at+m], a.grad[at:at+m]
				var mean F // of the gradient, under the distribution
				for i := range y {
					mean += F(y[i] * d[i])
				}
				for i := range y {
					da[i] += F(y[i] * (d[i] - mean))
				}
				at += m
			}
		})
}

// CrossEntropy returns the mean over rows of -log softmax(row)[label], a scalar,
// for logits of shape [rows classes], in nats. Labels are kept, not copied: they
// are read anew by every Forward.
func CrossEntropy[F Float](logits *Node[F], labels []int) *Node[F] {
	if len(logits.shape) != 2 || logits.shape[0] != len(labels) || len(labels) == 0 {
		panic(fmt.Sprintf("autograd: cross-entropy of %v with %d labels: want [rows classes] and a label for each row", logits.shape, len(labels)))
	}
	m := logits.shape[1]
	p := make([]F, len(logits.value)) // the softmax of each row
	scale := 1 / F(len(labels))
	return Record("cross-entropy", Shape{}, []*Node[F]{logits},
		func(out *Node[F]) {
			copy(p, logits.value)
			var sum F
			for i, label := range labels {
				if label < 0 || label >= m {
					panic(fmt.Sprintf("autograd: cross-entropy of %v: row %d has label %d", logits.shape, i, label))
				}
				sum += normalize(p[i*m:(i+1)*m]) - logits.value[i*m+label]
			}
			out.value[0] = sum * scale
		},
		func(out *Node[F]) {
			d := out.grad[0] * scale
			for i, label := range labels {
				for j, y := range p[i*m : (i+1)*m] {
					if j == label {
						y--
					}
					logits.grad[i*m+j] += F(d * y)
				}
			}
		})
}

// normalize puts a row's softmax in its place and returns the logarithm of the
// sum of its exponentials. The largest element goes first from all: none then
// overflows, and the sum is at least 1.
func normalize[F Float](row []F) F {
	top := row[0]
	for _, x := range row {
		top = max(top, x)
	}
	var sum F
	for i, x := range row {
		row[i] = F(math.Exp(float64(x - top)))
		sum += row[i]
	}
	for i := range row {
		row[i] /= sum
	}
	return top + F(math.Log(float64(sum)))
}

// innermost returns the size of the innermost axis, of which there must be one
// with elements.
func innermost[F Float](name string, a *Node[F]) int {
	if len(a.shape) == 0 || a.shape[len(a.shape)-1] == 0 {
		panic(fmt.Sprintf("autograd: %s of %v: want an innermost axis with elements", name, a.shape))
	}
	return a.shape[len(a.shape)-1]
}

// rowsOf yields the rows of m elements each.
func rowsOf[F Float](v []F, m int) func(yield func([]F) bool) {
	return func(yield func([]F) bool) {
		for ; len(v) > 0; v = v[m:] {
			if !yield(v[:m]) {
				return
			}
		}
	}
}
