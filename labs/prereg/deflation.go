package prereg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"envelope/internal/lab"
)

const (
	nominal = 0.05 // the error that a test is meant to have

	chosenFrom = 20  // records of a study
	weeks      = 260 // of each: five years
	perYear    = 52
	// skill is the Sharpe ratio of a year of the one record that has any.
	skill = 3.0
	// studies of each kind that a default run makes, and those with skill in
	// them. See deflation for what they leave of the region.
	studies, skilledStudies = 1500, 300
)

// returns is a kind of record: normal, or with a small gain in most weeks that
// is paid for by rare crashes.
type returns struct {
	name  string
	crash float64 // probability of a week
	depth float64 // in standard deviations of the other weeks
}

var kinds = []returns{{name: "normal"}, {name: "rare crashes", crash: 0.02, depth: 5}}

// spread is the standard deviation of a week.
func (k returns) spread() float64 { return math.Sqrt(1 + k.depth*k.depth*k.crash*(1-k.crash)) }

// fill draws a record whose true mean is given in standard deviations.
func (k returns) fill(rng *rand.Rand, record []float64, mean float64) {
	lift := mean*k.spread() + k.crash*k.depth
	for i := range record {
		v := rng.NormFloat64() + lift
		if k.crash > 0 && rng.Float64() < k.crash {
			v -= k.depth
		}
		record[i] = v
	}
}

// study is one search for skill: records, of which the best is kept.
type study struct {
	kept     moments
	variance float64 // of the Sharpe ratios of all records, of one week
}

// search makes a study. Its first record has the skill, the others none.
func (k returns) search(rng *rand.Rand, room *[chosenFrom][weeks]float64, skill float64, chooses bool) study {
	var ratios [chosenFrom]float64
	at := 0
	for i := range room {
		k.fill(rng, room[i][:], skill/math.Sqrt(perYear))
		skill = 0
		ratios[i] = sharpe(room[i][:])
		if chooses && ratios[i] > ratios[at] {
			at = i
		}
	}
	m := momentsOf(ratios[:])
	return study{kept: momentsOf(room[at][:]), variance: m.sd * m.sd}
}

// threshold is what the best of the study's records would have shown without
// skill.
func (s study) threshold() float64 { return math.Sqrt(s.variance) * expectedBest(chosenFrom) }

// found is how often studies of one kind found skill.
type found struct {
	plain, exact, deflated share // where there is none
	skilled                share // deflated, where there is
}

// deflation observes for each kind of record three shares of what is allowed, each
// with the end of its interval that speaks against the claim.
//
// A plain test of the best of 20 at 5 % finds skill unless all 20 are under the
// quantile: 1 - 0.95^20 = 64 %, 12.8 times nominal, where at least 3 times must
// be. The deflated one asks for 1.645 standard errors above the expected best,
// 1.901: 1 - F(3.546)^20 = 0.4 % where at most 7.5 % may be. And as the variance of
// the 20 ratios is taken from the same 20, a best that lies far out raises its own
// threshold: 0.05 % of 100,000 studies with normal returns, 0.16 % with crashes. So
// it does not bring the error back to 5 %, but to far less, because the best of 20
// spreads by 0.53 of a standard error, and the test goes on as if it were 1. What
// brings it back is 0.95^(1/20) in place of 0.95, which is printed beside it.
//
// Skill is a Sharpe ratio of 3 over five years, 6.7 standard errors. It raises
// the variance of the 20 ratios as well, to 1 + 6.7^2 x 0.0475 = 3.1 or 1.77
// squared, and so the threshold to 1.77 x 1.901 = 3.4. With 1.645 times sqrt(1 +
// 0.42^2 / 2), for a ratio that large, it is at 5.1. Of 20,000 studies with normal
// returns 99 % find it, and 92 % with crashes, where half must be.
//
// With 1,500 and 300 studies no end of an interval comes near a bound. The nearest
// is that of skill among crashes: its lower end lies near 0.87, and each standard
// error is 0.016. Without deflation 64 % find skill where 7.5 % may, without a choice
// 5 % where 15 % must, and with the spread of a year nobody where half must.
func deflation(ctx context.Context, r *lab.Run) error {
	var room [chosenFrom][weeks]float64
	rng := r.Rand("studies")
	t := lab.Table{Title: fmt.Sprintf("studies that keep the best of %d records, share that finds skill at 5 %%", chosenFrom),
		Header: []string{"returns", "plain", "0.95^(1/20)", "deflated", "deflated, with skill"}}
	const intervals = 6
	for _, k := range kinds {
		f := found{}
		for range scaled(r, studies) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := k.search(rng, &room, 0, !r.Sabotaged(noChoice))
			p := s.kept.probability(0)
			f.plain.count(p > 1-nominal)
			f.exact.count(p > math.Pow(1-nominal, 1.0/chosenFrom))
			f.deflated.count(s.kept.probability(deflateBy(r, s)) > 1-nominal)
		}
		for range scaled(r, skilledStudies) {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := k.search(rng, &room, skill, !r.Sabotaged(noChoice))
			f.skilled.count(s.kept.probability(deflateBy(r, s)) > 1-nominal)
		}
		plain, _ := f.plain.interval(intervals)
		_, deflated := f.deflated.interval(intervals)
		skilled, _ := f.skilled.interval(intervals)
		r.Observe(restores, atLeast(plain, 3*nominal), deflated/(1.5*nominal), atLeast(skilled, 0.5))
		t.Rows = append(t.Rows, []string{k.name, percent(f.plain), percent(f.exact), percent(f.deflated), percent(f.skilled)})
		if k.crash == 0 {
			r.AddSeries(lab.Series{Name: "share-found-in-the-best-of-20", Unit: "1", Samples: []float64{f.plain.value()}, Conditions: -1,
				Text: "studies of 20 worthless records whose best passes a plain test at 5 %"})
		}
	}
	r.AddTable(t)
	return nil
}

// deflateBy is the threshold that the deflated test uses.
func deflateBy(r *lab.Run, s study) float64 {
	switch {
	case r.Sabotaged(noDeflation):
		return 0
	case r.Sabotaged(annualSpread):
		return s.threshold() * math.Sqrt(perYear)
	}
	return s.threshold()
}

// unbounded stands for a quantity that should have been above zero and is not: a
// manifest can't hold an infinite one.
const unbounded = 1e6

// atLeast is the share of what is allowed that v, which must reach a bound, has
// used up: at most 1 where it does.
func atLeast(v, bound float64) float64 {
	if v <= bound/unbounded {
		return unbounded
	}
	return bound / v
}

func percent(s share) string { return fmt.Sprintf("%.2f %%", 100*s.value()) }
