// Package child runs this binary again as a process that is meant to be killed,
// and talks to it in lines.
//
// The parent calls [Start], reads what the child says with Line, and leaves
// nothing behind with Close. The child is an entry point that calls [Main], and
// in it [Say] and [Stay].
//
// # What is promised
//
// Every wait ends: when the child dies, when the context ends, or when the
// child's patience does. A child that hangs in the kernel, where no SIGKILL
// reaches it, is left to a goroutine and reported.
//
// A child lives no longer than its parent. On Linux the kernel kills it,
// however the parent dies. Elsewhere its standard input ends, which it has to
// notice; Stay does.
//
// An error quotes what the child wrote to its standard error. Errors may be
// published, so they name the child by its arguments, and of a path only the
// last element.
package child

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
	"syscall"
	"time"
)

// Patience is how long a child may take altogether, unless its Options say
// otherwise. Nothing is decided by it but that something is badly wrong.
const Patience = 30 * time.Second

const (
	dying   = 5 * time.Second // what a child has at least to end that was killed, and at most that closed its files
	grace   = time.Second     // what its files have to end with it
	longest = 1 << 16         // bytes of a line
)

// Options are what a child needs that is not as the others. The zero value is
// for a child that is killed when its context ends.
type Options struct {
	// Patience is how long the child may take altogether; 0 means Patience.
	Patience time.Duration
	// Stop is called once, on a goroutine of its own, when the context ends
	// before the child is closed; nil kills the child. One that is stopped in
	// another way must end of itself, and has the rest of its patience for it.
	Stop func(*Process)
	// Outlives keeps a child alive when this process is killed, so that it can
	// clean up. It must end when its standard input does.
	Outlives bool
}

// Process is a running child. One goroutine uses it; EndInput and SendKill may be
// called by others.
type Process struct {
	ctx      context.Context
	cmd      *exec.Cmd
	in, out  *os.File // this side of its standard input and output
	lines    *bufio.Reader
	stderr   excerpt // not to be read before ended is closed
	patience time.Duration
	due      time.Time
	unhook   func() bool
	ended    chan struct{} // closed when the child is reaped
	lost     error         // why nobody waits for its end any more
}

// Start starts a command with pipes on its three standard files, in a process
// group of its own, so that Ctrl-C reaches this process and not the child. What
// it starts must be seen to with Close. Its error says that there is no child.
func Start(ctx context.Context, cmd *exec.Cmd, o Options) (*Process, error) {
	if o.Patience == 0 {
		o.Patience = Patience
	}
	if o.Stop == nil {
		o.Stop = (*Process).SendKill
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("making a child's pipes: %w", err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, fmt.Errorf("making a child's pipes: %w", err)
	}
	p := &Process{
		ctx: ctx, cmd: cmd, in: in, out: out, lines: bufio.NewReaderSize(out, longest),
		patience: o.Patience, due: time.Now().Add(o.Patience), ended: make(chan struct{}),
	}
	in.SetWriteDeadline(p.due)
	out.SetReadDeadline(p.due)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = theirIn, theirOut, &p.stderr, grace
	detach(cmd, o.Outlives)
	started := make(chan error)
	go p.live(started)
	err = <-started
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("starting a child: %w", Bare(err))
	}
	p.unhook = context.AfterFunc(ctx, func() { o.Stop(p) })
	return p, nil
}

// live starts the child and waits for its end on one thread: the kernel's
// parent-death signal comes when the thread that started the child ends
// (prctl(2)), so that thread must do nothing else meanwhile.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		p.cmd.Wait() // its error is ProcessState in other words
		close(p.ended)
	}
}

// Send writes to the child's standard input. A child that dies first, or does
// not read, is an error as it is of Line.
func (p *Process) Send(data []byte) error {
	if _, err := p.in.Write(data); err != nil {
		return p.died(err, "")
	}
	return nil
}

// EndInput ends the child's standard input.
func (p *Process) EndInput() { p.in.Close() }

// SendKill sends SIGKILL and does not wait for what comes of it.
func (p *Process) SendKill() { p.cmd.Process.Kill() }

// Line returns the next line that the child says, without its newline. Its
// error means that no line will come, and the child is dead: the context's
// cause where that has ended, and otherwise how the child ended, that it said
// nothing in time, or that what it says is no line of at most 64 KiB.
func (p *Process) Line() (string, error) {
	line, err := p.lines.ReadSlice('\n')
	switch {
	case err == nil:
		return string(line[:len(line)-1]), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return "", p.Nonsense(string(line), fmt.Sprintf("a line of at most %d bytes", longest-1))
	}
	return "", p.died(err, string(line))
}

