package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Main runs a child's work and returns the exit code of the process: 0, or 1
// with the work's error on standard error, which the parent quotes.
func Main(work func() error) int {
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, Bare(err))
		return 1
	}
	return 0
}

// Say writes a line to the parent. It is one write to a pipe, which is whole or
// not there at all where the line is shorter than PIPE_BUF (pipe(7): 4096 bytes
// on Linux, at least 512 anywhere).
func Say(line string) error {
	_, err := os.Stdout.WriteString(line + "\n")
	return err
}

// Stay says how far the child came, and blocks until it is killed. It returns
// only where the parent has gone without killing it, and always with an error.
func Stay(report string) error {
	if err := Say(report); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return errors.New("the parent closed the pipe instead of killing this process")
}

// Bare shortens the path in an error to its last element: the message may be
// published, and where the directory lies is nobody's business. It returns other
// errors, and nil, as they are.
func Bare(err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return fmt.Errorf("%s %s: %w", path.Op, filepath.Base(path.Path), path.Err)
	}
	return err
}
