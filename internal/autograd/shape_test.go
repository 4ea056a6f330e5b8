package autograd

import (
	"fmt"
	"slices"
	"testing"
)

func TestBroadcast(t *testing.T) {
	check := func(a, b, want Shape) {
		t.Helper()
		for _, two := range [][2]Shape{{a, b}, {b, a}} {
			got, ok := broadcast(two[0], two[1])
			if ok != (want != nil) || !slices.Equal(got, want) {
				t.Errorf("%v and %v: got %v %v, want %v", two[0], two[1], got, ok, want)
			}
		}
	}
	check(Shape{}, Shape{}, Shape{})
	check(Shape{}, Shape{2, 3}, Shape{2, 3})
	check(Shape{3}, Shape{2, 3}, Shape{2, 3})
	check(Shape{2, 1}, Shape{1, 3}, Shape{2, 3})
	check(Shape{4, 1, 3}, Shape{2, 1}, Shape{4, 2, 3})
	check(Shape{0}, Shape{1}, Shape{0})
	check(Shape{2, 0}, Shape{2, 1}, Shape{2, 0})
	check(Shape{2}, Shape{3}, nil)
	check(Shape{2, 3}, Shape{2}, nil)
	check(Shape{0}, Shape{2}, nil)
}

// A walk visits what the definition says, in order, whatever it merges: for every
// shape of up to three axes of up to three, each repeated or not in either array,
// in three orders of the axes.
func TestWalk(t *testing.T) {
	for _, shape := range []Shape{{}, {1}, {3}, {0}, {2, 3}, {1, 3}, {3, 1}, {2, 0}, {2, 3, 2}, {1, 2, 1}, {2, 1, 3}} {
		for set := range 1 << (2 * len(shape)) {
			a, b := shape.strides(), slices.Clone(shape).strides()
			slices.Reverse(b) // another order of the axes
			for i := range shape {
				if set>>i&1 == 1 {
					a[i] = 0
				}
				if set>>(len(shape)+i)&1 == 1 {
					b[i] = 0
				}
			}
			var want, got [][2]int
			var visit func(axis, i, j int)
			visit = func(axis, i, j int) {
				if axis == len(shape) {
					want = append(want, [2]int{i, j})
					return
				}
				for k := range shape[axis] {
					visit(axis+1, i+k*a[axis], j+k*b[axis])
				}
			}
			visit(0, 0, 0)
			w := newWalk(shape, a, b)
			w.each(func(i, j int) { got = append(got, [2]int{i, j}) })
			if !slices.Equal(got, want) {
				t.Fatalf("%v by %v and %v: got %v, want %v", shape, a, b, got, want)
			}
		}
	}
}

// Rows are as long as they can be.
func TestWalkMerges(t *testing.T) {
	check := func(a, b Shape, rows, n int) {
		t.Helper()
		s, ok := broadcast(a, b)
		if !ok {
			t.Fatalf("%v and %v don't go together", a, b)
		}
		w := newWalk(s, a.stretched(s), b.stretched(s))
		if got := fmt.Sprint(len(w.a), w.n); got != fmt.Sprint(rows, n) {
			t.Errorf("%v and %v: got rows and elements %s, want %d %d", a, b, got, rows, n)
		}
	}
	check(Shape{2, 3, 4}, Shape{2, 3, 4}, 1, 24)
	check(Shape{2, 3, 4}, Shape{}, 1, 24)
	check(Shape{2, 3, 4}, Shape{4}, 6, 4)
	check(Shape{2, 3, 4}, Shape{3, 4}, 2, 12)
	check(Shape{2, 3, 4}, Shape{2, 1, 1}, 2, 12)
	check(Shape{2, 3, 1}, Shape{2, 1, 1}, 2, 3)
	check(Shape{2, 1, 3}, Shape{2, 1, 3}, 1, 6)
}
