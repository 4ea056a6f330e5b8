package kernels

import (
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// nothing is a task that takes no time.
type nothing struct{}

func (nothing) piece(int, int) {}

func TestWorkersHavePlacesOfTheirOwn(t *testing.T) {
	all := allowed()
	if len(all) < 2 {
		t.Skipf("processors allowed: %d", len(all))
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.do(nothing{}, maxThreads, len(all)+1) // one worker more than there are others
	if shared.places.refused {
		t.Skip("this system binds no thread to a processor")
	}
	taken := map[int]bool{}
	for n, w := range shared.workers {
		if w.place.processor < 0 {
			continue
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(w.place.thread, &set); err != nil {
			t.Fatal(err)
		}
		if set.Count() != 1 || !set.IsSet(w.place.processor) {
			t.Errorf("worker %d may run on %d processors, want processor %d alone", n, set.Count(), w.place.processor)
		}
		if taken[w.place.processor] {
			t.Errorf("worker %d shares processor %d", n, w.place.processor)
		}
		taken[w.place.processor] = true
	}
	if len(taken) < len(all)-1 {
		t.Errorf("%d workers have a place, want %d", len(taken), len(all)-1)
	}
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		allowed []int
		caller  int
		at      []int // where the workers are
		want    []int // where they should be then
	}{
		{[]int{0, 1}, 0, []int{-1}, []int{1}},
		{[]int{0, 1}, 1, []int{-1}, []int{0}},
		{[]int{0, 1}, 1, []int{1}, []int{0}},
		{[]int{0, 1}, 0, []int{1}, []int{1}},
		{[]int{0, 1}, 0, []int{-1, -1}, []int{1, -1}},
		{[]int{0, 1}, 1, []int{0, 1, -1}, []int{0, -1, -1}},
		{[]int{2, 5, 7, 8}, 5, []int{2, 5, 7}, []int{2, 8, 7}},
		{[]int{2, 5, 7, 8}, 3, []int{2, 5, -1}, []int{2, 5, 7}},
		{[]int{4}, 4, []int{-1}, []int{-1}},
		{nil, 4, []int{-1}, []int{-1}},
	} {
		p := &places{allowed: c.allowed}
		var workers []*worker
		for _, n := range c.at {
			workers = append(workers, &worker{place: place{processor: n}})
		}
		var got []int
		for _, w := range workers {
			w.place.processor = p.of(w, workers, c.caller)
			got = append(got, w.place.processor)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("of %v, caller on %d, workers on %v: got %v, want %v", c.allowed, c.caller, c.at, got, c.want)
		}
	}
}

// A caller that moves displaces the worker in its way, and no other.
func TestOnlyWhoIsInTheWayMoves(t *testing.T) {
	all := allowed()
	if len(all) < 2 {
		t.Skipf("processors allowed: %d", len(all))
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.do(nothing{}, maxThreads, len(all))
	if shared.places.refused {
		t.Skip("this system binds no thread to a processor")
	}
	before := map[*worker]int{}
	for _, w := range shared.workers {
		before[w] = w.place.processor
	}
	// The caller goes where the first worker with a place is.
	at := slices.IndexFunc(shared.workers, func(w *worker) bool { return w.place.processor >= 0 })
	here := shared.workers[at].place.processor
	done, to := make(chan error), here
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		here := place{thread: unix.Gettid(), processor: -1}
		if err := here.bind(to, nil); err != nil {
			done <- err
			return
		}
		shared.places.apart(shared.workers)
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for n, w := range shared.workers {
		switch {
		case n == at && w.place.processor == here:
			t.Errorf("worker %d is still on the caller's processor %d", n, here)
		case n != at && w.place.processor != before[w]:
			t.Errorf("worker %d moved from processor %d to %d", n, before[w], w.place.processor)
		}
	}
}
