package autograd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

type node = Node[float64]

// newRand returns the random numbers of a test.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

func equal(a, b []float64) bool { return slices.EqualFunc(a, b, near) }

func TestValues(t *testing.T) {
	g := new(Graph[float64])
	a := g.Param(Shape{2, 3}, []float64{1, 2, 3, 4, 5, 6})
	row, column := g.Input(Shape{3}, []float64{10, 20, 40}), g.Input(Shape{2, 1}, []float64{-1, 2})
	check := func(n *node, shape Shape, want ...float64) {
		t.Helper()
		if !slices.Equal(n.Shape(), shape) || !equal(n.Value(), want) {
			t.Errorf("%s: got %v %v, want %v %v", n.name, n.Shape(), n.Value(), shape, want)
		}
	}
	check(Add(a, row), Shape{2, 3}, 11, 22, 43, 14, 25, 46)
	check(Sub(row, a), Shape{2, 3}, 9, 18, 37, 6, 15, 34)
	check(Mul(a, column), Shape{2, 3}, -1, -2, -3, 8, 10, 12)
	check(Div(column, row), Shape{2, 3}, -0.1, -0.05, -0.025, 0.2, 0.1, 0.05)
	check(Scale(a, 0.5), Shape{2, 3}, 0.5, 1, 1.5, 2, 2.5, 3)
	check(Exp(column), Shape{2, 1}, 1/math.E, math.E*math.E)
	check(Log(row), Shape{3}, math.Ln10, math.Log(20), math.Log(40))
	check(Sqrt(row), Shape{3}, math.Sqrt(10), math.Sqrt(20), math.Sqrt(40))
	check(Tanh(column), Shape{2, 1}, math.Tanh(-1), math.Tanh(2))
	check(ReLU(column), Shape{2, 1}, 0, 2)
	check(SiLU(column), Shape{2, 1}, -1/(1+math.E), 2/(1+math.Exp(-2)))

	check(Sum(a), Shape{}, 21)
	check(Sum(a, 0), Shape{1, 3}, 5, 7, 9)
	check(Sum(a, 1), Shape{2, 1}, 6, 15)
	check(Sum(a, 0, 1), Shape{1, 1}, 21)
	check(Mean(a, 1), Shape{2, 1}, 2, 5)
	check(Max(a, 0), Shape{1, 3}, 4, 5, 6)
	check(Max(Scale(a, -1)), Shape{}, -1)
	check(Max(g.Input(Shape{3}, []float64{3, 1, 2})), Shape{}, 3)
	check(Sum(g.Param(Shape{2, 0}, nil), 1), Shape{2, 1}, 0, 0)

	check(Permute(a, 1, 0), Shape{3, 2}, 1, 4, 2, 5, 3, 6)
	check(Reshape(a, Shape{3, 2}), Shape{3, 2}, 1, 2, 3, 4, 5, 6)
	check(Gather(a, []int{1, 0, 1}, Shape{3}), Shape{3, 3}, 4, 5, 6, 1, 2, 3, 4, 5, 6)
	check(Gather(row, []int{2, 2, 0, 1}, Shape{2, 2}), Shape{2, 2}, 40, 40, 10, 20)
	check(ScatterAdd(a, []int{2, 2}, 3), Shape{3, 3}, 0, 0, 0, 0, 0, 0, 5, 7, 9)

	logits := g.Input(Shape{2, 2}, []float64{0, math.Log(3), 1000, 1000})
	check(Softmax(logits), Shape{2, 2}, 0.25, 0.75, 0.5, 0.5)
	check(CrossEntropy(logits, []int{0, 1}), Shape{}, (math.Log(4)+math.Log(2))/2)
	one, none := g.Param(Shape{2}, []float64{2, 1}), g.Param(Shape{2}, []float64{0, 10})
	deviation := math.Sqrt(1 + layerEpsilon)
	check(LayerNorm(g.Input(Shape{2, 2}, []float64{5, 7, 3, 3}), one, none), Shape{2, 2}, -2/deviation, 10+1/deviation, 0, 10)
}

