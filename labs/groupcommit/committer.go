package groupcommit

import (
	"context"
	"encoding/binary"
	"sync/atomic"
	"time"

	"envelope/internal/measure"
)

// size of a record in the log: its number, and random bytes.
const size = 64

// world is what a committer waits in: the machine, or virtual time.
type world interface {
	now() time.Duration
	// park waits until something may have been handed over.
	park()
	// until waits for a time. Its error says that the run was stopped.
	until(at time.Duration) error
}

// log is a file as a committer needs it.
type log interface {
	append(p []byte) error
	sync() error
}

// committer writes and syncs what is handed over, one batch after another.
type committer struct {
	policy  policy
	queue   queue
	world   world
	log     log
	payload []byte        // of every record, behind its number
	ack     func(id int)  // the record is safe
	delay   time.Duration // a control: before each closing
	early   bool          // a control: acknowledge at the start
	over    atomic.Bool   // nothing more will be handed over

	pending []*record
	buf     []byte
	batches []batch
}

// run commits until the load is over and everything is acknowledged.
func (c *committer) run() error {
	for {
		over := c.over.Load() // first: what came before that is in the queue by now
		c.pending = c.queue.take(c.pending)
		if over && len(c.pending) == 0 {
			return nil
		}
		n, at := c.policy.next(c.state(over))
		var err error
		switch {
		case n > 0 && c.delay > 0:
			err = c.late()
		case n > 0:
			err = c.close(n)
		case at > 0:
			err = c.world.until(at)
		default:
			c.world.park()
		}
		if err != nil {
			return err
		}
	}
}

func (c *committer) state(over bool) state {
	s := state{pending: len(c.pending), last: -1, now: c.world.now(), over: over}
	if s.pending > 0 {
		s.first = c.pending[0].at
	}
	if k := len(c.batches); k > 0 {
		s.last = c.batches[k-1].closed
	}
	return s
}

// late is the control's way to close: after a delay, with all that came by then.
func (c *committer) late() error {
	if err := c.world.until(c.world.now() + c.delay); err != nil {
		return err
	}
	c.pending = c.queue.take(c.pending)
	return c.close(len(c.pending))
}

// close commits the first n pending records.
func (c *committer) close(n int) error {
	if err := c.commit(c.pending[:n]); err != nil {
		return err
	}
	c.pending = append(c.pending[:0], c.pending[n:]...)
	return nil
}

// commit puts records behind one fsync and acknowledges them.
func (c *committer) commit(records []*record) error {
	b := batch{records: len(records), closed: c.world.now()}
	c.buf = c.buf[:0]
	for _, r := range records {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, uint64(r.id))
		c.buf = append(c.buf, c.payload...)
		if c.early {
			c.ack(r.id)
		}
	}
	if err := c.log.append(c.buf); err != nil {
		return err
	}
	start := c.world.now()
	if err := c.log.sync(); err != nil {
		return err
	}
	b.synced = c.world.now() - start
	if !c.early {
		for _, r := range records {
			c.ack(r.id)
		}
	}
	b.ended = c.world.now()
	c.batches = append(c.batches, b)
	return nil
}

// live is the machine's own time.
type live struct {
	ctx   context.Context
	clock *measure.Clock
	wake  chan struct{} // of one element: a token that nobody fetched yet is enough
}

func (l *live) now() time.Duration { return l.clock.Now() }

func (l *live) park() { <-l.wake }

// rouse wakes a committer that parks, now or as soon as it does, and never
// waits.
func (l *live) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *live) until(at time.Duration) error {
	measure.WaitUntil(l.ctx, l.clock, at)
	return l.ctx.Err()
}
