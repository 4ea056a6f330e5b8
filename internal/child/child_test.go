package child

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/internal/child/childtest"
)

const variable = "ENVELOPE_TEST_CHILD"

// entries are what a copy of the test binary can be told to do.
var entries = map[string]func() error{
	"normal": func() error { return errors.Join(Say("one"), Say("two")) },
	"stay":   func() error { return Stay("ready") },
	"echo": func() error {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		return errors.Join(err, Say("got "+strings.TrimSpace(line)))
	},
	"listen": func() error { // until its input ends
		err := Say("ready")
		n, err2 := io.Copy(io.Discard, os.Stdin)
		return errors.Join(err, err2, Say(fmt.Sprint("end after ", n)))
	},
	"fail": func() error { return errors.New("broken disk") },
	"path": func() error { _, err := os.Open("/nowhere/at/all"); return err },
	"half": func() error {
		os.Stdout.WriteString("whole\nha")
		return errors.New("no more")
	},
	"garbage": func() error {
		for rng := rand.NewChaCha8([32]byte{1}); ; {
			block := make([]byte, 4096)
			rng.Read(block)
			if _, err := os.Stdout.Write(bytes.ReplaceAll(block, []byte("\n"), nil)); err != nil {
				return err
			}
		}
	},
	"much": func() error { // fills any pipe that nobody reads
		fmt.Fprint(os.Stderr, "first", strings.Repeat("x", 1<<20))
		return errors.New("last")
	},
	"deaf": func() error { return errors.Join(Say("ready"), deaf()) },
	"shut": func() error {
		os.Stdout.Close()
		return deaf()
	},
	"parent": parent,
}

// deaf never ends and never looks at its input.
func deaf() error {
	for {
		time.Sleep(time.Hour)
	}
}

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(variable); ok {
		os.Exit(Main(entries[name]))
	}
	os.Exit(m.Run())
}

// command is one of the entries; its argument is there for messages.
func command(t testing.TB, name string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, name, "/some/where/file")
	cmd.Env = append(os.Environ(), variable+"="+name)
	return cmd
}

