package paging

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"envelope/internal/lab"
)

// answers compares attention through the tables of a used allocator with
// attention over the same tokens in one piece, in float64, written from the
// formula.
func answers(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("answers")
	for _, size := range sizes {
		e, err := newEngine(size, r.Seed)
		if err != nil {
			return err
		}
		for range 4 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := e.busy(rng); err != nil {
				return err
			}
			for _, c := range e.live {
				table := e.a.find(c.h).table
				if r.Sabotaged("one-entry-wrong") {
					table = slices.Clone(table)
					i := rng.IntN(len(table))
					table[i] = (table[i] + 1) % int32(e.a.blocks)
				}
				fill(e.attend.q, rng.Uint64)
				for i := range e.attend.q {
					e.attend.q[i] *= 4 // so that some tokens count much more than others
				}
				e.attend.through(e.p, table, size*heads, c.tokens)
				r.Observe(sameAnswer, distance(e.attend.out, plain(e.attend.q, c.k, c.v)))
			}
		}
	}
	return nil
}

const (
	heads = 4
	per   = heads * dim // numbers that a token has in keys, and in values
)

// engine is an allocator with the keys and values that belong to its blocks.
type engine struct {
	seed   uint64
	a      *allocator
	p      *pages
	attend *attention
	live   []*told
	k, v   [per]float32
}

// told is a sequence and what a cache in one piece would hold of it.
type told struct {
	h      handle
	state  uint64 // of all tokens so far
	tokens int
	k, v   []float32
}

func newEngine(size int, seed uint64) (*engine, error) {
	const tokens = 1 << 13
	e := &engine{seed: seed, p: newPages(tokens/size, size, heads), attend: newAttention(heads, tokens)}
	var err error
	e.a, err = newAllocator(config{blocks: tokens / size, size: size, sequences: 16, seed: seed, move: e.p.move})
	return e, err
}

// tell adds a token to what the sequence should hold. A token's keys and values
// follow from all tokens up to it, as in a model.
func (e *engine) tell(c *told, token int32) {
	c.state = mix(c.state, token)
	draw := rand.NewPCG(c.state, e.seed)
	fill(e.k[:], draw.Uint64)
	fill(e.v[:], draw.Uint64)
	c.k, c.v = append(c.k, e.k[:]...), append(c.v, e.v[:]...)
	c.tokens++
}

// start admits a prompt. What the allocator found in its cache is not stored
// again: it has to be right already.
func (e *engine) start(prompt []int32) error {
	h, err := e.a.start(prompt)
	if err != nil {
		return err
	}
	c, s := &told{h: h}, e.a.find(h)
	for i, t := range prompt {
		e.tell(c, t)
		if i >= s.found {
			e.p.put(s.table[i/e.a.size], i%e.a.size, e.k[:], e.v[:])
		}
	}
	e.live = append(e.live, c)
	return nil
}

func (e *engine) append(c *told, token int32) error {
	if err := e.a.append(c.h, token); err != nil {
		return err
	}
	e.tell(c, token)
	at := c.tokens - 1
	e.p.put(e.a.find(c.h).table[at/e.a.size], at%e.a.size, e.k[:], e.v[:])
	return nil
}

func (e *engine) fork(c *told) error {
	h, err := e.a.fork(c.h)
	if err == nil {
		e.live = append(e.live, &told{h: h, state: c.state, tokens: c.tokens, k: slices.Clone(c.k), v: slices.Clone(c.v)})
	}
	return err
}

// busy lets some sequences go, starts others with prompts that begin like
// earlier ones, forks two, and lets all of them grow in turn.
func (e *engine) busy(rng *rand.Rand) error {
	rng.Shuffle(len(e.live), func(i, j int) { e.live[i], e.live[j] = e.live[j], e.live[i] })
	for len(e.live) > 3 {
		last := len(e.live) - 1
		if err := e.a.release(e.live[last].h); err != nil {
			return err
		}
		e.live = e.live[:last]
	}
	for i := range 4 {
		prompt := make([]int32, 1+rng.IntN(400))
		for j := range prompt {
			if prompt[j] = int32(i%2) + int32(j%7); j >= 280 {
				prompt[j] = rng.Int32N(1000)
			}
		}
		if err := e.start(prompt); err != nil {
			return err
		}
	}
	for range 2 {
		if err := e.fork(e.live[rng.IntN(len(e.live))]); err != nil {
			return err
		}
	}
	for range 1 + rng.IntN(60) {
		for _, c := range e.live {
			if err := e.append(c, rng.Int32N(3)); err != nil {
				return err
			}
		}
	}
	return nil
}

// plain is attention from the formula, over keys and values in one piece.
//
//go:norace
func plain(q, k, v []float32) []float64 {
	out := make([]float64, per)
	n := len(k) / per
	for h := range heads {
		weights, sum := make([]float64, n), 0.0
		for t := range weights {
			dot := 0.0
			for d := range dim {
				dot += float64(q[h*dim+d]) * float64(k[t*per+h*dim+d])
			}
			// Scores here are far from what exp can't take.
			weights[t] = math.Exp(dot / math.Sqrt(dim))
			sum += weights[t]
		}
		for t, w := range weights {
			for d := range dim {
				out[h*dim+d] += w / sum * float64(v[t*per+h*dim+d])
			}
		}
	}
	return out
}

// distance is the error of an answer relative to the right one.
func distance(got []float32, want []float64) float64 {
	off, all := 0.0, 0.0
	for i, w := range want {
		off += (float64(got[i]) - w) * (float64(got[i]) - w)
		all += w * w
	}
	return math.Sqrt(off / all)
}
