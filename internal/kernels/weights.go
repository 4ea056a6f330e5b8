package kernels

import "runtime"

// Weights is a matrix packed for the path that was in use when it was packed.
type Weights struct {
	rows, cols int
	path       *path
	data       *Buffer // ceil(rows/width) panels, each [cols][width]
	release    runtime.Cleanup
}

// Pack copies w, rows x cols in row order, into panels: so many rows of one column lie side by side, then those of the
// next column, so that the product reads the whole in one forward stream. Rows of zeros fill up the last panel.
//
// It is paid once, and costs about as much as seven products with a batch of one; the first touch of the memory that it fills
// can cost several times that. It panics, as indexing does, where w is shorter than rows*cols.
func Pack(w []float32, rows, cols int) *Weights {
	w = w[:rows*cols]
	p := &Weights{rows: rows, cols: cols, path: active}
	width := p.path.width
	panels := (rows + width - 1) / width
	p.data = p.allocate(max(1, panels*width*cols))
	for n := range panels {
		first := n * width
		turn(p.data.Data[first*cols:], w[first*cols:], min(width, rows-first), cols, cols, width)
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

// Size returns the number of bytes that a product reads of the weights, with the rows that fill up the last panel.
func (p *Weights) Size() int64 { return 4 * int64(len(p.data.Data)) }

// Huge returns how many of those bytes lie in huge pages; see [Buffer.Huge].
func (p *Weights) Huge() (int64, error) { return p.data.Huge() }

// turnColumns is the number of columns turned at a time: one line of the cache from each row.
const turnColumns = 16

// turn copies k columns of rows that lie cols apart so that each column lies together, stride from the one before:
// dst[c*stride+r] = src[r*cols+c].
func turn(dst, src []float32, rows, k, cols, stride int) {
	for from := 0; from < k; from += turnColumns {
		n := min(turnColumns, k-from)
		for r := range rows {
			in, out := src[r*cols+from:][:n], dst[from*stride+r:]
			for i, v := range in {
				out[i*stride] = v
			}
		}
	}
}
