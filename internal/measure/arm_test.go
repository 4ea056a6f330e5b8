package measure

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

var errBroken = errors.New("broken")

func TestArmValid(t *testing.T) {
	op := func() error { return nil }
	counted := func() (float64, error) { return 1, nil }
	check := func(a Arm, want string) {
		t.Helper()
		err := a.valid()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check(Arm{Name: "a", Op: op}, "")
	check(Arm{Name: "a", Op: op, Repeat: true, Ops: 16, Extra: 1}, "")
	check(Arm{Name: "a", Count: counted, Before: op, Unit: "1"}, "")
	check(Arm{Op: op}, "no name")
	check(Arm{Name: "a"}, "exactly one")
	check(Arm{Name: "a", Op: op, Count: counted, Unit: "1"}, "exactly one")
	check(Arm{Name: "a", Op: op, Before: op, Repeat: true}, "inside a batch")
	check(Arm{Name: "a", Count: counted}, "no unit")
	check(Arm{Name: "a", Count: counted, Unit: "1", Ops: 2}, "belong to a timed one")
	check(Arm{Name: "a", Count: counted, Unit: "1", Repeat: true}, "belong to a timed one")
	check(Arm{Name: "a", Count: counted, Unit: "1", Extra: 1}, "belong to a timed one")
	check(Arm{Name: "a", Op: op, Ops: -1}, "-1 operations")
}

func TestSample(t *testing.T) {
	f := &fakeTime{}
	slow := func() error { f.now += time.Second; return nil }
	check := func(a Arm, calls int, want float64) {
		t.Helper()
		a.Name = "arm"
		tm := timer{Arm: &a, clock: f.clock(), calls: calls}
		got, err := tm.sample()
		if err != nil || math.Abs(got/want-1) > 1e-12 {
			t.Errorf("got %g (%v), want %g", got, err, want)
		}
	}
	op := f.spend(10 * time.Microsecond)
	check(Arm{Op: op}, 1, 10e-6)
	check(Arm{Op: op}, 8, 10e-6)
	check(Arm{Op: op, Ops: 16}, 1, 10e-6/16)
	check(Arm{Op: op, Ops: 16}, 8, 10e-6/16)
	check(Arm{Op: op, Extra: 5 * time.Microsecond}, 1, 15e-6)
	check(Arm{Op: op, Extra: 5 * time.Microsecond}, 8, 15e-6) // a dose for every call
	check(Arm{Op: op, Extra: 5 * time.Microsecond, Ops: 5}, 2, 3e-6)
	check(Arm{Op: op, Before: slow}, 1, 10e-6) // what comes before is untimed
	check(Arm{Count: func() (float64, error) { return 7, nil }, Unit: "1"}, 1, 7)
}

func TestSampleErrors(t *testing.T) {
	f := &fakeTime{}
	check := func(a Arm, want string) {
		t.Helper()
		a.Name = "arm"
		tm := timer{Arm: &a, clock: f.clock(), calls: 1}
		if _, err := tm.sample(); !errors.Is(err, errBroken) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	broken := func() error { return errBroken }
	check(Arm{Op: broken}, "arm: broken")
	check(Arm{Op: f.spend(1), Before: broken}, "preparing arm: broken")
	check(Arm{Count: func() (float64, error) { return 0, errBroken }}, "arm: broken")
	check(Arm{Count: func() (float64, error) { return 0, nil }, Before: broken}, "preparing arm: broken")
}

func TestBatches(t *testing.T) {
	// The fake clock asks for spans of 4 µs.
	check := func(op time.Duration, repeat bool, want int) {
		t.Helper()
		f := &fakeTime{}
		tm := timer{Arm: &Arm{Name: "arm", Op: f.spend(op), Repeat: repeat}, clock: f.clock()}
		for range 3 {
			if err := tm.warm(); err != nil || tm.calls != want {
				t.Errorf("operation of %v: got batches of %d (%v), want %d", op, tm.calls, err, want)
			}
		}
		if got, err := tm.sample(); err != nil || math.Abs(got/op.Seconds()-1) > 1e-12 {
			t.Errorf("operation of %v: got a sample of %g (%v)", op, got, err)
		}
	}
	check(10, true, 512)
	check(10, false, 1)
	check(4000, true, 1)
	check(3999, true, 2)
	check(time.Millisecond, true, 1)
}

// Calls that are long by themselves are not run more often than it takes to see
// that: on a slow disk each is a barrier of many milliseconds.
func TestLongCallsAreNotBatched(t *testing.T) {
	f, calls := &fakeTime{}, 0
	op := func() error { calls++; f.now += 20 * time.Millisecond; return nil }
	tm := timer{Arm: &Arm{Name: "arm", Op: op, Repeat: true}, clock: f.clock()}
	if err := tm.warm(); err != nil || tm.calls != 1 || calls != 4 {
		t.Errorf("got batches of %d after %d calls (%v), want 1 after 4", tm.calls, calls, err)
	}
}

// An interruption at any one place, even between two readings, costs no batch.
func TestBatchesOutlastAnInterruption(t *testing.T) {
	for at := range 300 {
		f := &fakeTime{}
		readings := 0
		clock := f.clock()
		clock.reading = func() time.Duration {
			if readings++; readings == at {
				f.now += 5 * time.Millisecond
			}
			return f.now
		}
		tm := timer{Arm: &Arm{Name: "arm", Op: f.spend(10), Repeat: true}, clock: clock}
		if err := tm.warm(); err != nil || tm.calls != 512 {
			t.Errorf("interrupted at reading %d: got batches of %d (%v), want 512", at, tm.calls, err)
		}
	}
}

// Neither a long first call nor a single long span may settle the batch.
func TestBatchesOutlastAccidents(t *testing.T) {
	f, calls := &fakeTime{}, 0
	op := func() error {
		calls++
		f.now += 10
		if calls < 20 || calls%3001 == 0 {
			f.now += 100 * time.Microsecond
		}
		return nil
	}
	tm := timer{Arm: &Arm{Name: "arm", Op: op, Repeat: true}, clock: f.clock()}
	if err := tm.warm(); err != nil || tm.calls != 512 {
		t.Errorf("got batches of %d (%v), want 512", tm.calls, err)
	}
}

// An operation that takes no time at all ends the doubling.
func TestBatchesEnd(t *testing.T) {
	f := &fakeTime{}
	tm := timer{Arm: &Arm{Name: "arm", Op: f.spend(0), Repeat: true}, clock: f.clock()}
	tm.calls = 1 << 23
	if err := tm.warm(); err != nil || tm.calls != 1<<23 {
		t.Fatalf("got %d (%v), want a batch size that is settled to stay", tm.calls, err)
	}
	if testing.Short() {
		return
	}
	tm.calls = 0
	if err := tm.warm(); err != nil || tm.calls != 1<<24 {
		t.Errorf("got %d (%v), want %d", tm.calls, err, 1<<24)
	}
}

func TestWarmErrors(t *testing.T) {
	// Broken at the first call, while the arm runs in, and while it is batched.
	for _, at := range []int{1, 5, 70, 300} {
		f, calls := &fakeTime{}, 0
		op := func() error {
			calls++
			f.now += 10
			if calls == at {
				return errBroken
			}
			return nil
		}
		tm := timer{Arm: &Arm{Name: "arm", Op: op, Repeat: true}, clock: f.clock()}
		if err := tm.warm(); !errors.Is(err, errBroken) || err.Error() != "arm: broken" {
			t.Errorf("broken at call %d: got %v, want arm: broken", at, err)
		}
	}
}
