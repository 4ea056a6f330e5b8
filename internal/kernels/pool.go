package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A task is work in pieces that may be done in any order, by any thread.
type task interface {
	// piece does the piece of that number, as the thread of that number.
	piece(number, thread int)
}

// maxThreads bounds what a caller can ask for.
const maxThreads = 256

// A crew is the caller and the threads that sleep between its calls. One call at a time.
type crew struct {
	mu      sync.Mutex
	wake    []chan struct{} // one for each hired thread
	current task
	pieces  int64
	next    atomic.Int64  // the first piece that nobody has taken
	away    atomic.Int64  // hired threads that have not come back from this task
	back    chan struct{} // told when the last one has
	scratch scratch
}

var shared = crew{back: make(chan struct{}, 1)}

// do has the pieces of t done by so many threads, and returns when all are. The caller holds c.mu.
func (c *crew) do(t task, pieces, threads int) {
	threads = max(1, min(threads, maxThreads, pieces))
	for len(c.wake) < threads-1 {
		c.hire()
	}
	c.current, c.pieces = t, int64(pieces)
	c.next.Store(0)
	c.away.Store(int64(threads - 1))
	for _, w := range c.wake[:threads-1] {
		w <- struct{}{}
	}
	c.take(0)
	if threads > 1 {
		<-c.back
	}
	c.current = nil
}

// hire starts a thread that works whenever it is woken, and lasts as long as the process.
func (c *crew) hire() {
	wake, number := make(chan struct{}, 1), len(c.wake)+1
	c.wake = append(c.wake, wake)
	go func() {
		runtime.LockOSThread()
		for range wake {
			c.take(number)
			if c.away.Add(-1) == 0 {
				c.back <- struct{}{}
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
