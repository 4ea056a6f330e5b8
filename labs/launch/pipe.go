package launch

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// A pipe has two ends that block: to read it must put the thread to sleep, and not the goroutine alone.
type pipe struct{ read, write int }

func newPipe() (pipe, error) {
	var fd [2]int
	if err := unix.Pipe(fd[:]); err != nil {
		return pipe{}, fmt.Errorf("making a pipe: %w", err)
	}
	unix.CloseOnExec(fd[0])
	unix.CloseOnExec(fd[1])
	return pipe{fd[0], fd[1]}, nil
}

func (p pipe) close() error { return errors.Join(unix.Close(p.read), unix.Close(p.write)) }

// put writes a message, which is too short to be cut by anything.
func (p pipe) put(message []byte) error {
	return whole(len(message), func() (int, error) { return unix.Write(p.write, message) })
}

// get reads a message. Its error is io.EOF when nobody can write any more.
func (p pipe) get(message []byte) error {
	return whole(len(message), func() (int, error) { return unix.Read(p.read, message) })
}

// whole makes a call that has to move n bytes.
func whole(n int, call func() (int, error)) error {
	for {
		switch done, err := call(); {
		case err == unix.EINTR:
		case err != nil:
			return err
		case done == 0:
			return io.EOF
		case done != n:
			return fmt.Errorf("%d bytes of %d: %w", done, n, io.ErrUnexpectedEOF)
		default:
			return nil
		}
	}
}
