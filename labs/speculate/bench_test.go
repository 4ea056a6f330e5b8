package speculate

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkPairs tells the time of a pair on all processors, for each proposer.
func BenchmarkPairs(b *testing.B) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	for _, kind := range model.kinds(rand.New(rand.NewPCG(2, 1))) {
		b.Run(kind.name, func(b *testing.B) {
			d := newDecoder(&model, kind.chain, 4, faults{})
			n := max(shares, b.N)
			if _, err := drawPairs(b.Context(), rand.New(rand.NewPCG(3, 1)), d, n); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkPasses tells the time of a pass of 16 proposals.
func BenchmarkPasses(b *testing.B) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	d := newDecoder(&model, model.of(func(p *dist) dist { return flatter(p, 0.9) }), 16, faults{})
	if _, err := drawPasses(b.Context(), rand.New(rand.NewPCG(3, 1)), d, max(shares, b.N)); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkFollow(b *testing.B) {
	text, err := ownWords()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		follow(text)
	}
}
