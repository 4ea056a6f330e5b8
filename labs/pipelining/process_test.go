package pipelining

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"envelope/internal/child"
	"envelope/internal/child/childtest"
	"envelope/internal/driver"
	"envelope/internal/measure"
	"envelope/internal/resp"
)

// A child that breaks the protocol, or dies, makes the measurement impossible,
// which is an error that quotes it, and never a claim's failure.
func TestBrokenChildren(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here: ", err)
	}
	check := func(text, claim, want string) {
		t.Helper()
		b := newBench(t, "", claim)
		b.Start = func(_, _ string, args []string) *exec.Cmd {
			return exec.Command(shell, append([]string{"-c", text, "sh"}, args...)...)
		}
		if err := measureAll(t.Context(), b.Run); err != nil {
			t.Fatal(err)
		}
		j := b.Record().Voids[claim]
		if j.Reason != measure.Error || !strings.Contains(j.Detail, want) || strings.Contains(j.Detail, b.Dir) {
			t.Errorf("%s: %s: got %v (%s) %q, want an error with %q", text, claim, j.Verdict, j.Reason, j.Detail, want)
		}
		childtest.NoChildren(t)
	}
	check("echo broken disk >&2; exit 3", callsFall, `"broken disk"`)
	check("echo broken disk >&2; exit 3", ackedSurvive, "ended by itself (exit status 3)")
	check("echo hello; read x", oneSync, `said "hello", want "listening"`)
	check("echo listening; read x", pausedServed, "connecting to the server: no such file or directory")
	check("echo listening; read x", deadBounded, "connecting to the server")
}

// A run that is stopped says so, and leaves nothing: no child, no descriptor.
func TestStopped(t *testing.T) {
	before := childtest.Descriptors(t)
	check := func(claim string, child int64) { // while so many have been started
		t.Helper()
		b := newBench(t, "", claim)
		ctx, cancel := context.WithCancel(t.Context())
		var started atomic.Int64
		b.Start = func(l, c string, args []string) *exec.Cmd {
			if started.Add(1) == child {
				go cancel() // at once, or a little later
			}
			return driver.Start(l, c, args)
		}
		if err := measureAll(ctx, b.Run); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", claim, err)
		}
		cancel()
		childtest.NoChildren(t)
	}
	for _, p := range parts {
		for _, c := range p.claims {
			check(c, 1)
			check(c, 2)
		}
	}
	if after := childtest.Descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

// A socket is reached however long its directory's path is.
func TestLongPath(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows a directory under a short name")
	}
	b := newBench(t, "")
	b.Dir = filepath.Join(b.Dir, strings.Repeat("long", 40))
	if err := os.Mkdir(b.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := b.serve(t.Context(), setup{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.deepen(4)
	if err := s.play(t.Context(), 3); err != nil || s.count.departed != 24 {
		t.Errorf("got %d replies, %v, want 24", s.count.departed, err)
	}
}

// Where a server says that it has stopped, its log and its clients say so too.
func TestEveryStepIsWhereItSays(t *testing.T) {
	check := func(control string, s resp.Step, lost bool) {
		t.Helper()
		b := newBench(t, control)
		a := aim{seed: 5, policy: resp.Always, step: s.String(), after: 40}
		o, err := a.fire(t.Context(), b, filepath.Join(b.Dir, "killed"))
		if err != nil {
			t.Fatal(err)
		}
		if (o.lost > 0) != lost {
			t.Errorf("%s at %v: got %+v", control, s, o)
		}
		// Nobody is told of a record that a turn has not come through with.
		if control == "" && s != resp.InsideRecord && (o.acked == o.records) != (s == resp.BeforeLog || s == resp.Replied) {
			t.Errorf("at %v: %d are acknowledged and %d records are whole", s, o.acked, o.records)
		}
		whole := s >= resp.Logged
		if (o.records >= a.after) != whole && s != resp.InsideRecord {
			t.Errorf("%s at %v: %d records are whole, stopped at record %d or later", control, s, o.records, a.after)
		}
	}
	for s := range resp.Steps {
		check("", s, false)
	}
	check(replyFirst, resp.BeforeLog, true)
	check(replyFirst, resp.InsideRecord, true)
	check(replyFirst, resp.Logged, false)
}

// There may be a redis-server that is none, or none at all.
func TestWarden(t *testing.T) {
	check := func(path, want string) {
		t.Helper()
		b := newBench(t, "")
		re := &real{dir: b.directory()}
		err := re.start(t.Context(), b.Run, path)
		if none := errNone(""); !errors.As(err, &none) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want none to compare with, and %q", path, err, want)
		}
		childtest.NoChildren(t)
	}
	check("/nowhere/redis-server", "no such file or directory")
	if path, err := exec.LookPath("false"); err == nil {
		check(path, "exit status 1")
	}
}

// orphans is a child that starts a server, and is killed before it can end it.
// Both hold descriptor 3.
func orphans([]string) int {
	return child.Main(func() error {
		cmd := driver.Start("pipelining", "serve", []string{"{}"})
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "tie")}
		p, err := child.Start(context.Background(), cmd, child.Options{})
		if err != nil {
			return err
		}
		line, err := p.Line()
		if err != nil {
			return err
		}
		return child.Stay(line + " " + strconv.Itoa(cmd.Process.Pid))
	})
}

// When the run is killed, its servers must not live on.
func TestOrphansDie(t *testing.T) {
	b := newBench(t, "")
	theirs, ours, err := os.Pipe() // whoever holds ours is alive
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	cmd := b.Child("orphans")
	cmd.ExtraFiles, cmd.Dir = []*os.File{ours}, b.Dir
	p, err := child.Start(t.Context(), cmd, child.Options{})
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if line, err := p.Line(); err != nil || !strings.HasPrefix(line, listening) {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	theirs.SetReadDeadline(time.Now().Add(child.Patience))
	if _, err := io.ReadAll(theirs); err != nil {
		t.Errorf("the server of a killed run lives on: %v", err)
	}
}
