package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/durable"
)

// lock takes the document's lock, waiting for another run that holds it.
func lock(target string, wait time.Duration) (unlock func(), err error) {
	unlock, err = durable.Lock(target, 0o644, wait)
	switch {
	case errors.Is(err, durable.ErrHeld):
		err = fmt.Errorf("another run has held its lock %q for %v: wait for that run, or end it", target+durable.Sidecar, wait)
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("its directory %q does not exist: make it", filepath.Dir(target))
	case err != nil:
		err = fmt.Errorf("locking it: %w", err)
	}
	return unlock, err
}

// temporary begins the names of a document's temporary files: with that of the
// lock, so that the next holder knows whose they are.
func temporary(target string) string { return target + durable.Sidecar }

// sweep removes what killed runs left.
func sweep(target string) error {
	if err := durable.Sweep(temporary(target)); err != nil {
		return fmt.Errorf("removing what a killed run left: %w", err)
	}
	return nil
}

// writable refuses a document that its owner has protected. Renaming over it
// would succeed all the same, and root may write anything, so it is asked.
func writable(target string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("it is read-only (mode %04o): chmod it, or name another file: %w", info.Mode().Perm(), fs.ErrPermission)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, target, unix.W_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("it can't be written by this user: %w", err)
	}
	return nil
}

// setAside makes room for a new document where the old one is full: the old
// gets a second name, which no file had, and loses the first when the new
// document takes it. It reports true as well where a run that was killed
// between the two steps has done so before.
func setAside(target string, info fs.FileInfo, full bool, o AppendOptions) (bool, error) {
	base := strings.TrimSuffix(target, ".json")
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d.json", base, n)
		have, err := os.Lstat(name)
		switch {
		case err == nil && os.SameFile(have, info):
			return true, nil
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return false, fmt.Errorf("looking for %q: %w", name, err)
		case !full:
			return false, nil
		}
		o.at("link")
		err = os.Link(target, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			// A file system without links: for a moment there is no
			// document of the first name.
			err = os.Rename(target, name)
		}
		if err != nil {
			return false, fmt.Errorf("setting the full document aside: %w", err)
		}
		return true, durable.SyncDir(filepath.Dir(target))
	}
}

// replace puts the parts in place of the target, or of nothing, in one step.
func replace(target string, old fs.FileInfo, o AppendOptions, parts ...[]byte) error {
	err := durable.Replace(target, durable.Options{Mode: 0o644, Like: old, Temporary: temporary(target), At: o.at}, parts...)
	if e := (*durable.NotSyncedError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%w: %w", ErrNotSynced, e.Err)
	}
	return err
}
