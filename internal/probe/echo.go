package probe

import (
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// turns is how often a byte goes back and forth in one timed call.
const turns = 200

// echo sends every byte back on a thread of its own until the other side
// closes, and closes gone when the thread is about to end.
func echo(in, out int) (gone chan struct{}) {
	gone = make(chan struct{})
	go func() {
		// A goroutine that ends while it is locked takes its thread along.
		runtime.LockOSThread()
		defer close(gone)
		var b [1]byte
		for receive(in, &b) == nil && send(out, &b) == nil {
		}
	}()
	return gone
}

// volley returns an operation that sends a byte and waits for it so many times.
// Receiving is an ordinary call, which tells the scheduler that the thread may
// sleep: a raw one that waits for another goroutine would hold the processor
// that this one needs, and a collection would wait for both, for ever.
func volley(out, in int) func() error {
	var b [1]byte
	return func() error {
		for range turns {
			if err := send(out, &b); err != nil {
				return err
			}
			if err := receive(in, &b); err != nil {
				return err
			}
		}
		return nil
	}
}

func send(fd int, b *[1]byte) error {
	for {
		if err := writeByte(fd, b); err != unix.EINTR {
			return err
		}
	}
}

func receive(fd int, b *[1]byte) error {
	for {
		n, err := unix.Read(fd, b[:])
		switch {
		case err == unix.EINTR:
			continue
		case err == nil && n == 0:
			return fmt.Errorf("the other side is gone")
		}
		return err
	}
}

func closeAll(fds ...int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

// pipe makes a pipe that no child inherits.
func pipe() (ends [2]int, err error) {
	err = unshared(func() ([]int, error) {
		err := unix.Pipe(ends[:])
		return ends[:], err
	})
	return ends, err
}

// unshared calls open and marks what it opened to be closed in children, while
// no child can be started: not every system has calls that do both at once.
func unshared(open func() ([]int, error)) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := open()
	if err != nil {
		return err
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	return nil
}
