package paging

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"envelope/internal/lab"
)

const (
	longest = 2048 // tokens that a sequence may come to
	average = 350  // tokens that it does come to
	slots   = 66   // reservations in the question's pool
	usual   = 16   // tokens in a block
)

// sizes are the block sizes that claims are put to.
var sizes = []int{1, usual, 256}

// pool returns the scheme under test for so many tokens.
func pool(r *lab.Run, tokens, size, sequences int) (scheme, error) {
	if r.Sabotaged("reservation") {
		return newReserver(tokens, longest)
	}
	return newAllocator(config{blocks: tokens / size, size: size, sequences: sequences, seed: r.Seed})
}

// waste runs a server with each block size: sequences come, grow in turn and end
// at a random length.
func waste(ctx context.Context, r *lab.Run) error {
	n := 400
	if r.Full {
		n *= 10
	}
	for _, size := range sizes {
		s, err := pool(r, 16*longest, size, 24)
		if err != nil {
			return err
		}
		v := &server{scheme: s, size: size, rng: r.Rand("waste"), ended: func(low, high float64) { r.Observe(underBlock, low, high) }}
		if err := v.serve(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// server is a scheme in use. It notes how much each sequence holds without using
// it, from its start to its end.
type server struct {
	scheme
	size  int
	rng   *rand.Rand
	live  []*served // the youngest last
	last  *served   // that ended
	done  int
	ended func(low, high float64)
}

// served is one sequence, with the least and the most that it held unused, in
// blocks.
type served struct {
	h         handle
	left      int // tokens still to come
	low, high float64
}

// serve runs n sequences to their ends.
func (v *server) serve(ctx context.Context, n int) error {
	for v.done < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := v.admit(); err != nil {
			return err
		}
		if err := v.turn(); err != nil {
			return err
		}
	}
	return nil
}

// admit starts one more sequence where there is a place for it.
func (v *server) admit() error {
	if len(v.live) == 24 {
		return nil
	}
	length := min(longest, 1+int(average*v.rng.ExpFloat64()))
	h, err := v.start(v.prompt(v.rng.IntN(length + 1)))
	if errors.Is(err, errFull) && len(v.live) > 0 {
		return nil
	} else if err != nil {
		return err
	}
	place, used := v.held(h)
	unused := float64(place-used) / float64(v.size)
	v.live = append(v.live, &served{h: h, left: length - used, low: unused, high: unused})
	return nil
}

// turn appends a token to each sequence and ends those that have all of theirs.
// Where there is no block left, the youngest has to go.
func (v *server) turn() error {
	for i := 0; i < len(v.live); i++ {
		q := v.live[i]
		var err error
		if q.left > 0 {
			err = v.append(q.h, v.rng.Int32N(1000))
		}
		last := i
		if errors.Is(err, errFull) {
			last = len(v.live) - 1
		} else if err != nil {
			return err
		} else if q.left--; q.left >= 0 {
			place, used := v.held(q.h)
			unused := float64(place-used) / float64(v.size)
			q.low, q.high = min(q.low, unused), max(q.high, unused)
			continue
		}
		if err := v.end(last); err != nil {
			return err
		}
		i--
	}
	return nil
}

func (v *server) end(i int) error {
	q := v.live[i]
	v.live = slices.Delete(v.live, i, i+1)
	v.last = q
	v.done++
	v.ended(q.low, q.high)
	return v.release(q.h)
}

// prompt returns n tokens that begin like others of the same user, one of four.
func (v *server) prompt(n int) []int32 {
	rng := v.rng
	p := make([]int32, n)
	user := uint64(rng.IntN(4))
	common := rng.IntN(n + 1)
	for i := range p {
		p[i] = int32(mix(user, int32(i)) % 1000)
		if i >= common {
			p[i] = rng.Int32N(1000)
		}
	}
	return p
}
