package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// Sidecar is what the name of a file's lock has behind that of the file. The lock
// is a file of its own, since the other one is replaced, and it stays: removing it
// would let two processes hold two locks of one name.
const Sidecar = ".lock"

// ErrHeld says that another process held the lock for as long as was waited.
var ErrHeld = errors.New("another process holds the lock")

// Lock takes the lock of the file at path, which need not be there, and waits at
// most so long for a process that holds it. What is no regular file is refused: a
// link that somebody laid there is not followed, and a FIFO is not waited for. The
// mode is that of a lock file that has to be made.
func Lock(path string, mode fs.FileMode, wait time.Duration) (unlock func(), err error) {
	name := path + Sidecar
	flags := os.O_CREATE | os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK
	l := flock.New(name, flock.SetFlag(flags), flock.SetPermissions(mode))
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	free, err := l.TryLock() // once at least, however short the wait
	if err == nil && !free {
		_, err = l.TryLockContext(ctx, poll)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, ErrHeld
	case err != nil:
		return nil, err
	}
	info, err := l.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is not a lock file: remove it", name)
	}
	if err != nil {
		l.Unlock()
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

// poll is how often a lock is tried that another process holds.
const poll = 2 * time.Millisecond

// Sweep removes the temporary files that killed processes left, of Replace with
// this Temporary. Only the holder of the lock writes any, so only the holder may
// call it.
func Sweep(temporary string) error {
	dir := filepath.Dir(temporary)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(temporary)+".") && strings.HasSuffix(e.Name(), Suffix) && e.Type().IsRegular() {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
