package measure

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"
)

func TestLimitsAtPlannedLooks(t *testing.T) {
	check := func(l *limits, want ...int) {
		t.Helper()
		if !slices.Equal(l.wrong, want) {
			t.Errorf("got %v, want %v", l.wrong, want)
		}
		for i, n := range Looks {
			if got := l.at(n, false); got != want[i] {
				t.Errorf("at %d: got %d, want %d", n, got, want[i])
			}
		}
	}
	check(heldLimits(), 2, 9, 22, 50)
	check(failedLimits(), 0, 5, 18, 43)
}

func TestLimits(t *testing.T) {
	check := func(l *limits, n int, final bool, want int) {
		t.Helper()
		if got := l.at(n, final); got != want {
			t.Errorf("%d blocks, final %v: got %d, want %d", n, final, got, want)
		}
	}
	// Nothing is decided between looks, nor under the fewest blocks.
	check(heldLimits(), 15, false, -1)
	check(heldLimits(), 17, false, -1)
	check(heldLimits(), 512, false, -1)
	check(heldLimits(), 0, true, -1)
	check(heldLimits(), 7, true, -1)
	check(failedLimits(), 13, true, -1)
	// Before the first look only its own share of the error is there.
	check(heldLimits(), 8, true, 0)
	check(heldLimits(), 10, true, 0)
	check(heldLimits(), 11, true, 1)
	check(heldLimits(), 15, true, 2)
	check(failedLimits(), 14, true, 0)
	check(failedLimits(), 15, true, 0)
	// A budget that ends at a planned look is judged with the rest of the
	// error, and where that buys nothing, by the look's own limit.
	check(heldLimits(), 16, true, 3)
	check(heldLimits(), 32, true, 9)
	check(heldLimits(), 128, true, 50)
	check(failedLimits(), 16, true, 1)
	check(failedLimits(), 64, true, 18)
	check(failedLimits(), 128, true, 43)
	check(heldLimits(), 512, true, 224)
	check(failedLimits(), 512, true, 210)
}

func TestFailedNeedsMoreThanHeld(t *testing.T) {
	for n := range 520 {
		held, failed := heldLimits().at(n, true), failedLimits().at(n, true)
		if failed > held {
			t.Errorf("%d blocks: %d may be wrong for failed, %d for held", n, failed, held)
		}
		if held >= 0 && 2*held >= n {
			t.Errorf("%d blocks: %d wrong is no majority", n, held)
		}
	}
}

// paths counts, in whole numbers, the walks that are still undecided: alive[s]
// of the 2^n walks of n steps have s wrong ones. It shares nothing with plan.
type paths struct {
	n       int
	alive   []*big.Int
	crossed *big.Rat
}

func newPaths() *paths { return &paths{alive: []*big.Int{big.NewInt(1)}, crossed: new(big.Rat)} }

func (p *paths) walk(to int) {
	for ; p.n < to; p.n++ {
		next := make([]*big.Int, p.n+2)
		for s := range next {
			next[s] = new(big.Int)
			if s <= p.n {
				next[s].Add(next[s], p.alive[s])
			}
			if s > 0 {
				next[s].Add(next[s], p.alive[s-1])
			}
		}
		p.alive = next
	}
}

// chance returns the probability that a walk is undecided with exactly s wrong.
func (p *paths) chance(s int) *big.Rat {
	return new(big.Rat).SetFrac(p.alive[s], new(big.Int).Lsh(big.NewInt(1), uint(p.n)))
}

// cross decides all walks with at most wrong.
func (p *paths) cross(wrong int) {
	for s := 0; s <= wrong; s++ {
		p.crossed.Add(p.crossed, p.chance(s))
		p.alive[s] = new(big.Int)
	}
}

func TestLimitsSpendTheErrorExactly(t *testing.T) {
	for _, l := range []*limits{heldLimits(), failedLimits()} {
		alpha := new(big.Rat).SetFloat64(l.alpha)
		p := newPaths()
		for i, look := range Looks {
			p.walk(look)
			p.cross(l.wrong[i])
			budget := new(big.Rat).Mul(alpha, big.NewRat(int64(i+1), int64(len(Looks))))
			if p.crossed.Cmp(budget) > 0 {
				t.Errorf("alpha %g: %v spent at look %d, more than %v", l.alpha, p.crossed.FloatString(9), look, budget.FloatString(9))
			}
			if more := new(big.Rat).Add(p.crossed, p.chance(l.wrong[i]+1)); more.Cmp(budget) <= 0 {
				t.Errorf("alpha %g: at look %d one more wrong block could be afforded", l.alpha, look)
			}
			if got, _ := p.crossed.Float64(); math.Abs(got-l.spent[i]) > 1e-16 {
				t.Errorf("alpha %g, look %d: got %.17g spent, want %.17g", l.alpha, look, l.spent[i], got)
			}
		}
	}
}

func TestEndOfBudgetNeverOverspends(t *testing.T) {
	for _, l := range []*limits{heldLimits(), failedLimits()} {
		alpha := new(big.Rat).SetFloat64(l.alpha)
		p := newPaths()
		for n := l.atmin; n <= 300; n++ {
			p.walk(n)
			end := &paths{n: n, alive: slices.Clone(p.alive), crossed: new(big.Rat).Set(p.crossed)}
			if i := slices.Index(Looks, n); i >= 0 {
				p.cross(l.wrong[i])
				end.cross(l.wrong[i])
			}
			k := l.at(n, true)
			end.cross(k)
			if end.crossed.Cmp(alpha) > 0 {
				t.Errorf("alpha %g: a budget that ends at %d blocks spends %v", l.alpha, n, end.crossed.FloatString(9))
			}
			if n < Looks[0] || k < 0 {
				continue
			}
			if more := new(big.Rat).Add(end.crossed, end.chance(k+1)); more.Cmp(alpha) <= 0 {
				t.Errorf("alpha %g: at the end at %d blocks one more wrong block could be afforded", l.alpha, n)
			}
		}
	}
}

// All 2^20 walks of a claim whose budget ends at 20 blocks, one by one.
func TestEveryWalkOfTwentyBlocks(t *testing.T) {
	l, crossed := heldLimits(), 0
	first, last := l.at(16, false), l.at(20, true)
	for w := range uint32(1 << 20) {
		if bits.OnesCount32(w&0xffff) <= first || bits.OnesCount32(w) <= last {
			crossed++
		}
	}
	if got := float64(crossed) / (1 << 20); got > alphaHeld {
		t.Errorf("got %g of all walks held, want at most %g", got, alphaHeld)
	}
	dist := extend(l.alive[0], 4)
	spent := l.spent[0]
	for _, q := range dist[:last+1] {
		spent += q
	}
	if got, want := spent, float64(crossed)/(1<<20); got != want {
		t.Errorf("got %g by the plan, want %g counted", got, want)
	}
}

func TestOrderInterval(t *testing.T) {
	sorted := []float64{1, 2, 3, 4, 5}
	check := func(wrong int, low, high float64) {
		t.Helper()
		if got := orderInterval(sorted, wrong); got != (Span{low, high}) {
			t.Errorf("%d wrong: got %v, want [%g, %g]", wrong, got, low, high)
		}
	}
	check(0, 1, 5)
	check(1, 2, 4)
	check(2, 3, 3)
	check(3, -inf, inf)
	check(-1, -inf, inf)
}
