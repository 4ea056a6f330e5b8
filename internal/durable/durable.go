// Package durable puts files on the disk in one step, and so that they stay: a
// kill leaves what was there or what is new, and what was reported done
// outlives a power cut as far as the disk keeps its word.
//
// A file's bytes are made durable by syncing the file, its name by syncing the
// directory (fsync(2)). Names change hands by rename(2), which is atomic.
package durable

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Suffix ends the names of temporary files, so that what a kill left can be
// found.
const Suffix = ".tmp"

// Options are how a file is replaced.
type Options struct {
	// Mode is the permissions of the new file, less the umask.
	Mode fs.FileMode
	// Like, where it is not nil, is the file that is replaced: the new one has
	// its permissions instead and, where this user may give it away, its owner.
	Like fs.FileInfo
	// Temporary begins the name of the temporary file, which must lie in the
	// same directory; "" means the path itself. A dot, random characters and
	// Suffix follow.
	Temporary string
	// At, where it is not nil, is told before each step that changes the disk:
	// "create", "write" for each part, "sync", "rename", "sync directory"; and
	// "end".
	At func(step string)
}

// NotSyncedError says that a file is in place, but that its directory could not
// be synced: a power cut may still take its name back.
type NotSyncedError struct{ Err error }

// Error returns both.
func (e *NotSyncedError) Error() string {
	return "the file is in place, but its directory could not be synced: " + e.Err.Error()
}

// Unwrap returns what syncing the directory returned.
func (e *NotSyncedError) Unwrap() error { return e.Err }

// Replace puts the parts, one after another, in place of the file at path, or
// of nothing, in one step. With any error but a *NotSyncedError the path is
// untouched and no temporary file is left.
func Replace(path string, o Options, parts ...[]byte) error {
	if o.Temporary == "" {
		o.Temporary = path
	}
	name := o.Temporary + "." + rand.Text() + Suffix
	if err := o.replace(name, path, parts); err != nil {
		return err
	}
	o.at("sync directory")
	if err := SyncDir(filepath.Dir(path)); err != nil {
		return &NotSyncedError{err}
	}
	o.at("end")
	return nil
}

// replace writes the temporary file and puts it in place.
func (o Options) replace(name, path string, parts [][]byte) error {
	begin(name)
	defer end(name)
	o.at("create")
	f, err := create(name, o.Mode)
	if err != nil {
		return fmt.Errorf("making a temporary file: %w", err)
	}
	if err := o.fill(f, parts); err != nil {
		os.Remove(name)
		return fmt.Errorf("writing a temporary file: %w", err)
	}
	o.at("rename")
	if err := os.Rename(name, path); err != nil {
		os.Remove(name)
		return fmt.Errorf("putting the new document in place: %w", err)
	}
	return nil
}

// Create makes a new file with the given bytes. That there is one already is
// fs.ErrExist; with any error but a *NotSyncedError nothing was made. A kill can
// leave a part of it.
func Create(name string, mode fs.FileMode, data []byte) error {
	f, err := create(name, mode)
	if err != nil {
		return err
	}
	if err := (Options{}).fill(f, [][]byte{data}); err != nil {
		os.Remove(name)
		return err
	}
	if err := SyncDir(filepath.Dir(name)); err != nil {
		return &NotSyncedError{err}
	}
	return nil
}

// SyncDir makes the names in a directory durable. Some file systems have no
// such call, and none of them needs it.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// MakeDir makes a directory and those above it that are missing, with these
// permissions less the umask, and makes their names durable. One that is there
// is left as it is.
func MakeDir(dir string, mode fs.FileMode) error {
	err := os.Mkdir(dir, mode)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err := MakeDir(filepath.Dir(dir), mode); err != nil {
			return err
		}
		err = os.Mkdir(dir, mode)
	}
	if err == nil {
		return SyncDir(filepath.Dir(dir))
	}
	if info, err2 := os.Stat(dir); err2 == nil && info.IsDir() {
		return nil
	}
	return err
}

func (o Options) at(step string) {
	if o.At != nil {
		o.At(step)
	}
}

func create(name string, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// fill writes, syncs and closes f.
func (o Options) fill(f *os.File, parts [][]byte) (err error) {
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	if o.Like != nil {
		if st, ok := o.Like.Sys().(*syscall.Stat_t); ok {
			// Only root may; for anybody else the file changes hands, as
			// with any editor that renames.
			_ = f.Chown(int(st.Uid), int(st.Gid))
		}
		if err := f.Chmod(o.Like.Mode().Perm()); err != nil {
			return err
		}
	}
	for _, p := range parts {
		o.at("write")
		if _, err := f.Write(p); err != nil {
			return err
		}
	}
	o.at("sync")
	return f.Sync()
}
