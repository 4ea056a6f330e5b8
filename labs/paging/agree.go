package paging

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
)

// agree makes a million random operations on the allocator and on the plain
// reference. The pool is small for the sequences in it, so that blocks are
// evicted and refused all the time.
func agree(ctx context.Context, r *lab.Run) error {
	const each = 1000
	n := 1_000_000 / each
	if r.Full {
		n *= 20
	}
	t, err := newTrial(config{blocks: 144, size: 8, sequences: 48, seed: r.Seed,
		faults: faults{lateDrop: r.Sabotaged("refcount-after-the-copy")}})
	if err != nil {
		return err
	}
	rng := r.Rand("operations")
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		for range each {
			t.random(rng)
			// What comes after a difference would say nothing more.
			if t.off > 0 {
				break
			}
		}
		if t.off == 0 {
			t.inspect()
		}
		r.Observe(agrees, float64(t.off))
		if t.off > 0 {
			r.Note("The first difference from the reference: %s.", t.first)
			return nil
		}
	}
	// A run that never met one of them has not tried it.
	r.Observe(agrees, float64(t.unmet()))
	k := &t.m.kinds
	var met []string
	for _, e := range []kind{hit, merged, copied, evicted, refusedStart, refusedAppend} {
		met = append(met, fmt.Sprintf("%s %v", humanize.Comma(int64(k[e])), e))
	}
	r.Note("Of %s operations on %d blocks, among them %s, none came out otherwise than in the reference.",
		humanize.Comma(int64(n*each)), t.m.total, strings.Join(met, ", "))
	return nil
}

func (t *trial) random(rng *rand.Rand) {
	v := rng.Uint64()
	t.do(byte(v), uint16(v>>8), uint16(v>>24))
}

// unmet is how many kinds of events never occurred.
func (t *trial) unmet() (n int) {
	for _, times := range t.m.kinds {
		n += count(times == 0)
	}
	return n
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
