package measure

import (
	"fmt"
	"math"
	"time"
)

// Arm is one side of a comparison: an operation to be timed, or a quantity to
// be counted. Exactly one of Op and Count is set.
type Arm struct {
	Name string
	// Op does the work once. Only Op is inside the timed span.
	Op func() error
	// Before runs untimed ahead of every timed span or count.
	Before func() error
	// Ops is how many operations one call of Op stands for; a sample is the
	// time of a call divided by it. 0 means 1.
	Ops int
	// Repeat says that Op may be called many times within one timed span, so
	// that an operation shorter than the clock can carry is measured in
	// batches. Such an arm has no Before.
	Repeat bool
	// Extra is added to the time of every call of Op: a control's dose that
	// is charged without being slept.
	Extra time.Duration
	// Count runs an episode and returns what it counted.
	Count func() (float64, error)
	// Unit is the unit of a sample: "s" where Op is timed, as Count says
	// otherwise.
	Unit string
}

func (a *Arm) valid() error {
	switch {
	case a.Name == "":
		return fmt.Errorf("an arm has no name")
	case (a.Op == nil) == (a.Count == nil):
		return fmt.Errorf("arm %q: want exactly one of Op and Count", a.Name)
	case a.Repeat && a.Before != nil:
		return fmt.Errorf("arm %q: Before can't run inside a batch", a.Name)
	case a.Count != nil && a.Unit == "":
		return fmt.Errorf("arm %q counts, but has no unit", a.Name)
	case a.Count != nil && (a.Repeat || a.Ops != 0 || a.Extra != 0):
		return fmt.Errorf("arm %q counts: Repeat, Ops and Extra belong to a timed one", a.Name)
	case a.Ops < 0:
		return fmt.Errorf("arm %q: %d operations in a call", a.Name, a.Ops)
	}
	return nil
}

// timer runs one arm and keeps its batch size.
type timer struct {
	*Arm
	clock *Clock
	calls int // calls of Op in one timed span
}

// sample runs the arm once and returns one observation in the arm's unit.
func (t *timer) sample() (float64, error) {
	if t.Before != nil {
		if err := t.Before(); err != nil {
			return 0, fmt.Errorf("preparing %s: %w", t.Name, err)
		}
	}
	if t.Count != nil {
		v, err := t.Count()
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t.Name, err)
		}
		return v, nil
	}
	took, err := span(t.clock, t.Op, t.calls)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.Name, err)
	}
	took += time.Duration(t.calls) * t.Extra
	return took.Seconds() / float64(t.calls*max(t.Ops, 1)), nil
}

// span times calls of op as one stretch. This is the only timed loop of the
// project.
func span(clock *Clock, op func() error, calls int) (time.Duration, error) {
	start := clock.Now()
	for range calls {
		if err := op(); err != nil {
			return 0, err
		}
	}
	return clock.Now() - start, nil
}

// warm runs the arm once, untimed. The first time, it also settles how many
// calls make up one span.
func (t *timer) warm() error {
	first := t.calls == 0
	if first {
		t.calls = 1
	}
	if _, err := t.sample(); err != nil {
		return err
	}
	if !first || !t.Repeat {
		return nil
	}
	// First touch of a buffer, cold caches and a sleepy processor make the
	// first calls long: they must not settle the size of a batch. Nor may one
	// that was interrupted: the shortest says how long a call has to be.
	shortest := time.Duration(math.MaxInt64)
	for start, n := t.clock.Now(), 0; n < 3 || n < 64 && t.clock.Now()-start < 2*time.Millisecond; n++ {
		took, err := span(t.clock, t.Op, 1)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		shortest = min(shortest, took)
	}
	if shortest >= 10*t.clock.span() {
		return nil // long enough one by one
	}
	// Any one span may be long by accident; the least of a few counts.
	for t.calls < 1<<24 {
		least := time.Duration(math.MaxInt64)
		for range 5 {
			took, err := span(t.clock, t.Op, t.calls)
			if err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
			least = min(least, took)
		}
		if least >= t.clock.span() {
			break
		}
		t.calls *= 2
	}
	return nil
}

// operations is how many operations one timed span held; 0 where the arm counts
// and nothing was timed.
func (t *timer) operations() int {
	if t.Count != nil {
		return 0
	}
	return t.calls * max(t.Ops, 1)
}
