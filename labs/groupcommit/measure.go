package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"envelope/internal/disk"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// bench plays the episodes of one run and keeps what they have in common.
type bench struct {
	*lab.Run
	stage
	ctx              context.Context
	size             sizes
	most             time.Duration // longest fsync time that loads are made from
	low              recent        // fsyncs of adaptive episodes at low load
	high             recent        // and at high load, where one follows another
	rounds           []*round
	missed           map[string]string // by claim: its load could not be made
	early            []float64         // records acknowledged too soon, by episode
	played, repeated int
}

func measureAll(ctx context.Context, r *lab.Run) error {
	defer enoughProcessors()()
	start := r.Clock.Now()
	file, err := disk.Create(filepath.Join(r.Dir, "log"), 0)
	if err != nil {
		return withoutPath(err)
	}
	defer file.Close()
	b := &bench{Run: r, ctx: ctx, missed: map[string]string{},
		stage: stage{clock: r.Clock, file: file, payload: r.Payload("record", size)}}
	fillTimes(r)
	done := r.Watch()
	if err := b.calibrate(); err != nil {
		return err
	}
	if err := b.holds(); err != nil {
		return err
	}
	done()
	if r.Budget > 0 { // what was used is taken off; what is left is never none
		r.Budget = max(r.Budget-(r.Clock.Now()-start), r.Budget/10)
	}
	b.fit()
	if err := r.Compare(ctx, b.pairs()); err != nil {
		return err
	}
	for claim, why := range b.missed {
		r.Void(claim, measure.Instrument, "%s", why)
	}
	b.report()
	if err := b.sweep(); err != nil {
		return err
	}
	if r.Wants(everyAck) {
		r.Observe(everyAck, b.early...)
	}
	if b.repeated > 0 {
		r.Note("%d of %d episodes were played again, because their load was off by over a fifth", b.repeated, b.played)
	}
	return nil
}

// withoutPath leaves the directory under test out of what is recorded.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s the log of the lab: %w", path.Op, path.Err)
	}
	return err
}

// recent is the last few dozen fsyncs under one kind of load: how long one takes
// depends on how soon it follows the one before, so each kind has its own.
type recent []float64

const kept = 48

func (r *recent) add(o *outcome) {
	for _, b := range o.batches {
		*r = append(*r, b.synced.Seconds())
	}
	*r = slices.Delete(*r, 0, max(0, len(*r)-kept))
}

// shortest is the least fsync time that loads are made from: a directory in
// memory has none to speak of.
const shortest = 10 * time.Microsecond

func (r recent) median() time.Duration {
	return max(shortest, seconds(measure.Summarize(r).P50))
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// tries is how often an episode is played before its load counts as one that
// can't be made here.
const tries = 8

// errMissed says that a load could not be made.
type errMissed string

func (e errMissed) Error() string { return string(e) }

// episode plays a load until it was the intended one.
func (b *bench) episode(l load) (*outcome, error) {
	l.early = b.Sabotaged("ack-at-the-start")
	why := ""
	for range tries {
		o, err := b.play(b.ctx, l)
		if err != nil {
			return nil, err
		}
		b.played++
		b.early = append(b.early, float64(o.early))
		if o.missed == "" {
			return o, nil
		}
		b.repeated++
		why = o.missed
	}
	return nil, errMissed(fmt.Sprintf("in %d episodes on end: %s", tries, why))
}

// lowRate is one arrival to two fsyncs.
func lowRate(fsync time.Duration) float64 { return 1 / (2 * fsync.Seconds()) }

// highRate is 50 arrivals to an fsync, or as many as can be made.
func highRate(fsync time.Duration) float64 { return min(crowd/fsync.Seconds(), fastest) }

// fewest is how many arrivals to an fsync are a high load at least.
const fewest = 6

// calibrate finds this directory's own fsync time under both loads, by episodes
// like those that follow. The first of them also warms up. Of several medians
// the least counts: what disturbs a disk for a moment makes it slower. Whether a
// load was the intended one matters to claims, and not here.
func (b *bench) calibrate() error {
	guess, least := max(b.Barrier, 50*time.Microsecond), time.Hour
	for range 1 + b.WarmUps() {
		o, err := b.play(b.ctx, load{perSecond: lowRate(guess), n: 8, spawn: true})
		if err != nil {
			return err
		}
		guess = max(seconds(o.fsync()), shortest)
		least = min(least, guess)
	}
	b.low = recent{least.Seconds()}
	o, err := b.play(b.ctx, load{perSecond: highRate(least), n: 4 * crowd})
	if err != nil {
		return err
	}
	b.high.add(o)
	return nil
}
