package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A product is one set of operands and what float64 makes of them.
type product struct {
	rows, cols, batch int
	w, x              []float32
	want, size        []float64
}

func newProduct(rows, cols, batch int, f filling) *product {
	p := &product{rows: rows, cols: cols, batch: batch, w: make([]float32, rows*cols), x: make([]float32, batch*cols)}
	r := source(uint64(rows)<<40 ^ uint64(cols)<<20 ^ uint64(batch))
	f.fill(p.w, r)
	f.fill(p.x, r)
	p.solve()
	return p
}

// solve computes the product in float64.
func (p *product) solve() {
	p.want, p.size = make([]float64, p.batch*p.rows), make([]float64, p.batch*p.rows)
	for b := range p.batch {
		x := p.x[b*p.cols:][:p.cols]
		for r := range p.rows {
			w := p.w[r*p.cols:][:p.cols]
			var sum, size float64
			for c, v := range x {
				term := float64(v) * float64(w[c])
				sum += term
				size += math.Abs(term)
			}
			p.want[b*p.rows+r], p.size[b*p.rows+r] = sum, size
		}
	}
}

// first returns the product with only the first rows of the batch.
func (p *product) first(batch int) *product {
	q := *p
	q.batch, q.x, q.want, q.size = batch, p.x[:batch*p.cols], p.want[:batch*p.rows], p.size[:batch*p.rows]
	return &q
}

func (p *product) check(t *testing.T, what string, y []float32) {
	t.Helper()
	for i, got := range y {
		if !agrees(got, p.want[i], p.size[i], p.cols) {
			t.Errorf("%s, %dx%d, batch %d: y[%d][%d] is %g, want %g", what, p.rows, p.cols, p.batch, i/p.rows, i%p.rows, got, p.want[i])
			return
		}
	}
}

// mul multiplies with every buffer against a guard page, first the one after it and then the one before it.
func (p *product) mul(t *testing.T, threads int) [2][]float32 {
	t.Helper()
	ws, xs, ys := guarded(t, len(p.w)), guarded(t, len(p.x)), guarded(t, len(p.want))
	for side := range ys {
		copy(ws[side], p.w)
		copy(xs[side], p.x)
		packed := Pack(ws[side], p.rows, p.cols)
		inside := guarded(t, len(packed.data.Data))[side]
		copy(inside, packed.data.Data)
		if err := packed.Free(); err != nil {
			t.Error(err)
		}
		packed.data = &Buffer{Data: inside}
		for i := range ys[side] {
			ys[side][i] = float32(math.NaN()) // what is there must not matter
		}
		shared.scratch.x = guarded(t, max(1, len(p.x)))[side]
		packed.Mul(ys[side], xs[side], p.batch, threads)
		shared.scratch.x = nil
	}
	return ys
}

func TestMulAgainstFloat64(t *testing.T) {
	shapes := []struct{ rows, cols int }{
		{1, 1}, {1, 7}, {3, 5}, {7, 1}, {8, 8}, {15, 33}, {16, 16}, {17, 31}, {31, 64}, {32, 3}, {33, 17}, {47, 2},
		{64, 65}, {65, 128}, {100, 513}, {129, 1030},
	}
	batches := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 25}
	for _, s := range shapes {
		whole := newProduct(s.rows, s.cols, batches[len(batches)-1], ordinary)
		onEachPath(t, func(t *testing.T) {
			for _, batch := range batches {
				p := whole.first(batch)
				for side, y := range p.mul(t, 1) {
					p.check(t, fmt.Sprintf("side %d", side), y)
				}
			}
		})
	}
}

func TestMulOfLargeBatches(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for _, batch := range []int{255, 256, 257} {
			p := newProduct(67, 70, batch, ordinary)
			for side, y := range p.mul(t, 2) {
				p.check(t, fmt.Sprintf("side %d", side), y)
			}
		}
	})
}

func TestMulOfAdverseNumbers(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for _, f := range []filling{subnormal, wide, positive, cancelling} {
			for _, batch := range []int{1, 3, 12, 14} {
				p := newProduct(37, 600, batch, f)
				p.check(t, f.name, p.mul(t, 1)[0])
			}
		}
		// Products of subnormal numbers vanish; those with ordinary ones are subnormal and must not.
		p := newProduct(37, 3, 5, subnormal)
		ordinary.fill(p.x, source(9))
		p.solve()
		y := p.mul(t, 1)[0]
		p.check(t, "subnormal by ordinary", y)
		if y[0] == 0 {
			t.Error("subnormal weights were flushed to zero")
		}
	})
}

// Infinities and NaN: in a row of x they reach that row of y alone, in a row of w that column of y alone, and in neither case
// the values that stand where a panel or a tile is filled up.
func TestMulOfInfinityAndNaN(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	onEachPath(t, func(t *testing.T) {
		for _, batch := range []int{1, 2, 5, 13, 14} {
			for _, special := range []float32{inf, -inf, nan} {
				p := newProduct(35, 530, batch, positive)
				p.x[(batch-1)*p.cols+517] = special
				p.w[34*p.cols+3] = -special
				p.w[7*p.cols+517] = 0 // 0 times infinity
				p.solve()
				p.check(t, fmt.Sprint(special), p.mul(t, 1)[1])
			}
		}
		p := newProduct(3, 4, 2, filling{"huge", func(_ *rand.Rand) float32 { return math.MaxFloat32 }})
		for _, got := range p.mul(t, 1)[0] {
			if got != inf {
				t.Errorf("the sum of huge products is %g, want +Inf", got)
			}
		}
	})
}

