package ledger

import (
	"bufio"
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKilledAtEachStep kills the first registration and a later one before each
// step that changes the disk.
func TestKilledAtEachStep(t *testing.T) {
	for before := range 2 {
		for _, step := range []string{"create", "write", "sync", "sync directory", "end"} {
			if before > 0 && step == "sync directory" {
				continue // only the registration that made the file comes there
			}
			dir := t.TempDir()
			l := mustOpen(t, dir)
			for range before {
				if _, _, err := l.Register(start, []Answer{answer("lab/one"), answer("lab/two")}); err != nil {
					t.Fatal(err)
				}
			}
			if err := (child{Dir: dir, N: 1, Die: step}).command(t).Run(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("step %q: got %v, want a child that was killed there", step, err)
			}
			want := before
			if step != "create" && step != "write" {
				want++
			}
			l = mustOpen(t, dir)
			if got := len(sessionsOf(t, l)); got != want {
				t.Errorf("killed before %q: %d registrations, want %d", step, got, want)
			}
			if _, _, err := l.Register(start, []Answer{answer("lab/one"), answer("lab/two")}); err != nil {
				t.Error(err)
			}
			sessionsOf(t, mustOpen(t, dir))
		}
	}
}

// The command for all: go test ./predict/ledger -run KilledAtRandom -kills 1000
var kills = flag.Int("kills", 15, "how many processes TestKilledAtRandom kills")

// TestKilledAtRandom kills a process that registers without end, again and
// again: what it was told is registered is there, at most one more is, and the
// file always opens.
func TestKilledAtRandom(t *testing.T) {
	dir := t.TempDir()
	var shown []string
	torn, unacknowledged := 0, 0
	for kill := range *kills {
		shown = append(shown, killed(t, dir, time.Duration(rand.Int64N(int64(20*time.Millisecond))))...)
		l, messages, err := Open(dir)
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		for _, m := range messages {
			if !strings.Contains(m, "dropped") {
				t.Errorf("kill %d: %s", kill, m)
			}
			torn++
		}
		sessions := sessionsOf(t, l)
		at := 0 // both lists are in order
		for _, s := range sessions {
			if at < len(shown) && shown[at] == s {
				at++
			}
		}
		if at < len(shown) {
			t.Fatalf("kill %d: of %d registrations that were acknowledged, %d are there", kill, len(shown), at)
		}
		if extra := len(sessions) - len(shown); extra > unacknowledged+1 {
			t.Fatalf("kill %d: %d registrations that nobody was told of, after %d", kill, extra, unacknowledged)
		} else {
			unacknowledged = extra
		}
	}
	t.Logf("%d registrations acknowledged, %d not, %d torn", len(shown), unacknowledged, torn)
	if len(aside(t, filepath.Join(dir, Name))) > 0 {
		t.Error("a kill was taken for damage")
	}
}

// sessionsOf returns the sessions of a ledger, which must be whole: attempts
// follow one another, and no registration is there by half.
func sessionsOf(t *testing.T, l *Ledger) []string {
	t.Helper()
	var sessions []string
	h := l.History()
	if len(h)%2 != 0 {
		t.Fatalf("%d predictions, two of which make a registration", len(h))
	}
	for i := 0; i < len(h); i += 2 {
		if h[i].Session != h[i+1].Session || h[i].Prediction.Attempt != i/2+1 || h[i+1].Prediction.Attempt != i/2+1 {
			t.Fatalf("%+v and %+v are no registration", h[i], h[i+1])
		}
		sessions = append(sessions, h[i].Session)
	}
	return sessions
}

// killed runs a child, kills it some time after its first acknowledgement and
// returns the hashes that it printed.
func killed(t *testing.T, dir string, after time.Duration) []string {
	t.Helper()
	cmd := child{Dir: dir}.command(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var shown []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if len(lines.Text()) == 64 {
			shown = append(shown, lines.Text())
		}
		if len(shown) == 1 {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || stderr.Len() > 0 {
		t.Fatalf("the child ended by itself: %v, %s", err, &stderr)
	}
	return shown
}

// TestManyAtOnce has four processes, and two goroutines on one Ledger,
// register the same questions.
func TestManyAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "one", "of", "them")
	var wait []func() error
	for range 4 {
		cmd := child{Dir: dir, N: 6}.command(t)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait = append(wait, cmd.Wait)
	}
	l := mustOpen(t, dir)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for range 6 {
				if _, _, err := l.Register(start, []Answer{answer("lab/one"), answer("lab/two")}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for _, w := range wait {
		if err := w(); err != nil {
			t.Error(err)
		}
	}
	if got := len(sessionsOf(t, mustOpen(t, dir))); got != 36 {
		t.Errorf("%d registrations, want 36", got)
	}
}
