package autograd

import (
	"fmt"
	"slices"
)

// Shape is the sizes of an array's axes, the outermost first. A scalar has none.
type Shape []int

// Size returns the number of elements: 1 for a scalar.
func (s Shape) Size() int {
	n := 1
	for _, size := range s {
		n *= size
	}
	return n
}

// String writes a shape as messages do: [2 3].
func (s Shape) String() string { return fmt.Sprint([]int(s)) }

// strides returns how far apart neighbours along each axis lie.
func (s Shape) strides() []int {
	out, stride := make([]int, len(s)), 1
	for i := len(s) - 1; i >= 0; i-- {
		out[i] = stride
		stride *= s[i]
	}
	return out
}

// broadcast returns the shape that both extend to, and false where an axis has
// two sizes and neither is 1.
func broadcast(a, b Shape) (Shape, bool) {
	out := make(Shape, max(len(a), len(b)))
	for i := range out {
		x, y := fromEnd(a, len(out)-i), fromEnd(b, len(out)-i)
		switch {
		case x == y || y == 1:
			out[i] = x
		case x == 1:
			out[i] = y
		default:
			return nil, false
		}
	}
	return out, true
}

// fromEnd returns the size of the i-th axis from the end, 1 where there is none.
func fromEnd(s Shape, i int) int {
	if i > len(s) {
		return 1
	}
	return s[len(s)-i]
}

// stretched returns the strides with which an array of shape s is walked along
// the axes of a shape that it is broadcast to: 0 along those that it repeats.
func (s Shape) stretched(to Shape) []int {
	out, own := make([]int, len(to)), s.strides()
	for i := range s {
		if s[i] != 1 {
			out[len(to)-len(s)+i] = own[i]
		}
	}
	return out
}

// walk visits the elements of a shape in order, in two arrays at once. It is
// planned when a node is made: a step of training only adds.
type walk struct {
	a, b   []int // where each row begins in the arrays
	n      int   // elements of a row
	da, db int   // from one element of a row to the next
}

// newWalk plans a walk over a shape, given how far apart in the two arrays
// neighbours along each of its axes lie.
func newWalk(shape Shape, a, b []int) walk {
	shape, a, b = merged(shape, a, b)
	last := len(shape) - 1
	w := walk{a: []int{0}, b: []int{0}, n: shape[last], da: a[last], db: b[last]}
	for i := range last {
		w.a, w.b = spread(w.a, shape[i], a[i]), spread(w.b, shape[i], b[i])
	}
	return w
}

// merged joins each axis to the one within it where both arrays go on as if the
// two were one, so that rows are long, and drops axes of size 1.
func merged(shape Shape, a, b []int) (Shape, []int, []int) {
	s, da, db := Shape{1}, []int{0}, []int{0}
	for i := len(shape) - 1; i >= 0; i-- {
		n := s[0]
		switch {
		case shape[i] == 1:
		case n == 1:
			s[0], da[0], db[0] = shape[i], a[i], b[i]
		case a[i] == n*da[0] && b[i] == n*db[0]:
			s[0] *= shape[i]
		default:
			s, da, db = slices.Insert(s, 0, shape[i]), slices.Insert(da, 0, a[i]), slices.Insert(db, 0, b[i])
		}
	}
	return s, da, db
}

// spread returns each start, and those n-1 that follow it a stride apart.
func spread(starts []int, n, stride int) []int {
	out := make([]int, 0, len(starts)*n)
	for _, at := range starts {
		for i := range n {
			out = append(out, at+i*stride)
		}
	}
	return out
}
