package measure

import "testing"

func TestParts(t *testing.T) {
	terms := Terms{Kind: Comparison, Region: AtMost(1.4), Form: Ratio}
	part := func(name string, n int, ratio float64) Part {
		return Part{Name: name, Blocks: clocked(jittered(n, ratio)...), CallsA: 1, CallsB: 1}
	}
	check := func(parts []Part, verdict Verdict, reason Reason, detail string) Judgement {
		t.Helper()
		j := Judge(terms, Evidence{Parts: parts}, 37e-9)
		judged(t, j, verdict, reason, detail)
		return j
	}
	// All have to hold, and the estimate shown is the one nearest to the bound.
	j := check([]Part{part("one", 16, 0.5), part("two", 16, 1.2), part("three", 16, 0.9)}, Held, "", "")
	if j.Estimate.Value < 1.1 || j.Estimate.Value > 1.3 {
		t.Errorf("got the estimate %v, want that of the part nearest to the bound, about 1.2", j.Estimate.Value)
	}
	// One that fails is enough, wherever it stands.
	check([]Part{part("one", 16, 0.5), part("two", 16, 3)}, Failed, "", "two: median of 16 blocks")
	check([]Part{part("one", 16, 3), part("two", 5, 0.5)}, Failed, "", "one: median of 16 blocks")
	check([]Part{part("one", 5, 0.5), part("two", 16, 3)}, Failed, "", "two: median of 16 blocks")
	// One that can't be judged stands in the way of held, not of failed.
	check([]Part{part("one", 16, 0.5), part("two", 5, 0.5)}, Void, Noisy, "two: 5 blocks")
	check([]Part{{Name: "none"}}, Void, Noisy, "none: no block was finished")
}

func TestExtra(t *testing.T) {
	// Four rows at the price of 2.5: each of the three extra ones costs half.
	b := Blocks{A: []float64{5, 5}, B: []float64{2, 2}, Per: 2, Form: Extra, Unit: 3, Clocked: true}
	if got := b.Observations(); len(got) != 1 || got[0] != 0.5 {
		t.Errorf("got %v, want one observation of 0.5", got)
	}
}
