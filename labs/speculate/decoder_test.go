package speculate

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// enumeration throws dice in every way that they can fall, one way after
// another, and knows how likely each is. Nothing is drawn.
type enumeration struct {
	path  []fork
	depth int
	// weight is the probability of the way that was taken.
	weight float64
}

// fork is a throw: the chances of its outcomes that can come, and which of them
// is taken.
type fork struct {
	values []int
	chance []float64
	taken  int
}

func (e *enumeration) throw(values []int, chance []float64) int {
	if e.depth == len(e.path) {
		e.path = append(e.path, fork{values, chance, 0})
	}
	f := &e.path[e.depth]
	e.depth++
	e.weight *= f.chance[f.taken]
	return f.values[f.taken]
}

func (e *enumeration) pick(t *table) token {
	var values []int
	var chance []float64
	for v, p := range t.dist {
		if p > 0 {
			values, chance = append(values, v), append(chance, p)
		}
	}
	return token(e.throw(values, chance))
}

func (e *enumeration) chance(p float64) bool {
	switch p {
	case 0:
		return false
	case 1:
		return true
	}
	return e.throw([]int{0, 1}, []float64{1 - p, p}) == 1
}

// every calls do for each way, and returns the sum of their probabilities.
func (e *enumeration) every(do func()) (sum float64) {
	for {
		e.depth, e.weight = 0, 1
		do()
		sum += e.weight
		for len(e.path) > 0 {
			last := &e.path[len(e.path)-1]
			if last.taken++; last.taken < len(last.values) {
				break
			}
			e.path = e.path[:len(e.path)-1]
		}
		if len(e.path) == 0 {
			return sum
		}
	}
}

// joint is a distribution of pairs.
type joint [vocabulary][vocabulary]float64

// exactly returns the distribution of a decoder's pairs.
func exactly(t testing.TB, d *decoder, from token) (j joint) {
	t.Helper()
	var e enumeration
	sum := e.every(func() {
		first, second := d.pair(&e, from)
		j[first][second] += e.weight
	})
	if !near(sum, 1) {
		t.Errorf("all ways together have probability %v", sum)
	}
	return j
}

func (j *joint) from(model *chain, from token) (sum float64) {
	for a := range j {
		for b := range j[a] {
			sum += math.Abs(j[a][b] - model[from][a]*model[a][b])
		}
	}
	return sum / 2
}

// few draws a chain over the first n tokens.
func few(t *rapid.T, name string, n int) (c chain) {
	for s := range n {
		sum := 0.0
		for v := range n {
			c[s][v] = float64(rapid.IntRange(0, 5).Draw(t, name))
			sum += c[s][v]
		}
		if sum == 0 {
			c[s] = certain(token(rapid.IntRange(0, n-1).Draw(t, name)))
			continue
		}
		for v := range n {
			c[s][v] /= sum
		}
	}
	for s := n; s < vocabulary; s++ {
		c[s] = certain(0)
	}
	return c
}

// Whatever p and q are over a vocabulary of two or three, pairs come out as the
// model gives them: summed up over every way that the passes can take.
func TestOutputIsExactlyP(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 3).Draw(rt, "tokens")
		model, proposer := few(rt, "p", n), few(rt, "q", n)
		d := newDecoder(&model, &proposer, rapid.IntRange(0, 3).Draw(rt, "proposed"), faults{})
		j := exactly(t, d, token(rapid.IntRange(0, n-1).Draw(rt, "prompt")))
		for s := range token(n) {
			j = exactly(t, d, s)
			if got := j.from(&model, s); got > 1e-12 {
				rt.Errorf("behind %d pairs are %v from the model", s, got)
			}
		}
	})
}

