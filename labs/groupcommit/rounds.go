package groupcommit

import (
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// kind is one of the episodes of a round.
type kind int

const (
	lowAdaptive kind = iota
	lowFixed
	lowBrief
	highAdaptive
	highFixed
	highSpawned
)

// round is one episode of each kind, played when the first claim asks for it
// and looked at by all that do: half of the time is saved, and what claims are
// compared on was taken under one load. Fsync times are those of the moment at
// which the round began.
type round struct {
	low, high time.Duration
	played    [highSpawned + 1]*outcome
}

// sizes are how many arrivals episodes have.
type sizes struct {
	fixed int // the count at low load; one batch
	low   int // adaptive at low load
	high  int // at high load
}

// cost is how many fsync times a round takes, with the time in which the last
// batch drains.
func (s sizes) cost(fixed bool) float64 {
	n := 2*float64(s.low) + 3*(float64(s.high)/crowd+1)
	if s.low > brief {
		n += 2 * brief
	}
	if fixed {
		n += 2*float64(s.fixed) + 1
	}
	return n
}

// brief is how many arrivals an episode has at most whose latency is compared
// with its own fsync. A stall of the disk takes in many records and is a single
// fsync, so that the two medians of a long episode may come from different
// weather.
const brief = 12

// The sizes, from the most patient.
var patience = []sizes{{large, large, 1024}, {large, 24, 1024}, {large / 2, 12, 512}, {large / 2, 8, 256}}

const (
	easily = 16 // rounds in which clear results are decided
	barely = 8  // rounds under which nothing is
)

// choose returns the largest sizes whose rounds fit into so many fsync times.
// fixed is false where a fixed count can't be tried at all, possible where
// nothing can be.
func choose(fsyncs float64) (s sizes, fixed, possible bool) {
	for _, s = range patience {
		if easily*s.cost(true) <= fsyncs {
			return s, true, true
		}
	}
	return s, barely*s.cost(true) <= fsyncs, barely*s.cost(false) <= fsyncs
}

// fit sizes the episodes for what is left of the budget, and voids what it has
// no time for on this disk.
func (b *bench) fit() {
	b.size, b.most = patience[0], time.Second
	if b.Budget > 0 {
		b.inTime(b.low.median())
	}
	if per := fastest * b.high.median().Seconds(); per < fewest {
		for _, c := range []string{follows, neverLoses} {
			b.Void(c, measure.Unreachable, "an fsync takes %s here: 200,000 arrivals a second are %.1f to an fsync, and a high load is %d at least",
				timeOf(b.high.median()), per, fewest)
		}
	}
}

// inTime is fit for a disk on which an fsync takes f. A disk that only seems to
// be slow, because somebody else is using it, can reach the claims: there the
// time decides, and not enough of it is noise.
func (b *bench) inTime(f time.Duration) {
	budget := b.Budget.Seconds()
	b.size, _, _ = choose(budget / f.Seconds())
	quiet := f
	if b.Barrier > 0 {
		quiet = min(f, 2*b.Barrier) // paced, it may take longer than the driver's
	}
	_, fixed, possible := choose(budget / quiet.Seconds())
	// Nor may such a disk stretch episodes until too few of them fit.
	b.most = max(quiet, seconds(budget/(easily*b.size.cost(fixed))))
	late := func(claim string) {
		b.Void(claim, measure.Unreachable, "an fsync takes %s here: %d episodes of each kind would take %s, and there are %s; a full run has more",
			timeOf(f), barely, axioms.Seconds(barely*b.size.cost(claim == collapses)*f.Seconds()), timeOf(b.Budget))
	}
	if !fixed {
		late(collapses)
	}
	if !possible {
		late(onlyBarrier)
		late(follows)
		late(neverLoses)
	}
}

// load returns the episode of a kind.
func (b *bench) load(k kind, r *round) load {
	switch k {
	case lowFixed:
		l := load{policy: policy{count: b.size.fixed}, perSecond: lowRate(r.low), n: b.size.fixed}
		if b.Sabotaged("both-adaptive") {
			l.policy = policy{}
		}
		return l
	case highAdaptive:
		return load{perSecond: highRate(r.high), n: b.size.high}
	case highFixed:
		return load{policy: policy{count: large}, perSecond: highRate(r.high), n: b.size.high}
	case highSpawned:
		l := load{perSecond: highRate(r.high), n: b.size.high, spawn: true}
		if b.Sabotaged("lock-across-fsync") {
			// Every arrival makes an fsync, so there are few, at the least rate
			// that counts as high.
			l.held, l.n, l.perSecond = true, 2*b.size.low, fewest/r.high.Seconds()
		}
		return l
	}
	l := load{perSecond: lowRate(r.low), n: b.size.low, spawn: true}
	if k == lowBrief {
		l.n = brief
	}
	l.held = b.Sabotaged("lock-across-fsync")
	if b.Sabotaged("fixed") {
		l.policy = policy{count: l.n}
	}
	return l
}

// at returns the episode of a kind in round i.
func (b *bench) at(i int, k kind) (*outcome, error) {
	if k == lowBrief && b.size.low <= brief {
		k = lowAdaptive
	}
	for len(b.rounds) <= i {
		b.rounds = append(b.rounds, &round{low: min(b.low.median(), b.most), high: min(b.high.median(), b.most)})
	}
	r := b.rounds[i]
	if r.played[k] != nil {
		return r.played[k], nil
	}
	l := b.load(k, r)
	if k == highAdaptive && b.Sabotaged("delay-before-close") {
		// In units of the other arm: where others use the disk too, that one
		// falls behind, and no fixed delay would be long enough.
		fixed, err := b.at(i, highFixed)
		if err != nil {
			return nil, err
		}
		l.delay = seconds(b.Dose * fixed.p50())
	}
	o, err := b.episode(l)
	if err != nil {
		return nil, err
	}
	switch k {
	case lowAdaptive:
		b.low.add(o)
	case highAdaptive:
		b.high.add(o)
	}
	r.played[k] = o
	return o, nil
}

// arm is a figure of one kind of episode, round by round.
func (b *bench) arm(claim, name, unit string, k kind, figure func(*outcome) float64) measure.Arm {
	i := 0
	return measure.Arm{Name: name, Unit: unit, Count: func() (float64, error) {
		o, err := b.at(i, k)
		if why, ok := err.(errMissed); ok {
			b.missed[claim] = string(why)
		}
		if err != nil {
			return 0, err
		}
		i++
		return figure(o), nil
	}}
}

func (b *bench) pairs() []lab.Pair {
	p50, fsync := (*outcome).p50, (*outcome).fsync
	batch := func(o *outcome) float64 { return meanBatch(o.batches) }
	pair := func(claim string, a, b measure.Arm) lab.Pair {
		return lab.Pair{Claim: claim, A: a, B: b, Episode: true}
	}
	return []lab.Pair{
		pair(collapses,
			b.arm(collapses, "median latency at low load, fixed count", "s", lowFixed, p50),
			b.arm(collapses, "median latency at low load, adaptive", "s", lowAdaptive, p50)),
		pair(onlyBarrier,
			b.arm(onlyBarrier, "median latency at low load, adaptive", "s", lowBrief, p50),
			b.arm(onlyBarrier, "median fsync of the same episode", "s", lowBrief, fsync)),
		pair(follows,
			b.arm(follows, "records for each fsync at high load, adaptive", "1", highSpawned, batch),
			b.arm(follows, "records for each fsync at low load, adaptive", "1", lowAdaptive, batch)),
		pair(neverLoses,
			b.arm(neverLoses, "median latency at high load, adaptive", "s", highAdaptive, p50),
			b.arm(neverLoses, "median latency at high load, fixed count", "s", highFixed, p50)),
	}
}
