package resp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// running is a server on a goroutine of its own.
type running struct {
	t       *testing.T
	path    string
	control *os.File
	answers chan string
	over    chan error
}

// run starts a server, which ends with the test. Its control answers "report" with
// its counts, and "stop" by stopping.
func run(t *testing.T, o Options) *running {
	t.Helper()
	dir, err := os.MkdirTemp("", "resp") // a test's own directory may have too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &running{t: t, path: filepath.Join(dir, "sock"), control: w, answers: make(chan string), over: make(chan error, 1)}
	o.Socket, o.ControlFD = s.path, int(r.Fd())
	o.Control = func(server *Server, line string) error {
		if line == "stop" {
			return ErrStop
		}
		all, _ := server.Keys()
		s.answers <- fmt.Sprintf("%s: %+v %d", line, server.Report(), all)
		return nil
	}
	server, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	go func() { s.over <- server.Run() }()
	t.Cleanup(func() {
		w.Close()
		<-s.over
		server.Close()
		r.Close()
		os.RemoveAll(dir)
	})
	return s
}

// report is the server's counts.
func (s *running) report() (c Counts) {
	s.t.Helper()
	fmt.Fprintln(s.control, "report")
	var keys int
	text := <-s.answers
	_, err := fmt.Sscanf(text, "report: {Reads:%d Writes:%d Waits:%d LogWrites:%d Syncs:%d Commands:%d Pauses:%d Open:%d Waiting:%d} %d",
		&c.Reads, &c.Writes, &c.Waits, &c.LogWrites, &c.Syncs, &c.Commands, &c.Pauses, &c.Open, &c.Waiting, &keys)
	if err != nil {
		s.t.Fatalf("%q: %v", text, err)
	}
	return c
}

func (s *running) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("unix", s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

// exchange sends and expects exactly that much back.
func exchange(t *testing.T, c net.Conn, send, want string) {
	t.Helper()
	if _, err := c.Write([]byte(send)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("%.60q: got %.80q, %v, want %.80q", send, got[:n], err, want)
	}
}

// What comes together is read, written, logged and synced together.
func TestATurnShares(t *testing.T) {
	s := run(t, Options{Log: filepath.Join(t.TempDir(), "log"), Policy: Always})
	c := s.dial()
	before := s.report()
	exchange(t, c, strings.Repeat("SET k v\r\nGET k\r\n", 100), strings.Repeat("+OK\r\n$1\r\nv\r\n", 100))
	after := s.report()
	got := []int{after.Reads - before.Reads, after.Writes - before.Writes, after.LogWrites - before.LogWrites, after.Syncs - before.Syncs, after.Commands}
	if want := []int{1, 1, 1, 1, 200}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("reads, writes, log writes, syncs, commands: got %v, want %v", got, want)
	}
	exchange(t, c, "GET k\r\n", "$1\r\nv\r\n")
	if last := s.report(); last.LogWrites != after.LogWrites || last.Syncs != after.Syncs {
		t.Errorf("a GET was logged: %+v", last)
	}
}

func TestFaultsShareNothing(t *testing.T) {
	s := run(t, Options{Log: filepath.Join(t.TempDir(), "log"), Policy: Always, Faults: Faults{FlushEach: true, SyncEach: true}})
	exchange(t, s.dial(), strings.Repeat("SET k v\r\n", 10), strings.Repeat("+OK\r\n", 10))
	if r := s.report(); r.Writes != 10 || r.Syncs != 10 || r.LogWrites != 1 {
		t.Errorf("got %+v, want 10 writes and 10 syncs", r)
	}
}

