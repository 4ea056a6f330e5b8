package launch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/uring"
)

// bench is what the claims share.
type bench struct {
	*lab.Run
	weights *weights        // nil where nothing can be said to come from memory
	barred  map[string]bool // devices whose claims that read are void
	open    []*opened
}

// opened is a device at work.
type opened struct {
	device
	mechanism
	reads    bool    // its claims that read can be measured
	dispatch float64 // seconds that one takes, as surveyed
}

func measureAll(ctx context.Context, r *lab.Run) (err error) {
	b := &bench{Run: r, barred: map[string]bool{}}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.prepare(); err != nil {
		return err
	}
	processor, release := b.bind()
	defer release()
	for _, d := range devices {
		if r.Wants(of(d, false)...) {
			b.start(d, processor)
		}
	}
	if err := b.survey(ctx); err != nil {
		return err
	}
	var pairs []lab.Pair
	var singles []measure.Single
	for _, o := range b.open {
		pairs = append(pairs, b.pairs(o)...)
		if r.Config.Control == "" {
			singles = append(singles, o.singles()...)
		}
	}
	err = r.Compare(ctx, pairs, singles...)
	for _, o := range b.open {
		b.report(o)
	}
	return err
}

// prepare writes the weights, if a claim needs them.
func (b *bench) prepare() error {
	reading := false
	for _, d := range devices {
		reading = reading || b.Wants(of(d, true)...)
	}
	if !reading {
		return nil
	}
	size, why := weightsSize(b.Environment.CPU, b.Environment.Memory)
	if why != "" {
		b.voidReads(why, devices...)
		return nil
	}
	w, wait, err := newWeights(b.Run, size)
	if err != nil {
		return err
	}
	b.weights = w
	if wait != "" {
		b.voidReads(wait, byRing)
	}
	return nil
}

// voidReads voids the claims of some devices that read.
func (b *bench) voidReads(why string, ds ...device) {
	for _, d := range ds {
		b.barred[d.name] = true
		for _, name := range of(d, true) {
			b.Void(name, measure.Unreachable, "%s", why)
		}
	}
}

// bind keeps this thread where it is, for the worker to be bound to the same processor: to wake a thread of another one takes 4
// or 40 µs here, as the scheduler happens to place the two and the other processor happens to sleep, and does not stay the same
// from one arm to the next. Where that can't be had, only the claim stands that is beyond such factors.
func (b *bench) bind() (processor int, release func()) {
	if !b.Wants(of(byThread, false)...) {
		return -1, func() {}
	}
	runtime.LockOSThread()
	processor, unbind, err := bindHere()
	if err != nil {
		b.voidReads(fmt.Sprintf("where threads run decides what waking one costs: %v", err), byThread)
		return -1, runtime.UnlockOSThread
	}
	b.Note("caller and worker are bound to processor %d", processor)
	return processor, func() {
		if unbind() == nil {
			runtime.UnlockOSThread() // otherwise the thread ends with its goroutine
		}
	}
}

// start makes a device ready, or voids its claims.
func (b *bench) start(d device, processor int) {
	o := &opened{device: d, reads: b.weights != nil && !b.barred[d.name] && b.Wants(of(d, true)...)}
	var err error
	if o.mechanism, err = d.start(b.weights, processor); err == nil {
		if err = b.check(o); err == nil {
			b.open = append(b.open, o)
			return
		}
		err = errors.Join(err, o.close())
	}
	reason := measure.Error
	if errors.Is(err, uring.ErrUnavailable) {
		reason = measure.Unreachable
	}
	for _, name := range of(d, false) {
		b.Void(name, reason, "%v", err)
	}
}

// check hands over a little of everything, and compares what was read.
func (b *bench) check(o *opened) error {
	if err := o.hand(operations, 0); err != nil {
		return err
	}
	if !o.reads {
		return nil
	}
	for _, size := range []int{small, large, heavy} {
		for _, count := range []int{1, operations} {
			if err := o.hand(count, size); err != nil {
				return err
			}
			if at := b.weights.at - int64(size); !b.weights.holds(at, size) {
				return fmt.Errorf("reading %d bytes at %d: they are not what was written there", size, at)
			}
		}
	}
	return nil
}

// survey finds what one dispatch takes: the unit in which gaps are counted.
func (b *bench) survey(ctx context.Context) error {
	var singles []measure.Single
	for _, o := range b.open {
		arm := o.alone(0)
		arm.Name = surveyName(o.device)
		singles = append(singles, measure.Single{Arm: arm, N: 9, Warm: true})
	}
	if err := b.Compare(ctx, nil, singles...); err != nil {
		return err
	}
	for _, o := range b.open {
		samples := b.SeriesNamed(surveyName(o.device))
		if o.dispatch = measure.Summarize(samples).P50; len(samples) > 0 && o.dispatch > 0 {
			continue
		}
		for _, name := range of(o.device, false) {
			b.Void(name, measure.Instrument, "one dispatch could not be timed")
		}
	}
	return nil
}

func surveyName(d device) string { return "survey of one dispatch, " + d.name }

func (b *bench) close() error {
	var errs []error
	for _, o := range b.open {
		errs = append(errs, o.close())
	}
	if b.weights != nil {
		errs = append(errs, b.weights.close())
	}
	return errors.Join(errs...)
}

// times is as many durations.
func times(n float64, seconds float64) time.Duration {
	return time.Duration(math.Round(n * seconds * float64(time.Second)))
}
