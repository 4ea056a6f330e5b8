package groupcommit

import (
	"errors"
	"time"
)

var errStopped = errors.New("stopped")

// virtual is a world in which time passes only while a committer waits or syncs,
// and arrivals come when it does.
type virtual struct {
	t        time.Duration
	arrivals []time.Duration
	records  []record
	sent     int
	busy     func(sync, records int) time.Duration // what an fsync takes
	c        *committer
	j        *journal
	acked    []time.Duration
	order    []int // ids in the order of their acknowledgements
	parked   int
	failAt   int // the fsync that fails, from 1; 0 for none
	stopAt   time.Duration
	pending  int // records written and not synced
	syncs    int
}

func newVirtual(p policy, arrivals []time.Duration, busy func(sync, records int) time.Duration) *virtual {
	n := len(arrivals)
	v := &virtual{arrivals: arrivals, records: make([]record, n), busy: busy, j: newJournal(nil, n), acked: make([]time.Duration, n)}
	v.c = &committer{policy: p, world: v, log: v, payload: make([]byte, size-8), ack: func(id int) {
		v.j.tell(id)
		v.acked[id] = v.t
		v.order = append(v.order, id)
	}}
	return v
}

// advance lets time pass, with the arrivals that fall into it.
func (v *virtual) advance(to time.Duration) {
	for v.sent < len(v.arrivals) && v.arrivals[v.sent] <= to {
		r := &v.records[v.sent]
		*r = record{id: v.sent, at: v.arrivals[v.sent]}
		v.c.queue.push(r)
		v.sent++
	}
	v.t = max(v.t, to)
	if v.sent == len(v.arrivals) {
		v.c.over.Store(true)
	}
}

func (v *virtual) now() time.Duration { return v.t }

func (v *virtual) park() {
	v.parked++
	if v.sent < len(v.arrivals) {
		v.advance(v.arrivals[v.sent])
	}
}

func (v *virtual) until(at time.Duration) error {
	v.advance(at)
	if v.stopAt > 0 && v.t >= v.stopAt {
		return errStopped
	}
	return nil
}

func (v *virtual) append(p []byte) error {
	v.j.written(p)
	v.pending = len(p) / size
	return nil
}

func (v *virtual) sync() error {
	v.syncs++
	if v.syncs == v.failAt {
		return errStopped
	}
	s := span{began: v.j.tick()}
	v.advance(v.t + v.busy(v.syncs-1, v.pending))
	s.ended = v.j.tick()
	v.j.syncs = append(v.j.syncs, s)
	return nil
}

// play runs the committer to its end.
func (v *virtual) play() error { return v.c.run() }

var _ log = (*journal)(nil)
