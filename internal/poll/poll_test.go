package poll

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair is two ends of a connection, which do not block.
func pair(t *testing.T) [2]int {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range ends {
		if err := unix.SetNonblock(fd, true); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
	}
	return ends
}

func newPoller(t *testing.T) *Poller {
	t.Helper()
	p, err := New(4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestReadiness(t *testing.T) {
	p, ends := newPoller(t), pair(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want ...Event) {
		t.Helper()
		got, err := p.Wait(0)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: got %+v, %v, want %+v", what, got, err, want)
		}
		for i, w := range want {
			if got[i] != w {
				t.Errorf("%s: got %+v, want %+v", what, got[i], w)
			}
		}
	}
	must(p.Add(ends[0], true, false))
	check("nothing was sent")
	if _, err := unix.Write(ends[1], []byte("ab")); err != nil {
		t.Fatal(err)
	}
	check("two bytes", Event{FD: ends[0], Readable: true})
	if n, err := unix.Read(ends[0], make([]byte, 1)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	check("one of them is left", Event{FD: ends[0], Readable: true})
	must(p.Change(ends[0], false, false))
	check("nobody asks")
	must(p.Change(ends[0], true, true))
	check("both", Event{ends[0], true, true})
	must(p.Change(ends[0], false, true))
	check("room to write", Event{FD: ends[0], Writable: true})
	must(p.Remove(ends[0]))
	check("it is forgotten")
	if err := p.Change(ends[0], true, false); err == nil {
		t.Error("what is forgotten can be changed")
	}
}

// The end of the other side is something to be read.
func TestEndIsReadable(t *testing.T) {
	p := newPoller(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := p.Add(int(r.Fd()), true, false); err != nil {
		t.Fatal(err)
	}
	w.Close()
	got, err := p.Wait(-1)
	if err != nil || len(got) != 1 || got[0].FD != int(r.Fd()) || !got[0].Readable {
		t.Errorf("got %+v, %v, want that it can be read", got, err)
	}
}

func TestRefusals(t *testing.T) {
	p := newPoller(t)
	if err := p.Add(-1, true, false); err == nil {
		t.Error("a descriptor that is none was added")
	}
	p.Close()
	if _, err := p.Wait(time.Millisecond); err == nil {
		t.Error("a closed poller waits")
	}
}

// A signal is not the end of a wait.
func TestAgain(t *testing.T) {
	check := func(limit time.Duration, interruptions int, last time.Duration) {
		t.Helper()
		var got time.Duration
		n, err := again(limit, func(left time.Duration) (int, error) {
			if got = left; interruptions > 0 {
				interruptions--
				return -1, unix.EINTR
			}
			return 7, nil
		})
		if n != 7 || err != nil || interruptions != 0 || last >= 0 && got > last || last < 0 && got != last {
			t.Errorf("limit %v: got %d, %v, %d interruptions to come, at last with %v left", limit, n, err, interruptions, got)
		}
	}
	check(-1, 3, -1)
	check(0, 3, 0)
	check(time.Hour, 3, time.Hour)
	check(time.Nanosecond, 1000, 0) // time goes on meanwhile
	if n, err := again(-1, func(time.Duration) (int, error) { return -1, unix.EBADF }); n != -1 || err != unix.EBADF {
		t.Errorf("got %d, %v, want the error of the call", n, err)
	}
}
