package kernels

import (
	"testing"

	"golang.org/x/sys/unix"
)

// nothing is a task that takes no time.
type nothing struct{}

func (nothing) piece(int, int) {}

func TestHandsSitApart(t *testing.T) {
	allowed := processors()
	if len(allowed) < 2 {
		t.Skipf("processors allowed: %d", len(allowed))
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.do(nothing{}, maxThreads, len(allowed)+1) // one hand more than there are others
	taken := map[int]bool{}
	for n, h := range shared.hired[:len(allowed)-1] {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(h.seat.thread, &set); err != nil {
			t.Fatal(err)
		}
		if set.Count() != 1 || !set.IsSet(h.seat.processor) {
			t.Errorf("hand %d may run on %d processors, want processor %d alone", n, set.Count(), h.seat.processor)
		}
		if taken[h.seat.processor] {
			t.Errorf("hand %d shares processor %d", n, h.seat.processor)
		}
		taken[h.seat.processor] = true
	}
}

func TestHandsAvoidTheCaller(t *testing.T) {
	for _, c := range []struct {
		allowed []int
		caller  int   // its place among them
		want    []int // for each of three hands; -1: anywhere
	}{
		{[]int{0, 1}, 0, []int{1, -1, -1}},
		{[]int{0, 1}, 1, []int{0, -1, -1}},
		{[]int{2, 5, 7, 8}, 1, []int{2, 7, 8}},
		{[]int{2, 5, 7, 8}, -1, []int{2, 5, 7}},
		{[]int{4}, 0, []int{-1, -1, -1}},
		{nil, -1, []int{-1, -1, -1}},
	} {
		for n, want := range c.want {
			if got := (&seats{allowed: c.allowed}).of(n, c.caller); got != want {
				t.Errorf("of %v, with the caller at place %d: hand %d on %d, want %d", c.allowed, c.caller, n, got, want)
			}
		}
	}
}
