package precision

import (
	"fmt"
	"math/rand/v2"

	"envelope/internal/autograd"
)

type (
	node  = autograd.Node[float64]
	shape = autograd.Shape
)

// draw makes the leaves of a trial.
type draw struct {
	graph *autograd.Graph[float64]
	rng   *rand.Rand
	fault string // the control that is on, "" for none

	leaves []*node
	next   int // leaf; those that there are already are used again
}

func (d *draw) leaf(sizes []int, values []float64) *node {
	if d.next == len(d.leaves) {
		d.leaves = append(d.leaves, d.graph.Param(sizes, values))
	}
	d.next++
	return d.leaves[d.next-1]
}

// param is of the standard normal distribution.
func (d *draw) param(sizes ...int) *node {
	return d.leaf(sizes, autograd.Normal[float64](d.rng, shape(sizes).Size()))
}

// positive is between 0.5 and 2, where logarithms, roots and quotients are
// smooth.
func (d *draw) positive(sizes ...int) *node {
	v := make([]float64, shape(sizes).Size())
	for i := range v {
		v[i] = 0.5 + 1.5*d.rng.Float64()
	}
	return d.leaf(sizes, v)
}

// apart has elements of both signs that are at least 0.1 from each other and from
// 0: a step of a difference never crosses a kink.
func (d *draw) apart(sizes ...int) *node {
	v := make([]float64, shape(sizes).Size())
	for i, at := range d.rng.Perm(len(v)) {
		v[i] = 0.2*float64(at-len(v)/2) + 0.1 + 0.05*d.rng.Float64()
	}
	return d.leaf(sizes, v)
}

// index names rows of a table at random: its first row twice and more, its last
// one never.
func (d *draw) index(n, rows int) []int {
	index := make([]int, n)
	for i := 2; i < n; i++ {
		index[i] = d.rng.IntN(rows - 1)
	}
	return index
}

// trial is a way in which an operation is used.
type trial struct {
	name  string
	build func(d *draw) *node
}

// twice makes what a trial builds two times from the same leaves, so that the
// gradients of both meet in each. random begins anew each time it is called.
func (t trial) twice(random func() *rand.Rand, fault string) *node {
	d := &draw{graph: new(autograd.Graph[float64]), rng: random(), fault: fault}
	once := t.build(d)
	d.rng, d.next = random(), 0
	return autograd.Add(once, autograd.Scale(t.build(d), 0.5))
}

// trials are all operations of the engine, over shapes of all kinds.
func trials() (out []trial) {
	add := func(name string, build func(d *draw) *node) { out = append(out, trial{name, build}) }
	broadcasts(add)
	reductions(add)
	products(add)
	smooth(add)
	add("relu", func(d *draw) *node { return autograd.ReLU(d.apart(3, 4)) })
	for _, axes := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		add(fmt.Sprintf("permute %v", axes), func(d *draw) *node { return autograd.Permute(d.param(2, 3, 4), axes...) })
	}
	add("reshape", func(d *draw) *node {
		a := d.param(2, 6)
		return autograd.Mul(autograd.Reshape(a, shape{3, 4}), autograd.Reshape(a, shape{3, 4}))
	})
	rows(add)
	whole(add)
	return out
}

// adder takes a trial.
type adder = func(name string, build func(d *draw) *node)

// broadcasts repeats each side of each operation along every set of axes.
func broadcasts(add adder) {
	ops := []struct {
		name string
		op   func(a, b *node) *node
	}{
		{"add", autograd.Add[float64]}, {"sub", autograd.Sub[float64]},
		{"mul", autograd.Mul[float64]}, {"div", autograd.Div[float64]},
	}
	for _, o := range ops {
		two := func(a, b shape) {
			add(fmt.Sprintf("%s %v %v", o.name, a, b), func(d *draw) *node {
				x, y := d.positive(a...), d.positive(b...)
				if d.fault == lastOne && o.name == "add" {
					return addLast(x, y)
				}
				return o.op(x, y)
			})
		}
		full := shape{2, 3, 4}
		for set := range 8 {
			one := ones(full, set)
			two(full, one)
			if set != 0 {
				two(one, full)
			}
			if set != 0 && set != 7 {
				two(one, ones(full, 7&^set)) // each repeats where the other does not
			}
		}
		two(full, shape{4})
		two(shape{3, 1}, full)
		two(full, shape{})
		two(shape{}, shape{1})
		two(shape{0, 3}, shape{3})
		two(shape{0, 1}, shape{1, 3})
	}
}

