package child

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/child/childtest"
)

// until waits for a condition that others bring about.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			var all strings.Builder
			pprof.Lookup("goroutine").WriteTo(&all, 1)
			t.Fatalf("%s: not within %v\n%s", what, Patience, &all)
		}
	}
}

// However a child ends, it leaves no process, no zombie, no descriptor and no
// goroutine.
func TestNothingIsLeft(t *testing.T) {
	childtest.Descriptors(t) // the first look opens the runtime's poller
	descriptors, goroutines := childtest.Descriptors(t), runtime.NumGoroutine()
	check := func(name string, use func(p *Process, cancel func())) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, err := Start(ctx, command(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		use(p, cancel)
		for range 2 {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
		childtest.NoChildren(t)
		if got := childtest.Descriptors(t); got != descriptors {
			t.Errorf("%s: %d descriptors are open, %d were", name, got, descriptors)
		}
		until(t, name+": its goroutines end", func() bool { return runtime.NumGoroutine() <= goroutines })
	}
	check("normal", func(p *Process, _ func()) { p.Wait(Patience) })
	check("normal", func(*Process, func()) {})
	check("stay", func(p *Process, _ func()) { p.Line(); p.Kill() })
	check("garbage", func(p *Process, _ func()) { p.Line() })
	check("deaf", func(p *Process, cancel func()) { cancel(); p.Line() })
	check("deaf", func(*Process, func()) {})
	check("much", func(p *Process, _ func()) { p.Line() })
}

// parent starts a child that is deaf, and is killed before it can end it. Both
// hold descriptor 3.
func parent() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), variable+"=deaf")
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "tie")}
	p, err := Start(context.Background(), cmd, Options{})
	if err != nil {
		return err
	}
	line, err := p.Line()
	if err != nil {
		return err
	}
	return Stay(line)
}

// A child dies with its parent, even one that is deaf, by whatever signal
// the parent dies.
func TestOrphansDie(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel kills orphans on Linux only")
	}
	for _, signal := range []unix.Signal{unix.SIGKILL, unix.SIGTERM, unix.SIGABRT} {
		theirs, ours, err := os.Pipe() // whoever holds ours is alive
		if err != nil {
			t.Fatal(err)
		}
		defer theirs.Close()
		cmd := command(t, "parent")
		cmd.ExtraFiles = []*os.File{ours}
		p, err := Start(t.Context(), cmd, Options{})
		ours.Close()
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		says(t, p, "ready")
		if err := unix.Kill(cmd.Process.Pid, signal); err != nil {
			t.Fatal(err)
		}
		if _, err = p.Line(); err == nil || !strings.Contains(err.Error(), "signal: ") && !strings.Contains(err.Error(), "exit status 2") { // of SIGABRT, after its words
			t.Fatalf("%v: got %v, want that the parent died of it", signal, err)
		}
		theirs.SetReadDeadline(time.Now().Add(Patience))
		if _, err := io.ReadAll(theirs); err != nil {
			t.Errorf("%v: the child of a killed process lives on: %v", signal, err)
		}
	}
}
