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

	// linger is how long a worker with nothing to do watches for more before it sleeps. To wake one was seen to take 35 to
	// 90 µs on a virtual machine, longer than a piece; calls that follow each other find it awake.
	linger = 100 * time.Microsecond

	// patience is how long the caller watches for the workers to finish the pieces that they have begun: about as long as
	// a piece of a large product takes.
	patience = time.Millisecond
)

// A pool is the caller and the workers that sleep between its calls. One call at a time.
type pool struct {
	mu      sync.Mutex
	workers []*worker
	current task
	pieces  int64
	next    atomic.Int64 // the first piece that nobody has taken
	away    atomic.Int64 // workers that were told of this task, and have neither come back nor been called back
	back    signal       // told when the last one has come back
	places  places
	scratch scratch
}

var shared = pool{back: newSignal()}

// A worker is a thread that works whenever it is told to, and lasts as long as the process.
type worker struct {
	signal
	place place
}

// do has the pieces of t done by so many threads, and returns when all are. The caller holds p.mu.
func (p *pool) do(t task, pieces, threads int) {
	threads = max(1, min(threads, maxThreads, pieces))
	for len(p.workers) < threads-1 {
		p.hire()
	}
	p.current, p.pieces = t, int64(pieces)
	p.next.Store(0)
	if threads == 1 {
		p.take(0)
	} else {
		p.share(p.workers[:threads-1])
	}
	p.current = nil
}

// share works beside others. A worker that the system has not let begin before all pieces were taken is called back: it would
// only be waited for.
func (p *pool) share(others []*worker) {
	p.away.Store(int64(len(others)))
	p.places.apart(p.workers)
	for _, w := range others {
		w.tell()
	}
	p.take(0)
	var idle int64
	for _, w := range others {
		if w.untell() {
			idle++
		}
	}
	if p.away.Add(-idle) > 0 || idle == 0 {
		p.back.wait(patience)
	}
}

func (p *pool) hire() {
	w, number := &worker{signal: newSignal()}, len(p.workers)+1
	placed := make(chan place)
	go func() {
		runtime.LockOSThread()
		placed <- newPlace()
		for {
			w.wait(linger)
			p.take(number)
			if p.away.Add(-1) == 0 {
				p.back.tell()
			}
		}
	}()
	w.place = <-placed
	p.workers = append(p.workers, w)
}

// take does pieces until none is left.
func (p *pool) take(thread int) {
	for {
		piece := p.next.Add(1) - 1
		if piece >= p.pieces {
			return
		}
		p.current.piece(int(piece), thread)
	}
}

// A signal lets one thread go on when another says so. One waits, one tells.
type signal struct {
	state  *atomic.Uint32
	parker parker
}

// The states of a signal.
const (
	quiet  uint32 = iota // nothing was told; whoever waits watches
	told                 // and not yet noticed
	asleep               // nothing was told, and whoever waits has to be woken
)

func newSignal() signal { return signal{new(atomic.Uint32), newParker()} }

// tell lets go on who waits, now or when it next waits.
func (s *signal) tell() {
	if s.state.Swap(told) == asleep {
		s.parker.unpark(s.state)
	}
}

// untell takes back what was told, and reports whether it came before anybody noticed.
func (s *signal) untell() bool { return s.state.CompareAndSwap(told, quiet) }

// wait returns when it was told to: at once if that comes within the time given, and otherwise after a sleep.
func (s *signal) wait(most time.Duration) {
	for !s.watch(most) {
		if s.state.CompareAndSwap(quiet, asleep) {
			for s.state.Load() == asleep {
				s.parker.park(s.state, asleep)
			}
		}
	}
}

// watch looks for so long, once at least, and reports whether something was told, which it then has noticed.
func (s *signal) watch(most time.Duration) bool {
	if runtime.GOMAXPROCS(0) == 1 {
		most = 0 // whoever could tell needs this processor
	}
	for start := time.Now(); ; {
		for range 64 {
			if s.state.Load() == told && s.state.CompareAndSwap(told, quiet) {
				return true
			}
		}
		if time.Since(start) >= most {
			return false
		}
	}
}
