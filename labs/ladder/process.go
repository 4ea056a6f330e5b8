package ladder

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long a child may take altogether, and hang how long it may
// take over dying. Nothing is decided by either but that something is badly
// wrong. Tests have less patience.
var patience = 30 * time.Second

const hang = 30 * time.Second

// inFlight is how many trials run at once, so that one child is started while
// another works and a third is reaped. On two cores 4 trials at once took half
// the time of one by one, and 6 no less.
const inFlight = 4

// process is a running child of the lab. It is killed when its context ends,
// and every wait on it ends when it dies.
type process struct {
	parent context.Context
	ctx    context.Context // parent's, and patience
	cancel context.CancelFunc
	unhook func() bool
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	stderr *os.File
	lines  *bufio.Reader
	reaped bool
}

// start starts a child with a pipe on each of its standard files. Its end must
// be seen to with close.
func start(ctx context.Context, cmd *exec.Cmd) (*process, error) {
	var ours, theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours, theirs...))
			return nil, fmt.Errorf("making a child's pipes: %w", err)
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	ours[0], theirs[0] = theirs[0], ours[0] // the child reads its first
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	detach(cmd)
	err := cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, fmt.Errorf("starting a child: %w", err)
	}
	p := &process{parent: ctx, cmd: cmd, in: ours[0], out: ours[1], stderr: ours[2], lines: bufio.NewReader(ours[1])}
	p.ctx, p.cancel = context.WithTimeout(ctx, patience)
	p.unhook = context.AfterFunc(p.ctx, func() { cmd.Process.Kill() })
	return p, nil
}

// send writes to the child's standard input.
func (p *process) send(data []byte) error {
	if _, err := p.in.Write(data); err != nil {
		return p.died()
	}
	return nil
}

// line returns the next line that the child says. A child that dies first is an
// error with its standard error quoted.
func (p *process) line() (string, error) {
	s, err := p.lines.ReadString('\n')
	if err != nil {
		return "", p.died()
	}
	return s[:len(s)-1], nil
}

// nonsense ends a child that said something else than the protocol allows.
func (p *process) nonsense(got, want string) error {
	err := p.reap()
	return errors.Join(fmt.Errorf("child %s said %q, want %q%s", p.name(), got, want, p.complaint()), err)
}

// kill sends SIGKILL, reaps the child, and returns what it had said until then
// and nobody had read: a line that reached the pipe was said.
func (p *process) kill() (rest []string, err error) {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return nil, fmt.Errorf("killing child %s: %w", p.name(), err)
	}
	if err := p.reap(); err != nil {
		return nil, err
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		return nil, p.died()
	}
	if p.ctx.Err() != nil {
		return nil, p.died() // killed, but not for this call
	}
	text, err := io.ReadAll(p.lines)
	if err != nil {
		return nil, fmt.Errorf("reading what child %s had said: %w", p.name(), err)
	}
	rest = strings.Split(string(text), "\n")
	return rest[:len(rest)-1], nil // behind the last newline is nothing, or half a line
}

// died says why a child ended that nobody had meant to end.
func (p *process) died() error {
	late := p.ctx.Err() != nil // asked before reap, which can wait
	if err := p.reap(); err != nil {
		return err
	}
	switch {
	case p.parent.Err() != nil:
		return context.Cause(p.parent)
	case late:
		return fmt.Errorf("child %s did not answer within %v%s", p.name(), patience, p.complaint())
	}
	return fmt.Errorf("child %s ended by itself (%v)%s", p.name(), p.cmd.ProcessState, p.complaint())
}

// complaint quotes what the child wrote to its standard error. It must be dead.
func (p *process) complaint() string {
	p.stderr.SetReadDeadline(time.Now().Add(time.Second))
	text, _ := io.ReadAll(io.LimitReader(p.stderr, 2000))
	if len(text) == 0 {
		return ""
	}
	return fmt.Sprintf(": %q", strings.TrimSpace(string(text)))
}

// name is what the child was told to do. Where its files are is nobody's
// business: the message may be published.
func (p *process) name() string {
	args := slices.Clone(p.cmd.Args[1:])
	for i, a := range args {
		if filepath.IsAbs(a) {
			args[i] = filepath.Base(a)
		}
	}
	return strings.Join(args, " ")
}

// reap kills the child if need be and waits for its end, once. What hangs in
// the kernel can't be waited for: it is left to a goroutine.
func (p *process) reap() error {
	if p.reaped {
		return nil
	}
	p.reaped = true
	p.cmd.Process.Kill()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.cmd.Wait() // its error is ProcessState in other words
	}()
	limit := time.NewTimer(hang)
	defer limit.Stop()
	select {
	case <-ended:
		return nil
	case <-limit.C:
		return fmt.Errorf("child %s lives on %v after SIGKILL: does its file system hang?", p.name(), hang)
	}
}

// close leaves nothing of the child behind: no process, no zombie, no
// descriptor.
func (p *process) close() error {
	err := p.reap()
	p.unhook()
	p.cancel()
	for _, f := range []*os.File{p.in, p.out, p.stderr} {
		f.Close()
	}
	return err
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
