package measure

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"
)

// spinFor is the stretch before an arrival that is spun instead of slept: a
// sleep of 50 µs takes over a millisecond on many machines.
const spinFor = 1500 * time.Microsecond

// offRate is how far the achieved rate may lie from the intended one before the
// load, not the system under it, is what was measured.
const offRate = 0.2

// Schedule is an open-loop load: arrivals at times fixed beforehand, however
// long the system takes over the earlier ones. A stall therefore makes every
// arrival that falls into it late, and since latency counts from the intended
// time, each of them shows. Make one with AtRate or AtOffsets.
type Schedule struct {
	clock  *Clock
	offset func(i int) time.Duration
	limit  int // arrivals that have an offset
	sleep  func(ctx context.Context, d time.Duration)
	// Of the last Run, by the schedule's clock.
	intended, actual, done []time.Duration
}

// AtRate makes a schedule of evenly spaced arrivals, the first of them at once.
func AtRate(clock *Clock, perSecond float64) (*Schedule, error) {
	gap := float64(time.Second) / perSecond
	if !(gap > 0) || gap > math.MaxInt64/2 {
		return nil, fmt.Errorf("no schedule has a rate of %g arrivals a second", perSecond)
	}
	// Each time is computed from its number: adding gaps up would add up their
	// rounding too.
	offset := func(i int) time.Duration { return time.Duration(gap * float64(i)) }
	return &Schedule{clock: clock, offset: offset, limit: int(min(1<<31-1, math.MaxInt64/2/gap)), sleep: sleep}, nil
}

// AtOffsets makes a schedule of arrivals at the given times from its start,
// which may repeat but not go back.
func AtOffsets(clock *Clock, offsets []time.Duration) (*Schedule, error) {
	last := time.Duration(0)
	for i, o := range offsets {
		if o < last {
			return nil, fmt.Errorf("arrival %d at %v: a schedule does not go back behind %v", i, o, last)
		}
		last = o
	}
	offset := func(i int) time.Duration { return offsets[i] }
	return &Schedule{clock: clock, offset: offset, limit: len(offsets), sleep: sleep}, nil
}

// Run calls arrive for each of the first n arrivals, never before its time and
// as soon after it as the call before has returned. Work that may take longer
// than the gap to the next arrival belongs on a goroutine of its own. intended
// is a time of the schedule's clock. Run ends with arrive's first error, or
// with ctx's.
func (s *Schedule) Run(ctx context.Context, n int, arrive func(i int, intended time.Duration) error) error {
	if n < 0 || n > s.limit {
		return fmt.Errorf("%d arrivals: this schedule has %d", n, s.limit)
	}
	s.intended, s.actual = make([]time.Duration, 0, n), make([]time.Duration, 0, n)
	s.done = make([]time.Duration, n)
	for i := range s.done {
		s.done[i] = -1
	}
	start := s.clock.Now()
	for i := range n {
		at := start + s.offset(i)
		s.wait(ctx, at)
		if err := ctx.Err(); err != nil {
			return err
		}
		s.intended, s.actual = append(s.intended, at), append(s.actual, s.clock.Now())
		if err := arrive(i, at); err != nil {
			return fmt.Errorf("arrival %d: %w", i, err)
		}
	}
	return nil
}

// wait returns at the given time, or when ctx is done.
func (s *Schedule) wait(ctx context.Context, at time.Duration) {
	if left := at - s.clock.Now(); left > spinFor {
		s.sleep(ctx, left-spinFor)
	}
	spin(ctx, s.clock, at)
}

// WaitUntil returns at a time of the clock, or when ctx is done, as a schedule
// waits for an arrival.
func WaitUntil(ctx context.Context, clock *Clock, at time.Duration) {
	if left := at - clock.Now(); left > spinFor {
		sleep(ctx, left-spinFor)
	}
	spin(ctx, clock, at)
}

// spin is the last stretch of a wait. It lets other goroutines run: one that
// arrive has just started would otherwise wait for another processor to notice it
// (about 100 µs on a 2-core machine, for under 1). And it lets other threads run,
// the kernel's among them. Both are worth a few microseconds of lateness.
func spin(ctx context.Context, clock *Clock, at time.Duration) {
	for ctx.Err() == nil {
		left := at - clock.Now()
		if left <= 0 {
			return
		}
		runtime.Gosched()
		if clock.reading == nil { // in a test time passes when it is read
			rest(at - clock.Now())
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Done records that arrival i has been served. It may be called from any
// goroutine, once for each arrival; who reads latencies waits for those first.
func (s *Schedule) Done(i int) { s.done[i] = s.clock.Now() }

// Latencies returns, for each arrival that was served, the seconds from its
// intended time to its Done, in order of arrival.
func (s *Schedule) Latencies() []float64 {
	var out []float64
	for i, at := range s.intended {
		if s.done[i] >= 0 {
			out = append(out, (s.done[i] - at).Seconds())
		}
	}
	return out
}

// Lateness returns by how many seconds each arrival was sent after its intended
// time.
func (s *Schedule) Lateness() []float64 {
	out := make([]float64, len(s.actual))
	for i, at := range s.intended {
		out[i] = (s.actual[i] - at).Seconds()
	}
	return out
}

// Intended returns the rate that the arrivals of the last Run were to come at,
// a second: +Inf where all were to come at once, NaN where there were under
// two.
func (s *Schedule) Intended() float64 { return rate(s.intended) }

// Achieved returns the rate at which they were sent, in the same terms.
func (s *Schedule) Achieved() float64 { return rate(s.actual) }

func rate(times []time.Duration) float64 {
	if len(times) < 2 {
		return math.NaN()
	}
	return float64(len(times)-1) / (times[len(times)-1] - times[0]).Seconds()
}

// Missed reports whether the load of the last Run was so far from the intended
// one that what was measured under it is void (instrument), and why.
func (s *Schedule) Missed() (bool, string) {
	want, got := s.Intended(), s.Achieved()
	switch {
	case math.IsNaN(want):
		return true, fmt.Sprintf("%d arrivals were sent: they have no rate", len(s.actual))
	case math.IsInf(want, 1) || math.Abs(got-want) <= offRate*want:
		return false, ""
	}
	return true, fmt.Sprintf("%.1f arrivals a second were to be sent, %.1f were", want, got)
}