// Nonsense ends a child that said something else than the protocol allows, and
// returns an error with both.
func (p *Process) Nonsense(got, want string) error {
	err := p.end()
	return errors.Join(fmt.Errorf("child %s said %s, want %q%s", p.name(), quote(got), want, p.complaint()), err)
}

// Kill sends SIGKILL, reaps the child, and returns what it had said until then
// and nobody had read: a line that reached the pipe was said. A child that died
// of anything else than this, or before it, is an error.
func (p *Process) Kill() (rest []string, err error) {
	if err := p.end(); err != nil {
		return nil, err
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL || p.ctx.Err() != nil {
		return nil, p.died(nil, "")
	}
	// All that the child said is in the pipe by now. Its end may not be: others that
	// are just being started hold every descriptor for a moment, on a busy machine a
	// long one, and what the child has started may keep its output.
	p.out.SetReadDeadline(time.Now().Add(grace))
	text, err := io.ReadAll(p.lines)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, fmt.Errorf("reading what child %s had said: %w", p.name(), err)
	}
	rest = strings.Split(string(text), "\n")
	return rest[:len(rest)-1], nil // behind the last newline is nothing, or half a line
}

// Wait waits for the child to end by itself. That it did not within the limit
// is an error; how it ended is none.
func (p *Process) Wait(limit time.Duration) error {
	if !p.ends(limit) {
		return fmt.Errorf("child %s lives on after %v: does its file system hang?", p.name(), limit)
	}
	return nil
}

// Complaint ends the child and quotes what it wrote to its standard error, with
// a colon in front; "" where it wrote nothing.
func (p *Process) Complaint() string {
	p.end()
	return p.complaint()
}

// Close leaves nothing of the child behind: no process, no zombie, no
// descriptor, no goroutine. Its error means that SIGKILL did not end it. It can
// be called again.
func (p *Process) Close() error {
	err := p.end()
	p.unhook()
	p.in.Close()
	p.out.Close()
	return err
}

// died says why a child ended that nobody had meant to end, or ends it: cause
// is what a pipe to it returned, and half what it said without a newline.
func (p *Process) died(cause error, half string) error {
	late := errors.Is(cause, os.ErrDeadlineExceeded)
	// One whose files are closed is about to end. To kill it would hide how.
	silent := !late && !p.ends(min(dying, time.Until(p.due)))
	if err := p.end(); err != nil {
		return err
	}
	if half != "" {
		half = " after saying " + quote(half)
	}
	switch {
	case p.ctx.Err() != nil:
		return context.Cause(p.ctx)
	case late:
		return fmt.Errorf("child %s did not answer within %v%s%s", p.name(), p.patience, half, p.complaint())
	case silent:
		return fmt.Errorf("child %s lived on, but its pipe was closed (%w)%s%s", p.name(), cause, half, p.complaint())
	}
	return fmt.Errorf("child %s ended by itself (%v)%s%s", p.name(), p.cmd.ProcessState, half, p.complaint())
}

// end kills the child if need be and waits until it is gone, but not for ever.
func (p *Process) end() error {
	if p.lost != nil && !p.ends(0) {
		return p.lost
	}
	p.lost = nil
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.lost = fmt.Errorf("killing child %s: %w", p.name(), err)
		return p.lost
	}
	if limit := max(dying, time.Until(p.due).Round(time.Second)); !p.ends(limit) {
		p.lost = fmt.Errorf("child %s lives on %v after SIGKILL: does its file system hang?", p.name(), limit)
	}
	return p.lost
}

// ends reports whether the child is gone within the limit.
func (p *Process) ends(limit time.Duration) bool {
	select {
	case <-p.ended:
		return true
	default:
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// complaint is what an error quotes of a dead child's standard error.
func (p *Process) complaint() string {
	if !p.ends(0) {
		return "" // it still writes there
	}
	if text := p.stderr.String(); text != "" {
		return ": " + text
	}
	return ""
}

// name is what the child was told to do. Where its files are is nobody's
// business.
func (p *Process) name() string {
	args := slices.Clone(p.cmd.Args[1:])
	for i, a := range args {
		if filepath.IsAbs(a) {
			args[i] = filepath.Base(a)
		}
	}
	return strings.Join(args, " ")
}
