// Command asm writes the amd64 assembly of package kernels: for AVX2 with FMA, and for AVX-512, a streaming sum, a
// register-only loop of fused multiply-adds and one product tile for each number of batch rows; and a chain of dependent
// additions that needs no vector unit at all.
//
// It is a module of its own so that the product does not carry the assembler. Run it by go generate in the folder above;
// the test here fails where the committed files are not what it writes.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// A machine is one vector extension as the kernels use it.
type machine struct {
	name   string                // suffix of its functions
	bytes  int                   // size of a vector register
	vector func() reg.VecVirtual // a fresh vector register
	chains int                   // accumulators of the multiply-add loop
	maxRow int                   // batch rows of the largest tile
}

var machines = []machine{
	{name: "AVX2", bytes: 32, vector: YMM, chains: 12, maxRow: 6},
	{name: "AVX512", bytes: 64, vector: ZMM, chains: 24, maxRow: 12},
}

func main() {
	ConstraintExpr("!purego")
	for _, m := range machines {
		m.sum()
		m.multiplyAdd()
		for rows := 1; rows <= m.maxRow; rows++ {
			m.tile(rows)
		}
	}
	chain()
	Generate()
}
