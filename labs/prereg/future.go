package prereg

import (
	"context"
	"errors"
	"math"

	"envelope/internal/lab"
)

// future perturbs everything from each day on, in two ways, and observes how many
// features and members of the universe of the days before are then otherwise. A
// perturbation that changes nothing from its day on has shown nothing, and counts
// as a difference.
func future(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("panel")
	l := leaks{centred: r.Sabotaged(centredWindow), whole: r.Sabotaged(wholeSample), survivors: r.Sabotaged(survivorsOnly)}
	compared, days := 0, 0
	for range scaled(r, 1) {
		p, other, gone := newPanel(rng), newPanel(rng), &panel{}
		for d := range gone {
			for a := range gone[d] {
				gone[d][a] = unlisted
			}
		}
		want := l.compute(p)
		for day := window + 1; day < panelDays; day += fewer {
			if err := ctx.Err(); err != nil {
				return err
			}
			days++
			for _, instead := range []*panel{other, gone} {
				got := l.compute(p.from(day, instead))
				wrong, n := want.perturbed(got, day)
				r.Observe(invisible, float64(wrong))
				compared += n
			}
		}
	}
	if compared == 0 {
		return errors.New("no asset was in the universe on any day, so nothing was compared")
	}
	r.Note("%s features of assets in the universe were compared, bit by bit, before %s days from which on everything was otherwise.",
		grouped(compared), grouped(days))
	return nil
}

// perturbed counts the differences before a day from which on the other table's
// history is otherwise, and one more if there is none from that day on; and what
// was compared before it.
func (t *table) perturbed(o *table, day int) (wrong, n int) {
	wrong, n = t.differences(o, 0, day)
	if after, _ := t.differences(o, day, panelDays); after == 0 {
		wrong++
	}
	return wrong, n
}

// differences counts the features and memberships that are not the same in both
// tables, on days from a first to before a last, and the features that the assets
// in the universe have there.
func (t *table) differences(o *table, from, to int) (differ, n int) {
	for d := from; d < to; d++ {
		for a := range panelAssets {
			if t.universe[d][a] != o.universe[d][a] {
				differ++
			}
			if t.universe[d][a] {
				n += featureCount
			}
			for f := range featureCount {
				if !same(t.features[d][a][f], o.features[d][a][f]) {
					differ++
				}
			}
		}
	}
	return differ, n
}

// same reports whether two features are the same bits, or neither is there.
func same(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}
