package speculate

import (
	"math/rand/v2"
	"testing"
)

// Behind every token of every model the proposers have in common with it what
// they are made for.
func TestChains(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		model := newModel(rng)
		kinds := model.kinds(rng)
		chains := map[string]*chain{"model": &model, "useless": model.of(useless)}
		for _, k := range kinds {
			chains[k.name] = k.chain
		}
		for name, c := range chains {
			for s := range c {
				if !sums(&c[s]) {
					t.Fatalf("seed %d: %s behind %d is no distribution: %v", seed, name, s, c[s])
				}
			}
		}
		for s := range model {
			p := &model[s]
			for _, a := range []float64{0.5, 0.7, 0.9} {
				q := flatter(p, a)
				if got := overlap(p, &q); !near(got, a) || !sums(&q) {
					t.Fatalf("seed %d: behind %d a proposer of %v has %v in common with the model", seed, s, a, got)
				}
			}
			if got := overlap(p, &chains["useless"][s]); !near(got, least) {
				t.Errorf("seed %d: the useless proposer has %v in common, want %v", seed, got, least)
			}
			order := p.ranked()
			for i, v := range order {
				adversarial := chains["adversarial"][s][v]
				if never := i < vocabulary/2; never != (adversarial == 0) {
					t.Errorf("seed %d: the adversarial proposer gives the token of rank %d with %v", seed, i, adversarial)
				}
			}
		}
	}
	if least < 1.0/89 || least > 1.0/87 {
		t.Errorf("the least likely token comes with %v, want once in 88", least)
	}
}

// The next token depends on the last one: of any two models at most a few of
// their distributions are equal.
func TestModelDependsOnTheLastToken(t *testing.T) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	for i := range model {
		for j := range i {
			if model[i] == model[j] {
				t.Errorf("behind %d and behind %d the model says the same", i, j)
			}
		}
	}
}
