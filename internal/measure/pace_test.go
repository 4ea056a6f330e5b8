package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// paced puts a schedule on a fake clock, with a sleep that oversleeps.
func paced(t *testing.T, f *fakeTime, overslept time.Duration, make func(*Clock) (*Schedule, error)) (s *Schedule, slept *[]time.Duration) {
	t.Helper()
	s, err := make(f.clock())
	if err != nil {
		t.Fatal(err)
	}
	slept = new([]time.Duration)
	s.sleep = func(_ context.Context, d time.Duration) {
		*slept = append(*slept, d)
		f.now += d + overslept
	}
	return s, slept
}

func atRate(perSecond float64) func(*Clock) (*Schedule, error) {
	return func(c *Clock) (*Schedule, error) { return AtRate(c, perSecond) }
}

func run(t *testing.T, s *Schedule, n int, arrive func(i int, intended time.Duration) error) {
	t.Helper()
	if err := s.Run(context.Background(), n, arrive); err != nil {
		t.Fatal(err)
	}
}

func TestArrivalsAreOnTime(t *testing.T) {
	f := &fakeTime{now: time.Hour, tick: time.Microsecond}
	// A sleep that takes a millisecond too long leaves half of one to spin.
	s, slept := paced(t, f, time.Millisecond, atRate(100))
	start := f.now
	var order []int
	run(t, s, 50, func(i int, intended time.Duration) error {
		order = append(order, i)
		if want := start + time.Duration(i)*10*time.Millisecond; intended < want || intended > want+2*f.tick {
			t.Errorf("arrival %d intended at %v, want %v", i, intended, want)
		}
		s.Done(i)
		return nil
	})
	for i, late := range s.Lateness() {
		if order[i] != i || late < 0 || late > 3e-6 {
			t.Errorf("arrival %d was number %d and %g s late", order[i], i, late)
		}
	}
	if len(*slept) != 49 || (*slept)[0] < 8*time.Millisecond || (*slept)[0] > 8500*time.Microsecond {
		t.Errorf("slept %v, want 8.5 ms before all but the first", *slept)
	}
	if missed, why := s.Missed(); missed {
		t.Errorf("got missed: %s", why)
	}
	if got := s.Achieved(); math.Abs(got-100) > 0.1 {
		t.Errorf("achieved %g, want 100", got)
	}
}

// Gaps under the spun stretch are never slept.
func TestFastScheduleSpins(t *testing.T) {
	f := &fakeTime{tick: 500}
	s, slept := paced(t, f, time.Second, atRate(20_000))
	run(t, s, 500, func(int, time.Duration) error { return nil })
	if len(*slept) != 0 {
		t.Errorf("slept %v, want none", *slept)
	}
	if got := s.Achieved(); math.Abs(got-20_000) > 20 {
		t.Errorf("achieved %g, want 20000", got)
	}
}

// Coordinated omission: a stall of a second holds up a thousand arrivals. Timed
// from when they were sent, one of them is slow; from when they should have
// been, all are.
func TestStallShowsInTheTail(t *testing.T) {
	f := &fakeTime{tick: 10 * time.Microsecond}
	s, _ := paced(t, f, 0, atRate(1000))
	service := make([]float64, 10_000)
	run(t, s, len(service), func(i int, _ time.Duration) error {
		sent := f.now
		f.now += 100 * time.Microsecond
		if i == 5000 {
			f.now += time.Second
		}
		s.Done(i)
		service[i] = (f.now - sent).Seconds()
		return nil
	})
	closed, open := Summarize(service), Summarize(s.Latencies())
	if closed.P99 > 0.001 || closed.Max < 1 {
		t.Errorf("from the sending: got p99 %g and max %g, want the stall in one only", closed.P99, closed.Max)
	}
	if open.P50 > 0.001 || open.P95 < 0.3 || open.P99 < 0.8 || open.P999 < 0.95 || open.Max < 1 {
		t.Errorf("from the schedule: got %+v, want the stall in the tail", open)
	}
	if late := Summarize(s.Lateness()); late.P50 > 0.0001 || late.Max < 0.95 || late.P99 < 0.8 {
		t.Errorf("sent late: got %+v, want those behind the stall", late)
	}
	// The schedule caught up, so the load as a whole was what it should be.
	if missed, why := s.Missed(); missed {
		t.Errorf("got missed: %s", why)
	}
}

