package paging

import (
	"math/rand/v2"
	"testing"
)

func TestMillion(t *testing.T) {
	tr, err := newTrial(config{blocks: 144, size: 8, sequences: 48, seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	src := rand.NewPCG(1, 2)
	for i := range 1_000_000 {
		v := src.Uint64()
		tr.do(byte(v), uint16(v>>8), uint16(v>>24))
		if i%4096 == 0 {
			tr.inspect()
		}
		if tr.off > 0 {
			t.Fatal(i, tr.first)
		}
	}
	for k, n := range tr.m.kinds {
		t.Log(kind(k), n)
	}
}
