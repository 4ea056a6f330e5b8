package probe

import (
	"fmt"
	"math/rand/v2"
	"unsafe"

	"golang.org/x/sys/unix"

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

// ring links n nodes into one cycle in random order (Sattolo's algorithm), so
// that no prefetcher can foretell the next.
func ring(rng *rand.Rand, n int) []node {
	nodes := make([]node, n)
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := rng.IntN(i)
		order[i], order[j] = order[j], order[i]
	}
	for i := range order {
		nodes[order[i]].next = &nodes[order[(i+1)%n]]
	}
	return nodes
}

// cacheSize returns the size in bytes of the data cache of a level, 0 where it
// is not known.
func cacheSize(level int) uint64 {
	caches, _ := host.Here(".").CPU.Caches.Get()
	for _, c := range caches {
		if c.Level == level && c.Type != "Instruction" {
			return c.Size
		}
	}
	return 0
}

// chase makes a probe of dependent loads from a ring of half the size of a
// cache level, or, for level 0, four times the size of the last one.
func chase(name string, level int) func(b *bench) (probe, error) {
	return func(b *bench) (probe, error) {
		size, where := uint64(0), fmt.Sprintf("half of the level %d cache", level)
		switch last := max(cacheSize(3), cacheSize(2)); {
		case level == 0:
			size, where = min(max(4*last, 64<<20), 128<<20), "far past the last cache"
		case cacheSize(level) == 0:
			return probe{}, fmt.Errorf("this machine tells of no level %d cache", level)
		default:
			size = cacheSize(level) / 2
		}
		size = min(size, 128<<20)
		nodes := ring(b.rng, int(size/line))
		at := &nodes[0]
		steps := 20_000
		walk := func(n int) {
			p := at
			for range n {
				p = p.next
			}
			at = p
		}
		before := func() error { walk(min(len(nodes), 1<<18)); return nil }
		if level == 0 {
			before = nil // nothing to warm: every load is meant to miss
		}
		return probe{
			method: fmt.Sprintf("loads that depend on each other, in random order over %s, %s", sizeText(size), where), n: 15,
			bounds: "lists, trees and hash tables of that size",
			arm:    measure.Arm{Before: before, Ops: steps, Op: func() error { walk(steps); return nil }},
		}, nil
	}
}

func sizeText(n uint64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// read makes a probe of one thread's sequential reading.
func read(name string, size int) func(b *bench) (probe, error) {
	return func(b *bench) (probe, error) {
		buf := make([]float32, size/4)
		for i := range buf {
			buf[i] = b.rng.Float32()
		}
		var sink float32
		op := func() error { sink += kernels.Read(buf, 1); return nil }
		return probe{
			method: fmt.Sprintf("sum over %s by one thread (%s)", sizeText(uint64(size)), kernels.Features()), n: 15,
			bounds: "scans, sums and searches", bytes: size,
			arm: measure.Arm{Before: warmIf(size == hot, op), Op: op},
		}, nil
	}
}

// warmIf is op as an untimed step ahead of each sample, where the data fit a
// cache that the other probes have used meanwhile.
func warmIf(fits bool, op func() error) func() error {
	if fits {
		return op
	}
	return nil
}

// write makes a probe of sequential writing: one 4 KiB page, which stays in the
// first cache, copied over and over into the buffer.
func write(name string, size int) func(b *bench) (probe, error) {
	return func(b *bench) (probe, error) {
		page := random(b.rng, 4096)
		buf := make([]byte, size)
		op := func() error {
			for off := 0; off < len(buf); off += len(page) {
				copy(buf[off:], page)
			}
			return nil
		}
		if err := op(); err != nil { // the first time pays for page faults
			return probe{}, err
		}
		return probe{
			method: fmt.Sprintf("one warm page of 4 KiB copied over %s", sizeText(uint64(size))), n: 15,
			bounds: "results, logs and buffers", bytes: size,
			arm: measure.Arm{Before: warmIf(size == hot, op), Op: op},
		}, nil
	}
}

// randomRead reads whole cache lines at random places that don't depend on each
// other: as many as the processor can have under way.
func randomRead(b *bench) (probe, error) {
	const count = 20_000
	data := make([][line / 8]uint64, cold/line)
	for i := range data {
		data[i][0] = b.rng.Uint64()
	}
	at := make([]uint32, count)
	for i := range at {
		at[i] = uint32(b.rng.IntN(len(data)))
	}
	var sink uint64
	shift := uint32(0)
	return probe{
		method: "64 B at random places of 64 MiB, independent of each other", n: 15,
		bounds: "index look-ups of many keys at once", bytes: count * line,
		arm: measure.Arm{
			Before: func() error { shift += 104_729; return nil }, // other lines each time: a prime, past any cache's reach
			Op: func() error {
				for _, i := range at {
					l := &data[(i+shift)%uint32(len(data))]
					sink += l[0] ^ l[7]
				}
				return nil
			},
		},
	}, nil
}

// pageFault touches pages that the kernel has promised, but not given yet.
func pageFault(*bench) (probe, error) {
	const pages = 1024
	page := unix.Getpagesize()
	var mem []byte
	drop := func() {
		if mem != nil {
			unix.Munmap(mem)
			mem = nil
		}
	}
	return probe{
		method: "first write to each page of a new private mapping, huge pages off", n: 15,
		bounds: "memory that is used for the first time",
		close:  drop,
		arm: measure.Arm{
			Ops: pages,
			Before: func() (err error) {
				drop()
				mem, err = unix.Mmap(-1, 0, pages*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
				if err == nil {
					smallPages(mem)
				}
				return err
			},
			Op: func() error {
				for i := 0; i < len(mem); i += page {
					mem[i] = 1
				}
				return nil
			},
		},
	}, nil
}