func TestMissed(t *testing.T) {
	check := func(perSecond float64, each time.Duration, n int, missed bool, detail string) {
		t.Helper()
		f := &fakeTime{tick: 2 * time.Microsecond}
		s, _ := paced(t, f, 0, atRate(perSecond))
		run(t, s, n, func(int, time.Duration) error { f.now += each; return nil })
		got, why := s.Missed()
		if got != missed || !strings.Contains(why, detail) || got != (why != "") {
			t.Errorf("%g a second, %v each: got %v %q, want %v %q", perSecond, each, got, why, missed, detail)
		}
	}
	check(1000, 0, 200, false, "")
	check(1000, 900*time.Microsecond, 200, false, "")
	check(1000, 1200*time.Microsecond, 200, false, "") // 833
	check(1000, 1300*time.Microsecond, 200, true, "1000.0 arrivals a second were to be sent, 765.7 were")
	check(20_000, 1130*time.Microsecond, 200, true, "20000.0 arrivals a second were to be sent, 880.3") // a sleep of 50 µs
	check(1000, 0, 2, false, "")
	check(1000, 0, 1, true, "1 arrivals were sent")
	check(1000, 0, 0, true, "0 arrivals were sent")

	// Too fast is wrong too: the first one came late, and the rest behind it.
	f := &fakeTime{tick: 2 * time.Microsecond}
	s, _ := paced(t, f, 0, func(c *Clock) (*Schedule, error) {
		return AtOffsets(c, []time.Duration{0, time.Millisecond, 2 * time.Millisecond})
	})
	f.tick = 300 * time.Microsecond
	run(t, s, 3, func(int, time.Duration) error { f.tick = 2 * time.Microsecond; return nil })
	if missed, why := s.Missed(); !missed {
		t.Errorf("achieved %g of %g: got not missed, want missed; %s", s.Achieved(), s.Intended(), why)
	}
	var never Schedule
	if missed, _ := never.Missed(); !missed {
		t.Error("a load that never ran: got not missed")
	}
}

func TestOffsets(t *testing.T) {
	f := &fakeTime{tick: time.Microsecond}
	offsets := []time.Duration{0, 0, 3 * time.Millisecond, 3 * time.Millisecond, 9 * time.Millisecond}
	s, _ := paced(t, f, 0, func(c *Clock) (*Schedule, error) { return AtOffsets(c, offsets) })
	var at []time.Duration
	run(t, s, 5, func(_ int, intended time.Duration) error { at = append(at, intended-time.Microsecond); return nil })
	if !slices.Equal(at, offsets) {
		t.Errorf("got %v, want %v", at, offsets)
	}
	run(t, s, 2, func(int, time.Duration) error { return nil })
	if missed, why := s.Missed(); missed || !math.IsInf(s.Intended(), 1) {
		t.Errorf("all at once: got %g a second, missed %v %s", s.Intended(), missed, why)
	}
	f.tick = 0 // and sent all at once
	run(t, s, 2, func(int, time.Duration) error { return nil })
	if missed, why := s.Missed(); missed {
		t.Errorf("sent all at once: got missed: %s", why)
	}
	if err := s.Run(context.Background(), 6, nil); err == nil {
		t.Error("six arrivals of five: got no error")
	}
	if err := s.Run(context.Background(), -1, nil); err == nil {
		t.Error("-1 arrivals: got no error")
	}
}

func TestScheduleRefuses(t *testing.T) {
	c := (&fakeTime{}).clock()
	for _, rate := range []float64{0, -1, nan, inf, 1e-300} {
		if _, err := AtRate(c, rate); err == nil {
			t.Errorf("rate %g: got no error", rate)
		}
	}
	for _, offsets := range [][]time.Duration{{-1}, {0, 5, 4}} {
		if _, err := AtOffsets(c, offsets); err == nil {
			t.Errorf("offsets %v: got no error", offsets)
		}
	}
}

func TestRunEndsEarly(t *testing.T) {
	f := &fakeTime{tick: time.Microsecond}
	s, _ := paced(t, f, 0, atRate(1000))
	err := s.Run(context.Background(), 9, func(i int, _ time.Duration) error {
		if i == 4 {
			return errBroken
		}
		s.Done(i)
		return nil
	})
	if !errors.Is(err, errBroken) || err.Error() != "arrival 4: broken" || len(s.Lateness()) != 5 || len(s.Latencies()) != 4 {
		t.Errorf("got %v after %d sent and %d served, want arrival 4: broken, 5 and 4", err, len(s.Lateness()), len(s.Latencies()))
	}

	ctx, cancel := context.WithCancel(context.Background())
	err = s.Run(ctx, 9, func(i int, _ time.Duration) error {
		if i == 2 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || len(s.Lateness()) != 3 {
		t.Errorf("got %v after %d, want %v after 3", err, len(s.Lateness()), context.Canceled)
	}
}

// A stop ends a long wait at once, not when its time has come.
func TestCancelEndsASleep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, err := AtRate(NewClock(), 1e-6) // one every twelve days
	if err != nil {
		t.Fatal(err)
	}
	err = s.Run(ctx, 2, func(int, time.Duration) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// On the machine's own clock, with arrivals that finish on their own.
func TestScheduleOnARealClock(t *testing.T) {
	s, err := AtRate(NewClock(), 5000)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	run(t, s, 100, func(i int, _ time.Duration) error {
		wg.Go(func() { s.Done(i) })
		return nil
	})
	wg.Wait()
	late, latency := s.Lateness(), s.Latencies()
	if len(late) != 100 || len(latency) != 100 {
		t.Fatalf("got %d sent and %d served, want 100 each", len(late), len(latency))
	}
	for i := range late {
		if late[i] < 0 || latency[i] < late[i] {
			t.Errorf("arrival %d was sent %g s after its time and served after %g", i, late[i], latency[i])
		}
	}
}
