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
	most  = 256       // rows of a batch
	text  = 512       // rows of a prompt that is read at once
	limit = 768 << 20 // bytes that the ring may take
	spare = 256 << 20 // bytes that everything else takes, at most
)

// tallRows is the number of rows of weights in a product where memory decides: a quarter of 4096 x 4096, or all of it where
// there are so many threads that a quarter would be over before the last of them has begun.
func tallRows(threads int) int {
	if threads > 16 {
		return 4096
	}
	return 1024
}

// shortRows is the same where arithmetic decides: fewer, to keep a call short, but work for every thread.
func shortRows(threads int) int {
	rows := 512
	for rows < 64*threads && rows < 4096 {
		rows *= 2
	}
	return rows
}

// bench is the memory that all devices share: a ring of weights. Whatever reads weights takes the next ones, so that none of it
// finds its own or another's in a cache.
type bench struct {
	*lab.Run
	whole  []*kernels.Weights
	height int // rows of each
	at     int // the first row that is due, counted over all
	x, y   []float32
	source []float32 // the first rows unpacked: what products are checked against
}

// ring is the weights in parts of so many rows.
type ring struct {
	*bench
	rows  int
	parts []*kernels.Weights
}

// ring cuts the weights.
func (b *bench) ring(rows int) *ring {
	r := &ring{bench: b, rows: rows}
	for _, w := range b.whole {
		for from := 0; from < b.height; from += rows {
			r.parts = append(r.parts, w.Part(from, from+rows))
		}
	}
	return r
}

// take returns the next part that begins where the last one of whatever size ended, or behind it.
func (r *ring) take() *kernels.Weights {
	next := (r.at + r.rows - 1) / r.rows % len(r.parts)
	r.at = (next + 1) * r.rows
	return r.parts[next]
}

// bytes is what one product reads of the weights.
func (r *ring) bytes() float64 { return float64(r.rows * cols * 4) }

// flops is what one product with so many rows of x takes.
func (r *ring) flops(batch int) int { return 2 * r.rows * cols * batch }

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

// ringBytes is how much memory the ring takes: four times the last-level cache, or why that can't be had.
func ringBytes(cpu host.CPU, memory host.Memory) (int, string) {
	last := lastLevel(cpu)
	if last == 0 {
		return 0, "the size of the last-level cache is unknown, so nothing can be said to lie in memory"
	}
	size := max(4*last, 64<<20)
	if size > limit {
		return 0, fmt.Sprintf("four times the last-level cache (%d MiB) is over %d MiB", last>>20, limit>>20)
	}
	if allowed, ok := memory.Limit.Get(); ok && size+spare > allowed {
		return 0, fmt.Sprintf("the weights and all else need %d MiB, and %d MiB of memory are allowed", (size+spare)>>20, allowed>>20)
	}
	return int(size), ""
}

// newBench fills the ring with random weights. The first begin with the source itself; the others are the source with its values
// shifted, which no processor can tell from new ones.
func newBench(r *lab.Run, size int) *bench {
	b := &bench{Run: r, height: tallRows(kernels.Threads()), x: make([]float32, text*cols)}
	b.y = make([]float32, text*b.height)
	rng := r.Rand("weights")
	fill(rng, b.x)
	b.source = make([]float32, 1024*cols)
	fill(rng, b.source)
	shifted := make([]float32, b.height*cols)
	for n := range max(2, size/(4*len(shifted))) {
		shift := 0
		if n > 0 {
			shift = rng.IntN(len(b.source))
		}
		for j := range shifted {
			shifted[j] = b.source[(j+shift)%len(b.source)]
		}
		b.whole = append(b.whole, kernels.Pack(shifted, b.height, cols))
	}
	return b
}

func fill(rng *rand.Rand, v []float32) {
	for i := range v {
		v[i] = rng.Float32()*2 - 1
	}
}

func (b *bench) free() {
	for _, w := range b.whole {
		w.Free()
	}
}

// memory says how much of the weights lies in huge pages, or that nothing is known of it: the difference is a fifth.
func (b *bench) memory() string {
	var huge, size int64
	for _, w := range b.whole {
		n, err := w.Huge()
		if err != nil {
			return "unknown how much of it in huge pages"
		}
		huge, size = huge+n, size+w.Size()
	}
	return fmt.Sprintf("%d of %d MiB in huge pages", huge>>20, size>>20)
}

// check multiplies by the first part of a ring and holds some of the products against float64.
func (b *bench) check(r *ring, batch, threads int) error {
	r.parts[0].Mul(b.y, b.x, batch, threads)
	rng := b.Rand(fmt.Sprint("check", r.rows, batch, threads))
	for range 64 {
		row, col := rng.IntN(batch), rng.IntN(min(r.rows, len(b.source)/cols))
		var want, scale float64
		for c := range cols {
			p := float64(b.x[row*cols+c]) * float64(b.source[col*cols+c])
			want += p
			scale += math.Abs(p)
		}
		if got := float64(b.y[row*r.rows+col]); !(math.Abs(got-want) <= 1e-5*scale) {
			return fmt.Errorf("the product is wrong: batch %d, row %d, column %d, %d threads: got %g, want %g", batch, row, col, threads, got, want)
		}
	}
	return nil
}