// smooth are the operations on each element that have no kink.
func smooth(add adder) {
	ops := []struct {
		name string
		op   func(a *node) *node
	}{
		{"exp", autograd.Exp[float64]}, {"log", autograd.Log[float64]}, {"sqrt", autograd.Sqrt[float64]},
		{"tanh", autograd.Tanh[float64]}, {"silu", autograd.SiLU[float64]},
		{"scale", func(a *node) *node { return autograd.Scale(a, -1.5) }},
	}
	for _, o := range ops {
		for _, s := range []shape{{2, 3}, {}, {0}} {
			add(fmt.Sprintf("%s %v", o.name, s), func(d *draw) *node { return autograd.Add(o.op(d.positive(s...)), d.param()) })
		}
	}
}

// ones returns a shape with size 1 along the axes of a set.
func ones(s shape, set int) shape {
	out := make(shape, len(s))
	for i, size := range s {
		out[i] = size
		if set>>i&1 == 1 {
			out[i] = 1
		}
	}
	return out
}

// reductions reduces along every set of axes.
func reductions(add adder) {
	ops := []struct {
		name string
		op   func(a *node, axes ...int) *node
	}{{"sum", autograd.Sum[float64]}, {"mean", autograd.Mean[float64]}, {"max", autograd.Max[float64]}}
	for _, o := range ops {
		for set := range 8 {
			var axes []int
			for i := range 3 {
				if set>>i&1 == 1 {
					axes = append(axes, i)
				}
			}
			add(fmt.Sprintf("%s %v", o.name, axes), func(d *draw) *node { return o.op(d.apart(2, 3, 4), axes...) })
		}
		add(o.name+" of size 1", func(d *draw) *node { return o.op(d.param(3, 1), 1) })
	}
	// The sum of nothing is 0, and its gradient has no elements.
	add("sum of nothing", func(d *draw) *node { return autograd.Add(autograd.Sum(d.param(2, 0, 3), 1), d.param(3)) })
}

// products multiplies matrices, one or many at once.
func products(add adder) {
	for _, two := range [][2]shape{
		{{2, 3}, {3, 4}}, {{3, 9}, {9, 6}}, {{1, 1}, {1, 1}}, {{1, 5}, {5, 1}}, {{2, 0}, {0, 3}}, {{0, 2}, {2, 3}},
		{{4, 2, 3}, {4, 3, 2}}, {{4, 2, 3}, {3, 2}}, {{2, 3}, {4, 3, 2}}, {{2, 1, 2, 3}, {1, 3, 3, 2}}, {{1, 2, 3}, {4, 3, 2}},
	} {
		add(fmt.Sprintf("matmul %v %v", two[0], two[1]), func(d *draw) *node {
			return autograd.MatMul(d.param(two[0]...), d.param(two[1]...))
		})
	}
}

// rows are the operations that go by rows, or by an index of them.
func rows(add adder) {
	add("gather", func(d *draw) *node { return autograd.Gather(d.param(4, 3), d.index(6, 4), shape{2, 3}) })
	add("gather numbers", func(d *draw) *node { return autograd.Gather(d.param(4), d.index(6, 4), shape{6}) })
	add("gather nothing", func(d *draw) *node {
		return autograd.Add(autograd.Gather(d.param(4, 3), nil, shape{0}), d.param(3))
	})
	add("scatter", func(d *draw) *node { return autograd.ScatterAdd(d.param(6, 3), d.index(6, 4), 4) })
	for _, s := range []shape{{4}, {3, 5}, {2, 3, 4}, {3, 1}, {0, 3}} {
		add(fmt.Sprintf("softmax %v", s), func(d *draw) *node { return autograd.Softmax(d.param(s...)) })
		add(fmt.Sprintf("layer norm %v", s), func(d *draw) *node {
			n := s[len(s)-1]
			x, gain, bias := d.apart(s...), d.param(n), d.param(n)
			if d.fault == heldConstant {
				return normConstant(x, gain, bias)
			}
			return autograd.LayerNorm(x, gain, bias)
		})
	}
	add("cross-entropy", func(d *draw) *node { return autograd.CrossEntropy(d.param(6, 4), d.index(6, 4)) })
}

// whole are programs in which gradients meet.
func whole(add adder) {
	add("mul of one by itself", func(d *draw) *node { a := d.param(3, 2); return autograd.Mul(a, a) })
	add("attention", func(d *draw) *node {
		x := d.param(2, 3, 4)
		q, k, v := autograd.MatMul(x, d.param(4, 4)), autograd.MatMul(x, d.param(4, 4)), autograd.MatMul(x, d.param(4, 4))
		scores := autograd.Scale(autograd.MatMul(q, autograd.Permute(k, 0, 2, 1)), 0.5)
		return autograd.Add(x, autograd.MatMul(autograd.Softmax(scores), v))
	})
	add("the twins' network", func(d *draw) *node {
		s := sizes{context: 2, classes: 5, hidden: 4, batch: 3}
		b := newBatch(s)
		text := d.index(40, 6)
		for i := range s.batch {
			b.set(s, i, text, s.context+d.rng.IntN(len(text)-s.context))
		}
		return newNetwork(d.graph, s, drawn[float64](s, d.rng), b).loss
	})
}
