package pipelining

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/internal/poll"
	"envelope/internal/resp"
)

func assumed(t *testing.T) axioms.Set {
	t.Helper()
	set, err := axioms.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// pretend is a load with one client whose server is the test.
func pretend(t *testing.T, depth int) (*load, *link, int) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := poll.New(1)
	if err != nil {
		t.Fatal(err)
	}
	k := &link{fd: ends[0], key: []byte("k"), value: []byte(strings.Repeat("v", valueSize))}
	l := &load{clock: measure.NewClock(), poller: p, links: map[int]*link{ends[0]: k}, order: []*link{k},
		buffer: make([]byte, 1<<16), rng: rand.New(rand.NewPCG(1, 2))}
	if err := p.Add(k.fd, true, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close(); unix.Close(ends[1]) })
	l.deepen(depth)
	return l, k, ends[1]
}

func TestDeepen(t *testing.T) {
	check := func(depth, turns int, first string) {
		t.Helper()
		_, k, _ := pretend(t, depth)
		if len(k.turns) != turns || resp.Replies(k.turns[0].reply) != depth || len(k.turns[0].ends) != depth || !strings.HasPrefix(string(k.turns[0].reply), first) {
			t.Errorf("depth %d: %d batches, the first expects %.60q", depth, len(k.turns), k.turns[0].reply)
		}
	}
	check(1, 2, "+OK\r\n")
	check(2, 1, "+OK\r\n$32\r\nvvv")
	check(128, 1, "+OK\r\n$32\r\nvvv")
}

// What a load counts, in an episode whose times are known: two replies after a
// while, the other two after as long again.
func TestCounting(t *testing.T) {
	l, k, peer := pretend(t, 4)
	b := &k.turns[0]
	l.count = counting{from: l.clock.Now()}
	l.count.instant = l.count.from
	k.left = 1
	if err := l.send(k); err != nil {
		t.Fatal(err)
	}
	sent := k.since
	half := b.ends[1]
	var low, high time.Duration // what was waited at least and at most
	for _, part := range [][]byte{b.reply[:half+1], b.reply[half+1:]} {
		if _, err := unix.Write(peer, part); err != nil {
			t.Fatal(err)
		}
		before := l.clock.Now()
		if err := l.ready(k, poll.Event{FD: k.fd, Readable: true}); err != nil {
			t.Fatal(err)
		}
		low, high = low+2*(before-sent), high+2*(l.clock.Now()-sent)
	}
	c := &l.count
	if c.arrived != 4 || c.departed != 4 || c.flight != 0 || c.waited < low || c.waited > high {
		t.Errorf("got %+v, want four of each and a wait of %v to %v", *c, low, high)
	}
	c.until = c.from + 2*time.Second
	c.waited = 6 * time.Second
	if c.throughput() != 2 || c.timeEach() != 0.5 || c.latency() != 1.5 || c.product() != 3 {
		t.Errorf("4 commands in 2 s that waited 6 s: got %v/s, %v s each, %v s, %v", c.throughput(), c.timeEach(), c.latency(), c.product())
	}
}

// A load reads what it gets: an answer that is wrong, or none, is an error.
func TestWrongAnswers(t *testing.T) {
	check := func(want string, answer func(peer int, reply []byte)) {
		t.Helper()
		l, k, peer := pretend(t, 2)
		answer(peer, k.turns[0].reply)
		if err := l.play(t.Context(), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	check("the server answered", func(peer int, reply []byte) {
		wrong := append([]byte(nil), reply...)
		wrong[len(wrong)-3] ^= 1
		unix.Write(peer, wrong)
	})
	check("the server answered", func(peer int, reply []byte) { unix.Write(peer, append(reply, reply...)) })
	check("closed a connection", func(peer int, reply []byte) {
		unix.Write(peer, reply[:3])
		unix.Shutdown(peer, unix.SHUT_WR)
	})
}

// The commands in flight, sampled at random instants of a path that is known: 10
// for the first quarter, 2 for the rest.
func TestInFlight(t *testing.T) {
	l := &load{rng: rand.New(rand.NewPCG(3, 4))}
	l.count.flight = 10
	l.watch(2500 * time.Microsecond)
	l.count.flight = 2
	l.watch(10 * time.Millisecond)
	if got := l.count.inFlight(); math.Abs(got-4) > 0.4 || l.count.instants < 4000 {
		t.Errorf("got %v over %d instants, want 4", got, l.count.instants)
	}
}
