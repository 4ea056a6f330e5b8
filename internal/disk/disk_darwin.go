package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

// DataSyncCall names the system call behind DataSync: macOS declares no
// fdatasync.
const DataSyncCall = "fsync"

// HasFullSync says whether this system has a flush beyond fsync.
const HasFullSync = true

// DirectFlag opens a file past the page cache; 0 where there is no such flag.
// macOS has the fcntl F_NOCACHE in its place, which promises less.
const DirectFlag = 0

// DSyncFlag makes every write wait for its data.
const DSyncFlag = unix.O_DSYNC

// barrierFsync is F_BARRIERFSYNC of <sys/fcntl.h>, which x/sys/unix lacks.
const barrierFsync = 85

func write(fd int, p []byte) (int, unix.Errno) {
	n, err := unix.Write(fd, p)
	return n, errnoOf(err)
}

func pwrite(fd int, p []byte, off int64) (int, unix.Errno) {
	n, err := unix.Pwrite(fd, p, off)
	return n, errnoOf(err)
}

func fsync(fd int) unix.Errno { return errnoOf(unix.Fsync(fd)) }

func fdatasync(fd int) unix.Errno { return fsync(fd) }

func errnoOf(err error) unix.Errno {
	var errno unix.Errno
	if err != nil && !errors.As(err, &errno) {
		return unix.EIO
	}
	return errno
}

func (f *File) flushes() flushes {
	call := func(cmd int) func() error {
		return func() error {
			_, err := unix.FcntlInt(uintptr(f.fd), cmd, 0)
			return err
		}
	}
	return flushes{full: call(unix.F_FULLFSYNC), barrier: call(barrierFsync), plain: f.Sync}
}

// SyncRange does not exist here.
func (f *File) SyncRange(off, n int64) error { return unix.ENOTSUP }

// HasSyncRange says whether SyncRange exists here.
const HasSyncRange = false

// Memory returns nil and no error: this system has no file that lives in memory
// alone.
func Memory() (*File, error) { return nil, nil }

// Allocate does not exist here.
func (f *File) Allocate(n int64) error { return unix.ENOTSUP }
