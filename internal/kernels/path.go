package kernels

import "runtime"

// A path is one implementation of every loop. Pointers are to the first of as many values as the text says.
type path struct {
	name string

	// sum adds the n values at p, reading each once.
	sum func(p *float32, n int) float32

	// fma puts the values at seeds through n rounds of multiply-adds in registers, each round flops floating-point
	// operations, and returns the sum of what comes out. n is at most maxFMA.
	fma   func(n int, seeds *float32) float32
	flops float64

	// perCycle is the number of floating-point operations a cycle that no known core of this kind exceeds.
	perCycle float64

	// prefetchFrom is the smallest batch whose weights are better fetched ahead than left to the processor.
	prefetchFrom int

	// width is the number of weight rows in a panel. tiles[r-1] does r rows of the batch.
	width int
	tiles []tile
}

// A tile sets y[b*stride+c], for c < width and b < r, to the sum over i < k of w[i*width+c] * x[i*r+b], and to itself plus that
// sum where more is not zero. For each i it also asks the cache for what lies step bytes further on than the last time,
// beginning with next; any address will do.
type tile func(k int, w, x, y *float32, stride, more int, next *float32, step int)

// largestTile is the number of values in the largest tile of any path.
const largestTile = 12 * 32

// active is the path that every call takes; tests set it.
var active = best()

// best returns the fastest path that this processor has.
func best() *path {
	all := paths()
	return all[len(all)-1]
}

// Features names the path that is in use: portable, avx2, avx512 or neon.
func Features() string { return active.name }

// Threads returns the number of threads that Go runs at once here: what "all threads" means. A quota of processor time may
// leave less.
func Threads() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }
