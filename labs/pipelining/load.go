package pipelining

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/measure"
	"envelope/internal/poll"
	"envelope/internal/resp"
)

// clients is how many connections a load has.
const clients = 50

// depths are how many commands a client sends before it waits for their replies.
var depths = []int{1, 2, 4, 8, 16, 32, 64, 128}

// load is a closed loop: every client sends a batch of commands in one write,
// waits for all of their replies, and sends the next. One thread does the work of
// all clients.
type load struct {
	clock  *measure.Clock
	poller *poll.Poller
	links  map[int]*link // by descriptor
	order  []*link
	buffer []byte
	rng    *rand.Rand // of the instants at which the commands in flight are counted
	count  counting
}

// link is one client.
type link struct {
	fd     int
	key    []byte
	value  []byte
	turns  []batch // sent one after another, over and over
	next   int
	left   int // batches of this episode that are not sent yet
	unsent []byte
	got    int           // bytes of the batch's replies
	whole  int           // of its replies that are there
	since  time.Duration // when the batch was sent
}

// batch is what a client sends at once, and what has to come back.
type batch struct {
	request, reply []byte
	ends           []int // of each reply
}

// counting is what is observed of an episode, each quantity by itself.
type counting struct {
	from     time.Duration // the first command was sent
	arrived  int
	departed int
	waited   time.Duration // of all that departed, from send to reply
	flight   int           // commands that were sent and not answered
	instant  time.Duration // when they are counted next
	seen     int           // their sum over the instants
	instants int
	until    time.Duration
}

// gap is the mean time between two instants.
const gap = 2 * time.Microsecond

// connect opens a server's clients.
func connect(s *server, n int, clock *measure.Clock, rng *rand.Rand, values []byte) (l *load, err error) {
	l = &load{clock: clock, links: map[int]*link{}, buffer: make([]byte, 64<<10), rng: rng}
	if l.poller, err = poll.New(n); err != nil {
		return nil, err
	}
	for i := range n {
		fd, err := dial(s.dir, socketName)
		if err != nil {
			l.close()
			return nil, err
		}
		k := &link{fd: fd, key: fmt.Appendf(nil, "key:%04d", i), value: values[i*valueSize : (i+1)*valueSize]}
		l.links[fd], l.order = k, append(l.order, k)
		if err := l.poller.Add(fd, true, false); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// valueSize is the length of every value.
const valueSize = 32

func (l *load) close() {
	for fd := range l.links {
		unix.Close(fd)
	}
	l.poller.Close()
}

// deepen gives every client its batches of one depth: SET and GET of its own key
// in turn. At depth 1 they are two batches.
func (l *load) deepen(depth int) {
	for _, k := range l.order {
		k.turns, k.next = k.turns[:0], 0
		set := [][]byte{[]byte("SET"), k.key, k.value}
		get := [][]byte{[]byte("GET"), k.key}
		for i := range max(depth, 2) {
			if i%depth == 0 {
				k.turns = append(k.turns, batch{})
			}
			b := &k.turns[len(k.turns)-1]
			if i%2 == 0 {
				b.add(set, []byte("+OK\r\n"))
			} else {
				b.add(get, fmt.Appendf(nil, "$%d\r\n%s\r\n", valueSize, k.value))
			}
		}
	}
}

func (b *batch) add(args [][]byte, reply []byte) {
	b.request = resp.AppendRequest(b.request, args...)
	b.reply = append(b.reply, reply...)
	b.ends = append(b.ends, len(b.reply))
}

// play has every client send so many batches, and returns when all replies were
// there and right. The system is empty before and after it.
func (l *load) play(ctx context.Context, batches int) error {
	return l.playAround(ctx, batches, func(begin func() error) error { return begin() })
}

// playAround is play with the first batches sent within a call of around.
func (l *load) playAround(ctx context.Context, batches int, around func(begin func() error) error) error {
	l.count = counting{}
	now := l.clock.Now()
	l.count.from, l.count.instant = now, now+l.interval()
	err := around(func() error {
		for _, k := range l.order {
			k.left = batches
			if err := l.send(k); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for turn := 0; l.count.flight > 0; turn++ {
		if turn%64 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		events, err := l.poller.Wait(patience)
		if err != nil {
			return err
		}
		if len(events) == 0 && ctx.Err() == nil {
			return fmt.Errorf("the server has not answered for %v: %d commands wait", patience, l.count.flight)
		}
		for _, e := range events {
			if err := l.ready(l.links[e.FD], e); err != nil {
				return err
			}
		}
	}
	l.count.until = l.clock.Now()
	return nil
}

// patience is how long a load waits for anything to happen. The server is a child
// that a run has killed if it was stopped; nothing else is decided by it.
const patience = 10 * time.Second

func (l *load) interval() time.Duration { return time.Duration(l.rng.ExpFloat64() * float64(gap)) }

// watch counts the commands in flight at each instant that has passed: until now
// they have not changed since the last call.
func (l *load) watch(now time.Duration) {
	for c := &l.count; c.instant <= now; c.instant += l.interval() {
		c.seen += c.flight
		c.instants++
	}
}

// send sends a client's next batch.
func (l *load) send(k *link) error {
	b := &k.turns[k.next]
	k.left--
	k.got, k.whole, k.unsent = 0, 0, b.request
	now := l.clock.Now()
	l.watch(now)
	k.since = now
	l.count.flight += len(b.ends)
	l.count.arrived += len(b.ends)
	return l.write(k)
}

func (l *load) write(k *link) error {
	n, err := unix.Write(k.fd, k.unsent)
	if err == unix.EAGAIN || err == unix.EINTR {
		n, err = 0, nil
	}
	if err != nil {
		return fmt.Errorf("writing to the server: %w", err)
	}
	full := len(k.unsent) < len(k.turns[k.next].request)
	if k.unsent = k.unsent[n:]; full || len(k.unsent) > 0 {
		return l.poller.Change(k.fd, true, len(k.unsent) > 0)
	}
	return nil
}

func (l *load) ready(k *link, e poll.Event) error {
	if e.Writable && len(k.unsent) > 0 {
		if err := l.write(k); err != nil {
			return err
		}
	}
	if !e.Readable {
		return nil
	}
	n, err := unix.Read(k.fd, l.buffer)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil
	case err != nil:
		return fmt.Errorf("reading from the server: %w", err)
	case n == 0:
		return fmt.Errorf("the server has closed a connection")
	}
	now := l.clock.Now()
	b := &k.turns[k.next]
	if end := k.got + n; end > len(b.reply) || !bytes.Equal(l.buffer[:n], b.reply[k.got:end]) {
		return fmt.Errorf("the server answered %.80q, want %.80q", l.buffer[:n], b.reply[min(k.got, len(b.reply)):])
	}
	k.got += n
	before := k.whole
	for k.whole < len(b.ends) && b.ends[k.whole] <= k.got {
		k.whole++
	}
	l.watch(now)
	l.count.flight -= k.whole - before
	l.count.departed += k.whole - before
	l.count.waited += time.Duration(k.whole-before) * (now - k.since)
	if k.whole < len(b.ends) || k.left == 0 {
		if k.whole == len(b.ends) {
			k.next = (k.next + 1) % len(k.turns)
		}
		return nil
	}
	k.next = (k.next + 1) % len(k.turns)
	return l.send(k)
}

// Of an episode, each figure from its own counts.

// throughput is in commands a second.
func (c *counting) throughput() float64 { return float64(c.departed) / (c.until - c.from).Seconds() }

// timeEach is the episode's seconds, shared by its commands.
func (c *counting) timeEach() float64 { return (c.until - c.from).Seconds() / float64(c.departed) }

// latency is the mean of seconds from send to reply.
func (c *counting) latency() float64 { return c.waited.Seconds() / float64(c.departed) }

// product is throughput x latency.
func (c *counting) product() float64 { return c.throughput() * c.latency() }

// inFlight is the mean of commands sent and not answered, over the instants.
func (c *counting) inFlight() float64 { return float64(c.seen) / float64(c.instants) }
