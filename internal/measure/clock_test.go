package measure

import (
	"testing"
	"time"
)

// fakeTime is a clock's reading that moves only by what a test spends, and by
// tick at each reading.
type fakeTime struct{ now, tick time.Duration }

func (f *fakeTime) read() time.Duration {
	f.now += f.tick
	return f.now
}

// spend returns an operation that takes d.
func (f *fakeTime) spend(d time.Duration) func() error {
	return func() error { f.now += d; return nil }
}

func (f *fakeTime) clock() *Clock {
	return &Clock{reading: f.read, overhead: 40, resolution: 10}
}

func TestNewClock(t *testing.T) {
	c := NewClock()
	if c.Resolution() <= 0 || c.Overhead() < 0 {
		t.Errorf("got resolution %v and overhead %v, want a step and a cost", c.Resolution(), c.Overhead())
	}
	last := c.Now()
	for range 1000 {
		now := c.Now()
		if now < last {
			t.Fatalf("%v came after %v", now, last)
		}
		last = now
	}
}

func TestSpan(t *testing.T) {
	check := func(overhead, resolution, want time.Duration) {
		t.Helper()
		c := &Clock{overhead: overhead, resolution: resolution}
		if got := c.span(); got != want {
			t.Errorf("overhead %v, resolution %v: got %v, want %v", overhead, resolution, got, want)
		}
	}
	check(40, 10, 4000)
	check(40, time.Millisecond, 20*time.Millisecond)
	check(0, 1, 20)
}
