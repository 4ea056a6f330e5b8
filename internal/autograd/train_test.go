package autograd

import (
	"math"
	"testing"
)

// network is a small program with most of the operations.
func network[F Float](g *Graph[F]) (loss *Node[F], params []*Node[F]) {
	rng := newRand()
	table := g.Param(Shape{5, 4}, Normal[F](rng, 20))
	w := g.Param(Shape{4, 5}, Normal[F](rng, 20))
	gain, bias := g.Param(Shape{4}, Normal[F](rng, 4)), g.Param(Shape{4}, nil)
	x := Reshape(Sum(Gather(table, []int{0, 1, 3, 3, 2, 0}, Shape{3, 2}), 1), Shape{3, 4})
	x = SiLU(LayerNorm(x, gain, bias))
	return CrossEntropy(MatMul(x, w), []int{4, 0, 2}), []*Node[F]{table, w, gain, bias}
}

// A step of training allocates nothing: every buffer is there already.
func TestStepsAllocateNothing(t *testing.T) {
	g := new(Graph[float32])
	loss, params := network(g)
	o := NewAdamW[float32](0.01, 0.01)
	step := func() {
		g.Forward()
		g.Backward(loss)
		o.Step(params)
	}
	step()
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("a step allocates %v times", n)
	}
}

// BenchmarkStep tells the time of a step of a model with 33,600 weights, on 64
// examples.
func BenchmarkStep(b *testing.B) {
	const examples, hidden, classes, context = 64, 96, 50, 6
	g, rng := new(Graph[float32]), newRand()
	table := g.Param(Shape{context * classes, hidden}, Normal[float32](rng, context*classes*hidden))
	w := g.Param(Shape{hidden, classes}, Normal[float32](rng, hidden*classes))
	index := make([]int, examples*context)
	for i := range index {
		index[i] = rng.IntN(context * classes)
	}
	x := Reshape(Sum(Gather(table, index, Shape{examples, context}), 1), Shape{examples, hidden})
	loss := CrossEntropy(MatMul(Tanh(x), w), make([]int, examples))
	params, o := []*Node[float32]{table, w}, NewAdamW[float32](0.01, 0)
	b.ReportAllocs()
	for b.Loop() {
		g.Forward()
		g.Backward(loss)
		o.Step(params)
	}
}

func TestTraining(t *testing.T) {
	check := func(name string, first, last float64) {
		t.Helper()
		if first < 1 || last > 0.1 {
			t.Errorf("%s: the loss went from %v to %v, want it from over 1 to under 0.1", name, first, last)
		}
	}
	g := new(Graph[float32])
	loss, params := network(g)
	first, o := loss.Value()[0], NewAdamW[float32](0.05, 0)
	for range 100 {
		g.Backward(loss)
		o.Step(params)
		g.Forward()
	}
	check("AdamW, float32", float64(first), float64(loss.Value()[0]))

	h := new(Graph[float64])
	slow, weights := network(h)
	begin, sgd := slow.Value()[0], SGD[float64]{Rate: 0.3}
	for range 200 {
		h.Backward(slow)
		sgd.Step(weights)
		h.Forward()
	}
	check("SGD, float64", begin, slow.Value()[0])
}

// Two steps of AdamW, reckoned by hand.
func TestAdamW(t *testing.T) {
	g := new(Graph[float64])
	p := g.Param(Shape{2}, []float64{1, -2})
	o := NewAdamW(0.1, 0.5)
	want := []float64{1, -2}
	m, v := [2]float64{}, [2]float64{}
	for step, slopes := range [][]float64{{4, -0.25}, {-1, 3}} {
		g.Backward(p, slopes...)
		o.Step([]*node{p})
		for i, d := range slopes {
			m[i], v[i] = 0.9*m[i]+0.1*d, 0.999*v[i]+0.001*d*d
			first, second := m[i]/(1-math.Pow(0.9, float64(step+1))), v[i]/(1-math.Pow(0.999, float64(step+1)))
			want[i] -= 0.1 * (first/(math.Sqrt(second)+1e-8) + 0.5*want[i])
		}
		if !equal(p.Value(), want) {
			t.Errorf("step %d: got %v, want %v", step+1, p.Value(), want)
		}
	}
	// The first step is the rate long, whatever the gradient, less the decay.
	if got := want[0]; math.Abs(got-(1-0.1-0.05)) > 0.1 {
		t.Errorf("after two steps: %v", got)
	}
}

func TestSGD(t *testing.T) {
	g := new(Graph[float64])
	p := g.Param(Shape{2}, []float64{1, -2})
	g.Backward(p, 4, -1)
	(&SGD[float64]{Rate: 0.5}).Step([]*node{p})
	if want := []float64{-1, -1.5}; !equal(p.Value(), want) {
		t.Errorf("got %v, want %v", p.Value(), want)
	}
}

// Products are rounded before they are added: (1 + e)^2 - (1 + 2e) is then 0, and
// e^2 where a compiler fuses the two. Only some machines can tell.
func TestProductsAreRounded(t *testing.T) {
	const e = 1.0 / (1 << 30)
	for _, width := range []int{2, 4} { // beyond the four that are taken together, and among them
		g := new(Graph[float64])
		v, w := make([]float64, width), make([]float64, width)
		v[width-2], w[width-2] = 1+2*e, -1
		v[width-1], w[width-1] = 1+e, 1+e
		row, column := g.Param(Shape{1, width}, v), g.Param(Shape{width, 1}, w)
		if got := MatMul(row, column).Value()[0]; got != 0 {
			t.Errorf("a product of %d: got %v, want 0", width, got)
		}
		back := MatMul(g.Param(Shape{1, 1}, nil), g.Input(Shape{1, width}, w))
		g.Backward(back, v...)
		if got := back.inputs[0].Grad()[0]; got != 0 {
			t.Errorf("the way back through %d: got %v, want 0", width, got)
		}
		wide := make([]float64, 0, 4*width)
		for range 4 {
			wide = append(wide, w...)
		}
		back = MatMul(g.Param(Shape{1, 4}, nil), g.Input(Shape{4, width}, wide))
		g.Backward(back, v...)
		for i, got := range back.inputs[0].Grad() {
			if got != 0 {
				t.Errorf("the way back to column %d: got %v, want 0", i, got)
			}
		}
	}
	g := new(Graph[float64])
	n := LayerNorm(g.Input(Shape{1, 2}, []float64{0, 2}), g.Param(Shape{2}, nil), g.Param(Shape{2}, nil))
	z := 1 / math.Sqrt(1+layerEpsilon)
	n.inputs[1].value[1], n.inputs[2].value[1] = z, -float64(z*z)
	g.Forward()
	if got := n.Value()[1]; got != 0 {
		t.Errorf("a layer norm's gain and bias: got %v, want 0", got)
	}
	p := g.Param(Shape{}, []float64{1 + 2*e})
	g.Backward(p, 1+e)
	(&SGD[float64]{Rate: 1 + e}).Step([]*node{p})
	if got := p.Value()[0]; got != 0 {
		t.Errorf("a step of SGD: got %v, want 0", got)
	}
}
