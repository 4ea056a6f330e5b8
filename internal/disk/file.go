package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// File is an open file descriptor.
type File struct {
	fd   int
	name string // last element of the path, for messages
}

// Create makes a new file, readable and writable by its owner. Flags are added
// to O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC.
func Create(path string, flags int) (*File, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC|flags, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &File{fd, filepath.Base(path)}, nil
}

// Open opens an existing file for writing.
func Open(path string, flags int) (*File, error) {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &File{fd, filepath.Base(path)}, nil
}

// Written makes a new file of n bytes whose blocks have all been written and
// synced, so that overwriting it allocates nothing.
func Written(path string, payload []byte, n, flags int) (*File, error) {
	f, err := Create(path, 0)
	if err != nil {
		return nil, err
	}
	for off := 0; off < n; off += len(payload) {
		if err := f.WriteAt(payload[:min(len(payload), n-off)], int64(off)); err != nil {
			f.Close()
			return nil, err
		}
	}
	if err := f.Sync(); err != nil || flags == 0 {
		return f, err
	}
	f.Close()
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &File{fd, filepath.Base(path)}, nil
}

// FD returns the descriptor.
func (f *File) FD() int { return f.fd }

// Write is one write(2) at the file's offset; a short write is an error. It
// makes File an io.Writer, so that a buffered writer can stand on it.
func (f *File) Write(p []byte) (int, error) {
	n, errno := write(f.fd, p)
	return n, f.wrote("write", n, len(p), errno)
}

// WriteAt is one pwrite(2); a short write is an error.
func (f *File) WriteAt(p []byte, off int64) error {
	n, errno := pwrite(f.fd, p, off)
	return f.wrote("pwrite", n, len(p), errno)
}

func (f *File) wrote(call string, n, want int, errno unix.Errno) error {
	if errno != 0 {
		return fmt.Errorf("%s of %d bytes to %s: %w", call, want, f.name, errno)
	}
	if n != want {
		return fmt.Errorf("%s to %s took %d of %d bytes: is the disk full?", call, f.name, n, want)
	}
	return nil
}

// Sync is fsync(2). On macOS that is less than what the Go standard library's
// method of the same name does: see FullSync.
func (f *File) Sync() error { return f.synced("fsync", fsync(f.fd)) }

// DataSync is fdatasync(2) where there is one, fsync(2) elsewhere.
func (f *File) DataSync() error { return f.synced(DataSyncCall, fdatasync(f.fd)) }

func (f *File) synced(call string, errno unix.Errno) error {
	if errno != 0 {
		return fmt.Errorf("%s of %s: %w", call, f.name, errno)
	}
	return nil
}

// Truncate is ftruncate(2).
func (f *File) Truncate(size int64) error {
	if err := unix.Ftruncate(f.fd, size); err != nil {
		return fmt.Errorf("ftruncate of %s: %w", f.name, err)
	}
	return nil
}

// Rewind moves the file's offset back to the start.
func (f *File) Rewind() error {
	_, err := unix.Seek(f.fd, 0, 0)
	return err
}

// Close closes the descriptor.
func (f *File) Close() error { return unix.Close(f.fd) }

// Block is the alignment that O_DIRECT transfers are given: the largest logical
// block and memory alignment in common use.
const Block = 4096

// Aligned returns n bytes whose address is a multiple of Block.
func Aligned(n int) []byte {
	raw := make([]byte, n+Block)
	skip := (Block - int(uintptr(unsafe.Pointer(&raw[0]))%Block)) % Block
	return raw[skip : skip+n : skip+n]
}

// OpenDirect makes a file that is written past the page cache, and proves it
// with a transfer: some file systems accept the flag when the file is opened
// and refuse the write. aligned is a buffer from Aligned.
func OpenDirect(path string, aligned []byte) (*File, error) {
	if DirectFlag == 0 {
		return nil, fmt.Errorf("this system has no O_DIRECT")
	}
	return openDirect(path, aligned, Create)
}

// openDirect is OpenDirect with the call that makes the file, so that a refusal
// at either step can be tested anywhere.
func openDirect(path string, aligned []byte, create func(path string, flags int) (*File, error)) (*File, error) {
	f, err := create(path, DirectFlag)
	if err != nil {
		return nil, fmt.Errorf("O_DIRECT refused at open: %w", err)
	}
	if err := f.WriteAt(aligned, 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("O_DIRECT refused at transfer: %w", err)
	}
	return f, nil
}

// ReadAt is one pread(2); a short read is an error.
func (f *File) ReadAt(p []byte, off int64) error {
	n, err := unix.Pread(f.fd, p, off)
	if err != nil {
		return fmt.Errorf("pread of %d bytes from %s: %w", len(p), f.name, err)
	}
	if n != len(p) {
		return fmt.Errorf("pread from %s got %d of %d bytes", f.name, n, len(p))
	}
	return nil
}

// OpenDirectRead opens a file for reading past the page cache, and proves it
// with a transfer.
func OpenDirectRead(path string) (*File, error) {
	if DirectFlag == 0 {
		return nil, fmt.Errorf("this system has no O_DIRECT")
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|DirectFlag, 0)
	if err != nil {
		return nil, fmt.Errorf("O_DIRECT refused at open: %w", err)
	}
	f := &File{fd, filepath.Base(path)}
	if err := f.ReadAt(Aligned(Block), 0); err != nil {
		f.Close()
		return nil, fmt.Errorf("O_DIRECT refused at transfer: %w", err)
	}
	return f, nil
}
