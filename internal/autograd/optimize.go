package autograd

import "math"

// SGD moves parameters against their gradients.
type SGD[F Float] struct {
	Rate F
}

// Step moves each parameter by Rate times its gradient.
func (o *SGD[F]) Step(params []*Node[F]) {
	for _, p := range params {
		for i, d := range p.grad {
			p.value[i] -= F(o.Rate * d)
		}
	}
}

// AdamW moves each weight by about Rate whatever the size of its gradient, and
// lets it decay besides (Loshchilov and Hutter, "Decoupled weight decay
// regularization", 2019). NewAdamW has the customary numbers.
type AdamW[F Float] struct {
	Rate, Decay   F
	First, Second F // how much of the means of the gradient and its square is kept
	Epsilon       F // added to the root of the second mean

	steps int
	means [][2][]F // of each parameter
}

// NewAdamW returns an optimizer that keeps 0.9 and 0.999 of its means, with
// epsilon 1e-8.
func NewAdamW[F Float](rate, decay F) *AdamW[F] {
	return &AdamW[F]{Rate: rate, Decay: decay, First: 0.9, Second: 0.999, Epsilon: 1e-8}
}

// Step moves the parameters, which must be the same ones every time.
func (o *AdamW[F]) Step(params []*Node[F]) {
	for i := len(o.means); i < len(params); i++ {
		n := len(params[i].value)
		o.means = append(o.means, [2][]F{make([]F, n), make([]F, n)})
	}
	o.steps++
	// The means start at 0, so they are too small by what they have not seen yet.
	seen1 := F(1 - math.Pow(float64(o.First), float64(o.steps)))
	seen2 := F(1 - math.Pow(float64(o.Second), float64(o.steps)))
	for k, p := range params {
		o.move(p.value, p.grad, o.means[k][0], o.means[k][1], seen1, seen2)
	}
}

// Exempt from the race detector as products are.
//
//go:norace
func (o *AdamW[F]) move(w, grad, first, second []F, seen1, seen2 F) {
	for i, d := range grad {
		first[i] = F(o.First*first[i]) + F((1-o.First)*d)
		second[i] = F(o.Second*second[i]) + F((1-o.Second)*F(d*d))
		size := F(math.Sqrt(float64(second[i]/seen2))) + o.Epsilon
		w[i] -= F(o.Rate * (first[i]/seen1/size + F(o.Decay*w[i])))
	}
}
