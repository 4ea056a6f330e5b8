package autograd_test

import (
	"fmt"
	"math/rand/v2"

	"envelope/internal/autograd"
)

// A node is computed when it is made; Backward finds the gradients.
func Example() {
	g := new(autograd.Graph[float64])
	x := g.Param(autograd.Shape{3}, []float64{1, 2, 3})
	y := autograd.Sum(autograd.Mul(x, x))
	g.Backward(y)
	fmt.Println(y.Value(), x.Grad())

	x.Value()[0] = 5 // the same program, for other numbers
	g.Forward()
	g.Backward(y)
	fmt.Println(y.Value(), x.Grad())
	// Output:
	// [14] [2 4 6]
	// [38] [10 4 6]
}

// A program is written down once and then trained: here a line through points on
// y = 3x - 1.
func ExampleSGD() {
	g := new(autograd.Graph[float64])
	x := g.Input(autograd.Shape{4}, []float64{0, 1, 2, 3})
	y := g.Input(autograd.Shape{4}, []float64{-1, 2, 5, 8})
	slope, height := g.Param(autograd.Shape{}, nil), g.Param(autograd.Shape{}, nil)
	off := autograd.Sub(autograd.Add(autograd.Mul(x, slope), height), y)
	loss := autograd.Mean(autograd.Mul(off, off))

	sgd := autograd.SGD[float64]{Rate: 0.1}
	for range 300 {
		g.Forward()
		g.Backward(loss)
		sgd.Step([]*autograd.Node[float64]{slope, height})
	}
	fmt.Printf("%.3f %.3f\n", slope.Value()[0], height.Value()[0])
	// Output: 3.000 -1.000
}

// A row that was gathered twice gets both gradients.
func ExampleGather() {
	g := new(autograd.Graph[float64])
	table := g.Param(autograd.Shape{3, 2}, []float64{1, 2, 3, 4, 5, 6})
	rows := autograd.Gather(table, []int{2, 0, 2}, autograd.Shape{3})
	g.Backward(rows, 1, 1, 10, 10, 100, 100)
	fmt.Println(rows.Value(), table.Grad())
	// Output: [5 6 1 2 5 6] [10 10 0 0 101 101]
}

// A gradient is held against central differences, along a random direction.
func ExampleCheck() {
	g, rng := new(autograd.Graph[float64]), rand.New(rand.NewPCG(1, 1))
	a := g.Param(autograd.Shape{2, 3}, autograd.Normal[float64](rng, 6))
	b := g.Param(autograd.Shape{3, 2}, autograd.Normal[float64](rng, 6))
	product := autograd.MatMul(a, b)
	off := autograd.Check(product, autograd.Normal[float64](rng, 4), autograd.CheckStep)
	fmt.Println(off < 1e-8)
	// Output: true
}