// The lab's own models and proposers, and how far each control takes them:
// exactly, and far beyond what the claim allows, for most proposers.
func TestControlsMoveTheDistribution(t *testing.T) {
	check := func(seed uint64, name string, f faults, least float64) {
		t.Helper()
		model := newModel(rand.New(rand.NewPCG(seed, 1)))
		most := 0.0
		for _, k := range model.kinds(rand.New(rand.NewPCG(seed, 2))) {
			j := exactly(t, newDecoder(&model, k.chain, 1, f), prompt)
			most = max(most, j.from(&model, prompt))
		}
		if most < least || least == 0 && most > 1e-12 {
			t.Errorf("seed %d, %s: pairs are at most %.3g from the model, want %.3g", seed, name, most, least)
		}
	}
	for seed := range uint64(20) {
		check(seed, "none", faults{}, 0)
		check(seed, redrawn, faults{redraw: true}, 0.05)
		check(seed, greedyMatch, faults{greedy: true}, 0.5)
		check(seed, staleContext, faults{stale: true}, 0.05)
		check(seed, forcedAcceptance, faults{forced: true}, 0.5)
	}
}

// A fault of the second position leaves the first token as it is: only pairs
// show it.
func TestStaleContextShowsInPairsOnly(t *testing.T) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	for _, k := range model.kinds(rand.New(rand.NewPCG(1, 2))) {
		j := exactly(t, newDecoder(&model, k.chain, 1, faults{stale: true}), prompt)
		for a := range j {
			sum := 0.0
			for _, p := range j[a] {
				sum += p
			}
			if !near(sum, model[prompt][a]) {
				t.Errorf("%s: token %d comes first with %v, want %v", k.name, a, sum, model[prompt][a])
			}
		}
	}
}

// The mean tokens of a pass are the formula's, exactly, for a proposer made for
// an acceptance, and one more proposal is seen.
func TestYieldIsExactlyTheFormula(t *testing.T) {
	var model, proposer chain
	for s := range model {
		// Two tokens, so that all ways of five proposals can be taken.
		a, b := s%2, 1-s%2
		model[s][a], model[s][b] = 0.8, 0.2
		proposer[s][a], proposer[s][b] = 0.5, 0.5
	}
	for k := range 6 {
		d := newDecoder(&model, &proposer, k, faults{})
		var e enumeration
		mean := 0.0
		e.every(func() { mean += e.weight * float64(len(d.pass(&e, 1, nil))) })
		if want := expected(0.7, k); !near(mean, want) {
			t.Errorf("%d proposals: got %v tokens a pass, want %v", k, mean, want)
		}
	}
}

// Equal chains accept all that is proposed; disjoint ones nothing.
func TestPassOfExtremes(t *testing.T) {
	model := newModel(rand.New(rand.NewPCG(1, 1)))
	var never, half chain
	for s := range model {
		half[s], never[s] = dist{0.5, 0.25, 0.25}, dist{6: 0.5, 7: 0.5}
	}
	check := func(what string, model, proposer *chain, want int) {
		t.Helper()
		r := new(random)
		r.Seed(1, 1)
		d := newDecoder(model, proposer, 4, faults{})
		for range 1000 {
			out := d.pass(r, 2, nil)
			if len(out) != want {
				t.Fatalf("%s: got %d tokens, want %d", what, len(out), want)
			}
			at := token(2)
			for _, v := range out {
				if model[at][v] == 0 {
					t.Fatalf("%s: token %d comes out, which the model never gives", what, v)
				}
				at = v
			}
		}
	}
	check("equal", &model, &model, 5)
	check("disjoint", &half, &never, 1)
}

// The generator throws the dice as they are loaded.
func TestRandomDice(t *testing.T) {
	r := new(random)
	r.Seed(1, 1)
	const n = 1 << 20
	for _, p := range []float64{0, 0.25, 0.9, 1} {
		got := 0
		for range n {
			if r.chance(p) {
				got++
			}
		}
		// Six standard deviations, and none at the ends.
		if off := math.Abs(float64(got) - p*n); off > 6*math.Sqrt(n*p*(1-p)) {
			t.Errorf("chance %v came %d times in %d", p, got, n)
		}
	}
	table := newTable(dist{0.5, 0.3, 0.2})
	var counts [vocabulary]int
	for range n {
		counts[r.pick(&table)]++
	}
	for v, p := range table.dist {
		if off := math.Abs(float64(counts[v]) - p*n); off > 6*math.Sqrt(n*p*(1-p)) {
			t.Errorf("token %d of %v came %d times in %d", v, p, counts[v], n)
		}
	}
}
