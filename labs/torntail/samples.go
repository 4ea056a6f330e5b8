package torntail

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// perAlterations is what the 16-bit check's acceptances are counted per.
const perAlterations = 1 << 25

// shares is how many parts random trials are dealt out in. Each has random
// numbers of its own, so the sum doesn't depend on how many processors there
// are, and an interrupt waits for one part only.
const shares = 64

// split runs the shares on all processors and returns their results in order.
func split[T any](ctx context.Context, rng *rand.Rand, share func(*rand.PCG) T) ([]T, error) {
	results, sources := make([]T, shares), make([]*rand.PCG, shares)
	for i := range sources {
		sources[i] = rand.NewPCG(rng.Uint64(), rng.Uint64())
	}
	var wait sync.WaitGroup
	work := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range work {
				results[i] = share(sources[i])
			}
		})
	}
	for i := 0; i < shares && ctx.Err() == nil; i++ {
		work <- i
	}
	close(work)
	wait.Wait()
	return results, ctx.Err()
}

// accepted counts what two checks let through of the same trials.
type accepted struct {
	weak, strong int
	saved        int // accepted by the weak one and refused by the strong one
}

func (a *accepted) add(weak, strong bool) {
	a.weak += count(weak)
	a.strong += count(strong)
	a.saved += count(weak && !strong)
}

func sum(parts []accepted) (total accepted) {
	for _, p := range parts {
		total.weak += p.weak
		total.strong += p.strong
		total.saved += p.saved
	}
	return total
}

// atMost returns the trials that only the weak check accepted, and none where
// the strong one accepted more than the given number: so that one count carries
// both halves of a claim. A share could not: a handful of acceptances among
// many trials would leave it where it was.
func (a accepted) atMost(strong int) int {
	if a.strong > strong {
		return 0
	}
	return a.saved
}

// staleTails cuts payloads short over the payload of an older record in the
// same block, in memory. The header is whole, so all that framing looks at is
// there. Tails that happen to equal the lost bytes are drawn again.
func staleTails(ctx context.Context, r *lab.Run) error {
	per := 3200
	if r.Full {
		per *= 100
	}
	ours, framing := faults{framing: r.Sabotaged("crc-off")}, faults{framing: true}
	rng := r.Rand("stale-tails")
	pool := randomBytes(rng, 1<<16)
	parts, err := split(ctx, rng, func(src *rand.PCG) (a accepted) {
		rng, block := rand.New(src), make([]byte, 0, 2048)
		for i := range per {
			block = staleTail(block[:0], pool, uint64(i), rng)
			_, weak := framing.record(block, uint64(i))
			_, strong := ours.record(block, uint64(i))
			a.add(weak, strong)
		}
		return a
	})
	if err != nil {
		return err
	}
	total, n := sum(parts), per*shares
	r.Trials("stale-tail-fools-framing", total.atMost(0), n)
	framed := make([]float64, len(parts))
	for i, p := range parts {
		framed[i] = float64(p.weak) / float64(per)
	}
	r.AddSeries(lab.Series{Name: "stale-tails-framed", Text: "share of stale tails that pass for whole by their framing",
		Unit: "1", Samples: framed, Conditions: -1})
	noteStale(r, total, n)
	return nil
}

// staleTail makes one such record of up to 1,000 bytes, new and old payload
// from anywhere in the pool.
func staleTail(block, pool []byte, seq uint64, rng *rand.Rand) []byte {
	for {
		n := 1 + rng.IntN(1000)
		cut := rng.IntN(n)
		payload, old := pool[rng.IntN(len(pool)-n):][:n], pool[rng.IntN(len(pool)-n):][:n]
		if bytes.Equal(payload[cut:], old[cut:]) {
			continue
		}
		block = faults{}.appendRecord(block, seq, payload)
		copy(block[headerSize+cut:], old[cut:])
		return block
	}
}

// sixteenBits alters a message of 8 bytes at random, by patterns that are all
// equally likely, and puts every altered message through both checks. A longer
// message would change nothing but the time: over all patterns of n bits or
// more, a check of n bits takes each of its values equally often.
func sixteenBits(ctx context.Context, r *lab.Run) error {
	// Twice as many as the claim counts per: with 2^25 the interval leaves the
	// region in 1 run of 300 by chance, with 2^26 in 1 of 800,000.
	n := 2 * perAlterations
	if r.Full {
		n *= 2
	}
	rng, same := r.Rand("alterations"), r.Sabotaged("sixteen-for-thirty-two")
	message := rng.Uint64()
	parts, err := split(ctx, rng, func(src *rand.PCG) accepted {
		return alter(src, message, n/shares, same)
	})
	if err != nil {
		return err
	}
	total := sum(parts)
	r.Trials("sixteen-bits-is-not-enough", total.atMost(1), n)
	noteSixteen(r, total, n)
	return nil
}

// alter makes n alterations of a message. With same set the 16-bit check stands
// for the 32-bit one. It is exempt from the race detector, which would make its
// half a billion look-ups the longest part of all tests: it writes to
// nothing that it did not make.
//
//go:norace
func alter(src *rand.PCG, message uint64, n int, same bool) (a accepted) {
	t := slicedTable()
	sound := bothOf(binary.BigEndian.AppendUint64(nil, message))
	for range n {
		change := src.Uint64()
		if change == 0 {
			change = 1 // to leave the message as it is would be no alteration
		}
		m := message ^ change
		differ := sound ^ t[0][m>>56] ^ t[1][byte(m>>48)] ^ t[2][byte(m>>40)] ^ t[3][byte(m>>32)] ^
			t[4][byte(m>>24)] ^ t[5][byte(m>>16)] ^ t[6][byte(m>>8)] ^ t[7][byte(m)]
		passes16, passes32 := differ>>32 == 0, uint32(differ) == 0
		if same {
			passes32 = passes16
		}
		if passes16 || passes32 {
			a.add(passes16, passes32)
		}
	}
	return a
}

func noteStale(r *lab.Run, total accepted, n int) {
	if total.strong > 0 {
		return
	}
	r.Note("Of %s payloads cut short over an older record, framing took %s for whole and CRC-32C none: with 95 %% confidence it takes at most 1 in %s.",
		grouped(n), grouped(total.weak), grouped(int(math.Round(1/measure.ZeroFailureBound(n)))))
}

func noteSixteen(r *lab.Run, total accepted, n int) {
	if total.weak == 0 {
		return
	}
	r.Note("Of %s altered messages the 16-bit check took %s for sound, one in %s; CRC-32C took %s.",
		grouped(n), grouped(total.weak), grouped(n/total.weak), grouped(total.strong))
}

// grouped writes a count for people.
func grouped(n int) string { return humanize.Comma(int64(n)) }
