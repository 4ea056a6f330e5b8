package ridge

import (
	"fmt"
	"math"
	"math/rand/v2"

	"envelope/internal/host"
	"envelope/internal/kernels"
	"envelope/internal/lab"
)

const (
	cols  = 4096
	tall  = 1024      // rows of a slice where memory decides: a quarter of 4096 x 4096
	short = 512       // rows of a slice where arithmetic decides
	most  = 256       // rows of a batch
	limit = 768 << 20 // bytes that the rings may take
)

// ring is slices of weights that are used one after another.
type ring struct {
	slices []*kernels.Weights
	rows   int
	next   int
}

func (r *ring) take() *kernels.Weights {
	w := r.slices[r.next]
	r.next = (r.next + 1) % len(r.slices)
	return w
}

// bytes is what one product reads of the weights.
func (r *ring) bytes() float64 { return float64(r.rows * cols * 4) }

// flops is what one product with so many rows of x takes.
func (r *ring) flops(batch int) int { return 2 * r.rows * cols * batch }

// bench is the memory that all devices share.
type bench struct {
	*lab.Run
	tall, short         *ring
	tallPart, shortPart *ring // an eighth of tall and short, for a control
	read                *kernels.Buffer
	at                  int // in read, where the next stretch begins
	x                   []float32
	y                   []float32
	source              []float32 // the first slice unpacked: what products are checked against
}

// lastLevel returns the bytes of the last-level caches of all processors, 0
// where that is not known.
func lastLevel(cpu host.CPU) uint64 {
	caches, _ := cpu.Caches.Get()
	logical, _ := cpu.Logical.Get()
	var size uint64
	level := 0
	for _, c := range caches {
		if c.Type == "Instruction" || c.Level < level {
			continue
		}
		level = c.Level
		size = c.Size
		if c.SharedBy > 0 && logical > c.SharedBy {
			size *= uint64((logical + c.SharedBy - 1) / c.SharedBy)
		}
	}
	return size
}

// ringBytes is how much memory each of the two rings takes: four times the
// last-level cache, or why that can't be had.
func ringBytes(cpu host.CPU, memory host.Memory) (int, string) {
	last := lastLevel(cpu)
	if last == 0 {
		return 0, "the size of the last-level cache is unknown, so nothing can be said to lie in memory"
	}
	size := max(4*last, 64<<20)
	if 2*size > limit {
		return 0, fmt.Sprintf("four times the last-level cache (%d MiB), for weights and for reading, is over %d MiB", last>>20, limit>>20)
	}
	if allowed, ok := memory.Limit.Get(); ok && 4*size > allowed {
		return 0, fmt.Sprintf("the rings need %d MiB, over half of the memory allowed", 2*size>>20)
	}
	return int(size), ""
}

// newBench fills the rings with random weights.
func newBench(r *lab.Run, size int) (*bench, error) {
	b := &bench{Run: r, x: make([]float32, most*cols), y: make([]float32, most*tall)}
	rng := r.Rand("weights")
	fill(rng, b.x)
	b.source = make([]float32, tall*cols)
	fill(rng, b.source)
	b.tall = b.ring(rng, tall, size/(tall*cols*4))
	b.short = b.ring(rng, short, 8)
	if r.Sabotaged("most-skipped") { // of as many bytes in all, or they would fit a cache
		b.tallPart, b.shortPart = b.ring(rng, tall/8, 8*size/(tall*cols*4)), b.ring(rng, short/8, 64)
	}
	var err error
	if b.read, err = kernels.NewBuffer(size / 4); err != nil {
		b.free()
		return nil, err
	}
	for off := 0; off < len(b.read.Data); off += len(b.source) {
		copy(b.read.Data[off:], b.source)
	}
	return b, nil
}

// ring packs n slices. The first is the source itself; the others are the
// source with its values shifted, which no processor can tell from new ones.
func (b *bench) ring(rng *rand.Rand, rows, n int) *ring {
	out := &ring{rows: rows}
	shifted := make([]float32, rows*cols)
	for i := range n {
		shift := 0
		if i > 0 {
			shift = rng.IntN(len(b.source))
		}
		for j := range shifted {
			shifted[j] = b.source[(j+shift)%len(b.source)]
		}
		out.slices = append(out.slices, kernels.Pack(shifted, rows, cols))
	}
	return out
}

func fill(rng *rand.Rand, v []float32) {
	for i := range v {
		v[i] = rng.Float32()*2 - 1
	}
}

func (b *bench) free() {
	for _, r := range []*ring{b.tall, b.short, b.tallPart, b.shortPart} {
		if r == nil {
			continue
		}
		for _, w := range r.slices {
			w.Free()
		}
	}
	if b.read != nil {
		b.read.Free()
	}
}

// stretch returns the next part of the reading ring, as many bytes as a tall
// slice has.
func (b *bench) stretch() []float32 {
	const n = tall * cols
	s := b.read.Data[b.at : b.at+n]
	b.at = (b.at + n) % (len(b.read.Data) / n * n)
	return s
}

// ringFor returns the slices that a batch is multiplied by.
func (b *bench) ringFor(batch int) *ring {
	if batch >= 64 {
		return b.short
	}
	return b.tall
}

// check multiplies by the first slice and holds some of the products against
// float64.
func (b *bench) check(batch, threads int) error {
	b.tall.slices[0].Mul(b.y, b.x, batch, threads)
	rng := b.Rand(fmt.Sprint("check", batch))
	for range 64 {
		row, col := rng.IntN(batch), rng.IntN(tall)
		var want, scale float64
		for c := range cols {
			p := float64(b.x[row*cols+c]) * float64(b.source[col*cols+c])
			want += p
			scale += math.Abs(p)
		}
		if got := float64(b.y[row*tall+col]); !(math.Abs(got-want) <= 1e-5*scale) {
			return fmt.Errorf("the product is wrong: batch %d, row %d, column %d: got %g, want %g", batch, row, col, got, want)
		}
	}
	return nil
}
