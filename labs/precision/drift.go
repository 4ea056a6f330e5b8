package precision

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dustin/go-humanize"

	"envelope/internal/autograd"
	"envelope/internal/lab"
)

// small are the sizes of the twins' network.
var small = sizes{context: 4, classes: 12, hidden: 16, batch: 16}

// trained is how many steps the twins train.
const trained = 1000

// stream is a text that can be learnt: what comes next depends on the last two
// characters, but for one time in four.
func stream(rng *rand.Rand, classes, n int) []int {
	next := rng.Perm(classes * classes)
	text := []int{0, 1}
	for len(text) < n {
		c := next[text[len(text)-2]*classes+text[len(text)-1]] % classes
		if rng.IntN(4) == 0 {
			c = rng.IntN(classes)
		}
		text = append(text, c)
	}
	return text
}

// second is the program that is compared with the network over a graph.
type second int

const (
	handWritten second = iota
	uncorrected        // the twin, with a fault in its optimizer
	graphAgain         // no other program
)

// couple trains the network over a graph and a second program from the same
// weights on the same batches, and returns the largest difference of any weight
// after each step.
func couple[F autograd.Float](ctx context.Context, draw func(name string) *rand.Rand, other second) ([]float64, error) {
	const rate, decay = 0.005, 0.01
	s, b := small, newBatch(small)
	text, order := stream(draw("stream"), s.classes, 4096), draw("batches")
	first, w := drawn[F](s, draw("weights")), drawn[F](s, draw("weights"))
	n, o := newNetwork(new(autograd.Graph[F]), s, first, b), autograd.NewAdamW[F](rate, decay)
	t := newTwin(s, w, adam[F]{rate: rate, decay: decay, uncorrected: other == uncorrected})
	step := func() { t.step(b) }
	if other == graphAgain {
		again, o := newNetwork(new(autograd.Graph[F]), s, w, b), autograd.NewAdamW[F](rate, decay)
		step = func() { again.step(o) }
	}
	var apart []float64
	for range trained {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range s.batch {
			b.set(s, i, text, s.context+order.IntN(len(text)-s.context))
		}
		n.step(o)
		step()
		apart = append(apart, distance(&first, &w))
	}
	return apart, nil
}

// distance is the largest difference of any weight.
func distance[F autograd.Float](a, b *weights[F]) (most float64) {
	for k := range a {
		for i := range a[k] {
			most = max(most, math.Abs(float64(a[k][i])-float64(b[k][i])))
		}
	}
	return most
}

// couples is how many pairs of programs are trained, each from weights and on a
// text of its own.
func couples(r *lab.Run) int {
	if r.Full {
		return 20
	}
	return 1
}

// pair trains one of them.
func pair[F autograd.Float](ctx context.Context, r *lab.Run, i int, other second) ([]float64, error) {
	return couple[F](ctx, func(name string) *rand.Rand { return r.Rand(fmt.Sprintf("%s %d", name, i)) }, other)
}

// doubles observes how far apart the two programs end in float64.
func doubles(ctx context.Context, r *lab.Run) error {
	other := handWritten
	if r.Sabotaged(wrongBias) {
		other = uncorrected
	}
	if r.Sabotaged(oneTwice) {
		other = graphAgain
	}
	for i := range couples(r) {
		apart, err := pair[float64](ctx, r, i, other)
		if err != nil {
			return err
		}
		r.Observe(doublesAgree, apart[trained-1])
	}
	firstSteps(r)
	return nil
}

// singles observes how much further apart they end in float32.
func singles(ctx context.Context, r *lab.Run) error {
	other := handWritten
	if r.Sabotaged(sameBug) {
		other = uncorrected
	}
	for i := range couples(r) {
		single, err := pair[float32](ctx, r, i, other)
		if err != nil {
			return err
		}
		double, err := pair[float64](ctx, r, i, other)
		if err != nil {
			return err
		}
		r.Observe(singlesDrift, single[trained-1]/double[trained-1])
		if i == 0 {
			r.AddTable(driftTable(single, double))
		}
	}
	return nil
}

func driftTable(single, double []float64) lab.Table {
	t := lab.Table{Title: "largest difference of any weight between the two programs", Header: []string{"after steps", "float32", "float64", "ratio"}}
	for _, n := range []int{1, 10, 100, 1000} {
		a, b := single[n-1], double[n-1]
		t.Rows = append(t.Rows, []string{humanize.Comma(int64(n)), fmt.Sprintf("%.1e", a), fmt.Sprintf("%.1e", b), fmt.Sprintf("%.1e", a/b)})
	}
	return t
}

// firstSteps shows how far an optimizer moves a weight in its first step that
// corrects no bias, relative to one that does.
func firstSteps(r *lab.Run) {
	var ratio []float64
	for _, slope := range []float64{0.01, 1, 100} {
		g := new(autograd.Graph[float64])
		p := g.Param(shape{}, nil)
		g.Backward(autograd.Scale(p, slope))
		autograd.NewAdamW(0.01, 0.).Step([]*node{p})

		a := adam[float64]{rate: 0.01, uncorrected: true}
		w, grad := weights[float64]{{0}}, weights[float64]{{slope}}
		a.move(&w, &grad)
		ratio = append(ratio, w[0][0]/p.Value()[0])
	}
	r.AddSeries(lab.Series{Name: "first-step-uncorrected", Unit: "1", Samples: ratio, Conditions: -1,
		Text: "first step of AdamW without correction of bias / with it, for gradients of 0.01, 1 and 100"})
}
