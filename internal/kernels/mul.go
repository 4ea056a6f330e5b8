package kernels

import "runtime"

// Mul sets y, batch x rows, to the product of x, batch x cols, and the transposed weights, on so many threads:
// y[b][r] = sum over c of x[b][c] * w[r][c]. All are in row order.
//
// Up to as many batch rows as a tile has (12 on AVX-512, 6 on AVX2 and NEON, 4 portable) each weight is read from memory once
// and used for all of them; beyond that it is read from memory once and from the caches for every further tile.
//
// y must not overlap x. Mul panics, as slicing does, where batch is negative, or y or x is too short.
func (p *Weights) Mul(y, x []float32, batch, threads int) {
	y, x = y[:batch*p.rows], x[:batch*p.cols]
	if len(y) == 0 {
		return
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	s := &shared.scratch
	t := &s.product
	t.plan(p, y, batch, threads, s)
	if batch == 1 && p.cols > 0 {
		t.x = x // one row is packed as it stands
	} else {
		s.pack = packTask{dst: t.x, src: x, product: t}
		shared.do(&s.pack, t.blocks()*t.tiles, threads)
	}
	shared.do(t, t.pieces(), threads)
	t.weights, t.w, t.x, t.y, s.pack = nil, nil, nil, nil, packTask{}
	runtime.KeepAlive(p)
}

const (
	// blockCols is the number of columns multiplied at a time when a batch has several tiles. A panel of so many columns
	// (64 KiB on AVX-512) and the activations of a batch of 256 (512 KiB) then stay in a second-level cache of 1 MiB.
	blockCols = 512

	// pieceRows is about the number of weight rows in a piece of a product with several tiles. For each piece all of x
	// is read again from the last-level cache.
	pieceRows = 64

	// pieceBytes is about the size of a piece of a product with one tile.
	pieceBytes = 1 << 20

	// pieceShare is how many pieces there are for each thread, at least, while there are so many panels: the last thread
	// to finish then has a quarter of its work left at most when the first one has nothing more.
	pieceShare = 4

	// ahead is how many values ahead of its use a weight is fetched where the batch is one tile: 8 KiB. On a Zen 5 that took a
	// batch of 4 from 0.84 to 0.96 of the read bandwidth, and one of 12 from 0.66 to 0.96.
	ahead = 2048
)

// scratch is what calls need and keep.
type scratch struct {
	read    readTask
	fma     fmaTask
	product productTask
	pack    packTask
	x       []float32   // packed activations
	edges   [][]float32 // for each thread a tile of y, for panels that stick out of it
}

// productTask is one product: tiles of batch rows times panels of weights, in blocks of columns.
type productTask struct {
	weights      *Weights
	w            []float32
	x            []float32 // packed: [block][tile][column][row]
	y            []float32
	batch, tiles int
	columns      int // in a block
	group        int // panels in a piece
	edges        [][]float32
}

// plan lays the work out and makes room for it.
func (t *productTask) plan(p *Weights, y []float32, batch, threads int, s *scratch) {
	most, width := len(p.path.tiles), p.path.width
	t.weights, t.y, t.batch = p, y, batch
	t.w = p.data.Data[:max(1, t.panels()*width*p.cols)] // nothing is left of freed weights, and the caller is told
	t.tiles = (batch + most - 1) / most
	t.columns, t.group = max(1, min(p.cols, blockCols)), max(1, pieceRows/width)
	if t.tiles == 1 {
		t.columns = max(1, p.cols)
		t.group = max(1, pieceBytes/(4*width*t.columns))
	}
	// Where there are many threads, smaller pieces rather than threads with none.
	t.group = min(t.group, max(1, t.panels()/(pieceShare*max(1, threads))))
	if need := max(1, batch*p.cols); cap(s.x) < need {
		s.x = make([]float32, need)
	}
	t.x = s.x[:max(1, batch*p.cols)]
	for len(s.edges) < maxThreads {
		s.edges = append(s.edges, make([]float32, largestTile))
	}
	t.edges = s.edges
}

func (t *productTask) panels() int {
	return (t.weights.rows + t.weights.path.width - 1) / t.weights.path.width
}

func (t *productTask) pieces() int { return (t.panels() + t.group - 1) / t.group }

// blocks is the number of blocks of columns: one at least, so that y is set even where there is no column.
func (t *productTask) blocks() int { return max(1, (t.weights.cols+t.columns-1)/t.columns) }

// tile returns the rows [from, to) of the batch in a tile; tiles differ by one row at most.
func (t *productTask) tile(number int) (from, to int) {
	return number * t.batch / t.tiles, (number + 1) * t.batch / t.tiles
}

// piece multiplies a group of panels by the whole batch.
func (t *productTask) piece(number, thread int) {
	first, last := number*t.group, min((number+1)*t.group, t.panels())
	for from := 0; from < max(1, t.weights.cols); from += t.columns {
		for panel := first; panel < last; panel++ {
			t.panel(panel, from, thread, t.following(panel, from, first, last))
		}
	}
}

// following returns where the weights begin that should come from memory while those of a panel's block are multiplied.
func (t *productTask) following(panel, from, first, last int) int {
	p := t.weights
	width, here := p.path.width, (panel*p.cols+from)*p.path.width
	switch {
	case t.batch < p.path.prefetchFrom:
		return here
	case t.tiles == 1:
		return here + ahead
	case panel+1 < last:
		return here + p.cols*width // the same block of the next panel
	case from+t.columns < p.cols:
		return (first*p.cols + from + t.columns) * width // the next block of the first
	default:
		return last * p.cols * width // the next piece, if this thread gets it
	}
}

// panel multiplies a block of columns of a panel by the whole batch. Each tile fetches its share of what follows.
func (t *productTask) panel(number, from, thread, following int) {
	p := t.weights
	width, k := p.path.width, min(t.columns, p.cols-from)
	w, row := &t.w[(number*p.cols+from)*width], number*width
	step := 4 * width / t.tiles
	for n := range t.tiles {
		low, high := t.tile(n)
		x := &t.x[from*t.batch+low*k]
		y := t.y[low*p.rows+row : high*p.rows]
		next := &t.w[min(following+n*k*width/t.tiles, len(t.w)-1)]
		if row+width > p.rows {
			t.edge(t.edges[thread], y, k, w, x, high-low, from)
			continue
		}
		p.path.tiles[high-low-1](k, w, x, &y[0], p.rows, from, next, step)
	}
}

// edge does a tile whose panel has fewer rows than its width: in scratch, of which y gets its part.
func (t *productTask) edge(scratch, y []float32, k int, w, x *float32, rows, more int) {
	p := t.weights
	width, valid := p.path.width, p.rows%p.path.width
	for r := range rows {
		copy(scratch[r*width:], y[r*p.rows:][:valid])
	}
	p.path.tiles[rows-1](k, w, x, &scratch[0], width, more, w, 0)
	for r := range rows {
		copy(y[r*p.rows:][:valid], scratch[r*width:])
	}
}

// packTask turns the activations so that a tile reads them in one forward stream.
type packTask struct {
	dst, src []float32
	product  *productTask
}

func (t *packTask) piece(number, _ int) {
	p := t.product
	cols, block := p.weights.cols, number/p.tiles
	from := block * p.columns
	k := min(p.columns, cols-from)
	low, high := p.tile(number % p.tiles)
	if k <= 0 {
		return
	}
	transpose(t.dst[from*p.batch+low*k:], t.src[low*cols+from:], high-low, k, cols, high-low)
}
