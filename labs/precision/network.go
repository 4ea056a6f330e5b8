package precision

import (
	"math"
	"math/rand/v2"

	"envelope/internal/autograd"
)

// sizes are those of a network and of its batches.
type sizes struct {
	context int // characters that it sees
	classes int // characters that there are
	hidden  int
	batch   int // examples of a step
}

// weights are all that is trained, in the order in which both programs keep them:
// a table with a row for every class at every place of the context, gain and bias
// of the layer norm, and the last matrix with its bias.
type weights[F autograd.Float] [5][]F

const (
	table = iota
	gain
	shift
	matrix
	offset
)

func (s sizes) shapes() [5]autograd.Shape {
	return [5]autograd.Shape{{s.context * s.classes, s.hidden}, {s.hidden}, {s.hidden}, {s.hidden, s.classes}, {s.classes}}
}

// drawn returns weights to begin with.
func drawn[F autograd.Float](s sizes, rng *rand.Rand) (w weights[F]) {
	for i, shape := range s.shapes() {
		w[i] = make([]F, shape.Size())
	}
	fill := func(v []F, deviation float64) {
		for i := range v {
			v[i] = F(deviation * rng.NormFloat64())
		}
	}
	fill(w[table], 0.3)
	fill(w[matrix], 1/math.Sqrt(float64(s.hidden)))
	for i := range w[gain] {
		w[gain][i] = 1
	}
	return w
}

// batch is what a step learns from: the rows of the table that the characters
// before each example lead to, and the one that comes.
type batch struct {
	rows   []int // [batch context]
	labels []int
}

func newBatch(s sizes) *batch {
	return &batch{rows: make([]int, s.batch*s.context), labels: make([]int, s.batch)}
}

// set makes example i of the character at some place of a text.
func (b *batch) set(s sizes, i int, text []int, at int) {
	for k := range s.context {
		b.rows[i*s.context+k] = k*s.classes + text[at-1-k]
	}
	b.labels[i] = text[at]
}

// network is the program over a graph: a sum of one row for each character of the
// context, a layer norm, a bend, and the logits of what comes next.
type network[F autograd.Float] struct {
	graph  *autograd.Graph[F]
	params []*autograd.Node[F]
	loss   *autograd.Node[F]
}

// newNetwork writes the program down in a graph. It keeps the weights and the
// batch as its own.
func newNetwork[F autograd.Float](g *autograd.Graph[F], s sizes, w weights[F], b *batch) *network[F] {
	n := &network[F]{graph: g}
	for i, shape := range s.shapes() {
		n.params = append(n.params, n.graph.Param(shape, w[i]))
	}
	rows := autograd.Gather(n.params[table], b.rows, autograd.Shape{s.batch, s.context})
	x := autograd.Reshape(autograd.Sum(rows, 1), autograd.Shape{s.batch, s.hidden})
	x = autograd.SiLU(autograd.LayerNorm(x, n.params[gain], n.params[shift]))
	logits := autograd.Add(autograd.MatMul(x, n.params[matrix]), n.params[offset])
	n.loss = autograd.CrossEntropy(logits, b.labels)
	return n
}

// step finds the gradients for what is in the batch now, and moves the weights.
func (n *network[F]) step(o *autograd.AdamW[F]) {
	n.graph.Forward()
	n.graph.Backward(n.loss)
	o.Step(n.params)
}
