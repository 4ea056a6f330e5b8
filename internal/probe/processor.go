package probe

import (
	"compress/flate"
	"crypto/sha256"
	"hash/crc32"
	"io"
	"sync"

	"envelope/internal/measure"
)

// many is how many short operations make up one timed call.
const many = 1000

//go:noinline
func callee(x uint64) uint64 { return x + 1 }

func functionCall(*bench) (probe, error) {
	var x uint64
	return probe{
		method: "1000 calls of a function that is not inlined, each waiting for the one before", n: 31,
		bounds: "code that is cut into small functions",
		arm: measure.Arm{Repeat: true, Ops: many, Op: func() error {
			for range many {
				x = callee(x)
			}
			return nil
		}},
	}, nil
}

// branchMiss times a walk over random bits and one over sorted ones: the same
// work, but half of the branches of the first can't be foretold.
func branchMiss(b *bench) (probe, error) {
	const n = 1 << 16
	noise, sorted := make([]byte, n), make([]byte, n)
	for i := range noise {
		noise[i] = byte(b.rng.Uint32() & 1)
		if i >= n/2 {
			sorted[i] = 1
		}
	}
	var even, odd uint64
	walk := func(bits []byte) func() error {
		return func() error {
			for _, bit := range bits {
				if bit == 0 {
					even = callee(even)
				} else {
					odd = callee(odd)
				}
			}
			return nil
		}
	}
	sort := measure.Arm{Name: "branch-hit", Before: walk(sorted), Op: walk(sorted), Ops: n / 2}
	return probe{
		method: "time over 65,536 random bits less that over sorted ones, for each of the half that is mispredicted", n: 31,
		bounds: "decisions on data that has no pattern",
		arm:    measure.Arm{Before: walk(noise), Op: walk(noise), Ops: n / 2}, less: &sort,
	}, nil
}

func mutex(*bench) (probe, error) {
	var mu sync.Mutex
	return probe{
		method: "lock and unlock of a sync.Mutex that nobody else wants", n: 31,
		bounds: "what is shared, even where nothing is contended",
		arm: measure.Arm{Repeat: true, Ops: many, Op: func() error {
			for range many {
				mu.Lock()
				//lint:ignore SA2001 the empty section is what is timed
				mu.Unlock()
			}
			return nil
		}},
	}, nil
}

// perByte is a probe of what a transformation makes of a buffer that is in the
// caches.
func perByte(data []byte, method, bounds string, op func(p []byte) error) probe {
	do := func() error { return op(data) }
	return probe{method: method, bounds: bounds, bytes: len(data), n: 21, arm: measure.Arm{Before: do, Op: do}}
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
