package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A task is work in pieces that may be done in any order, by any thread.
type task interface {
	// piece does the piece of that number, as the thread of that number.
	piece(number, thread int)
}

const (
	// maxThreads bounds what a caller can ask for.
	maxThreads = 256

	// linger is how long a thread with nothing to do watches for more before it sleeps. To wake one takes about as long,
	// a tenth of a product with a batch of one; calls that follow each other find it awake.
	linger = 100 * time.Microsecond
)

// A crew is the caller and the threads that sleep between its calls. One call at a time.
type crew struct {
	mu      sync.Mutex
	hired   []*hand
	current task
	pieces  int64
	next    atomic.Int64 // the first piece that nobody has taken
	away    atomic.Int64 // hired threads that have not come back from this task
	caller  *hand        // told when the last one has
	scratch scratch
}

// A hand is a thread that waits to be told to go on.
type hand struct {
	state atomic.Int32
	wake  chan struct{} // where it sleeps
}

const (
	watching = iota
	told
	asleep
)

func newHand() *hand { return &hand{wake: make(chan struct{}, 1)} }

// tell lets the hand go on, now or when it next waits.
func (h *hand) tell() {
	if h.state.Swap(told) == asleep {
		h.wake <- struct{}{}
	}
}

// wait returns when the hand has been told: at once if that comes soon, and otherwise after a sleep.
func (h *hand) wait() {
	if !h.watch() && h.state.CompareAndSwap(watching, asleep) {
		<-h.wake
	}
	h.state.Store(watching)
}

// watch polls for as long as it is worth staying awake, and reports whether the hand has been told.
func (h *hand) watch() bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return false // whoever could tell it needs this processor
	}
	for start := time.Now(); time.Since(start) < linger; {
		for range 64 {
			if h.state.Load() == told {
				return true
			}
		}
	}
	return false
}

var shared = crew{caller: newHand()}

// do has the pieces of t done by so many threads, and returns when all are. The caller holds c.mu.
func (c *crew) do(t task, pieces, threads int) {
	threads = max(1, min(threads, maxThreads, pieces))
	for len(c.hired) < threads-1 {
		c.hire()
	}
	c.current, c.pieces = t, int64(pieces)
	c.next.Store(0)
	c.away.Store(int64(threads - 1))
	for _, h := range c.hired[:threads-1] {
		h.tell()
	}
	c.take(0)
	if threads > 1 {
		c.caller.wait()
	}
	c.current = nil
}

// hire starts a thread that works whenever it is told to, and lasts as long as the process.
func (c *crew) hire() {
	h, number := newHand(), len(c.hired)+1
	c.hired = append(c.hired, h)
	go func() {
		runtime.LockOSThread()
		for {
			h.wait()
			c.take(number)
			if c.away.Add(-1) == 0 {
				c.caller.tell()
			}
		}
	}()
}

// take does pieces until none is left.
func (c *crew) take(thread int) {
	for {
		piece := c.next.Add(1) - 1
		if piece >= c.pieces {
			return
		}
		c.current.piece(int(piece), thread)
	}
}
