//go:build !purego

package kernels

// paths returns what this processor can run, the fastest last. Every 64-bit ARM core that Go runs on has NEON.
func paths() []*path { return []*path{portable, neon} }

// Six vector units, as Arm says of Cortex-X925, are the most that a core has had so far. That fetching ahead
// pays from a batch of one was not measured on this architecture.
var neon = &path{
	name: "neon", sum: sumVectors, fma: fmaVectors, flops: 2 * 2 * neonLanes, perCycle: 6 * 2 * 4, prefetchFrom: 1, width: 16,
	tiles: []tile{tileNEONx1, tileNEONx2, tileNEONx3, tileNEONx4, tileNEONx5, tileNEONx6},
}

const (
	neonSums  = 8*4 + 1 // the lanes of eight registers, and what is left over
	neonLanes = 28 * 4
)

func sumVectors(p *float32, n int) float32 {
	var partial [neonSums]float32
	sumNEON(p, n, &partial[0])
	return total(partial[:])
}

// fmaVectors adds and takes away in turn, since the instruction multiplies two operands and adds the product to a third.
// A value gains 1/1024 a round, so the at most maxFMA rounds of a call add 8.
func fmaVectors(n int, seeds *float32) float32 {
	var out [neonLanes]float32
	fmaNEON(n, 1, 1+1./1024, 1, seeds, &out[0])
	return total(out[:])
}

// chain makes chainLength dependent additions a round.
func chain(rounds int, step uint64) uint64 { return chainARM64(rounds, step) }

// sumNEON adds up the n values at p in 32 partial sums and one of the values left over, and writes these to partial.
//
//go:noescape
func sumNEON(p *float32, n int, partial *float32)

// fmaNEON adds factor*up to each of the 112 values at seeds and takes factor*down away from it, n times over, in
// registers, and writes what comes out to out.
//
//go:noescape
func fmaNEON(n int, factor, up, down float32, seeds, out *float32)

// chainARM64 adds step to zero 64 times a round, each sum waiting for the one before: at least one cycle an addition.
func chainARM64(rounds int, step uint64) uint64

//go:noescape
func tileNEONx1(k int, w, x, y *float32, stride, more int, next *float32, step int)

//go:noescape
func tileNEONx2(k int, w, x, y *float32, stride, more int, next *float32, step int)

//go:noescape
func tileNEONx3(k int, w, x, y *float32, stride, more int, next *float32, step int)

//go:noescape
func tileNEONx4(k int, w, x, y *float32, stride, more int, next *float32, step int)

//go:noescape
func tileNEONx5(k int, w, x, y *float32, stride, more int, next *float32, step int)

//go:noescape
func tileNEONx6(k int, w, x, y *float32, stride, more int, next *float32, step int)
