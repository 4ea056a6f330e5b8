package groupcommit

import (
	"time"

	"envelope/internal/lab"
)

// held is H in fsync times.
const held = 4

// holds plays a load under which batches fall to one, one arrival to an fsync
// time, with batches held open, and a few short episodes of the other policies
// for the claim about acknowledgements.
func (b *bench) holds() error {
	f := b.low.median()
	if b.Wants(everyAck) {
		for _, p := range []policy{{count: 6}, {window: held * f}} {
			if _, _, err := b.try(load{policy: p, perSecond: 2 / f.Seconds(), n: 12}); err != nil {
				return err
			}
		}
	}
	if !b.Wants(holdCaps, everyAck) {
		return nil
	}
	// Many short episodes: a stall that takes in one of them leaves the next.
	times, n := 16, 32
	if b.Budget > 0 {
		times = max(1, min(times, int(b.Budget/10/(time.Duration(n)*f))))
	}
	l := load{policy: policy{hold: held * f}, perSecond: 1 / f.Seconds(), n: n}
	if b.Sabotaged("no-hold") {
		l.policy = policy{}
	}
	missed := ""
	for range times {
		o, why, err := b.try(l)
		if err != nil {
			return err
		}
		if o == nil {
			missed = why
			continue
		}
		b.Observe(holdCaps, float64(len(o.batches))/(o.elapsed.Seconds()/(held*f).Seconds()+1))
	}
	if b.SeriesNamed(holdCaps) == nil && missed != "" {
		b.missed[holdCaps] = missed
	}
	return nil
}

// try plays an episode that may come to nothing: where its load can't be made,
// the reason takes the place of an outcome.
func (b *bench) try(l load) (o *outcome, missed string, err error) {
	o, err = b.episode(l)
	if why, ok := err.(errMissed); ok {
		return nil, string(why), nil
	}
	return o, "", err
}

// fillTimes plays the arithmetic that the lab begins with in virtual time.
func fillTimes(r *lab.Run) {
	const count, night, day = 1000, 10, 100_000
	slow, fast := fill(count, night), fill(count, day)
	r.AddSeries(lab.Series{Name: fillSeries, Text: "time in which a batch of 1000 fills at 10/s over that at 100,000/s, in the twin", Unit: "1",
		Samples: []float64{slow.Seconds() / fast.Seconds()}, Conditions: -1})
	r.Note("in virtual time 1,000 records fill a batch in %s at 100,000/s and in %s at 10/s", timeOf(fast), timeOf(slow))
}
