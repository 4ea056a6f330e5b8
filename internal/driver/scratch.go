package driver

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	scratchPrefix = ".envelope-"
	unborn        = ".new" // suffix of a directory whose owner has not locked it yet
	ownerFile     = ".owner"
)

// scratchName matches the names that newScratch gives, and no others: what a
// user calls .envelope-notes is not swept.
var scratchName = regexp.MustCompile(`^\.envelope-[0-9a-f]{16}(\.new)?$`)

// scratch is the directory that a run works in. Its owner file is locked as
// long as the run lives, so that the next run can tell what a killed one left.
type scratch struct {
	path string
	lock *flock.Flock
}

// newScratch makes a scratch directory in dir and removes what dead runs left
// there.
func newScratch(dir string) (*scratch, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("directory to measure: %w; name an existing one with --dir", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("directory to measure: %s is not a directory; name one with --dir", dir)
	}
	sweep(dir)
	live.Lock()
	defer live.Unlock()
	if live.abandoned {
		return nil, errAbandoned
	}
	var id [8]byte
	rand.Read(id[:])
	final := filepath.Join(dir, scratchPrefix+hex.EncodeToString(id[:]))
	// Locked under a name that sweep leaves alone, then renamed, so that no
	// other run can take it for an orphan.
	if err := os.Mkdir(final+unborn, 0o700); err != nil {
		return nil, fmt.Errorf("directory to measure: %w; name a writable one with --dir", err)
	}
	s := &scratch{path: final + unborn, lock: flock.New(filepath.Join(final+unborn, ownerFile))}
	if ok, err := s.lock.TryLock(); err != nil || !ok {
		s.discard()
		return nil, fmt.Errorf("locking %s in the directory to measure: %w", ownerFile, err)
	}
	if err := os.Rename(s.path, final); err != nil {
		s.discard()
		return nil, fmt.Errorf("directory to measure: %w", err)
	}
	s.path = final
	if live.dirs == nil {
		live.dirs = map[string]bool{}
	}
	live.dirs[final] = true
	return s, nil
}

// Writable returns an error that says what to do where a run could not work in
// dir.
func Writable(dir string) error {
	s, err := newScratch(dir)
	if err != nil {
		return err
	}
	return s.remove()
}

// live are the scratch directories of this process.
var live struct {
	sync.Mutex
	dirs      map[string]bool
	abandoned bool // there will be no more
}

var errAbandoned = errors.New("directory to measure: the program is about to end")

// Abandon removes the scratch directories of all runs of this process, which is
// about to end without waiting for them, and lets no new ones be made.
func Abandon() {
	live.Lock()
	defer live.Unlock()
	live.abandoned = true
	for dir := range live.dirs {
		// A run that still works there may make a file while others are removed.
		const tries = 3
		for range tries {
			if discard(dir) == nil {
				break
			}
		}
	}
}

// sub makes an empty directory for one lab run.
func (s *scratch) sub(name string) (string, error) {
	dir, err := os.MkdirTemp(s.path, name+"-")
	if err != nil {
		return "", fmt.Errorf("scratch directory: %w", err)
	}
	return dir, nil
}

func (s *scratch) remove() error {
	live.Lock()
	delete(live.dirs, s.path)
	live.Unlock()
	return s.discard()
}

func (s *scratch) discard() error { return errors.Join(s.lock.Unlock(), discard(s.path)) }

// discard removes a scratch directory, its owner file last: what can't be removed
// now (a mount that is still busy) must be known for an orphan by the next run.
func discard(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != ownerFile {
			err = errors.Join(err, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// sweep removes scratch directories whose owner is dead. What it can't remove
// it leaves: that is no reason not to measure.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && scratchName.MatchString(e.Name()) {
			sweepOne(filepath.Join(dir, e.Name()))
		}
	}
}

func sweepOne(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return
	}
	if strings.HasSuffix(path, unborn) {
		if time.Since(info.ModTime()) > time.Hour {
			os.RemoveAll(path)
		}
		return
	}
	owner := filepath.Join(path, ownerFile)
	if info, err := os.Lstat(owner); err != nil || !info.Mode().IsRegular() {
		return // not ours: a run's own directory always has one
	}
	lock := flock.New(owner)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return
	}
	discard(path)
	lock.Unlock()
}