// Matrices of every size up to 9, one or many, are multiplied as the definition
// says, and so are their gradients.
func TestMatMulByDefinition(t *testing.T) {
	rng := newRand()
	for range 300 {
		n, k, m, batch := rng.IntN(9), rng.IntN(10), rng.IntN(9), 1+rng.IntN(3)
		g := new(Graph[float64])
		a := g.Param(Shape{batch, n, k}, Normal[float64](rng, batch*n*k))
		b := g.Param(Shape{k, m}, Normal[float64](rng, k*m))
		c := MatMul(a, b)
		seeds := Normal[float64](rng, batch*n*m)
		g.Backward(c, seeds...)
		want, da, db := make([]float64, batch*n*m), make([]float64, batch*n*k), make([]float64, k*m)
		for i := range batch * n {
			for j := range m {
				for p := range k {
					want[i*m+j] += a.value[i*k+p] * b.value[p*m+j]
					da[i*k+p] += seeds[i*m+j] * b.value[p*m+j]
					db[p*m+j] += seeds[i*m+j] * a.value[i*k+p]
				}
			}
		}
		if len(seeds) == 0 {
			continue
		}
		if !equal(c.Value(), want) || !equal(a.Grad(), da) || !equal(b.Grad(), db) {
			t.Fatalf("%v times %v: got %v, want %v; gradients %v and %v, want %v and %v", a.shape, b.shape, c.Value(), want, a.Grad(), b.Grad(), da, db)
		}
	}
}

// Each operation's gradient is right along a random direction, and is added to
// what other uses of its arguments have left there.
func TestGradients(t *testing.T) {
	check := func(name string, build func(p func(sizes ...int) *node) *node) {
		t.Helper()
		g, rng := new(Graph[float64]), newRand()
		var params []*node
		once := build(func(sizes ...int) *node {
			v := Normal[float64](rng, Shape(sizes).Size())
			for i := range v {
				v[i] = 0.3 + math.Abs(v[i]) // no kink, no pole
			}
			params = append(params, g.Param(sizes, v))
			return params[len(params)-1]
		})
		at := -1
		twice := build(func(...int) *node { at++; return params[at] })
		n := Add(once, Scale(twice, 0.5))
		if off := Check(n, Normal[float64](rng, len(n.value)), CheckStep); off > 1e-7 {
			t.Errorf("%s: off by %.2g", name, off)
		}
	}
	type param = func(sizes ...int) *node
	for name, op := range map[string]func(a, b *node) *node{"add": Add[float64], "sub": Sub[float64], "mul": Mul[float64], "div": Div[float64]} {
		check(name, func(p param) *node { return op(p(2, 3), p(2, 3)) })
		check(name+" of rows", func(p param) *node { return op(p(2, 3, 4), p(3, 1)) })
		check(name+" both ways", func(p param) *node { return op(p(1, 3, 1, 2), p(4, 1, 5, 1)) })
		check(name+" of one by itself", func(p param) *node { a := p(3); return op(a, a) })
	}
	for name, op := range map[string]func(a *node) *node{"exp": Exp[float64], "log": Log[float64], "sqrt": Sqrt[float64], "tanh": Tanh[float64],
		"silu": SiLU[float64], "relu": ReLU[float64], "softmax": Softmax[float64], "scale": func(a *node) *node { return Scale(a, -3) }} {
		check(name, func(p param) *node { return op(p(2, 3)) })
	}
	for _, axes := range [][]int{nil, {0}, {1}, {2}, {0, 2}} {
		check(fmt.Sprint("sum ", axes), func(p param) *node { return Sum(p(2, 3, 4), axes...) })
		check(fmt.Sprint("mean ", axes), func(p param) *node { return Mean(p(2, 3, 4), axes...) })
		check(fmt.Sprint("max ", axes), func(p param) *node { return Max(p(2, 3, 4), axes...) })
	}
	check("permute", func(p param) *node { return Permute(p(2, 3, 4), 2, 0, 1) })
	check("reshape", func(p param) *node { return Mul(Reshape(p(2, 3), Shape{3, 2}), p(3, 2)) })
	check("matmul", func(p param) *node { return MatMul(p(2, 1, 3, 5), p(4, 5, 2)) })
	check("gather", func(p param) *node { return Gather(p(3, 2), []int{2, 0, 2, 2}, Shape{2, 2}) })
	check("scatter", func(p param) *node { return ScatterAdd(p(4, 2), []int{2, 0, 2, 2}, 3) })
	check("cross-entropy", func(p param) *node { return CrossEntropy(p(3, 4), []int{3, 0, 3}) })
	check("layer norm", func(p param) *node { return LayerNorm(p(2, 3, 4), p(4), p(4)) })
}

