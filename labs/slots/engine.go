package slots

import (
	"math"
	"math/rand/v2"

	"envelope/internal/kernels"
)

// width is the size of a row of activations, and of the vocabulary: 64 KiB of
// weights, so that an episode of thousands of passes takes milliseconds.
const width = 128

// token is an entry of the vocabulary.
type token uint8

// engine computes passes. What it keeps of a sequence is one row of activations
// in the sequence's slot. It draws no random numbers and looks at no neighbour:
// the same prompt gives the same tokens in any slot and any company, because a
// row of the product has the same bits whatever the batch around it.
type engine struct {
	weights *kernels.Weights
	embed   []float32 // a row for each token
	state   []float32 // a row for each slot
	in, out []float32 // the rows of one pass, side by side
	next    []token   // of the rows of the last pass
}

func newEngine(rng *rand.Rand) *engine {
	e := &engine{
		embed: make([]float32, width*width), state: make([]float32, batch*width),
		in: make([]float32, batch*width), out: make([]float32, batch*width), next: make([]token, batch),
	}
	// A row of the product is about three times as long as the row that went
	// in: enough to keep tokens from settling down to a few.
	w, scale := make([]float32, width*width), float32(3*math.Sqrt(3.0/width))
	for i := range w {
		w[i] = scale * (2*rng.Float32() - 1)
		e.embed[i] = 2*rng.Float32() - 1
	}
	e.weights = kernels.Pack(w, width, width)
	return e
}

func (e *engine) free() error { return e.weights.Free() }

func (e *engine) row(slot int) []float32 { return e.state[slot*width:][:width] }

// clear makes a slot forget the sequence that was in it.
func (e *engine) clear(slot int) { clear(e.row(slot)) }

// read adds a prompt to a slot's activations: the sum of its tokens' rows. It
// costs every scheduler the same and is no pass.
func (e *engine) read(slot int, q request) {
	row, hash := e.row(slot), q.id
	for range q.prompt {
		hash = hash*6364136223846793005 + 1442695040888963407
		for i, v := range e.embedding(token(hash >> 57)) {
			row[i] += v
		}
	}
	scale := float32(1 / math.Sqrt(float64(max(1, q.prompt))))
	for i := range row {
		row[i] *= scale
	}
}

func (e *engine) embedding(t token) []float32 { return e.embed[int(t)*width:][:width] }

// pass computes the next token of the sequence in each of the slots: one
// product of all their activations with the weights.
func (e *engine) pass(slots []int) []token {
	for i, s := range slots {
		copy(e.in[i*width:], e.row(s))
	}
	e.weights.Mul(e.out, e.in, len(slots), 1)
	for i, s := range slots {
		e.next[i] = e.advance(s, e.out[i*width:][:width])
	}
	return e.next[:len(slots)]
}

// advance takes the largest element for the next token, and makes of the
// squashed row and that token what goes into the next pass.
func (e *engine) advance(slot int, y []float32) token {
	best := 0
	for i, v := range y {
		if v > y[best] {
			best = i
		}
	}
	row, embedding := e.row(slot), e.embedding(token(best))
	for i, v := range y {
		row[i] = v/(1+float32(math.Abs(float64(v)))) + embedding[i]
	}
	return token(best)
}
