package manifest

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

	"envelope/internal/durable"
)

// The sidecar lies beside the document and stays there: removing it would let
// two runs hold two locks of one name. Temporary files begin with its name, so
// that the next holder of the lock knows whose they are.
const (
	sidecar = ".lock"
	scratch = durable.Suffix
)

// lock takes the document's lock, waiting for another run that holds it.
func lock(target string, wait time.Duration) (unlock func(), err error) {
	name := target + sidecar
	// Neither a link that somebody laid there nor a FIFO may be opened.
	flags := os.O_CREATE | os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK
	l := flock.New(name, flock.SetFlag(flags), flock.SetPermissions(0o644))
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	_, err = l.TryLockContext(ctx, 5*time.Millisecond)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("another run has held its lock %q for %v: wait for that run, or end it", name, wait)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("its directory %q does not exist: make it", filepath.Dir(target))
	case err != nil:
		return nil, fmt.Errorf("locking it: %w", err)
	}
	info, err := l.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is %s, not a lock file: remove it", name, kindOf(info.Mode()))
	}
	if err != nil {
		l.Unlock()
		return nil, err
	}
	return func() { l.Unlock() }, nil
}

// sweep removes what killed runs left. Only the holder of the lock writes
// temporary files, so every one that is there now is an orphan.
func sweep(target string) error {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return fmt.Errorf("reading its directory: %w", err)
	}
	prefix := filepath.Base(target) + sidecar + "."
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), scratch) && e.Type().IsRegular() {
			if err := os.Remove(filepath.Join(filepath.Dir(target), e.Name())); err != nil {
				return fmt.Errorf("removing what a killed run left: %w", err)
			}
		}
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
	err := durable.Replace(target, durable.Options{Mode: 0o644, Like: old, Temporary: target + sidecar, At: o.at}, parts...)
	if e := (*durable.NotSyncedError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%w: %w", ErrNotSynced, e.Err)
	}
	return err
}