// Check finds what is wrong, and leaves everything as it was.
func TestCheck(t *testing.T) {
	g := new(Graph[float64])
	a := g.Param(Shape{2}, []float64{1, 2})
	double := Record("double", Shape{2}, []*node{a},
		func(out *node) { out.value[0], out.value[1] = 2*a.value[0], 2*a.value[1] },
		func(out *node) { a.grad[0] += 2 * out.grad[0]; a.grad[1] += 3 * out.grad[1] })
	// (2, 3) for (2, 2): 1 off of a norm of the larger, sqrt(13).
	if got, want := Check(double, []float64{1, 1}, CheckStep), 1/math.Sqrt(13); math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Check(double, []float64{1, 0}, CheckStep); got > 1e-9 {
		t.Errorf("along the right element: off by %v", got)
	}
	if !equal(a.Value(), []float64{1, 2}) || !equal(double.Value(), []float64{2, 4}) || !equal(a.Grad(), []float64{2, 0}) {
		t.Errorf("left %v, %v and the gradient %v", a.Value(), double.Value(), a.Grad())
	}
	if got := Check(g.Param(Shape{0}, nil), nil, CheckStep); got != 0 {
		t.Errorf("of nothing: off by %v", got)
	}
}

// A gradient never depends on an earlier Backward, nor on what the node does not
// depend on.
func TestBackwardBeginsAnew(t *testing.T) {
	g := new(Graph[float64])
	a, b := g.Param(Shape{}, []float64{3}), g.Param(Shape{}, []float64{0})
	infinite := Log(b) // its derivative is infinite, and times 0 no number
	product := Mul(a, Add(a, b))
	both := Add(product, infinite)
	for range 2 {
		g.Backward(product)
		if a.Grad()[0] != 6 || b.Grad()[0] != 3 {
			t.Fatalf("got %v and %v, want 6 and 3", a.Grad(), b.Grad())
		}
	}
	g.Backward(both)
	if got := b.Grad()[0]; !math.IsInf(got, 1) {
		t.Errorf("through the logarithm of 0: got %v, want infinity", got)
	}
	g.Backward(product, 10)
	if a.Grad()[0] != 60 || infinite.Grad()[0] != 0 {
		t.Errorf("with a seed of 10: got %v, and %v at what is not asked for", a.Grad(), infinite.Grad())
	}
}

// Of equal elements the first has the gradient.
func TestMaxOfEquals(t *testing.T) {
	g := new(Graph[float64])
	a := g.Param(Shape{2, 3}, []float64{1, 7, 7, -2, -2, -3})
	g.Backward(Max(a, 1), 10, 20)
	if want := []float64{0, 10, 0, 20, 0, 0}; !equal(a.Grad(), want) {
		t.Errorf("got %v, want %v", a.Grad(), want)
	}
}

// A view adds to the gradient that it shares.
func TestReshapeIsAView(t *testing.T) {
	g := new(Graph[float64])
	a := g.Param(Shape{2, 2}, []float64{1, 2, 3, 4})
	flat := Reshape(a, Shape{4})
	sum := Add(Sum(Mul(flat, flat)), Sum(a))
	g.Backward(sum)
	if want := []float64{3, 5, 7, 9}; !equal(a.Grad(), want) || !equal(flat.Grad(), want) {
		t.Errorf("got %v and %v, want %v", a.Grad(), flat.Grad(), want)
	}
	g.Backward(flat, 1, 2, 3, 4)
	if want := []float64{1, 2, 3, 4}; !equal(a.Grad(), want) {
		t.Errorf("from the view: got %v, want %v", a.Grad(), want)
	}
}

