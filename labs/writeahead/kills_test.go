package writeahead

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/child/childtest"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// Where SIGKILL lands decides what is left, exactly: a record that was written
// survives the process that wrote it, synced or not.
func TestEveryStepIsWhereItSays(t *testing.T) {
	const seed, group = 99, 3
	check := func(control string, s step, promised, recovered int, ahead, lost bool) {
		t.Helper()
		r := newRun(t, control)
		dir := filepath.Join(r.Dir, "store")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		got, err := aim{seed: seed, step: s, group: group}.fire(t.Context(), r, dir)
		if err != nil {
			t.Fatal(err)
		}
		bad := got.off > 0
		got.off = 0
		want := outcome{promised: promised, recovered: recovered, ahead: ahead}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); d != "" || bad != lost {
			t.Errorf("%s %v: lost %v, want %v (-want +got):\n%s", control, s, bad, lost, d)
		}
		childtest.NoChildren(t)
	}
	check("", beforeLogWrite, group, -1, false, false)
	check("", logWritten, group, -1, true, false)
	check("", logSynced, group, -1, true, false)
	check("", acked, group+1, group+1, false, false)
	check(ackBeforeLog, beforeLogWrite, group+1, -1, false, true)
	check(ackBeforeLog, logWritten, group+1, -1, false, false)
	// The store writes pages when enough are dirty: in this stream, there.
	check("", halfApplied, group+1, group+1, false, false)
	check("", applied, group+1, group+1, false, false)
}

func TestCompare(t *testing.T) {
	const seed = 7
	check := func(o outcome, state []byte, bad, ahead bool) {
		t.Helper()
		o.compare(seed, state)
		if (o.off > 0) != bad || o.ahead != ahead {
			t.Errorf("got %+v, want bad %v, ahead %v", o, bad, ahead)
		}
	}
	for n := range 6 {
		bad := n != 3 && n != 4
		check(outcome{promised: 3, recovered: -1}, model(seed, n), bad, n >= 4)
		check(outcome{promised: 3, recovered: 3}, model(seed, n), n != 3, false)
		check(outcome{promised: 3, recovered: 4}, model(seed, n), n != 4, true)
		check(outcome{promised: 3, recovered: 2}, model(seed, n), true, false)
	}
	check(outcome{promised: 3, recovered: 5}, model(seed, 5), true, true)
	torn := model(seed, 3)
	torn[100] ^= 1
	check(outcome{promised: 3, recovered: -1}, torn, true, false)
}

func TestTrialsFitTheDisk(t *testing.T) {
	check := func(barrier time.Duration, full bool, want int) {
		t.Helper()
		r := newRun(t, "")
		r.Barrier, r.Full = barrier, full
		defer func(n int) { killsPerStep = n }(killsPerStep)
		killsPerStep = 10
		if got := killTrials(r); got != want {
			t.Errorf("barrier %v: got %d trials, want %d", barrier, got, want)
		}
	}
	check(0, false, 60)
	check(300*time.Microsecond, false, 60)
	check(20*time.Millisecond, false, 12)
	check(time.Second, false, 6)
	check(time.Second, true, 1200)
}

// script is a run whose children are a shell script instead.
func script(t *testing.T, text string) *lab.Run {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here: ", err)
	}
	r := newRun(t, "")
	r.Wanted = map[string]bool{exactState: true}
	r.Start = func(_, _ string, args []string) *exec.Cmd {
		return exec.Command(shell, append([]string{"-c", text, "sh"}, args...)...)
	}
	return r
}

// A child that breaks the protocol makes the measurement impossible, which
// voids its claim with the child quoted, and is never a claim's failure.
func TestBrokenChildren(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		r := script(t, text)
		if err := Lab.Measure(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		j := r.Record().Voids[exactState]
		for _, w := range append(want, "") {
			if j.Reason != measure.Error || !strings.Contains(j.Detail, w) {
				t.Errorf("%s: got %s %q, want it to contain %q", text, j.Reason, j.Detail, w)
			}
		}
		if strings.Contains(j.Detail, r.Dir) || len(r.Record().Evidence) > 0 {
			t.Errorf("%s: %q, observed %v", text, j.Detail, r.Record().Evidence)
		}
		childtest.NoChildren(t)
	}
	check(`echo broken disk >&2; exit 3`, "ended by itself (exit status 3)", `"broken disk"`)
	check(`kill -TERM $$`, "ended by itself (signal: terminated)")
	check(`echo promised 2; read x`, `said "promised 2", want "promised 1"`)
	check(`echo promised 1; echo promised 1; read x`, `said "promised 1", want "promised 2"`)
	check(`echo hello; read x`, `said "hello"`)
	check(`echo stopped nowhere; read x`, `said "stopped nowhere"`)
}

// A child that is told nonsense says so.
func TestArguments(t *testing.T) {
	check := func(child string, args []string, want string) {
		t.Helper()
		r := newRun(t, "")
		out, err := r.Child(child, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s %q: got %v and %q, want %q", child, args, err, out, want)
		}
	}
	check("store", nil, "want a directory")
	check("store", []string{t.TempDir(), "x", logFirst, "acked", "1"}, "invalid syntax")
	check("store", []string{t.TempDir(), "1", logFirst, "no-step", "1"}, "ended before no-step was reached")
	check("store", []string{t.TempDir(), "1", logFirst, "acked", "-1"}, "the recovery ended before acked was reached")
	if Lab.Children["eio"] != nil {
		check("eio", nil, "want a role")
		check("eio", []string{"king", "", "", "", "1", "1", "1s"}, `unknown role "king"`)
	}
}

// A run that is stopped half way leaves no process, no descriptor and no file
// of a store.
func TestCancelled(t *testing.T) {
	before := childtest.Descriptors(t)
	for _, after := range []int{0, 2, 5} { // calls of Step; three are other claims
		ctx, cancel := context.WithCancel(t.Context())
		r, n := newRun(t, ""), 0
		r.Progress = func(float64) {
			if n++; n >= after {
				cancel()
			}
		}
		if after == 0 {
			cancel()
		}
		if err := Lab.Measure(ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped after %d: got %v", after, err)
		}
		cancel()
		if left, _ := filepath.Glob(filepath.Join(r.Dir, "store-*")); len(left) > 0 {
			t.Errorf("stopped after %d: %v left in the directory", after, left)
		}
		childtest.NoChildren(t)
	}
	if after := childtest.Descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}
