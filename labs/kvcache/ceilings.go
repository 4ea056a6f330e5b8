package kvcache

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

const (
	// scale is how many times smaller the question's card and sequences are
	// here. The number that fits is the same.
	scale = 1024
	// page is the largest that a kernel of today has. What is allowed, and every
	// sequence, is a whole number of them.
	page = 64 << 10
	// largestLimit is the most that a child is allowed.
	largestLimit = 64 << 20
)

// trial is one limit and one sequence.
type trial struct {
	free int
	s    shape // in 16 bits
}

// trials are the question's own, and others with limits at random.
func trials(r *lab.Run) []trial {
	all := []trial{{66_000_000_000 / scale / page * page, seven.times(2048 / scale)}}
	rng := r.Rand("limits")
	for i := range rounds(r, repeat.limits) {
		// Sequences of 1 to 3 MiB, with halves that are whole pages.
		s := shape{layers: 8, heads: 8, dim: 64, width: 2, tokens: 64 * (1 + i%3)}
		all = append(all, trial{page * (largestLimit/page/2 + rng.IntN(largestLimit/page/2+1)), s})
	}
	return all
}

// ceilings lets children fill what they are allowed, with values of two bytes
// and of one.
func ceilings(ctx context.Context, r *lab.Run) error {
	all := trials(r)
	var first, ratios []float64
	for i, t := range all {
		small := t.s
		if !r.Sabotaged(sixteenBoth) {
			small.width = 1
		}
		two, err := filled(ctx, r, t.free, t.s)
		if err != nil {
			return err
		}
		one, err := filled(ctx, r, t.free, small)
		if err != nil {
			return err
		}
		if two == nil || one == nil {
			for _, c := range []string{ceiling, doubles} {
				r.Void(c, measure.Instrument, "in %d tries of a trial the child took memory for itself, or was refused it for another reason", tries)
			}
			return nil
		}
		r.Observe(ceiling, float64(two.admitted-t.free/t.s.bytes()), float64(one.admitted-t.free/small.bytes()))
		r.Observe(doubles, float64(one.admitted-2*two.admitted))
		if i == 0 && two.admitted > 0 {
			first, ratios = []float64{float64(two.admitted)}, []float64{float64(one.admitted) / float64(two.admitted)}
			r.Note("the limit is %s; 80 GB - 14 GB and 2,048 tokens, both divided by %s, are %s B and sequences of %s B",
				two.limit, comma(scale), comma(float64(t.free)), comma(float64(t.s.bytes())))
		}
	}
	if first == nil {
		return nil
	}
	r.AddSeries(lab.Series{Name: fitIn, Text: "sequences that a child got of the 7B shape, limit and tokens divided by 1,024", Unit: "1", Samples: first, Conditions: -1})
	r.AddSeries(lab.Series{Name: ofByte, Text: "those that another got with values of one byte / with two", Unit: "1", Samples: ratios, Conditions: -1})
	return nil
}

// filled makes a trial until nothing else decided it: the process lived, took so
// little for itself that the quotient is the same with it and without, and what
// it was refused did not fit. It returns nil where that never was so. One in
// twenty takes something on a busy machine: a thread that was started before the
// limit and that runs only behind it sets up its heap of 132 KiB.
func filled(ctx context.Context, r *lab.Run, free int, s shape) (*admission, error) {
	limited := 1
	if r.Sabotaged(limitOff) {
		limited = 0
	}
	var last error
	for range tries {
		line, err := ask(ctx, r, "admit", s, free, 2*(free/s.bytes())+2, limited)
		if no := refusal(""); errors.As(err, &no) || ctx.Err() != nil {
			return nil, err
		}
		a, wrong := parseAdmission(line)
		if last = cmp.Or(err, wrong); last != nil {
			continue // a process that is refused memory for itself dies of it
		}
		if free/s.bytes() == (free-int(a.grown))/s.bytes() && (!a.refusal || a.left < int64(s.bytes())) {
			return &a, nil
		}
	}
	if last != nil {
		return nil, fmt.Errorf("child admit: %w", last)
	}
	return nil, nil
}
