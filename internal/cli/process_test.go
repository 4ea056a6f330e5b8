package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"envelope/manifest"
)

// process is one of the programs of TestMain, in a directory of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	stdin  io.WriteCloser
	stderr *bufio.Reader
	all    strings.Builder // what was read of stderr
}

// prepare makes a program that works in dir and is killed should the test hang.
// It hears the signals that a test sends, though the tests themselves may run in
// the background or under nohup, and what they ignore the program would too.
func prepare(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GORACE="+noSleep, "ENVELOPE_DIR=", "ENVELOPE_RESULTS=", "HOME="+dir)
	return &process{Cmd: cmd, t: t}
}

// start starts it with pipes on its standard input and error.
func (p *process) start() *process {
	p.t.Helper()
	in, err1 := p.StdinPipe()
	out, err2 := p.StderrPipe()
	if err := errors.Join(err1, err2, p.Cmd.Start()); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.Process.Kill(); in.Close() })
	p.stdin, p.stderr = in, bufio.NewReader(out)
	return p
}

// says reads standard error up to a line that contains the text.
func (p *process) says(text string) {
	p.t.Helper()
	for {
		line, err := p.stderr.ReadString('\n')
		p.all.WriteString(line)
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			p.t.Fatalf("it never said %q but %q", text, &p.all)
		}
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits for its end and demands its exit code.
func (p *process) ends(want int) {
	p.t.Helper()
	if p.stderr != nil {
		io.Copy(&p.all, p.stderr)
	}
	err := p.Wait()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		p.t.Fatal(err)
	}
	if got := p.ProcessState.ExitCode(); got != want {
		p.t.Errorf("got exit code %d (%v), want %d; it said %q", got, p.ProcessState, want, &p.all)
	}
}

// kept demands a results file with one run, and returns it.
func kept(t *testing.T, dir string, outcome manifest.Outcome, code int) manifest.Run {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d manifest.Document
	if err := json.Unmarshal(text, &d); err != nil || len(d.Runs) != 1 {
		t.Fatalf("got %d runs, %v; want one", len(d.Runs), err)
	}
	if r := d.Runs[0]; r.Outcome != outcome || r.ExitCode != code {
		t.Errorf("got the outcome %s and exit code %d, want %s and %d", r.Outcome, r.ExitCode, outcome, code)
	}
	return d.Runs[0]
}

// scratch returns what runs have left in a directory.
func scratch(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".envelope-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func noScratch(t *testing.T, dir string) {
	t.Helper()
	if left := scratch(t, dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
}

// Under a limit that the runtime would die of in the middle, nothing is begun.
func TestLittleMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	limited := func(args string) *process {
		return prepare(t, dir, "sh", "-c", "ulimit -v 3100000 && exec "+args)
	}
	if err := limited("envelope list").Run(); err != nil {
		t.Skip("the program itself does not start under such a limit: ", err)
	}
	p := limited("envelope run good").start()
	p.ends(manifest.ExitError)
	if want := "of address space, and measuring takes up to 3072: raise the limit (ulimit -v)"; !strings.Contains(p.all.String(), want) {
		t.Errorf("it said %q, want %q", &p.all, want)
	}
	noScratch(t, dir)
}