// What can't be trained has no gradient, and costs none.
func TestInputsHaveNoGradient(t *testing.T) {
	g := new(Graph[float64])
	x, w := g.Input(Shape{2, 2}, nil), g.Param(Shape{2, 2}, nil)
	if n := Exp(x); n.Grad() != nil {
		t.Errorf("exp of an input has the gradient %v", n.Grad())
	}
	n := LayerNorm(MatMul(x, w), g.Input(Shape{2}, nil), g.Input(Shape{2}, nil))
	g.Backward(Sum(Mul(Div(n, g.Input(Shape{}, []float64{2})), x)))
	if x.Grad() != nil || len(w.Grad()) != 4 {
		t.Errorf("got gradients %v and %v", x.Grad(), w.Grad())
	}
}

// Faults of shape are told when a node is made, with both shapes.
func TestFaults(t *testing.T) {
	g, other := new(Graph[float64]), new(Graph[float64])
	a, b := g.Param(Shape{2, 3}, nil), g.Param(Shape{4, 5}, nil)
	check := func(want string, do func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "autograd: "+want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}()
		do()
	}
	check("add of [2 3] and [4 5]: ", func() { Add(a, b) })
	check("matmul of [2 3] and [4 5]: ", func() { MatMul(a, b) })
	check("matmul of [2 3] and []: ", func() { MatMul(a, g.Param(Shape{}, nil)) })
	check("matmul of [2 2 3] and [4 3 5]: an axis", func() { MatMul(g.Param(Shape{2, 2, 3}, nil), g.Param(Shape{4, 3, 5}, nil)) })
	check("layer norm of [2 3] with [5]: ", func() { LayerNorm(a, g.Param(Shape{5}, nil), g.Param(Shape{3}, nil)) })
	check("layer norm of [2 0]: ", func() { e := g.Param(Shape{2, 0}, nil); LayerNorm(e, e, e) })
	check("reshape of [2 3] to [4]: 6 elements to 4", func() { Reshape(a, Shape{4}) })
	check("permute of [2 3] by [0 0]: ", func() { Permute(a, 0, 0) })
	check("permute of [2 3] by [0]: ", func() { Permute(a, 0) })
	check("sum of [2 3] along axis 2: ", func() { Sum(a, 2) })
	check("mean of [2 0] to [2 1]: ", func() { Mean(g.Param(Shape{2, 0}, nil), 1) })
	check("max of [0] to []: ", func() { Max(g.Param(Shape{0}, nil)) })
	check("gather from [2 3] by 1 indices of shape [2]: ", func() { Gather(a, []int{0}, Shape{2}) })
	check("gather from [2 3]: there is no row 2", func() { Gather(a, []int{2}, Shape{1}) })
	check("scatter of [2 3] by 1 indices: ", func() { ScatterAdd(a, []int{0}, 4) })
	check("scatter to [4 3]: there is no row -1", func() { ScatterAdd(a, []int{0, -1}, 4) })
	check("cross-entropy of [2 3] with 1 labels: ", func() { CrossEntropy(a, []int{0}) })
	check("cross-entropy of [2 3]: row 1 has label 3", func() { CrossEntropy(a, []int{0, 3}) })
	check("softmax of []: ", func() { Softmax(g.Param(Shape{}, nil)) })
	check("add of [2 3] and [2 3]: they are of two graphs", func() { Add(a, other.Param(Shape{2, 3}, nil)) })
	check("param of shape [2 3]: got 2 values, want 6", func() { g.Param(Shape{2, 3}, make([]float64, 2)) })
	check("input of shape [-1]: ", func() { g.Input(Shape{-1}, nil) })
	check("backward from input of shape [2]: ", func() { g.Backward(g.Input(Shape{2}, nil)) })
	check("backward from param of shape [2 3]: got 1 seeds, want 6", func() { g.Backward(a, 1) })
}
