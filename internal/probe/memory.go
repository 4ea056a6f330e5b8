package probe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"envelope/internal/host"
	"envelope/internal/kernels"
	"envelope/internal/measure"
)

// arena is the memory that the large probes share: two halves of cold bytes,
// full of ordinary float32 numbers.
type arena struct {
	buffer *kernels.Buffer
	bytes  []byte
	caches []host.Cache // none where they are not known
}

// newArena fills an arena. One stretch of noise is repeated: making a hundred
// million random bytes would take longer than all samples, and no memory here
// compresses.
func newArena(rng *rand.Rand) (*arena, error) {
	buffer, err := kernels.NewBuffer(2 * cold / 4)
	if err != nil {
		return nil, err
	}
	noise := buffer.Data[:chunk/4]
	for i := range noise {
		noise[i] = rng.Float32()
	}
	for done := len(noise); done < len(buffer.Data); done *= 2 {
		copy(buffer.Data[done:], buffer.Data[:done])
	}
	a := &arena{buffer: buffer, bytes: unsafe.Slice((*byte)(unsafe.Pointer(&buffer.Data[0])), 2*cold)}
	a.caches, _ = host.Here(".").CPU.Caches.Get()
	return a, nil
}

func (a *arena) free() { a.buffer.Free() }

// line returns a line to overwrite the arena with: its numbers are ordinary
// ones, since the reading probes add them up.
func (a *arena) line() *[line]byte { return (*[line]byte)(slices.Clone(a.bytes[:line])) }

// notes says in what pages the arena lies, and whether its being twice cold is too little for what is asked of it.
func (a *arena) notes() string {
	text := pagesOf(a.buffer)
	if last := max(size(a.caches, 3), size(a.caches, 2)); last >= cold {
		text += fmt.Sprintf(", much of which the last cache of %s may hold", sizeText(last))
	}
	return text
}

// pagesOf says what pages a buffer lies in, where the kernel tells.
func pagesOf(b *kernels.Buffer) string {
	huge, err := b.Huge()
	switch {
	case err != nil:
		return ""
	case huge >= int64(len(b.Data))*4*9/10:
		return ", in huge pages"
	}
	return ", in small pages"
}

// Within a cache one pass is too short to be timed alone.
const (
	near   = 256 << 10 // a buffer that the second cache of its own core holds, or nearly
	passes = 16        // over it in one timed call
)

func cacheRead(b *bench) (probe, error) {
	buf := b.arena.buffer.Data[:near/4]
	var sink float32
	op := func() error {
		for range passes {
			sink += kernels.Read(buf, 1)
		}
		return nil
	}
	return probe{
		method: fmt.Sprintf("sum over 256 KiB again and again by one thread (%s)", kernels.Features()), n: 51,
		bounds: "scans, sums and searches of what was used just before", bytes: near,
		arm: measure.Arm{Before: op, Ops: passes, Op: op},
	}, nil
}

func dramRead(b *bench) (probe, error) {
	var sink float32
	return probe{
		method: fmt.Sprintf("sum over 128 MiB by one thread (%s)%s", kernels.Features(), b.arena.notes()), n: 31,
		bounds: "scans, sums and searches", bytes: 2 * cold,
		arm: measure.Arm{Op: func() error { sink += kernels.Read(b.arena.buffer.Data, 1); return nil }},
	}, nil
}

func cacheWrite(b *bench) (probe, error) {
	with, buf, way := b.arena.line(), b.arena.bytes[cold:cold+near], stores()[0]
	op := func() error {
		for range passes {
			way.over(buf, with)
		}
		return nil
	}
	return probe{
		method: "256 KiB overwritten again and again, " + way.text, n: 51,
		bounds: "results and buffers that are read again at once", bytes: near,
		arm: measure.Arm{Before: op, Ops: passes, Op: op},
	}, nil
}

func dramWrite(b *bench) (probe, error) {
	with, way := b.arena.line(), stores()[0]
	return probe{
		method: "128 MiB overwritten, " + way.text + b.arena.notes(), n: 31,
		bounds: "results, logs and buffers", bytes: 2 * cold,
		arm: measure.Arm{Op: func() error { way.over(b.arena.bytes, with); return nil }},
	}, nil
}

// randomRead reads whole cache lines at random places that don't depend on each
// other: as many as the processor can have under way.
func randomRead(b *bench) (probe, error) {
	const count = 20_000
	const mask = 2*cold/line - 1
	data := unsafe.Slice((*[line / 8]uint64)(unsafe.Pointer(&b.arena.bytes[0])), 2*cold/line)
	at := make([]uint32, count)
	var sink uint64
	return probe{
		method: "64 B at random places of 128 MiB, independent of each other" + b.arena.notes(), n: 51,
		bounds: "index look-ups of many keys at once", bytes: line,
		arm: measure.Arm{
			Ops: count,
			Before: func() error { // other lines each time
				for i := range at {
					at[i] = b.rng.Uint32()
				}
				return nil
			},
			Op: func() error {
				var sum uint64
				for _, i := range at {
					l := &data[i&mask]
					sum += l[0] ^ l[7]
				}
				sink += sum
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
		method: "first write to each page of a new private mapping, huge pages off", n: 51,
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
