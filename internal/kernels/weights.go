package kernels

import (
	"fmt"
	"runtime"
)

// Weights is a matrix packed for the path that was in use when it was packed.
type Weights struct {
	rows, cols int
	path       *path
	data       *Buffer // ceil(rows/width) panels, each [cols][width]
	release    runtime.Cleanup
	whole      *Weights // keeps the memory of a part
}

// Pack copies w, rows x cols in row order, into panels: so many rows of one column lie side by side, then those of the
// next column, so that the product reads the whole in one forward stream. Rows of zeros fill up the last panel.
//
// It is paid once, and takes several times a product with a batch of one; the first touch of the memory that it fills can take
// several times that again. It panics where rows or cols is negative and, as indexing does, where w is shorter than rows*cols.
func Pack(w []float32, rows, cols int) *Weights {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("kernels: weights of %d x %d", rows, cols))
	}
	w = w[:rows*cols]
	p := &Weights{rows: rows, cols: cols, path: active}
	width := p.path.width
	panels := (rows + width - 1) / width
	p.data = p.allocate(max(1, panels*width*cols))
	for n := range panels {
		first := n * width
		transpose(p.data.Data[first*cols:], w[first*cols:], min(width, rows-first), cols, cols, width)
	}
	return p
}

// allocate returns memory for n values that is given back when the weights are collected, or the collector's own where the
// system has no more to map.
func (p *Weights) allocate(n int) *Buffer {
	b, err := NewBuffer(n)
	if err != nil {
		return &Buffer{Data: make([]float32, n)}
	}
	p.release = runtime.AddCleanup(p, func(b *Buffer) { _ = b.Free() }, b)
	return b
}

// Free gives the memory back at once, instead of when the weights are collected. The weights can't be used any more.
func (p *Weights) Free() error {
	p.release.Stop()
	return p.data.Free()
}

// PartRows is what the edges of a part are multiples of: whole panels on every path.
const PartRows = 32

// Part returns the rows [from, to) as weights of their own in the same memory: freeing p ends them too. It panics where from, or to
// short of the last row, is no multiple of [PartRows], and as slicing does where they are out of range.
func (p *Weights) Part(from, to int) *Weights {
	if from%PartRows != 0 || to%PartRows != 0 && to != p.rows || from > to {
		panic(fmt.Sprintf("kernels: rows [%d, %d) of %d are no part", from, to, p.rows))
	}
	width := p.path.width
	last := (to + width - 1) / width * width
	data := p.data.Data[from*p.cols : last*p.cols : last*p.cols]
	return &Weights{rows: to - from, cols: p.cols, path: p.path, data: &Buffer{Data: data}, whole: p}
}

// Values returns the weights in the order in which a product reads them, with the zeros that fill up the last panel.
func (p *Weights) Values() []float32 { return p.data.Data }

// Size returns the number of bytes that a product reads of the weights, with the rows that fill up the last panel: 4 at least, and 0
// once they are freed.
func (p *Weights) Size() int64 { return 4 * int64(len(p.data.Data)) }

// Huge returns how many of those bytes lie in huge pages, or the error of [Buffer.Huge]. Of a part the kernel does not tell.
func (p *Weights) Huge() (int64, error) { return p.data.Huge() }

// transposeColumns is the number of columns turned at a time: one line of the cache from each row.
const transposeColumns = 16

// transpose copies k columns of rows that lie cols apart so that each column lies together, stride from the one before:
// dst[c*stride+r] = src[r*cols+c].
func transpose(dst, src []float32, rows, k, cols, stride int) {
	for from := 0; from < k; from += transposeColumns {
		n := min(transposeColumns, k-from)
		for r := range rows {
			in, out := src[r*cols+from:][:n], dst[from*stride+r:]
			for i, v := range in {
				out[i*stride] = v
			}
		}
	}
}
