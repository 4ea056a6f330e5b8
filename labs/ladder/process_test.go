package ladder

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/child"
	"envelope/internal/child/childtest"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// script is a run whose children are a shell script instead.
func script(t *testing.T, text string) *lab.Run {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here: ", err)
	}
	r := newRun(t, "")
	r.Start = func(_, _ string, args []string) *exec.Cmd {
		return exec.Command(shell, append([]string{"-c", text, "sh"}, args...)...)
	}
	return r
}

// A child that breaks the protocol makes the measurement impossible, which is
// an error that quotes it, and never a claim's failure.
func TestBrokenChildren(t *testing.T) {
	check := func(text, claim string, want ...string) {
		t.Helper()
		r := script(t, text)
		r.Wanted = map[string]bool{claim: true}
		err := Lab.Measure(t.Context(), r)
		if err == nil {
			t.Fatalf("%s: got no error", text)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want it to contain %q", text, err, w)
			}
		}
		if e, ok := r.Record().Evidence[claim]; ok {
			t.Errorf("%s: %v was observed", text, e)
		}
		if strings.Contains(err.Error(), r.Dir) {
			t.Errorf("%s: %q tells where the directory is", text, err)
		}
		childtest.NoChildren(t)
	}
	const swallow = "exec cat >/dev/null" // the payload, and then wait
	check(`echo broken disk >&2; exit 3`, bufferDies, "ended by itself (exit status 3)", `"broken disk"`)
	check(`echo broken disk >&2; exit 3`, ackedSurvive, "ended by itself (exit status 3)", `"broken disk"`)
	check(`kill -TERM $$`, ackedSurvive, "ended by itself (signal: terminated)")
	check(`kill -KILL $$`, ackedSurvive, "ended by itself (signal: killed)")
	check(`echo READY; `+swallow, bufferDies, `said "READY", want "ready"`)
	check(`echo ready; `+swallow, bufferDies, "open rung-", "no such file")
	check(`echo ack 0; echo ack 2; read x`, ackedSurvive, `said "ack 2", want "ack 1"`)
	check(`echo ack 0; echo ack 0; read x`, ackedSurvive, `said "ack 0", want "ack 1"`)
	check(`echo stopped after-ack 99; read x`, ackedSurvive, `said "stopped after-ack 99", want "ack 0"`)
}

// A mapping that is refused is a fact about the file system, not a fault.
func TestRefusedMapping(t *testing.T) {
	r := script(t, `echo "refused: no such device"; exec cat >/dev/null`)
	r.Wanted = map[string]bool{mappedSurvives: true}
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if j := r.Record().Voids[mappedSurvives]; j.Reason != measure.Unreachable || !strings.Contains(j.Detail, "no such device") {
		t.Errorf("got %+v, want unreachable", j)
	}
	for _, err := range []error{unix.ENODEV, os.NewSyscallError("mmap", unix.EINVAL)} {
		if !isRefusal(err) {
			t.Errorf("%v is no refusal", err)
		}
	}
	for _, err := range []error{nil, unix.ENOMEM, unix.EACCES} {
		if isRefusal(err) {
			t.Errorf("%v is a refusal", err)
		}
	}
}

// A run that is stopped half way leaves no process, no zombie, no descriptor
// and no file.
func TestCancelled(t *testing.T) {
	before := childtest.Descriptors(t)
	for _, after := range []int{0, 1, 21} { // trials; 20 are rungs
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
		left, err := os.ReadDir(r.Dir)
		if err != nil || len(left) > 0 {
			t.Errorf("stopped after %d: %v left in the directory (%v)", after, left, err)
		}
		childtest.NoChildren(t)
	}
	if after := childtest.Descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

// orphans is a child that starts a child of the lab, and is killed before it
// can end it. Both hold descriptor 3.
func orphans([]string) int {
	return child.Main(func() error {
		cmd := driver.Start("ladder", "journal", []string{os.Getenv("TMPDIR") + "/orphan", "1", writeFirst, beforeWrite.String(), "0"})
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "tie")}
		p, err := child.Start(context.Background(), cmd, child.Options{})
		if err != nil {
			return err
		}
		line, err := p.Line()
		if err != nil {
			return err
		}
		return child.Stay(line + " in " + strconv.Itoa(cmd.Process.Pid))
	})
}

// When the run is killed, its children must not live on.
func TestOrphansDie(t *testing.T) {
	r := newRun(t, "")
	theirs, ours, err := os.Pipe() // whoever holds ours is alive
	if err != nil {
		t.Fatal(err)
	}
	cmd := r.Child("orphans")
	cmd.ExtraFiles = []*os.File{ours}
	cmd.Env = append(cmd.Environ(), "TMPDIR="+r.Dir)
	p, err := child.Start(t.Context(), cmd, child.Options{})
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	line, err := p.Line()
	if err != nil || !strings.HasPrefix(line, stopped(beforeWrite, 0)+" in ") {
		t.Fatalf("got %q, %v", line, err)
	}
	if _, err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	theirs.SetReadDeadline(time.Now().Add(child.Patience))
	if _, err := io.ReadAll(theirs); err != nil {
		t.Errorf("the child of a killed run lives on: %v", err)
	}
}
