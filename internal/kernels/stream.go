package kernels

// Read adds up buf, loading each value from memory once, and returns the sum: a stream of len(buf)*4 bytes that cannot be
// skipped. The sum is taken in float32 over pieces of a size that follows from len(buf) alone, so it has the same bits for any
// number of threads. Fill buf with ordinary numbers first: pages never written read too fast, and subnormal numbers too slowly.
func Read(buf []float32, threads int) float32 {
	if len(buf) == 0 {
		return 0
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	t := &shared.scratch.read
	t.size = max(minRead, (len(buf)+maxPieces-1)/maxPieces)
	t.size = (t.size + 15) &^ 15
	t.buf, t.path = buf, active
	pieces := (len(buf) + t.size - 1) / t.size
	shared.do(t, pieces, threads)
	t.buf = nil
	return total(t.sums[:pieces])
}

const (
	// maxPieces bounds the partial results of a call, which have their places beforehand.
	maxPieces = 256

	// minRead is the least number of values in a piece: 256 KiB, about 10 µs.
	minRead = 64 << 10

	// maxRead is the most that assembly is given at once: 1 MiB. The collector cannot interrupt assembly.
	maxRead = 256 << 10
)

type readTask struct {
	path *path
	buf  []float32
	size int
	sums [maxPieces]float32
}

func (t *readTask) piece(number, _ int) {
	part := t.buf[number*t.size : min(len(t.buf), (number+1)*t.size)]
	var sum float32
	for len(part) > 0 {
		n := min(len(part), maxRead)
		sum += t.path.sum(&part[0], n)
		part = part[n:]
	}
	t.sums[number] = sum
}

func total(sums []float32) float32 {
	var sum float32
	for _, s := range sums {
		sum += s
	}
	return sum
}

// FMA makes each of so many threads run a loop of fused multiply-adds on registers alone, iterations times over all its
// accumulators. It returns the number of floating-point operations done, two for each multiply-add and lane, which is known
// beforehand, and a sum over the final values, which is not. No value settles or becomes subnormal however long the loop is.
// Threads take the work in pieces, so one may do more than another.
func FMA(iterations, threads int) (flops float64, sink float32) {
	if iterations <= 0 {
		return 0, 0
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	threads = max(1, min(threads, maxThreads))
	t := &shared.scratch.fma
	t.path = active
	t.begin(iterations, threads)
	shared.do(t, t.pieces, threads)
	return float64(iterations) * float64(threads) * t.path.flops, total(t.sums[:t.pieces])
}

// Ceiling is the number of floating-point operations that no core of this kind completes in one clock cycle on the path in
// use: the vector units known, times lanes, times two. A rate above Ceiling times the clock (see [Cycles]) is an error of
// the instrument.
func Ceiling() float64 { return active.perCycle }

// Cycles makes at least n additions of 64-bit integers in registers, each of which waits for the one before, and returns how
// many were made. On every processor so far that takes one clock cycle each and no less: the time is the clock's.
func Cycles(n int) (made uint64) {
	for n > 0 {
		rounds := min((n+chainLength-1)/chainLength, maxChain)
		made += chain(rounds, 1)
		n -= rounds * chainLength
	}
	return made
}

const (
	// chainLength is the number of additions in a round of the chain.
	chainLength = 64

	// maxChain is the most rounds that assembly is given at once.
	maxChain = 1 << 12

	// minFMA and maxFMA are the least number of iterations in a piece and the most that assembly is given at once.
	minFMA = 1 << 12
	maxFMA = 1 << 13

	// In a round every value v goes to v*factor + term (NEON has its own recurrence): it jumps to the other side of
	// term/(1-factor), a thousandth nearer each time. Its bits change at every step, as those of real data do.
	factor = -(1 - 1./1024)
	term   = 1
)

// seeds has a value of its own for every lane, so that no two chains can be merged into one.
var seeds = func() (s [384]float32) {
	for i := range s {
		s[i] = 0.25 + float32(i)/512
	}
	return s
}()

type fmaTask struct {
	path       *path
	iterations int // in all
	size       int // of a piece
	pieces     int
	sums       [maxPieces]float32
}

func (t *fmaTask) begin(iterations, threads int) {
	t.iterations = iterations * threads
	t.size = max(minFMA, (t.iterations+maxPieces-1)/maxPieces)
	t.pieces = (t.iterations + t.size - 1) / t.size
}

func (t *fmaTask) piece(number, _ int) {
	left := min(t.size, t.iterations-number*t.size)
	var sum float32
	for left > 0 {
		n := min(left, maxFMA)
		sum += t.path.fma(n, &seeds[0])
		left -= n
	}
	t.sums[number] = sum
}
