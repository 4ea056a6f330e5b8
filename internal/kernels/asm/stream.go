package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumVectors is the number of accumulators of the streaming sum: an addition takes up to four cycles and two start in
// each, so eight keep both adders busy and a line of the cache never waits for one.
const sumVectors = 8

// sum writes the streaming read: every element is loaded once and added.
func (m machine) sum() {
	TEXT("sum"+m.name, NOSPLIT, "func(p *float32, n int) float32")
	Doc(fmt.Sprintf("sum%s returns the sum of the n float32 values at p, in %d partial sums.", m.name, sumVectors*m.bytes/4))
	Pragma("noescape")
	p := Mem{Base: Load(Param("p"), GP64())}
	n := Load(Param("n"), GP64())
	acc := m.zeros(sumVectors)

	block := sumVectors * m.bytes / 4
	Label("block")
	CMPQ(n, U32(block))
	JL(LabelRef("rest"))
	for i, a := range acc {
		VADDPS(p.Offset(i*m.bytes), a, a)
	}
	ADDQ(U32(4*block), p.Base)
	SUBQ(U32(block), n)
	JMP(LabelRef("block"))

	Label("rest")
	total := m.fold(acc)
	Label("one")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	VADDSS(p, total, total)
	ADDQ(Imm(4), p.Base)
	DECQ(n)
	JMP(LabelRef("one"))

	Label("done")
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

// multiplyAdd writes the register-only loop. Every chain starts from its own seeds, so that no two can be merged.
func (m machine) multiplyAdd() {
	TEXT("fma"+m.name, NOSPLIT, "func(n int, factor, term float32, seeds *float32) float32")
	Doc(fmt.Sprintf("fma%s replaces each of the %d values v at seeds by v*factor + term, n times over, in registers,", m.name, m.chains*m.bytes/4),
		"and returns the sum of what comes out; seeds itself is only read.")
	Pragma("noescape")
	n := Load(Param("n"), GP64())
	factor, term := m.vector(), m.vector()
	m.broadcastParam("factor", factor)
	m.broadcastParam("term", term)
	seeds := Mem{Base: Load(Param("seeds"), GP64())}
	acc := make([]reg.VecVirtual, m.chains)
	for i := range acc {
		acc[i] = m.vector()
		VMOVUPS(seeds.Offset(i*m.bytes), acc[i])
	}

	Label("loop")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	for _, a := range acc {
		VFMADD213PS(term, factor, a)
	}
	DECQ(n)
	JMP(LabelRef("loop"))

	Label("done")
	total := m.fold(acc)
	VZEROUPPER()
	Store(total, ReturnIndex(0))
	RET()
}

// chainLength is the number of dependent additions in one round of chain.
const chainLength = 64

// chain writes a run of additions each of which needs the one before it.
func chain() {
	TEXT("chainAMD64", NOSPLIT, "func(rounds int, step uint64) uint64")
	Doc(fmt.Sprintf("chainAMD64 adds step to zero %d times a round, each sum waiting for the one before: at least one cycle an addition.", chainLength))
	n := Load(Param("rounds"), GP64())
	step := Load(Param("step"), GP64())
	total := GP64()
	XORQ(total, total)
	Label("loop")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	for range chainLength {
		ADDQ(step, total)
	}
	DECQ(n)
	JMP(LabelRef("loop"))
	Label("done")
	Store(total, ReturnIndex(0))
	RET()
}

// broadcastParam fills v with the parameter of that name.
func (m machine) broadcastParam(name string, v reg.VecVirtual) {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(address.Addr, v)
}

// zeros returns count accumulators holding zero.
func (m machine) zeros(count int) []reg.VecVirtual {
	acc := make([]reg.VecVirtual, count)
	for i := range acc {
		acc[i] = m.vector()
		m.clear(acc[i])
	}
	return acc
}

func (m machine) clear(v reg.VecVirtual) {
	if m.bytes == 64 {
		VPXORD(v, v, v) // VXORPS on a 512-bit register needs AVX512DQ
		return
	}
	VXORPS(v, v, v)
}

// fold adds the vectors pairwise, then the lanes of the last one, and returns the register whose lowest lane is the sum.
func (m machine) fold(acc []reg.VecVirtual) reg.Register {
	for len(acc) > 1 {
		half := (len(acc) + 1) / 2
		for i := half; i < len(acc); i++ {
			VADDPS(acc[i], acc[i-half], acc[i-half])
		}
		acc = acc[:half]
	}
	v := acc[0]
	if m.bytes == 64 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), v, upper)
		VADDPS(upper, v.AsY(), v.AsY())
	}
	upper := XMM()
	VEXTRACTF128(Imm(1), v.AsY(), upper)
	VADDPS(upper, v.AsX(), v.AsX())
	VHADDPS(v.AsX(), v.AsX(), v.AsX())
	VHADDPS(v.AsX(), v.AsX(), v.AsX())
	return v.AsX()
}
