package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"envelope/internal/disk"
	"envelope/internal/measure"
)

// load is one episode: a policy and the arrivals that it gets.
type load struct {
	policy    policy
	perSecond float64
	n         int
	// spawn makes every arrival a goroutine of its own.
	spawn bool
	// The controls.
	held  bool          // every arrival holds a lock across its fsync
	early bool          // acknowledge at the start
	delay time.Duration // before each closing
}

// outcome is what was observed of an episode.
type outcome struct {
	load      load
	latencies []float64 // s, from the intended arrival, in order of arrival
	batches   []batch
	intended  []time.Duration // when each record was to arrive
	handed    []time.Duration // when it was handed over
	elapsed   time.Duration   // from the first intended arrival to the last acknowledgement
	early     int             // records acknowledged before their barrier
	missed    string          // why the load was not the intended one; "" where it was
}

// p50 is the median latency in seconds.
func (o *outcome) p50() float64 { return measure.Summarize(o.latencies).P50 }

// fsync is the median fsync of the episode in seconds.
func (o *outcome) fsync() float64 {
	took := make([]float64, len(o.batches))
	for i, b := range o.batches {
		took[i] = b.synced.Seconds()
	}
	return measure.Summarize(took).P50
}

// stage is where episodes are played: a clock, a file, and random bytes.
type stage struct {
	clock   *measure.Clock
	file    *disk.File
	payload []byte
}

// play runs an episode: arrivals by an absolute schedule on one goroutine, the
// committer on another. Neither is the caller's, which is locked to a thread and
// would make every yield a change of threads.
func (s *stage) play(ctx context.Context, l load) (*outcome, error) {
	schedule, err := measure.AtRate(s.clock, l.perSecond)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	j := newJournal(s.file, l.n)
	w := &live{ctx: ctx, clock: s.clock, wake: make(chan struct{}, 1)}
	records := make([]record, l.n)
	c := &committer{policy: l.policy, world: w, log: j, payload: s.payload[:size-8], delay: l.delay, early: l.early,
		pending: make([]*record, 0, l.n), batches: make([]batch, 0, l.n),
		ack: func(id int) { j.tell(id); schedule.Done(id) }}
	intended := make([]time.Duration, l.n)
	arrive := func(i int) error {
		records[i] = record{id: i, at: s.clock.Now()}
		if c.queue.push(&records[i]) {
			w.rouse()
		}
		return nil
	}
	commit := c.run
	if l.held {
		arrive, commit = alone(c, records), func() error { return nil }
	}
	committed, sent := make(chan error, 1), make(chan error, 1)
	go func() {
		err := commit()
		if err != nil {
			cancel() // nobody is left to acknowledge the rest
		}
		committed <- err
	}()
	go func() {
		err := send(ctx, schedule, l, intended, arrive)
		c.over.Store(true)
		w.rouse()
		sent <- err
	}()
	sendErr := <-sent
	if err := <-committed; err != nil { // the load's own error then only says that it was cut short
		return nil, err
	}
	if sendErr != nil {
		return nil, sendErr
	}
	o := &outcome{load: l, latencies: schedule.Latencies(), batches: c.batches, intended: intended, early: j.early()}
	if len(o.latencies) != l.n {
		return nil, fmt.Errorf("%d of %d records were acknowledged", len(o.latencies), l.n)
	}
	for i := range records {
		o.handed = append(o.handed, records[i].at)
	}
	o.elapsed = o.batches[len(o.batches)-1].ended - intended[0]
	_, o.missed = schedule.Missed()
	return o, nil
}

// alone is the control under which the lock is held across the fsync: an
// arrival commits itself, and the next one waits.
func alone(c *committer, records []record) func(int) error {
	var lock sync.Mutex
	return func(i int) error {
		lock.Lock()
		defer lock.Unlock()
		records[i] = record{id: i, at: c.world.now()}
		return c.commit([]*record{&records[i]})
	}
}

// send lets the arrivals come, and returns when the last has been handed over.
func send(ctx context.Context, schedule *measure.Schedule, l load, intended []time.Duration, arrive func(int) error) error {
	if !l.spawn {
		return schedule.Run(ctx, l.n, func(i int, at time.Duration) error {
			intended[i] = at
			return arrive(i)
		})
	}
	var wg sync.WaitGroup
	failed := make([]error, l.n)
	err := schedule.Run(ctx, l.n, func(i int, at time.Duration) error {
		intended[i] = at
		wg.Go(func() { failed[i] = arrive(i) })
		return nil
	})
	wg.Wait()
	return errors.Join(append(failed, err)...)
}

// enoughProcessors lets the committer keep one of the scheduler's processors
// through an fsync and the arrivals have another: with a single one they would
// wait for it. It returns what sets the number back.
func enoughProcessors() (restore func()) {
	before := runtime.GOMAXPROCS(0)
	if before >= 2 {
		return func() {}
	}
	runtime.GOMAXPROCS(2)
	return func() { runtime.GOMAXPROCS(before) }
}
