package autograd

import (
	"fmt"
	"math"
)

// Add returns a + b, broadcast.
func Add[F Float](a, b *Node[F]) *Node[F] {
	return zip("add", a, b,
		func(x, y F) F { return x + y },
		func(x, y, d F) (dx, dy F) { return d, d })
}

// Sub returns a - b, broadcast.
func Sub[F Float](a, b *Node[F]) *Node[F] {
	return zip("sub", a, b,
		func(x, y F) F { return x - y },
		func(x, y, d F) (dx, dy F) { return d, -d })
}

// Mul returns a times b element by element, broadcast.
func Mul[F Float](a, b *Node[F]) *Node[F] {
	return zip("mul", a, b,
		func(x, y F) F { return x * y },
		func(x, y, d F) (dx, dy F) { return d * y, d * x })
}

// Div returns a / b, broadcast.
func Div[F Float](a, b *Node[F]) *Node[F] {
	return zip("div", a, b,
		func(x, y F) F { return x / y },
		func(x, y, d F) (dx, dy F) { return d / y, -d * x / (y * y) })
}

// Scale returns a times a constant.
func Scale[F Float](a *Node[F], by F) *Node[F] {
	return apply("scale", a,
		func(x F) F { return x * by },
		func(x, y, d F) F { return d * by })
}

// Exp returns e to the power of each element.
func Exp[F Float](a *Node[F]) *Node[F] {
	return apply("exp", a,
		func(x F) F { return F(math.Exp(float64(x))) },
		func(x, y, d F) F { return d * y })
}

// Log returns the natural logarithm of each element.
func Log[F Float](a *Node[F]) *Node[F] {
	return apply("log", a,
		func(x F) F { return F(math.Log(float64(x))) },
		func(x, y, d F) F { return d / x })
}

// Sqrt returns the square root of each element.
func Sqrt[F Float](a *Node[F]) *Node[F] {
	return apply("sqrt", a,
		func(x F) F { return F(math.Sqrt(float64(x))) },
		func(x, y, d F) F { return d / (2 * y) })
}

// Tanh returns the hyperbolic tangent of each element.
func Tanh[F Float](a *Node[F]) *Node[F] {
	return apply("tanh", a,
		func(x F) F { return F(math.Tanh(float64(x))) },
		func(x, y, d F) F { return d * (1 - F(y*y)) })
}

// ReLU returns each element, or 0 for a negative one. Its gradient at 0 is 0.
func ReLU[F Float](a *Node[F]) *Node[F] {
	return apply("relu", a,
		func(x F) F { return max(x, 0) },
		func(x, y, d F) F {
			if x > 0 {
				return d
			}
			return 0
		})
}

// SiLU returns x / (1 + exp(-x)) for each element: a ReLU without its kink.
func SiLU[F Float](a *Node[F]) *Node[F] {
	return apply("silu", a,
		func(x F) F { return x * logistic(x) },
		func(x, y, d F) F { s := logistic(x); return d * (s + F(y*(1-s))) })
}

func logistic[F Float](x F) F { return 1 / (1 + F(math.Exp(float64(-x)))) }

// apply makes a node of f for every element. df is given the element, what f made
// of it, and the gradient of that.
func apply[F Float](name string, a *Node[F], f func(x F) F, df func(x, y, d F) F) *Node[F] {
	return Record(name, a.shape, []*Node[F]{a},
		func(out *Node[F]) {
			for i, x := range a.value {
				out.value[i] = f(x)
			}
		},
		func(out *Node[F]) {
			for i, d := range out.grad {
				a.grad[i] += df(a.value[i], out.value[i], d)
			}
		})
}

// zip makes a node of f for every pair of elements. df is given the pair and the
// gradient of what f made of it. An element that was repeated gets the sum of the
// gradients of all its pairs.
func zip[F Float](name string, a, b *Node[F], f func(x, y F) F, df func(x, y, d F) (dx, dy F)) *Node[F] {
	shape, ok := broadcast(a.shape, b.shape)
	if !ok {
		panic(fmt.Sprintf("autograd: %s of %v and %v: an axis has two sizes, and neither is 1", name, a.shape, b.shape))
	}
	w := newWalk(shape, a.shape.stretched(shape), b.shape.stretched(shape))
	return Record(name, shape, []*Node[F]{a, b},
		func(out *Node[F]) {
			at := 0
			for row := range w.a {
				i, j := w.a[row], w.b[row]
				for range w.n {
					out.value[at] = f(a.value[i], b.value[j])
					at, i, j = at+1, i+w.da, j+w.db
				}
			}
		},
		func(out *Node[F]) {
			at := 0
			for row := range w.a {
				i, j := w.a[row], w.b[row]
				for range w.n {
					dx, dy := df(a.value[i], b.value[j], out.grad[at])
					if a.grad != nil {
						a.grad[i] += dx
					}
					if b.grad != nil {
						b.grad[j] += dy
					}
					at, i, j = at+1, i+w.da, j+w.db
				}
			}
		})
}
