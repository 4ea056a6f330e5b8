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

	// linger is how long a hired thread with nothing to do watches for more before it sleeps. To wake one takes about as long,
	// a tenth of a product with a batch of one; calls that follow each other find it awake.
	linger = 100 * time.Microsecond

	// patience is how long the caller watches for the others to finish the pieces they are at, before it sleeps: a few
	// times what a piece takes.
	patience = time.Millisecond
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
	seats   seats
	scratch scratch
}

// A hand is a thread that waits to be told to go on.
type hand struct {
	state atomic.Uint32
	bed   bed
	seat  seat
}

const (
	watching uint32 = iota
	told
	asleep
)

// tell lets the hand go on, now or when it next waits.
func (h *hand) tell() {
	if h.state.Swap(told) == asleep {
		h.bed.rouse(&h.state)
	}
}

// wait returns when the hand has been told: at once if that comes within the time given, and otherwise after a sleep.
func (h *hand) wait(most time.Duration) {
	if !h.watch(most) && h.state.CompareAndSwap(watching, asleep) {
		for h.state.Load() == asleep {
			h.bed.sleep(&h.state, asleep)
		}
	}
	h.state.Store(watching)
}

// watch polls for so long, and reports whether the hand has been told.
func (h *hand) watch(most time.Duration) bool {
	if runtime.GOMAXPROCS(0) == 1 {
		return false // whoever could tell it needs this processor
	}
	for start := time.Now(); time.Since(start) < most; {
		for range 64 {
			if h.state.Load() == told {
				return true
			}
		}
	}
	return false
}

var shared = crew{caller: &hand{bed: newBed()}}

// do has the pieces of t done by so many threads, and returns when all are. The caller holds c.mu.
func (c *crew) do(t task, pieces, threads int) {
	threads = max(1, min(threads, maxThreads, pieces))
	for len(c.hired) < threads-1 {
		c.hire()
	}
	c.current, c.pieces = t, int64(pieces)
	c.next.Store(0)
	c.away.Store(int64(threads - 1))
	c.seats.apart(c.hired[:threads-1])
	for _, h := range c.hired[:threads-1] {
		h.tell()
	}
	c.take(0)
	if threads > 1 {
		c.caller.wait(patience)
	}
	c.current = nil
}

// hire starts a thread that works whenever it is told to, and lasts as long as the process.
func (c *crew) hire() {
	h, number := &hand{bed: newBed()}, len(c.hired)+1
	c.hired = append(c.hired, h)
	seated := make(chan seat)
	go func() {
		runtime.LockOSThread()
		seated <- newSeat()
		for {
			h.wait(linger)
			c.take(number)
			if c.away.Add(-1) == 0 {
				c.caller.tell()
			}
		}
	}()
	h.seat = <-seated
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
