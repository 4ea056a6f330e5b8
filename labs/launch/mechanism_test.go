package launch

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"envelope/internal/uring"
)

// Every mechanism reads what is due, into the target.
func TestMechanismsRead(t *testing.T) {
	for _, d := range devices {
		t.Run(d.name, func(t *testing.T) {
			w := written(t, 3<<20)
			m, err := d.start(w, -1)
			if errors.Is(err, uring.ErrUnavailable) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			due := int64(0)
			for _, step := range []struct{ count, size int }{{1, small}, {3, large}, {280, 0}, {1, 0}, {50, small}, {2, piece}, {1, heavy}} {
				if err := m.hand(step.count, step.size); err != nil {
					t.Fatal(err)
				}
				due += int64(step.count * step.size)
				if w.at != due {
					t.Errorf("%d of %d: %d bytes are read, want %d", step.count, step.size, w.at, due)
				}
				if at := w.at - int64(step.size); !w.holds(at, step.size) {
					t.Errorf("%d of %d: the target holds other bytes than the file", step.count, step.size)
				}
			}
			if err := w.file.Truncate(0); err != nil {
				t.Fatal(err)
			}
			if err := m.hand(2, small); err == nil || !strings.Contains(err.Error(), "reading 8192 bytes at") {
				t.Errorf("of a file without bytes: %v, want the read that failed", err)
			}
			if err := m.close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Who reads finds what nobody has read since a whole round ago.
func TestTakeGoesRound(t *testing.T) {
	w := &weights{size: 100}
	for i, step := range []struct {
		n    int
		want int64
	}{{40, 0}, {40, 40}, {20, 80}, {60, 0}, {41, 0}, {59, 41}, {1, 0}} {
		if got := w.take(step.n); got != step.want {
			t.Errorf("step %d: took %d bytes from %d, want %d", i, step.n, got, step.want)
		}
	}
}

func TestMessages(t *testing.T) {
	p, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.put([]byte("an order")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 8)
	if err := p.get(got); err != nil || string(got) != "an order" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := unix.Close(p.write); err != nil {
		t.Fatal(err)
	}
	if err := p.get(got); err != io.EOF {
		t.Errorf("with nobody to write: %v, want EOF", err)
	}
	if err := unix.Close(p.read); err != nil {
		t.Fatal(err)
	}

	calls := 0
	check := func(want error, answers ...int) {
		t.Helper()
		calls = 0
		err := whole(8, func() (int, error) {
			calls++
			if n := answers[calls-1]; n >= 0 {
				return n, nil
			}
			return 0, unix.Errno(-answers[calls-1])
		})
		if !errors.Is(err, want) || calls != len(answers) {
			t.Errorf("%d: got %v after %d calls, want %v after %d", answers, err, calls, want, len(answers))
		}
	}
	check(nil, 8)
	check(nil, -int(unix.EINTR), -int(unix.EINTR), 8)
	check(io.ErrUnexpectedEOF, 5)
	check(io.EOF, 0)
	check(unix.EIO, -int(unix.EINTR), -int(unix.EIO))
}

func TestWeightsHaveNoName(t *testing.T) {
	r := run(t, "")
	w, _, err := newWeights(r, 3<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	files, err := os.ReadDir(r.Dir)
	if err != nil || len(files) > 0 {
		t.Errorf("the directory has %v (%v), want nothing", files, err)
	}
	for w.at < w.size {
		at := w.at
		if err := w.read(heavy); err != nil || !w.holds(at, heavy) {
			t.Fatalf("at %d: %v, or other bytes than were written", at, err)
		}
	}
	if w.target[0] == w.target[1] && w.target[1] == w.target[2] && w.target[2] == w.target[3] {
		t.Error("want random bytes")
	}
}