func begin(t testing.TB, ctx context.Context, name string, o Options) *Process {
	t.Helper()
	p, err := Start(ctx, command(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// says demands the next lines.
func says(t testing.TB, p *Process, want ...string) {
	t.Helper()
	for _, w := range want {
		if got, err := p.Line(); err != nil || got != w {
			t.Fatalf("got %q, %v, want %q", got, err, w)
		}
	}
}

// fails demands an error that has all these words in it.
func fails(t testing.TB, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %q", want)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %.300q, want it to contain %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "/some") {
		t.Errorf("%q tells where the directory is", err)
	}
}

func TestEndsByItself(t *testing.T) {
	p := begin(t, t.Context(), "normal", Options{})
	says(t, p, "one", "two")
	_, err := p.Line()
	fails(t, err, "child normal file ended by itself (exit status 0)")
	if err := p.Wait(0); err != nil {
		t.Error(err)
	}
	if got := p.Complaint(); got != "" {
		t.Errorf("got %q, want no complaint", got)
	}
}

func TestSend(t *testing.T) {
	p := begin(t, t.Context(), "echo", Options{})
	if err := p.Send([]byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	says(t, p, "got hello")
}

func TestKill(t *testing.T) {
	p := begin(t, t.Context(), "stay", Options{})
	says(t, p, "ready")
	if rest, err := p.Kill(); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v, want nothing", rest, err)
	}
	p = begin(t, t.Context(), "stay", Options{})
	if _, err := p.lines.Peek(1); err != nil { // what is said, nobody has read
		t.Fatal(err)
	}
	if rest, err := p.Kill(); err != nil || !slices.Equal(rest, []string{"ready"}) {
		t.Errorf("got %q, %v, want what it had said", rest, err)
	}
}

// Somebody else may hold the child's output when it dies. What it had said is all
// there is to wait for.
func TestKillWithOutputHeld(t *testing.T) {
	p := begin(t, t.Context(), "stay", Options{})
	if _, err := p.lines.Peek(1); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/1", p.cmd.Process.Pid), os.O_WRONLY, 0)
	if err != nil {
		t.Skip("another process's output can't be held here: ", err)
	}
	defer held.Close()
	if rest, err := p.Kill(); err != nil || !slices.Equal(rest, []string{"ready"}) {
		t.Errorf("got %q, %v, want what it had said", rest, err)
	}
}

// Only SIGKILL is a kill: a child that ended of itself shows nothing.
func TestKillOfTheDead(t *testing.T) {
	p := begin(t, t.Context(), "fail", Options{})
	if err := p.Wait(Patience); err != nil {
		t.Fatal(err)
	}
	_, err := p.Kill()
	fails(t, err, `child fail file ended by itself (exit status 1): "broken disk"`)
}

// What another one kills is reported, with what it had said.
func TestKilledByAnother(t *testing.T) {
	p := begin(t, t.Context(), "stay", Options{})
	says(t, p, "ready")
	p.SendKill()
	_, err := p.Line()
	fails(t, err, "child stay file ended by itself (signal: killed)")
}

func TestGarbage(t *testing.T) {
	p := begin(t, t.Context(), "garbage", Options{})
	_, err := p.Line()
	fails(t, err, "child garbage file said ", "and 63536 bytes more", `want "a line of at most 65535 bytes"`)
	if n := len(err.Error()); n > 5*quoted {
		t.Errorf("the error has %d bytes", n)
	}
	if err := p.Wait(0); err != nil {
		t.Error("it lives on: ", err)
	}

	p = begin(t, t.Context(), "normal", Options{})
	says(t, p, "one")
	fails(t, p.Nonsense("one\x00", "two"), `child normal file said "one\x00", want "two"`)

	p = begin(t, t.Context(), "half", Options{})
	says(t, p, "whole")
	_, err = p.Line()
	fails(t, err, `ended by itself (exit status 1) after saying "ha": "no more"`)
}

func TestStderr(t *testing.T) {
	p := begin(t, t.Context(), "fail", Options{})
	_, err := p.Line()
	fails(t, err, `child fail file ended by itself (exit status 1): "broken disk"`)

	p = begin(t, t.Context(), "path", Options{})
	_, err = p.Line()
	fails(t, err, `: "open all: no such file or directory"`)

	p = begin(t, t.Context(), "much", Options{})
	_, err = p.Line()
	fails(t, err, `(exit status 1): "firstxxx`, `xxxlast"`, fmt.Sprintf(`x", %d bytes more, and "x`, 5+1<<20+5-2*quoted))
	if n := len(err.Error()); n > 3*quoted {
		t.Errorf("the error has %d bytes", n)
	}
}

func TestContextEnds(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	p := begin(t, ctx, "deaf", Options{})
	says(t, p, "ready")
	cancel(why)
	if _, err := p.Line(); err != why {
		t.Errorf("got %v, want %v", err, why)
	}
	if _, err := p.Kill(); err != why {
		t.Errorf("a kill: got %v, want %v", err, why)
	}
	p = begin(t, ctx, "deaf", Options{}) // it had ended before
	if err := p.Wait(Patience); err != nil {
		t.Error(err)
	}
}

// A child that is not killed when the context ends may say its last words.
func TestStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := begin(t, ctx, "listen", Options{Stop: (*Process).EndInput})
	says(t, p, "ready")
	cancel()
	says(t, p, "end after 0")
	if _, err := p.Line(); err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestPatience(t *testing.T) {
	const short = 300 * time.Millisecond // none of these children ends before
	p := begin(t, t.Context(), "deaf", Options{Patience: short})
	err := p.Send(make([]byte, 1<<20))
	fails(t, err, "child deaf file did not answer within 300ms")

	// A stop that has no effect must not make Line wait for ever.
	ctx, cancel := context.WithCancel(t.Context())
	p = begin(t, ctx, "deaf", Options{Patience: short, Stop: func(*Process) {}})
	cancel()
	for err = error(nil); err == nil; {
		_, err = p.Line()
	}
	if err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}

	p = begin(t, t.Context(), "shut", Options{Patience: short})
	fails(t, p.Wait(0), "child shut file lives on after 0s")
	_, err = p.Line()
	if strings.Contains(err.Error(), "did not answer") { // or it was quick
		fails(t, err, "child shut file did not answer within 300ms")
	} else {
		fails(t, err, "child shut file lived on, but its pipe was closed (EOF)")
	}
}

func TestStartFails(t *testing.T) {
	before := childtest.Descriptors(t)
	_, err := Start(t.Context(), exec.Command("/some/where/missing"), Options{})
	fails(t, err, "starting a child: fork/exec missing: no such file")
	if got := childtest.Descriptors(t); got != before {
		t.Errorf("%d descriptors are open, %d were", got, before)
	}
}

func TestPool(t *testing.T) {
	var got [20]bool
	err := Pool(t.Context(), len(got), func(_ context.Context, i int) error {
		if got[i] {
			t.Errorf("%d was called twice", i)
		}
		got[i] = true
		return nil
	})
	if err != nil || slices.Contains(got[:], false) {
		t.Errorf("got %v, %v, want every call and no error", got, err)
	}
	// All that are in flight wait for the first to fail; no other begins.
	why := errors.New("broken")
	arrived := make(chan bool, len(got))
	err = Pool(t.Context(), len(got), func(ctx context.Context, i int) error {
		arrived <- true
		if i == 0 {
			for len(arrived) < inFlight {
				time.Sleep(time.Millisecond)
			}
			return why
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if n := len(arrived); err != why || n != inFlight {
		t.Errorf("got %v after %d calls, want %v after %d", err, n, why, inFlight)
	}
}
