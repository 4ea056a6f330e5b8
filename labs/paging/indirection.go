package paging

import (
	"context"
	"math/rand/v2"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// The shape of what the timed arms read: a layer of a 7B model in float32. A
// block of keys has 16 x 32 x 128 x 4 B = 256 KiB, and its values as many. The
// pool has 128 MiB, more than the last-level cache of most machines; both arms
// read all of it, one sequence after another, so neither finds its next
// sequence in a nearer cache than the other does.
const (
	armHeads  = 32
	armSize   = 16  // tokens in a block
	armBlocks = 256 // in the pool
	armTable  = 8   // blocks of a sequence
)

// indirection hands over the two arms: attention over sequences that lie in one
// piece, and over sequences whose blocks a used allocator has dealt out.
func indirection(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("indirection")
	p := newPages(armBlocks, armSize, armHeads)
	fill(p.k, rng.Uint64)
	fill(p.v, rng.Uint64)
	tables, err := scattered(r.Rand("scattered"))
	if err != nil {
		return err
	}
	name, rows := "attention through tables of 256 KiB blocks", armSize*armHeads
	if r.Sabotaged("pieces-of-512-bytes") {
		name, rows = "attention through tables of 512 B pieces in random order", 1
		tables = dealt(rng.Perm(armBlocks*armSize*armHeads), armBlocks/armTable)
	}
	whole := len(p.k) / len(tables)
	direct, paged := newAttention(armHeads, armTable*armSize), newAttention(armHeads, armTable*armSize)
	fill(direct.q, rng.Uint64)
	copy(paged.q, direct.q)
	turnA, turnB := 0, 0
	return r.Compare(ctx, []lab.Pair{{
		Claim: nearlyFree,
		A: measure.Arm{Name: name, Op: func() error {
			paged.through(p, tables[turnA%len(tables)], rows, armTable*armSize)
			turnA++
			return nil
		}},
		B: measure.Arm{Name: "attention over one piece of memory", Op: func() error {
			at := turnB % len(tables) * whole
			direct.contiguous(p.k[at:at+whole], p.v[at:at+whole])
			turnB++
			return nil
		}},
	}})
}

// scattered returns tables that cover the pool, from an allocator that has been
// in use: sequences grow in turn, are released in random order, and others grow
// in what they left.
func scattered(rng *rand.Rand) ([][]int32, error) {
	const n = armBlocks / armTable
	a, err := newAllocator(config{blocks: armBlocks, size: armSize, sequences: n, faults: faults{noSharing: true}})
	if err != nil {
		return nil, err
	}
	live := make([]handle, n)
	for generation := range 3 {
		for _, i := range rng.Perm(n) {
			if generation == 0 {
				continue
			}
			if err := a.release(live[i]); err != nil {
				return nil, err
			}
		}
		if err := grow(a, live, rng); err != nil {
			return nil, err
		}
	}
	tables := make([][]int32, n)
	for i, h := range live {
		tables[i] = a.find(h).table
	}
	return tables, nil
}

// grow fills live with new sequences of armTable blocks, each a token at a time
// in changing order.
func grow(a *allocator, live []handle, rng *rand.Rand) (err error) {
	for i := range live {
		if live[i], err = a.start(nil); err != nil {
			return err
		}
	}
	for range armTable * armSize {
		for _, i := range rng.Perm(len(live)) {
			if err := a.append(live[i], 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// dealt cuts numbers into n tables of equal length.
func dealt(numbers []int, n int) [][]int32 {
	tables := make([][]int32, n)
	for i, v := range numbers {
		at := i * n / len(numbers)
		tables[at] = append(tables[at], int32(v))
	}
	return tables
}
