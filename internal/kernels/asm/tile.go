package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panelVectors is the number of vectors across a panel: two keep each broadcast of an activation busy twice, and leave
// room for the most rows.
const panelVectors = 2

// tile writes the product of one panel of weights and so many batch rows. Each element of y has one accumulator that
// takes its products in the order of k, whatever the number of rows: a row's result does not depend on its company.
func (m machine) tile(rows int) {
	name := fmt.Sprintf("tile%sx%d", m.name, rows)
	width := panelVectors * m.bytes / 4
	TEXT(name, NOSPLIT, "func(k int, w, x, y *float32, stride, more int, next *float32, step int)")
	Doc(fmt.Sprintf("%s sets y[r*stride+c], for c < %d and r < %d, to the sum over i < k of", name, width, rows),
		fmt.Sprintf("w[i*%d+c] * x[i*%d+r], and to itself plus that sum where more is not zero. For each i it asks the", width, rows),
		"cache for what lies step bytes further on, beginning with next.")
	Pragma("noescape")
	k := Load(Param("k"), GP64())
	w := Mem{Base: Load(Param("w"), GP64())}
	x := Mem{Base: Load(Param("x"), GP64())}
	next := Mem{Base: Load(Param("next"), GP64())}
	step := Load(Param("step"), GP64())
	unroll, shift := 2, 1
	if rows <= 4 {
		unroll, shift = 4, 2 // a short round would be mostly counting
	}
	SHLQ(Imm(uint64(shift)), step)
	acc := m.start(rows)

	Label("block")
	CMPQ(k, Imm(uint64(unroll)))
	JL(LabelRef("rest"))
	// As many lines as the round uses: where step is smaller, because other tiles fetch their share, some are asked for twice.
	for i := range unroll * panelVectors * m.bytes / 64 {
		PREFETCHT0(next.Offset(64 * i))
	}
	ADDQ(step, next.Base)
	for u := range unroll {
		m.step(acc, w.Offset(u*panelVectors*m.bytes), x.Offset(u*rows*4))
	}
	ADDQ(U32(unroll*panelVectors*m.bytes), w.Base)
	ADDQ(U32(unroll*rows*4), x.Base)
	SUBQ(Imm(uint64(unroll)), k)
	JMP(LabelRef("block"))

	Label("rest")
	TESTQ(k, k)
	JLE(LabelRef("done"))
	m.step(acc, w, x)
	ADDQ(U32(panelVectors*m.bytes), w.Base)
	ADDQ(U32(rows*4), x.Base)
	DECQ(k)
	JMP(LabelRef("rest"))

	Label("done")
	y, stride := m.output()
	for _, row := range acc {
		for i, a := range row {
			VMOVUPS(a, y.Offset(i*m.bytes))
		}
		ADDQ(stride, y.Base)
	}
	VZEROUPPER()
	RET()
}

// start returns the accumulators of a tile, holding zero or what y holds.
func (m machine) start(rows int) [][]reg.VecVirtual {
	acc := make([][]reg.VecVirtual, rows)
	for r := range acc {
		acc[r] = m.zeros(panelVectors)
	}
	more := Load(Param("more"), GP64())
	TESTQ(more, more)
	JEQ(LabelRef("block"))
	y, stride := m.output()
	for _, row := range acc {
		for i, a := range row {
			VMOVUPS(y.Offset(i*m.bytes), a)
		}
		ADDQ(stride, y.Base)
	}
	return acc
}

// output loads the address of y and the distance of its rows in bytes.
func (m machine) output() (Mem, reg.Register) {
	y := Mem{Base: Load(Param("y"), GP64())}
	stride := Load(Param("stride"), GP64())
	SHLQ(Imm(2), stride)
	return y, stride
}

// step adds the products of one k: a vector pair of weights times one activation for each row.
func (m machine) step(acc [][]reg.VecVirtual, w, x Mem) {
	weights := make([]reg.VecVirtual, panelVectors)
	for i := range weights {
		weights[i] = m.vector()
		VMOVUPS(w.Offset(i*m.bytes), weights[i])
	}
	for r, row := range acc {
		activation := m.vector()
		VBROADCASTSS(x.Offset(4*r), activation)
		for i, a := range row {
			VFMADD231PS(weights[i], activation, a)
		}
	}
}