// A reply is there only when its change is in the log, whatever the policy.
func TestReplyComesAfterTheLog(t *testing.T) {
	check := func(f Faults, want bool) {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		release := make(chan error)
		s := run(t, Options{Log: log, Policy: Never, Faults: f, At: func(at Step, _ uint64) error {
			if at == BeforeLog {
				return <-release
			}
			return nil
		}})
		c := s.dial()
		if _, err := c.Write([]byte("SET k v\r\n")); err != nil {
			t.Fatal(err)
		}
		if !want {
			exchange(t, c, "", "+OK\r\n") // while the log is still empty
		}
		if image, err := os.ReadFile(log); err != nil || len(image) != 0 {
			t.Errorf("the log has %d bytes, %v", len(image), err)
		}
		release <- nil
		if want {
			exchange(t, c, "", "+OK\r\n")
			if image, err := os.ReadFile(log); err != nil || len(image) == 0 {
				t.Errorf("acknowledged with %d bytes of log, %v", len(image), err)
			}
		}
	}
	check(Faults{}, true)
	check(Faults{ReplyFirst: true}, false)
}

// A client that is wrong is told and left; the others are not concerned.
func TestWrongClients(t *testing.T) {
	s := run(t, Options{})
	good := s.dial()
	check := func(send, want string) {
		t.Helper()
		c := s.dial()
		exchange(t, c, send, want)
		if n, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%q: got %d bytes, %v, want the end", send, n, err)
		}
		exchange(t, good, "PING\r\n", "+PONG\r\n")
	}
	check("PING\r\n*x\r\nPING\r\n", "+PONG\r\n-ERR Protocol error: invalid multibulk length\r\n")
	check("*1\r\n$9999999999\r\n", "-ERR Protocol error: invalid bulk length\r\n")
	for _, half := range []string{"*3\r\n$3\r\nSET\r\n$100\r\nabc", "PIN", "*", ""} {
		c := s.dial()
		if _, err := c.Write([]byte(half)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		exchange(t, good, "PING\r\n", "+PONG\r\n")
	}
	if r := s.report(); r.Open != 1 {
		t.Errorf("%d connections are open, want 1", r.Open)
	}
}

// A client that does not read stops being served, and costs no more memory than
// the bound; others go on; and when it reads, all of it is there in order.
func TestPause(t *testing.T) {
	s := run(t, Options{})
	c, other := s.dial(), s.dial()
	value := strings.Repeat("v", 10_000)
	exchange(t, c, string(AppendRequest(nil, []byte("SET"), []byte("v"), []byte(value))), "+OK\r\n")
	const n = 2000
	sent := make(chan error, 1)
	go func() {
		_, err := c.Write([]byte(strings.Repeat("INCR n\r\nGET v\r\n", n)))
		sent <- err
	}()
	for r := s.report(); r.Pauses == 0; r = s.report() {
		exchange(t, other, "PING\r\n", "+PONG\r\n")
	}
	if r := s.report(); r.Waiting > highWater+len(value)+100 {
		t.Errorf("%d bytes wait for a client that does not read", r.Waiting)
	}
	// The server sleeps meanwhile: each report is one turn, and there are no others.
	for quiet, last := 0, s.report().Waits; quiet < 20; {
		now := s.report().Waits
		if quiet++; now != last+1 {
			quiet = 0
		}
		last = now
	}
	in := bufio.NewReader(c)
	for i := range n {
		want := fmt.Sprintf(":%d\r\n$10000\r\n%s\r\n", i+1, value)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(in, got); err != nil || string(got) != want {
			t.Fatalf("reply %d: got %.40q, %v, want %.40q", i, got, err, want)
		}
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if r := s.report(); r.Waiting != 0 || r.Pauses < 2 {
		t.Errorf("got %+v, want nothing waiting and several pauses", r)
	}
}

// A client that goes away while it is paused is forgotten.
func TestPausedClientGoes(t *testing.T) {
	s := run(t, Options{})
	c := s.dial()
	value := bytes.Repeat([]byte("v"), 100_000)
	exchange(t, c, string(AppendRequest(nil, []byte("SET"), []byte("v"), value)), "+OK\r\n")
	if _, err := c.Write([]byte(strings.Repeat("GET v\r\n", 1000))); err != nil {
		t.Fatal(err)
	}
	for s.report().Pauses == 0 {
	}
	c.Close()
	for r := s.report(); r.Open != 0; r = s.report() {
	}
}

// The output of a client that is always a little behind does not grow by what it
// has taken.
func TestOutputIsBounded(t *testing.T) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	if err := unix.SetNonblock(ends[0], true); err != nil {
		t.Fatal(err)
	}
	s, c := &Server{}, &conn{fd: ends[0], out: make([]byte, 1<<20)}
	piece, most := make([]byte, 50_000), 0
	for range 200 {
		if !s.send(c) || c.waiting() == 0 {
			t.Fatal("the client was never behind")
		}
		n, err := unix.Read(ends[1], piece)
		if err != nil {
			t.Fatal(err)
		}
		c.out = append(c.out, piece[:n]...)
		most = max(most, len(c.out))
	}
	if most > 2<<20 {
		t.Errorf("%d bytes were kept for a client that is 1 MiB behind", most)
	}
}

