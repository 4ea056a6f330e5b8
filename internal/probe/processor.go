package probe

import (
	"compress/flate"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"envelope/internal/kernels"
	"envelope/internal/measure"
)

// many is how many short operations make up one timed call. The call before it
// is not timed: other probes have had the caches meanwhile, and what is asked
// for is what code costs that runs all the time.
const many = 1000

//go:noinline
func callee(x uint64) uint64 { return x + 1 }

func functionCall(*bench) (probe, error) {
	var x uint64
	op := func() error {
		y := x // in a register: what the closure holds is in memory
		for range many {
			// Ten at a time: the compiler keeps the loop's counter on the stack across calls, and one round of it
			// takes longer than a call.
			y = callee(callee(callee(callee(callee(callee(callee(callee(callee(callee(y))))))))))
		}
		x = y
		return nil
	}
	return probe{
		method: "10,000 calls of a function that is not inlined, each waiting for the one before", n: 51,
		bounds: "code that is cut into small functions",
		arm:    measure.Arm{Before: op, Ops: 10 * many, Op: op},
	}, nil
}

// branchMiss times a walk over random bits and one over sorted ones: the same
// work, but half of the branches of the first can't be foretold. The bits are
// new each time: predictors of today remember tens of thousands. They come from
// a register: one that is loaded is known later, and that delay would count as
// part of the penalty.
func branchMiss(b *bench) (probe, error) {
	const n = 1 << 10 // words of 64 bits
	noise, sorted := make([]uint64, n), make([]uint64, n)
	for i := n / 2; i < n; i++ {
		sorted[i] = ^uint64(0)
	}
	fresh := func() error {
		for i := range noise {
			noise[i] = b.rng.Uint64()
		}
		return nil
	}
	hit := measure.Arm{Name: "branch-hit", Before: branches(sorted), Op: branches(sorted), Ops: 32 * n}
	return probe{
		method: "time over 65,536 random bits less that over sorted ones, for each of the half that is mispredicted", n: 51,
		bounds: "decisions on data that has no pattern",
		arm:    measure.Arm{Before: fresh, Op: branches(noise), Ops: 32 * n}, less: &hit,
	}, nil
}

// branches returns an operation that takes a branch or not for every bit. Both
// sides write to memory: a sum in a register would be computed without a branch.
func branches(words []uint64) func() error {
	tally := new([2]uint64)
	return func() error {
		for _, bits := range words {
			for range 64 {
				if bits&1 == 0 {
					tally[0]++
				} else {
					tally[1]++
				}
				bits >>= 1
			}
		}
		return nil
	}
}

// corePeak is about a millisecond of multiply-adds.
func corePeak(*bench) (probe, error) {
	per, _ := kernels.FMA(1, 1)
	rounds := max(1, int(2e8/per))
	var sink float32
	op := func() error {
		_, s := kernels.FMA(rounds, 1)
		sink += s
		return nil
	}
	return probe{
		method: fmt.Sprintf("fused multiply-adds of float32 in registers by one thread (%s)", kernels.Features()), n: 51,
		bounds: "matrix products", flops: int(per) * rounds,
		arm: measure.Arm{Before: op, Op: op},
	}, nil
}

func mutex(*bench) (probe, error) {
	var mu sync.Mutex
	op := func() error {
		for range many {
			mu.Lock()
			//lint:ignore SA2001 the empty section is what is timed
			mu.Unlock()
		}
		return nil
	}
	return probe{
		method: "1000 times lock and unlock of a sync.Mutex that nobody else wants", n: 51,
		bounds: "what is shared, even where nothing is contended",
		arm:    measure.Arm{Before: op, Ops: many, Op: op},
	}, nil
}

// perByte is a probe of what a transformation makes of a buffer that is in the
// caches.
func perByte(data []byte, method, bounds string, op func(p []byte) error) probe {
	do := func() error { return op(data) }
	return probe{method: method, bounds: bounds, bytes: len(data), n: 51, arm: measure.Arm{Before: do, Op: do}}
}

func crc32c(b *bench) (probe, error) {
	table := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	return perByte(random(b.rng, 256<<10), "CRC-32C of 256 KiB by hash/crc32", "checking records and pages", func(p []byte) error {
		sum = crc32.Update(sum, table, p)
		return nil
	}), nil
}

func sha256Sum(b *bench) (probe, error) {
	var sum byte
	return perByte(random(b.rng, 256<<10), "SHA-256 of 256 KiB by crypto/sha256", "identity by content", func(p []byte) error {
		s := sha256.Sum256(p)
		sum ^= s[0]
		return nil
	}), nil
}

// deflateFast compresses text that is made of a small vocabulary: noise would
// not compress, and a repeated line would compress away.
func deflateFast(b *bench) (probe, error) {
	words := make([][]byte, 500)
	for i := range words {
		words[i] = make([]byte, 2+b.rng.IntN(9))
		for j := range words[i] {
			words[i][j] = byte('a' + b.rng.IntN(26))
		}
	}
	text := make([]byte, 0, 256<<10)
	for len(text) < 256<<10 {
		// The smaller of two numbers: some words are much commoner.
		text = append(append(text, words[min(b.rng.IntN(500), b.rng.IntN(500))]...), ' ')
	}
	w, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	if err != nil {
		return probe{}, err
	}
	return perByte(text, "256 KiB of made-up words by compress/flate, fastest level", "sending less instead of sending faster", func(p []byte) error {
		w.Reset(io.Discard)
		if _, err := w.Write(p); err != nil {
			return err
		}
		return w.Close()
	}), nil
}
