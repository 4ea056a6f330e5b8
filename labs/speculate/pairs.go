package speculate

import (
	"context"
	"fmt"

	"envelope/internal/lab"
)

const (
	// pairsDrawn makes the bound of an honest decoder at most 0.4 of what is
	// allowed: see slack.
	pairsDrawn = 1 << 21
	// passesDrawn makes the interval of a mean at most 0.2 of what is allowed, to
	// either side: see followFormula.
	passesDrawn = 1 << 21
)

// ahead are the numbers of proposals with which pairs are drawn. With one, the
// second token of a pair is the model's own behind an accepted proposal; with
// four, it is a proposal judged behind another. The other ways, by way of the
// residual, are there with both.
var ahead = []int{1, 4}

// scaled is n, or more of it in a full run.
func scaled(r *lab.Run, n int) int {
	if r.Full {
		return 16 * n
	}
	return n
}

// distribution observes an upper bound of the distance between what comes out
// and the model, for every proposer.
//
// The claim is exact, although its observations rest on random draws: the
// quantity that must lie in the region is the bound itself, and it is known
// exactly. The contract's other kinds are intervals of a share and of a median,
// and a distance is neither. Failed then means that the bound was not reached;
// a decoder that is honest fails with a probability of 10^-70 (see slack), so
// that the 0.1 % that the contract allows for are not used.
func distribution(ctx context.Context, r *lab.Run) error {
	model := newModel(r.Rand("model"))
	f := faults{redraw: r.Sabotaged(redrawn), greedy: r.Sabotaged(greedyMatch), stale: r.Sabotaged(staleContext)}
	rng, n := r.Rand("pairs"), scaled(r, pairsDrawn)
	all := model.kinds(r.Rand("proposers"))
	t := lab.Table{Title: fmt.Sprintf("total variation from the model, over %s pairs of tokens each", grouped(n)),
		Header: []string{"proposer", "in common with it", "proposed", "counted", "95 % upper bound"}}
	for _, kind := range all {
		for _, k := range ahead {
			c, err := drawPairs(ctx, rng, newDecoder(&model, kind.chain, k, f), n)
			if err != nil {
				return err
			}
			counted := c.distance(&model, prompt)
			bound := counted + slack(n, len(all)*len(ahead))
			r.Observe(distributed, bound)
			r.AddSeries(lab.Series{Name: fmt.Sprintf("pairs-%s-%d", kind.name, k), Unit: "1", Samples: c.list(), Conditions: -1,
				Text: fmt.Sprintf("times that each pair came out with a proposer that is %s and proposes %d: all pairs in order", kind.name, k)})
			t.Rows = append(t.Rows, []string{kind.name, fmt.Sprintf("%.2f", overlap(&model[prompt], &kind.chain[prompt])),
				fmt.Sprint(k), fmt.Sprintf("%.4f", counted), fmt.Sprintf("%.4f", bound)})
		}
	}
	r.AddTable(t)
	return redrawing(ctx, r)
}

// redrawing measures what the question asks: the first token of pairs of a model
// of two tokens, with the wrong replacement.
func redrawing(ctx context.Context, r *lab.Run) error {
	const a, b = 0, 1
	var model, proposer chain
	for s := range model {
		model[s][a], model[s][b] = 0.75, 0.25
		proposer[s][a], proposer[s][b] = 0.5, 0.5
	}
	c, err := drawPairs(ctx, r.Rand("redrawing"), newDecoder(&model, &proposer, 1, faults{redraw: true}), pairsDrawn/16)
	if err != nil {
		return err
	}
	r.AddSeries(lab.Series{Name: "share-when-redrawn", Unit: "1", Samples: []float64{float64(c[a][a]+c[a][b]) / float64(c.total())}, Conditions: -1,
		Text: "share of A where p is (0.75, 0.25), q is (0.5, 0.5) and a rejected proposal is replaced by a draw from p"})
	return nil
}

func (c *cells) list() (all []float64) {
	for i := range c {
		for j := range c[i] {
			all = append(all, float64(c[i][j]))
		}
	}
	return all
}

// uselessProposer observes both halves of one claim, in the claim's unit: the
// ends of the interval of the tokens that a pass gives, and the bound of the
// distance as 1 + 5 x bound, so that the 0.01 that the first claim allows is the
// 1.05 of this one's region. A proposer that is let through gives more tokens,
// and wrong ones: either is enough to fail.
func uselessProposer(ctx context.Context, r *lab.Run) error {
	model := newModel(r.Rand("model"))
	const k = 4
	d := newDecoder(&model, model.of(useless), k, faults{forced: r.Sabotaged(forcedAcceptance)})
	rng := r.Rand("useless")
	l, err := drawPasses(ctx, rng, d, scaled(r, passesDrawn))
	if err != nil {
		return err
	}
	n := scaled(r, pairsDrawn)
	c, err := drawPairs(ctx, rng, d, n)
	if err != nil {
		return err
	}
	low, high := l.interval(k, 1)
	bound := c.distance(&model, prompt) + slack(n, 1)
	r.Observe(onlySpeed, low, high, 1+5*bound)
	mean, _, passes := l.mean()
	r.AddSeries(lab.Series{Name: "tokens-a-pass-useless", Text: "mean tokens of a pass with the useless proposer", Unit: "1",
		Samples: []float64{mean}, Conditions: -1})
	r.Note("A proposer whose tokens the model gives once in %.1f times gave %.4f tokens a pass over %s passes, and a distribution at most %.4f from the model's.",
		1/least, mean, grouped(passes), bound)
	return nil
}
