//go:build !linux

package launch

import (
	"errors"
	"os"
)

// readsWithoutWaiting leaves it at that: nobody asks who has no io_uring.
func readsWithoutWaiting(int) error { return nil }

func inMemory() (*os.File, error) { return nil, errors.ErrUnsupported }

func bindHere() (processor int, release func() error, err error) {
	return 0, nil, errors.New("this system binds no thread to a processor")
}

func bindTo(int) error { return errors.ErrUnsupported }
