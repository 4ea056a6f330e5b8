package speculate

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/lab"
)

// yieldPoint is a number of proposals and a probability that each is accepted.
type yieldPoint struct {
	k int
	a float64
}

// claimed are the points at which the formula must hold. At 0.7 one proposal
// more or less is hard to see behind sixteen, 0.07 %; at 0.9 it is over 2 %
// everywhere.
var claimed = []yieldPoint{{4, 0.7}, {8, 0.7}, {16, 0.7}, {4, 0.9}, {8, 0.9}, {16, 0.9}}

// shown stand beside them in the table, with fewer passes.
var shown = []yieldPoint{{1, 0.5}, {2, 0.5}, {4, 0.5}, {8, 0.5}, {16, 0.5}, {1, 0.7}, {2, 0.7}, {1, 0.9}, {2, 0.9}}

// followFormula observes both ends of the interval of each mean over its
// formula. The claim is exact for the reason that distribution gives: what lies
// in the region is an interval's end, and a mean of counts that go up to 17 is
// neither a share of trials nor a median. The widest interval is that of 16
// proposals at 0.7: 2.7 tokens of standard deviation over 2^21 passes give 0.20 %
// to either side where 1 % is allowed, and the rest is 14 standard deviations of
// the mean.
func followFormula(ctx context.Context, r *lab.Run) error {
	model := newModel(r.Rand("model"))
	rng := r.Rand("passes")
	means := map[yieldPoint]float64{}
	count := func(p yieldPoint, n int) (lengths, error) {
		proposer := model.of(func(d *dist) dist { return flatter(d, p.a) })
		k := p.k
		if r.Sabotaged(oneOff) {
			k++
		}
		l, err := drawPasses(ctx, rng, newDecoder(&model, proposer, k, faults{}), n)
		means[p], _, _ = l.mean()
		return l, err
	}
	for _, p := range claimed {
		l, err := count(p, scaled(r, passesDrawn))
		if err != nil {
			return err
		}
		low, high := l.interval(p.k, len(claimed))
		want := expected(p.a, p.k)
		r.Observe(yields, low/want, high/want)
		r.AddSeries(lab.Series{Name: p.name(), Unit: "1", Samples: []float64{means[p]}, Conditions: -1,
			Text: fmt.Sprintf("mean tokens of a pass with %d proposals, each accepted with probability %g", p.k, p.a)})
	}
	for _, p := range shown {
		if _, err := count(p, passesDrawn/32); err != nil {
			return err
		}
	}
	r.AddTable(yieldTable(means))
	return priceOnCard(r, means[yieldPoint{4, 0.7}])
}

func (p yieldPoint) name() string { return fmt.Sprintf("tokens-a-pass-%d-at-%.0f", p.k, 100*p.a) }

// yieldTable shows every mean with its formula beside it.
func yieldTable(means map[yieldPoint]float64) lab.Table {
	t := lab.Table{Title: "tokens a pass, counted and (in brackets) 1 + a + ... + a^K", Header: []string{"K"}}
	chances := []float64{0.5, 0.7, 0.9}
	for _, a := range chances {
		t.Header = append(t.Header, fmt.Sprintf("a = %g", a))
	}
	for _, k := range []int{1, 2, 4, 8, 16} {
		row := []string{fmt.Sprint(k)}
		for _, a := range chances {
			row = append(row, fmt.Sprintf("%.3f (%.3f)", means[yieldPoint{k, a}], expected(a, k)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// priceOnCard divides the axioms' time of a pass by the tokens that were
// counted: the question's card is not here, the passes are.
func priceOnCard(r *lab.Run, tokens float64) error {
	read, compute, err := passOnCard(r.Axioms, 5)
	if err != nil {
		return err
	}
	r.AddSeries(lab.Series{Name: "token-on-the-card", Unit: "s", Samples: []float64{max(read.Value, compute.Value) / tokens}, Conditions: -1,
		Text: "the axioms' time of a pass / tokens a pass as counted, 4 proposals at 0.7"})
	return nil
}

// passOnCard is how long the axioms' card takes to read the model's weights
// once, and to compute so many positions. A pass takes the longer of the two;
// that this is so below the ridge is what lab ridge claims.
func passOnCard(s axioms.Set, positions float64) (read, compute axioms.Quantity, err error) {
	if read, err = quotient(s, "model-weights", "a100-bandwidth"); err != nil {
		return read, compute, err
	}
	if compute, err = quotient(s, "model-work", "a100-peak"); err != nil {
		return read, compute, err
	}
	compute, err = compute.Mul(axioms.Count(positions))
	return read, compute, err
}

func quotient(s axioms.Set, over, under string) (q axioms.Quantity, err error) {
	a, err := s.Get(over)
	if err != nil {
		return q, err
	}
	b, err := s.Get(under)
	if err != nil {
		return q, err
	}
	return a.Quantity.Div(b.Quantity)
}

// grouped writes a count for people.
func grouped(n int) string { return humanize.Comma(int64(n)) }
