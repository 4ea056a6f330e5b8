package measure

import (
	"slices"
	"time"
)

// Clock is the monotonic clock that every timed call is read from. The zero
// value is not usable; make one with NewClock.
type Clock struct {
	base       time.Time
	reading    func() time.Duration // in place of the machine's, in tests
	overhead   time.Duration
	resolution time.Duration
}

// NewClock starts a clock and measures what a reading costs and the smallest
// step that it shows.
func NewClock() *Clock {
	c := &Clock{base: time.Now()}
	const runs, reads = 51, 64
	costs := make([]time.Duration, 0, runs)
	c.resolution = time.Hour
	for range runs {
		start := c.Now()
		last := start
		for range reads {
			now := c.Now()
			if step := now - last; step > 0 {
				c.resolution = min(c.resolution, step)
			}
			last = now
		}
		costs = append(costs, (last-start)/reads)
	}
	slices.Sort(costs)
	c.overhead = costs[len(costs)/2]
	if c.resolution == time.Hour { // it never moved: coarser than the whole loop
		start := c.Now()
		for c.Now() == start {
		}
		c.resolution = c.Now() - start
	}
	return c
}

// Now returns the time since the clock was made. Reading the difference to a
// kept base costs about half of time.Now, which also reads the wall clock.
func (c *Clock) Now() time.Duration {
	if c.reading != nil {
		return c.reading()
	}
	return time.Since(c.base)
}

// Overhead returns the median cost of a reading.
func (c *Clock) Overhead() time.Duration { return c.overhead }

// Resolution returns the smallest step seen between two readings.
func (c *Clock) Resolution() time.Duration { return c.resolution }

// span is the shortest stretch that repeated calls are batched to: 20 ticks of
// the clock, and 100 times the cost of reading it, so that the reading stays
// within 1 % of the sample.
func (c *Clock) span() time.Duration {
	return max(20*c.resolution, 100*c.overhead)
}

// TooCostly reports whether reading a clock, at overhead seconds, makes up over
// 10 % of a timed span: calls operations of median seconds each.
func TooCostly(overhead, median float64, calls int) bool {
	return overhead > 0.1*median*float64(max(calls, 1))
}