// The same bits for a row whatever its company, its place, the number of threads and, where the path fuses, the path.
func TestMulRowsDoNotDependOnTheirCompany(t *testing.T) {
	const rows, cols, most = 70, 1100, 40
	p := newProduct(rows, cols, most, ordinary)
	var fused []float32
	onEachPath(t, func(t *testing.T) {
		packed := Pack(p.w, rows, cols)
		want := make([]float32, most*rows)
		for b := range most {
			packed.Mul(want[b*rows:], p.x[b*cols:], 1, 1)
		}
		for batch := 1; batch <= most; batch++ {
			for threads := 1; threads <= 3; threads++ {
				y := make([]float32, batch*rows)
				first := most - batch
				packed.Mul(y, p.x[first*cols:], batch, threads)
				checkBits(t, fmt.Sprintf("batch %d, %d threads", batch, threads), y, want[first*rows:])
			}
		}
		if active == portable {
			return
		}
		if fused != nil {
			checkBits(t, "against another path", want, fused)
		}
		fused = want
	})
}

func checkBits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("%s: value %d is %x, want %x", what, i, got[i], want[i])
			return
		}
	}
}

// A part is the same rows in the same memory.
func TestParts(t *testing.T) {
	p := newProduct(100, 70, 5, ordinary)
	onEachPath(t, func(t *testing.T) {
		whole := Pack(p.w, p.rows, p.cols)
		for _, c := range [][2]int{{0, 32}, {32, 96}, {64, 100}, {96, 100}, {0, 100}, {64, 64}} {
			from, to := c[0], c[1]
			part := whole.Part(from, to)
			y := make([]float32, p.batch*(to-from))
			part.Mul(y, p.x, p.batch, 2)
			for b := range p.batch {
				for r := range to - from {
					at := b*p.rows + from + r
					if got := y[b*(to-from)+r]; !agrees(got, p.want[at], p.size[at], p.cols) {
						t.Fatalf("rows %d to %d: y[%d][%d] is %g, want %g", from, to, b, r, got, p.want[at])
					}
				}
			}
			if values := part.Values(); len(values) > 0 && &values[0] != &whole.Values()[from*p.cols] {
				t.Errorf("rows %d to %d lie elsewhere", from, to)
			}
		}
		for _, c := range [][2]int{{1, 32}, {0, 33}, {64, 32}, {0, 132}, {-32, 0}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("rows %d to %d of 100: no panic", c[0], c[1])
					}
				}()
				whole.Part(c[0], c[1])
			}()
		}
	})
}

// There is work for every thread, where the weights have so many panels.
func TestPiecesForManyThreads(t *testing.T) {
	for _, batch := range []int{1, 4, 40, 256} {
		for _, rows := range []int{100, 512, 4096} {
			p := &Weights{rows: rows, cols: 64, path: active, data: &Buffer{Data: make([]float32, (rows+31)/32*32*64)}}
			for _, threads := range []int{1, 2, 8, 64, 256} {
				task := &productTask{}
				task.plan(p, make([]float32, batch*rows), batch, threads, &scratch{})
				if want := min(task.panels(), 2*threads); task.pieces() < want {
					t.Errorf("%d rows, batch %d, %d threads: %d pieces, want %d at least", rows, batch, threads, task.pieces(), want)
				}
			}
		}
	}
}

func TestMulOfNothing(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		y := []float32{5, 5, 5, 5, 5, 5}
		Pack(nil, 3, 0).Mul(y, nil, 2, 2)
		for i, v := range y {
			if v != 0 {
				t.Errorf("no columns: y[%d] is %g, want 0", i, v)
			}
		}
		Pack(nil, 0, 3).Mul(nil, make([]float32, 6), 2, 1)
		Pack(make([]float32, 9), 3, 3).Mul(nil, nil, 0, 1)
	})
}

func TestMulWritesItsOwnRowsOnly(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		p := newProduct(33, 9, 3, ordinary)
		y := make([]float32, 99+40)
		for i := range y {
			y[i] = -7
		}
		Pack(p.w, 33, 9).Mul(y, p.x, 3, 1)
		for i, v := range y[99:] {
			if v != -7 {
				t.Errorf("value %d after the last became %g", i, v)
			}
		}
	})
}

func TestMulRefusesShortOperands(t *testing.T) {
	w := Pack(make([]float32, 6), 2, 3)
	refused := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	refused("short y", func() { w.Mul(make([]float32, 3), make([]float32, 6), 2, 1) })
	refused("short x", func() { w.Mul(make([]float32, 4), make([]float32, 5), 2, 1) })
	refused("negative batch", func() { w.Mul(make([]float32, 6), make([]float32, 6), -1, 1) })
	refused("negative rows and columns", func() { Pack(make([]float32, 6), -2, -3) })
	refused("short w", func() { Pack(make([]float32, 5), 2, 3) })
	if err := w.Free(); err != nil {
		t.Error(err)
	}
	refused("freed", func() { w.Mul(make([]float32, 4), make([]float32, 6), 2, 1) })
	w = Pack(make([]float32, 6), 2, 3)
	w.Mul(make([]float32, 4), make([]float32, 6), 2, 1) // the lock was given back
}
