// Package statefile handles files in the user's state directory: small, worth
// keeping for years, and touched by any number of processes at once.
package statefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/durable"
)

// MakeDir makes a directory, and those above it, for this user alone, and
// syncs their names.
func MakeDir(dir string) error {
	if err := durable.MakeDir(dir, 0o700); err != nil {
		return fmt.Errorf("making the state directory %q: %w: set XDG_STATE_HOME to a directory that can be written", dir, err)
	}
	return nil
}

// Lock takes the lock of the file at path, waiting for another process that
// holds it, and removes what a killed one left. The lock is a file beside it.
func Lock(path string) (unlock func(), err error) {
	const wait = 30 * time.Second
	unlock, err = durable.Lock(path, 0o600, wait)
	switch {
	case errors.Is(err, durable.ErrHeld):
		return nil, fmt.Errorf("another process has held the lock %q for %v: wait for it, or end it", path+durable.Sidecar, wait)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EROFS):
		return nil, fmt.Errorf("%w: make the directory writable, or set XDG_STATE_HOME to one that is", err)
	case err != nil:
		return nil, err
	}
	if err := durable.Sweep(path); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// most is how many bytes a file is read of: a prediction takes some hundreds, so
// years of them do not come near it.
const most = 64 << 20

// Read returns the file's bytes, nil where there is none. What is not a file of
// its own is refused, since Replace would take its place, and so is what is too
// large to be one of these.
func Read(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is not a regular file: move it away", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%q has %d bytes, and at most %d are read: move it away", path, info.Size(), most)
	}
	return os.ReadFile(path)
}

// Replace puts data in place of the file at path, in one step: a kill leaves
// the old bytes or the new ones.
func Replace(path string, data []byte) error {
	return durable.Replace(path, durable.Options{Mode: 0o600}, data)
}

// SetAside keeps data, the bytes of a damaged file, beside it under a name of
// its own, which it returns. The file itself is left for Replace, so that there
// is no moment without one.
func SetAside(path string, data []byte, now time.Time) (string, error) {
	base := path + ".damaged-" + now.UTC().Format("20060102T150405Z")
	for n, name := 2, base; ; n++ {
		err := durable.Create(name, 0o600, data)
		switch {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("setting a damaged file aside: %w", err)
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}
