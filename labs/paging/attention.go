package paging

import "math"

// dim is how many numbers a head's row has: 512 B of float32, as in most models
// of today.
const dim = 128

// pages hold the keys and values of a pool, laid out [block][token][head][dim].
// A row is one head of one token.
type pages struct {
	k, v  []float32
	heads int
	size  int // tokens in a block
}

func newPages(blocks, size, heads int) *pages {
	n := blocks * size * heads * dim
	return &pages{k: make([]float32, n), v: make([]float32, n), heads: heads, size: size}
}

// move copies the first n tokens of a block.
func (p *pages) move(to, from int32, n int) {
	per := p.heads * dim
	for _, x := range [][]float32{p.k, p.v} {
		copy(x[int(to)*p.size*per:][:n*per], x[int(from)*p.size*per:])
	}
}

// put stores a token's keys and values.
func (p *pages) put(b int32, at int, k, v []float32) {
	per := p.heads * dim
	copy(p.k[(int(b)*p.size+at)*per:][:per], k)
	copy(p.v[(int(b)*p.size+at)*per:][:per], v)
}

// attention is one query's softmax(q k / sqrt(dim)) v for each head, with room
// for the scores of the longest context that it is asked for.
type attention struct {
	heads      int
	q, out     []float32 // [head][dim]
	scores     []float32 // [token][head], one for each row of the context
	most, sums []float32 // of each head's scores
}

func newAttention(heads, longest int) *attention {
	row := func(n int) []float32 { return make([]float32, n) }
	return &attention{heads: heads, q: row(heads * dim), out: row(heads * dim), scores: row(longest * heads),
		most: row(heads), sums: row(heads)}
}

// contiguous reads the context from one piece of memory.
func (a *attention) contiguous(k, v []float32) {
	scores := a.scores[:len(k)/dim]
	a.score(0, scores, k)
	a.softmax(scores)
	clear(a.out)
	a.mix(0, scores, v)
}

// through reads it from pieces of so many rows, whose places in the pool a table
// tells. A block is size x heads rows. The last piece need not be full.
func (a *attention) through(p *pages, table []int32, rows, tokens int) {
	scores := a.scores[:tokens*a.heads]
	for i, entry := range table {
		first, end := i*rows, min((i+1)*rows, len(scores))
		a.score(first, scores[first:end], p.k[int(entry)*rows*dim:])
	}
	a.softmax(scores)
	clear(a.out)
	for i, entry := range table {
		first, end := i*rows, min((i+1)*rows, len(scores))
		a.mix(first, scores[first:end], p.v[int(entry)*rows*dim:])
	}
}

// row returns row i of some memory. Its length is part of its type, so that the
// loops over it check no bounds.
func row(x []float32, i int) *[dim]float32 { return (*[dim]float32)(x[i*dim:]) }

// The loops over rows are exempt from the race detector, which would make them
// the longest part of all tests. They write to what belongs to their attention
// alone.

// score sets the scores of a piece of the keys that begins with row first.
//
//go:norace
func (a *attention) score(first int, scores, k []float32) {
	scale := float32(1 / math.Sqrt(dim))
	head := first % a.heads
	for i := range scores {
		scores[i] = scale * dot(row(a.q, head), row(k, i))
		if head++; head == a.heads {
			head = 0
		}
	}
}

// mix adds a piece of the values to the output, by its scores.
//
//go:norace
func (a *attention) mix(first int, scores, v []float32) {
	head := first % a.heads
	for i, s := range scores {
		add(row(a.out, head), row(v, i), s)
		if head++; head == a.heads {
			head = 0
		}
	}
}

// softmax turns the scores of each head into shares. The greatest is taken off
// first, or a large score would overflow.
//
//go:norace
func (a *attention) softmax(scores []float32) {
	for h := range a.heads {
		a.most[h], a.sums[h] = float32(math.Inf(-1)), 0
	}
	for i := 0; i < len(scores); i += a.heads {
		for h, s := range scores[i : i+a.heads] {
			a.most[h] = max(a.most[h], s)
		}
	}
	for i := 0; i < len(scores); i += a.heads {
		for h, s := range scores[i : i+a.heads] {
			e := float32(math.Exp(float64(s - a.most[h])))
			scores[i+h] = e
			a.sums[h] += e
		}
	}
	for i := 0; i < len(scores); i += a.heads {
		for h := range a.heads {
			scores[i+h] /= a.sums[h]
		}
	}
}

// dot keeps four sums, so that an addition need not wait for the one before.
//
//go:norace
func dot(q, k *[dim]float32) float32 {
	var a, b, c, d float32
	for i := 0; i < dim; i += 8 {
		a += q[i]*k[i] + q[i+4]*k[i+4]
		b += q[i+1]*k[i+1] + q[i+5]*k[i+5]
		c += q[i+2]*k[i+2] + q[i+6]*k[i+6]
		d += q[i+3]*k[i+3] + q[i+7]*k[i+7]
	}
	return (a + b) + (c + d)
}

//go:norace
func add(out, v *[dim]float32, share float32) {
	for i := 0; i < dim; i += 4 {
		out[i] += share * v[i]
		out[i+1] += share * v[i+1]
		out[i+2] += share * v[i+2]
		out[i+3] += share * v[i+3]
	}
}

// fill writes random numbers in [-1, 1), two to a draw.
//
//go:norace
func fill(x []float32, draw func() uint64) {
	for i := 0; i < len(x); i += 2 {
		v := draw()
		for j := i; j < min(i+2, len(x)); j++ {
			x[j] = float32(int32(v)) / (1 << 31)
			v >>= 32
		}
	}
}
