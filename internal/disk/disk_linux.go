package disk

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// DataSyncCall names the system call behind DataSync.
const DataSyncCall = "fdatasync"

// HasFullSync says whether this system has a flush beyond fsync.
const HasFullSync = false

// DirectFlag opens a file past the page cache; 0 where there is no such flag.
const DirectFlag = unix.O_DIRECT

// DSyncFlag makes every write wait for its data.
const DSyncFlag = unix.O_DSYNC

func write(fd int, p []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func pwrite(fd int, p []byte, off int64) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_PWRITE64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(off), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func fsync(fd int) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_FSYNC, uintptr(fd), 0, 0)
	return errno
}

func fdatasync(fd int) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_FDATASYNC, uintptr(fd), 0, 0)
	return errno
}

func (f *File) flushes() flushes { return flushes{plain: f.Sync} }

// SyncRange is sync_file_range(2) with WRITE and both WAITs: it writes pages
// out and waits for the device to take them, and flushes neither metadata nor
// the device's cache.
func (f *File) SyncRange(off, n int64) error {
	const flags = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	if err := unix.SyncFileRange(f.fd, off, n, flags); err != nil {
		return fmt.Errorf("sync_file_range of %s: %w", f.name, err)
	}
	return nil
}

// HasSyncRange says whether SyncRange exists here.
const HasSyncRange = true

// Memory returns a file that lives in memory alone (memfd_create), or nil and
// no error where the system has none.
func Memory() (*File, error) {
	fd, err := unix.MemfdCreate("envelope", unix.MFD_CLOEXEC)
	if err == unix.ENOSYS {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	return &File{fd, "memfd"}, nil
}

// Allocate reserves blocks for the first n bytes without writing them.
func (f *File) Allocate(n int64) error {
	if err := unix.Fallocate(f.fd, 0, 0, n); err != nil {
		return fmt.Errorf("fallocate of %s: %w", f.name, err)
	}
	return nil
}
