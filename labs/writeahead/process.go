package writeahead

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long a child may take altogether, dying included: nothing is
// decided by it but that something is badly wrong. Tests have less.
var patience = 30 * time.Second

// inFlight is how many children work at once: while one waits for its barrier,
// another is started.
const inFlight = 4

// process is a running child of the lab. Every wait on it ends: when it dies,
// when its context ends, or when patience does.
type process struct {
	ctx    context.Context
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File // what the child says
	lines  *bufio.Reader
	errs   bytes.Buffer
	unhook func() bool
	due    time.Time
	ended  chan struct{} // nil until somebody waits
}

// start starts a child. When the context ends, stop is called; it kills the
// child where nil. The child must be seen to with close.
func start(ctx context.Context, cmd *exec.Cmd, stop func(*process)) (*process, error) {
	p := &process{ctx: ctx, cmd: cmd, due: time.Now().Add(patience)}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = theirs, &p.errs, time.Second
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		in.Close()
		ours.Close()
		return nil, fmt.Errorf("starting a child: %w", bare(err))
	}
	p.in, p.out, p.lines = in, ours, bufio.NewReader(ours)
	p.out.SetReadDeadline(p.due)
	if stop == nil {
		stop = (*process).kill
	}
	p.unhook = context.AfterFunc(ctx, func() { stop(p) })
	return p, nil
}

func (p *process) kill() { p.cmd.Process.Kill() }

// line returns the next line that the child says. A child that ends first, or
// says nothing in time, is an error with its standard error quoted.
func (p *process) line() (string, error) {
	s, err := p.lines.ReadString('\n')
	if err == nil {
		return s[:len(s)-1], nil
	}
	late := errors.Is(err, os.ErrDeadlineExceeded)
	if err := p.end(); err != nil {
		return "", err
	}
	switch {
	case p.ctx.Err() != nil:
		return "", context.Cause(p.ctx)
	case late:
		return "", fmt.Errorf("a child did not answer within %v%s", patience, p.complaint())
	}
	return "", fmt.Errorf("a child ended by itself (%v)%s", p.cmd.ProcessState, p.complaint())
}

// nonsense ends a child that said something else than the protocol allows.
func (p *process) nonsense(got, want string) error {
	err := p.end()
	return errors.Join(fmt.Errorf("a child said %q, want %q%s", got, want, p.complaint()), err)
}

// end kills the child and waits until it is gone, but not for ever: what hangs
// in the kernel is left to a goroutine.
func (p *process) end() error {
	p.kill()
	return p.wait(max(time.Second, time.Until(p.due)))
}

func (p *process) wait(limit time.Duration) error {
	if p.ended == nil {
		ended := make(chan struct{})
		p.ended = ended
		go func() {
			defer close(ended)
			p.cmd.Wait() // its error is ProcessState in other words
		}()
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return nil
	case <-timer.C:
		return fmt.Errorf("a child lives on after %v: does its file system hang?", limit)
	}
}

// killed ends the child, and demands that SIGKILL is what it died of.
func (p *process) killed() error {
	if err := p.end(); err != nil {
		return err
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case p.ctx.Err() != nil:
		return context.Cause(p.ctx)
	case !ok || status.Signal() != syscall.SIGKILL:
		return fmt.Errorf("a child ended by itself (%v)%s", p.cmd.ProcessState, p.complaint())
	}
	return nil
}

// complaint quotes what the child wrote to its standard error. It must be dead.
func (p *process) complaint() string {
	select {
	case <-p.ended:
	default:
		return "" // it still writes there
	}
	text := strings.TrimSpace(p.errs.String())
	if text == "" {
		return ""
	}
	return fmt.Sprintf(": %.2000q", text)
}

// close leaves nothing of the child behind: no process, no zombie, no
// descriptor.
func (p *process) close() error {
	err := p.end()
	p.unhook()
	p.in.Close()
	p.out.Close()
	return err
}

// bare shortens the path in an error to its last element: the message may be
// published, and where the directory lies is nobody's business.
func bare(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("%s %s: %w", path.Op, filepath.Base(path.Path), path.Err)
	}
	return err
}

// finish runs a child's work and turns its error into words on stderr, which
// the parent quotes, and an exit code.
func finish(work func() error) int {
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, bare(err))
		return 1
	}
	return 0
}

// pool runs task for 0 to n-1, a few at a time, and returns the first error,
// which ends the others.
func pool(ctx context.Context, n int, task func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(inFlight, n) {
		all.Go(func() {
			// A child's parent-death signal comes when the thread that started
			// it ends (prctl(2)): this one must outlive its children.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := task(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