// A request of very many arguments leaves nothing large behind, and an unfinished
// one keeps what it needs.
func TestManyArguments(t *testing.T) {
	s := &Server{db: newDatabase(nil)}
	c := &conn{parser: parser{bulk: -1}}
	request := []byte("*60001\r\n$3\r\nDEL\r\n" + strings.Repeat("$1\r\nk\r\n", 60_000))
	half := len(request) / 2
	if used := s.process(c, request[:half]); used != 0 || len(c.parser.spans) < 20_000 {
		t.Errorf("half of it: %d bytes used, %d arguments known", used, len(c.parser.spans))
	}
	if used := s.process(c, request); used != len(request) || string(c.out) != ":0\r\n" {
		t.Errorf("all of it: %d of %d bytes used, answered %q", used, len(request), c.out)
	}
	if n := cap(c.parser.spans) + cap(c.parser.args); n > 1000 {
		t.Errorf("room for %d arguments is kept", n)
	}
}

func TestControl(t *testing.T) {
	check := func(end func(*running), want string) {
		t.Helper()
		s := run(t, Options{})
		end(s)
		err := <-s.over
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		s.over <- err
	}
	check(func(s *running) { fmt.Fprintln(s.control, "stop") }, ErrStop.Error())
	check(func(s *running) { s.control.Close() }, "the control has ended")
	s := run(t, Options{})
	fmt.Fprint(s.control, "a\nb\nc")
	for _, want := range []string{"a", "b"} {
		if got := <-s.answers; !strings.HasPrefix(got, want+": ") {
			t.Errorf("got %q, want line %q", got, want)
		}
	}
}

// A step's error ends the server: nobody hears of the turn.
func TestStepEnds(t *testing.T) {
	s := run(t, Options{Log: filepath.Join(t.TempDir(), "log"), Policy: Always, At: func(Step, uint64) error { return errors.New("enough") }})
	c := s.dial()
	if _, err := c.Write([]byte("SET k v\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-s.over; err == nil || err.Error() != "enough" {
		t.Errorf("got %v, want the step's error", err)
	} else {
		s.over <- err
	}
}

// How long the loop may sleep: until the next cycle, or the next sync.
func TestPatience(t *testing.T) {
	s := &Server{db: newDatabase(nil)}
	check := func(want time.Duration) {
		t.Helper()
		if got := s.patience(); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	check(-1)
	s.Hz, s.cycled, s.turned = 10, time.Second, time.Second+30*time.Millisecond
	check(70 * time.Millisecond)
	s.turned = 2 * time.Second
	check(0)
	s.Hz, s.log = 0, &logFile{policy: EverySecond, synced: time.Second}
	check(-1)
	s.log.unsynced, s.turned = true, 1200*time.Millisecond
	check(800 * time.Millisecond)
	s.log.policy = Always
	check(-1)
	s.again = []*conn{{}}
	check(0)
}

// A server that can't be opened leaves nothing open.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	check := func(o Options, want string) {
		t.Helper()
		if s, err := Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v, want %q", s, err, want)
		}
	}
	check(Options{Socket: filepath.Join(dir, strings.Repeat("x", 200))}, "listening on a Unix socket")
	check(Options{Log: dir}, "reading the log")
	check(Options{Log: filepath.Join(dir, "none", "log")}, "making the log")
}
