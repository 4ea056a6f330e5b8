package driver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"envelope/internal/lab"
)

// role makes the test binary another program: a run that waits in its lab, or a
// user without rights.
const role = "ENVELOPE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "run":
		os.Exit(waitingRun(os.Args[1]))
	case "nobody":
		os.Exit(asNobody(func() error { return Writable(os.Args[1]) }))
	}
	os.Exit(99)
}

// waitingRun is a run whose lab says "working" and then waits for the end of
// its standard input.
func waitingRun(dir string) int {
	l := fake("first", func(_ context.Context, r *lab.Run) error {
		r.Observe("it-is-seen", 0)
		fmt.Println("working")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}, counted("it-is-seen"))
	o := Options{All: []*lab.Lab{l}, Dir: dir, Seed: 1, Machine: machine()}
	if _, err := Run(context.Background(), o); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// asNobody gives up root's rights and prints the error of call.
func asNobody(call func() error) int {
	const nobody = 65534
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
		fmt.Println(err)
		return 2
	}
	if err := call(); err != nil {
		fmt.Print(err)
		return 1
	}
	return 0
}

// self returns a command that runs this test binary in another role, and ends
// it if it does not end by itself.
func self(t *testing.T, as string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), role+"="+as, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	return cmd
}

// working is a run in another process that has got to its lab.
type working struct {
	*exec.Cmd
	in io.Closer
}

func startWorking(t *testing.T, dir string) working {
	t.Helper()
	cmd := self(t, "run", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "working" {
		cmd.Process.Kill()
		t.Fatalf("got %q, %v; want a run that works", line, err)
	}
	return working{cmd, in}
}

// killed ends the run as a crash would.
func (w working) killed(t *testing.T) {
	t.Helper()
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := w.Wait(); err == nil {
		t.Fatal("it ended by itself, want it killed")
	}
}

// ended lets the run come to its end.
func (w working) ended(t *testing.T) {
	t.Helper()
	w.in.Close()
	if err := w.Wait(); err != nil {
		t.Fatal(err)
	}
}
