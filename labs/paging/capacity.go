package paging

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"envelope/axioms"
	"envelope/internal/lab"
)

// capacity counts how many sequences a pool takes, and answers the questions.
func capacity(ctx context.Context, r *lab.Run) error {
	// Lengths from 1 to 43 blocks, each equally often, take 22 blocks on
	// average, as 350 tokens do. A larger pool, so that the end of the last
	// round of lengths weighs little.
	const rounds, drawn = 16, 43 * usual
	always := func() int { return average }
	reserved, err := newReserver(slots*longest, longest)
	if err != nil {
		return err
	}
	byReservation := admitted(reserved, always)
	var fit []float64
	for _, size := range sizes {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := pool(r, slots*longest, size, slots*longest/average+1)
		if err != nil {
			return err
		}
		fit = append(fit, float64(admitted(s, always)))
	}
	r.Observe(sixTimes, fit[1]/float64(byReservation))
	for i := range 4 {
		if err := ctx.Err(); err != nil {
			return err
		}
		rng := r.Rand(fmt.Sprint("lengths-", i))
		s, err := pool(r, rounds*slots*longest, usual, rounds*slots*longest/usual)
		if err != nil {
			return err
		}
		r.Observe(sixTimes, float64(admitted(s, lengths(rng, drawn)))/(rounds*float64(byReservation)))
	}
	return headline(r, append(fit, float64(byReservation)))
}

// lengths returns all lengths from 1 to n in random order, over and over.
func lengths(rng *rand.Rand, n int) func() int {
	var deck []int
	return func() int {
		if len(deck) == 0 {
			deck = rng.Perm(n)
		}
		top := deck[len(deck)-1]
		deck = deck[:len(deck)-1]
		return top + 1
	}
}

// admitted lets sequences in one after another, each growing to its length a
// token at a time, until one finds no place. No two of them are alike.
func admitted(s scheme, length func() int) (n int) {
	for ; ; n++ {
		h, err := s.start(nil)
		if err != nil {
			return n
		}
		for i := range length() {
			if s.append(h, int32(n+i)) != nil {
				return n
			}
		}
	}
}

// headline reports what a sequence of 350 tokens leaves unused, and how many of
// them a pool for 66 reservations takes.
func headline(r *lab.Run, fit []float64) error {
	row := func(name, text string, samples ...float64) {
		r.AddSeries(lab.Series{Name: name, Text: text, Unit: "1", Samples: samples, Conditions: -1})
	}
	var unused []float64
	for _, size := range append(sizes[:len(sizes):len(sizes)], longest) {
		s, err := scheme(nil), error(nil)
		if size == longest {
			s, err = newReserver(longest, longest)
		} else {
			s, err = newAllocator(config{blocks: longest / size, size: size, sequences: 1})
		}
		if err != nil {
			return err
		}
		h, err := s.start(nil)
		for range average {
			err = errors.Join(err, s.append(h, 0))
		}
		if err != nil {
			return err
		}
		place, used := s.held(h)
		unused = append(unused, float64(place-used))
	}
	row("unused-of-350", "tokens held and not used by a sequence of 350, by block size 1, 16, 256 and one of 2048", unused...)
	row("unused-in-blocks-of-16", "the same with blocks of 16", unused[1])
	row("share-of-2048-unused", "share of a reservation for 2048 that a sequence of 350 never uses", unused[3]/longest)
	row("fit-of-350", "sequences of 350 tokens in the place of 66 x 2048, by block size 1, 16, 256 and one of 2048", fit...)
	row("fit-in-blocks-of-16", "the same with blocks of 16", fit[1])

	t := lab.Table{Title: "sequences of 350 tokens in the place of 66 x 2048",
		Header: []string{"block", "blocks each", "unused tokens each", "sequences that fit"}}
	for i, size := range []int{1, usual, 256, longest} {
		count := func(v float64) string { return axioms.Count(v).String() }
		t.Rows = append(t.Rows, []string{count(float64(size)), count((average + unused[i]) / float64(size)), count(unused[i]), count(fit[i])})
	}
	r.AddTable(t)
	return nil
}
