package probe

import (
	"fmt"
	"math/rand/v2"
	"unsafe"

	"envelope/internal/host"
	"envelope/internal/kernels"
	"envelope/internal/measure"
)

// line is the distance between two nodes of a chase: a cache line of all
// processors here, and half of one on some.
const line = 64

// node is one stop of a pointer chase, alone in its cache line.
type node struct {
	next *node
	_    [line - unsafe.Sizeof(uintptr(0))]byte
}

// ring links the nodes into one cycle in random order, so that no prefetcher
// can foretell the next. An order that is dealt anew for every stop in turn
// would fall into many small cycles, some of which fit a nearer cache.
func ring(rng *rand.Rand, nodes []node) {
	order := make([]int32, len(nodes))
	for i := range order {
		order[i] = int32(i)
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for i := range order {
		nodes[order[i]].next = &nodes[order[(i+1)%len(order)]]
	}
}

// size returns the size in bytes of the data cache of a level, 0 where it is
// not known.
func size(caches []host.Cache, level int) uint64 {
	for _, c := range caches {
		if c.Level == level && c.Type != "Instruction" {
			return c.Size
		}
	}
	return 0
}

const (
	mostRing  = 128 << 20
	leastRing = 64 << 20 // of memory
	huge      = 2 << 20  // a page, where pages are large: a buffer of less gets none
)

// ringSize chooses the ring of a cache level. The first two belong to the core
// alone, and half of one leaves room for whatever else runs. The third is
// shared, and a virtual machine may be given a small part of what it is told of
// (4 of 32 MiB were seen), so its ring is the shortest that the second doesn't
// hold. Level 0 is memory: so many lines that each is met once in all samples,
// and other probes' data have come through the caches since.
func ringSize(caches []host.Cache, level int) (bytes uint64, where string, err error) {
	own := size(caches, level)
	second := size(caches, 2)
	switch {
	case level == 0:
		last := max(size(caches, 3), second)
		bytes, where = min(max(4*last, leastRing), mostRing), "far past the last cache"
		if bytes < 2*last {
			where = fmt.Sprintf("part of which the last cache of %s may hold", sizeText(last))
		}
	case own == 0:
		return 0, "", fmt.Errorf("this machine tells of no level %d cache", level)
	case level == 3 && second > 0 && 2*second <= own:
		bytes, where = 2*second, fmt.Sprintf("twice the level 2 cache, in the level 3 cache of %s", sizeText(own))
	default:
		bytes, where = own/2, fmt.Sprintf("half of the level %d cache", level)
	}
	return min(bytes, mostRing), where, nil
}

// chase makes a probe of loads that depend on each other, for memory where the
// level is 0.
func chase(level int) func(b *bench) (probe, error) {
	return func(b *bench) (probe, error) {
		bytes, where, err := ringSize(b.caches, level)
		if err != nil {
			return probe{}, err
		}
		// Huge pages, where they are to be had: it is the cache that is
		// asked for, not the search for the page.
		memory, err := kernels.NewBuffer(int(bytes+huge-1) / huge * huge / 4)
		if err != nil {
			return probe{}, err
		}
		nodes := unsafe.Slice((*node)(unsafe.Pointer(&memory.Data[0])), bytes/line)
		ring(b.rng, nodes)
		at := &nodes[0]
		walk := func(n int) {
			p := at
			for range n {
				p = p.next
			}
			at = p
		}
		p := probe{
			method: fmt.Sprintf("loads that depend on each other, in random order over %s, %s%s", sizeText(bytes), where, pagesOf(memory)), n: 51,
			bounds: "lists, trees and hash tables of that size", ring: int(bytes),
			close: func() { memory.Free() },
		}
		const steps = 20_000
		p.arm = measure.Arm{Ops: steps, Op: func() error { walk(steps); return nil }}
		if level > 0 { // in memory there is nothing to warm: every load is meant to miss
			p.arm.Before = func() error { walk(2 * len(nodes)); return nil }
		}
		return p, nil
	}
}

func sizeText(n uint64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}
