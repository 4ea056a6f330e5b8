package precision

import (
	"math"

	"envelope/internal/autograd"
)

// twin is the network once more, written out by hand: no graph, one example after
// another, and every sum taken from its last element to its first. It shares
// nothing with the engine but the meaning of its weights.
type twin[F autograd.Float] struct {
	sizes
	w, grad weights[F]
	adam    adam[F]
	// What one example needs, each as wide as the hidden layer or the classes.
	z, y, bent, dz []F
	p              []F
}

func newTwin[F autograd.Float](s sizes, w weights[F], a adam[F]) *twin[F] {
	t := &twin[F]{sizes: s, w: w, adam: a, p: make([]F, s.classes)}
	for i := range w {
		t.grad[i] = make([]F, len(w[i]))
	}
	for _, v := range []*[]F{&t.z, &t.y, &t.bent, &t.dz} {
		*v = make([]F, s.hidden)
	}
	return t
}

// step finds the gradients for a batch, and moves the weights.
func (t *twin[F]) step(b *batch) {
	for i := range t.grad {
		clear(t.grad[i])
	}
	for i := len(b.labels) - 1; i >= 0; i-- {
		rows := b.rows[i*t.context : (i+1)*t.context]
		inverse := t.hiddenOf(rows)
		t.distribution()
		t.p[b.labels[i]]-- // the gradient of the logits, but for 1 / batch
		t.backThroughMatrix(1 / F(len(b.labels)))
		t.backThroughNorm(rows, inverse)
	}
	t.adam.move(&t.w, &t.grad)
}

// hiddenOf computes the hidden layer from rows of the table. It returns one over
// the deviation by which the sum of the rows was divided.
func (t *twin[F]) hiddenOf(rows []int) (inverse F) {
	h := t.hidden
	clear(t.z)
	for k := len(rows) - 1; k >= 0; k-- {
		for i, v := range t.w[table][rows[k]*h:][:h] {
			t.z[i] += v
		}
	}
	mean := backwards(h, func(i int) F { return t.z[i] }) / F(h)
	variance := backwards(h, func(i int) F { return (t.z[i] - mean) * (t.z[i] - mean) }) / F(h)
	inverse = 1 / F(math.Sqrt(float64(variance+1e-5)))
	for i := range t.z {
		t.z[i] = (t.z[i] - mean) * inverse
		t.y[i] = F(t.z[i]*t.w[gain][i]) + t.w[shift][i]
		t.bent[i] = t.y[i] / (1 + F(math.Exp(float64(-t.y[i]))))
	}
	return inverse
}

// distribution computes from the hidden layer how likely each class is.
func (t *twin[F]) distribution() {
	top := F(math.Inf(-1))
	for j := range t.p {
		t.p[j] = t.w[offset][j] + backwards(t.hidden, func(i int) F { return t.bent[i] * t.w[matrix][i*t.classes+j] })
		top = max(top, t.p[j])
	}
	for j := range t.p {
		t.p[j] = F(math.Exp(float64(t.p[j] - top)))
	}
	sum := backwards(t.classes, func(j int) F { return t.p[j] })
	for j := range t.p {
		t.p[j] /= sum
	}
}

// backThroughMatrix takes the gradient of the logits, in p, back to the matrix,
// its bias and the layer norm's result before gain and bias.
func (t *twin[F]) backThroughMatrix(scale F) {
	for j := range t.p {
		t.p[j] *= scale
		t.grad[offset][j] += t.p[j]
	}
	for i, v := range t.bent {
		w, dw := t.w[matrix][i*t.classes:], t.grad[matrix][i*t.classes:]
		for j, d := range t.p {
			dw[j] += F(v * d)
		}
		s := 1 / (1 + F(math.Exp(float64(-t.y[i]))))
		dy := F(backwards(t.classes, func(j int) F { return w[j] * t.p[j] }) * s * (1 + F(t.y[i]*(1-s))))
		t.grad[gain][i] += F(dy * t.z[i])
		t.grad[shift][i] += dy
		t.dz[i] = dy * t.w[gain][i]
	}
}

// backThroughNorm takes dz back to the rows of the table.
func (t *twin[F]) backThroughNorm(rows []int, inverse F) {
	h := t.hidden
	mean := backwards(h, func(i int) F { return t.dz[i] }) / F(h)
	along := backwards(h, func(i int) F { return t.dz[i] * t.z[i] }) / F(h)
	for i, d := range t.dz {
		t.dz[i] = inverse * (d - (mean + F(t.z[i]*along)))
	}
	for k := len(rows) - 1; k >= 0; k-- {
		for i, d := range t.dz {
			t.grad[table][rows[k]*h+i] += d
		}
	}
}

// backwards adds up n terms, the last one first. Each is rounded before it is
// added.
func backwards[F autograd.Float](n int, term func(i int) F) (sum F) {
	for i := n - 1; i >= 0; i-- {
		sum += F(term(i))
	}
	return sum
}

// adam is the optimizer once more, in the form in which both corrections of bias
// go into the rate, and the decay comes first.
type adam[F autograd.Float] struct {
	rate, decay F
	// uncorrected is the fault of a control: no correction is made.
	uncorrected bool

	power1, power2 F // 0.9 and 0.999 to the power of the steps so far
	first, second  weights[F]
}

func (a *adam[F]) begin(w *weights[F]) {
	a.power1, a.power2 = 1, 1
	for k := range w {
		a.first[k], a.second[k] = make([]F, len(w[k])), make([]F, len(w[k]))
	}
}

func (a *adam[F]) move(w, grad *weights[F]) {
	if a.power1 == 0 {
		a.begin(w)
	}
	a.power1, a.power2 = F(a.power1*0.9), F(a.power2*0.999)
	root := F(math.Sqrt(float64(1 - a.power2)))
	rate, epsilon := a.rate*root/(1-a.power1), 1e-8*root
	if a.uncorrected {
		rate, epsilon = a.rate, 1e-8
	}
	for k := range w {
		for i, d := range grad[k] {
			m, v := &a.first[k][i], &a.second[k][i]
			*m += F((d - *m) * (1 - F(0.9)))
			*v += F((F(d*d) - *v) * (1 - F(0.999)))
			x := &w[k][i]
			*x -= F(a.rate * a.decay * *x)
			*x -= F(rate * *m / (F(math.Sqrt(float64(*v))) + epsilon))
		}
	}
}
