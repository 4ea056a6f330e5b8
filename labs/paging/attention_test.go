package paging

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// laid puts a context into pages of a random order.
func laid(rng *rand.Rand, size, nheads, tokens int) (p *pages, table []int32, k, v []float32) {
	n := (tokens + size - 1) / size
	p = newPages(n+3, size, nheads)
	fill(p.k, rng.Uint64)
	fill(p.v, rng.Uint64)
	for _, b := range rng.Perm(n + 3)[:n] {
		table = append(table, int32(b))
	}
	row := nheads * dim
	for t := range tokens {
		at := (int(table[t/size])*size + t%size) * row
		k, v = append(k, p.k[at:at+row]...), append(v, p.v[at:at+row]...)
	}
	return p, table, k, v
}

// Read in the same order, the same rows give the same bits, however the context
// is cut up.
func TestThroughEqualsContiguous(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1, 3, 16, 256} {
		for _, nheads := range []int{1, 3, 4} {
			for _, tokens := range []int{1, 2, 15, 16, 17, 300} {
				p, table, k, v := laid(rng, size, nheads, tokens)
				a, b := newAttention(nheads, tokens), newAttention(nheads, tokens+5)
				fill(a.q, rng.Uint64)
				copy(b.q, a.q)
				a.contiguous(k, v)
				b.through(p, table, size*nheads, tokens)
				if !slices.Equal(a.out, b.out) {
					t.Errorf("%d tokens, %d heads in blocks of %d: the answers differ", tokens, nheads, size)
				}
			}
		}
	}
}

// Pieces that are no whole tokens, as the control has them, begin with any head.
func TestPiecesOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, rows := range []int{1, 2, 5} {
		const nheads, tokens = 3, 20
		p := newPages(30, 1, nheads)
		fill(p.k, rng.Uint64)
		fill(p.v, rng.Uint64)
		n := nheads * tokens
		var k, v []float32
		var table []int32
		for _, b := range rng.Perm(len(p.k) / dim / rows)[:n/rows] {
			table = append(table, int32(b))
			k, v = append(k, p.k[b*rows*dim:(b+1)*rows*dim]...), append(v, p.v[b*rows*dim:(b+1)*rows*dim]...)
		}
		a, b := newAttention(nheads, tokens), newAttention(nheads, tokens)
		fill(a.q, rng.Uint64)
		copy(b.q, a.q)
		a.contiguous(k, v)
		b.through(p, table, rows, tokens)
		if !slices.Equal(a.out, b.out) {
			t.Errorf("pieces of %d rows: the answers differ", rows)
		}
	}
}

func TestAttentionAgainstTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, tokens := range []int{1, 2, 40, 1000} {
		p, table, k, v := laid(rng, 16, heads, tokens)
		a := newAttention(heads, tokens)
		fill(a.q, rng.Uint64)
		a.through(p, table, 16*heads, tokens)
		if d := distance(a.out, plain(a.q, k, v)); d > 2e-6 {
			t.Errorf("%d tokens: a relative error of %g, want about 1e-7", tokens, d)
		}
		// A second call must not remember the first.
		before := slices.Clone(a.out)
		a.through(p, table, 16*heads, tokens)
		if !slices.Equal(a.out, before) {
			t.Errorf("%d tokens: a second call gives another answer", tokens)
		}
		for range 2 {
			if a.contiguous(k, v); !slices.Equal(a.out, before) {
				t.Errorf("%d tokens in one piece: another answer", tokens)
			}
		}
	}
}

// Scores that exp can't take must not spoil the answer.
func TestLargeScores(t *testing.T) {
	p := newPages(1, 2, 1)
	for d := range dim {
		p.k[d], p.k[dim+d], p.v[d], p.v[dim+d] = -100, 100, 1, 2
	}
	a := newAttention(1, 2)
	for d := range a.q {
		a.q[d] = 100
	}
	a.through(p, []int32{0}, 2, 2)
	for _, x := range a.out {
		if x != 2 {
			t.Fatalf("got %v, want 2: the second token has all of the weight", x)
		}
	}
}

func TestOneEntryWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, size := range sizes {
		p, table, k, v := laid(rng, size, heads, 600)
		a := newAttention(heads, 600)
		fill(a.q, rng.Uint64)
		want := plain(a.q, k, v)
		for i := range table {
			wrong := slices.Clone(table)
			for slices.Contains(table, wrong[i]) {
				wrong[i] = rng.Int32N(int32(len(table) + 3))
			}
			a.through(p, wrong, size*heads, 600)
			if d := distance(a.out, want); d < 1e-3 {
				t.Errorf("blocks of %d, entry %d: an error of %g, want it far over the bound", size, i, d)
			}
		}
	}
}

func TestMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	p := newPages(3, 5, 2)
	fill(p.k, rng.Uint64)
	fill(p.v, rng.Uint64)
	k, v := slices.Clone(p.k), slices.Clone(p.v)
	p.move(2, 0, 3)
	const block, moved = 5 * 2 * dim, 3 * 2 * dim
	copy(k[2*block:2*block+moved], k)
	copy(v[2*block:2*block+moved], v)
	if !slices.Equal(p.k, k) || !slices.Equal(p.v, v) {
		t.Error("moving 3 tokens of 5 moved something else")
	}
}

func TestFill(t *testing.T) {
	x := make([]float32, 10001)
	fill(x, rand.NewPCG(1, 1).Uint64)
	sum, squares := 0.0, 0.0
	for _, f := range x {
		if f < -1 || f > 1 {
			t.Fatalf("got %v, want it in [-1, 1]", f)
		}
		sum += float64(f)
		squares += float64(f) * float64(f)
	}
	n := float64(len(x))
	if mean, spread := sum/n, squares/n; math.Abs(mean) > 0.03 || math.Abs(spread-1./3) > 0.02 {
		t.Errorf("mean %v and mean square %v, want about 0 and 1/3", mean, spread)
	}
}

// The paged arm's tables must cover the pool as the other arm does, and follow
// no order that a prefetcher could know.
func TestScattered(t *testing.T) {
	tables, err := scattered(rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	times, inOrder := make([]int, armBlocks), 0
	for _, table := range tables {
		if len(table) != armTable {
			t.Fatalf("a table of %d blocks, want %d", len(table), armTable)
		}
		for i, b := range table {
			times[b]++
			inOrder += count(i > 0 && b == table[i-1]+1)
		}
	}
	for b, n := range times {
		if n != 1 {
			t.Errorf("block %d stands in %d tables, want 1", b, n)
		}
	}
	if inOrder > armBlocks/10 {
		t.Errorf("%d of %d blocks follow the one before them, want hardly any", inOrder, armBlocks)
	}
	const bytes = armSize * armHeads * dim * 4
	if bytes < 128<<10 || 2*bytes*armBlocks > 128<<20 {
		t.Errorf("%d B a block and %d in all, want at least 128 KiB and at most 128 MiB", bytes, 2*bytes*armBlocks)
	}
}

func TestDealt(t *testing.T) {
	got := dealt([]int{5, 4, 3, 2, 1, 0}, 3)
	if len(got) != 3 || !slices.Equal(got[0], []int32{5, 4}) || !slices.Equal(got[2], []int32{1, 0}) {
		t.Errorf("got %v, want three pairs", got)
	}
}

func BenchmarkAttention(b *testing.B) {
	tables, err := scattered(rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		b.Fatal(err)
	}
	p := newPages(armBlocks, armSize, armHeads)
	fill(p.k, rand.NewPCG(1, 1).Uint64)
	fill(p.v, rand.NewPCG(1, 2).Uint64)
	a := newAttention(armHeads, armTable*armSize)
	whole := len(p.k) / len(tables)
	run := func(name string, op func(i int)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(8 * whole))
			i := 0
			done := rate(b, 8*whole)
			for b.Loop() {
				op(i % len(tables))
				i++
			}
			done()
		})
	}
	run("contiguous", func(i int) { a.contiguous(p.k[i*whole:(i+1)*whole], p.v[i*whole:(i+1)*whole]) })
	run("blocks", func(i int) { a.through(p, tables[i], armSize*armHeads, armTable*armSize) })
	pieces := dealt(rand.Perm(armBlocks*armSize*armHeads), len(tables))
	run("pieces-of-512", func(i int) { a.through(p, pieces[i], 1, armTable*armSize) })
}
