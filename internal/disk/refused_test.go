package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fails demands an error with the text, and with the kernel's where one is told.
func fails(t *testing.T, err error, want string, errno error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || errno != nil && !errors.Is(err, errno) {
		t.Errorf("got %v, want %q and %v", err, want, errno)
	}
}

// Some file systems take the flag when a file is opened and refuse the first
// transfer. Either refusal is told apart, and no descriptor stays open.
func TestDirectRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := openDirect(filepath.Join(dir, "open"), Aligned(Block), func(path string, flags int) (*File, error) {
		if flags != DirectFlag {
			t.Errorf("opened with the flags %#x, want %#x", flags, DirectFlag)
		}
		return nil, &os.PathError{Op: "open", Path: path, Err: unix.EINVAL}
	})
	fails(t, err, "O_DIRECT refused at open: ", unix.EINVAL)

	var given *File
	_, err = openDirect(filepath.Join(dir, "transfer"), Aligned(Block), func(path string, _ int) (*File, error) {
		fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0) // refuses every write
		given = &File{fd, "transfer"}
		return given, err
	})
	fails(t, err, "O_DIRECT refused at transfer: pwrite of 4096 bytes to transfer: ", unix.EBADF)
	if _, err := unix.FcntlInt(uintptr(given.fd), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("the descriptor after the refusal: got %v, want it closed", err)
	}
}

// What is said to go past the page cache was written once already.
func TestDirectIsProved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	payload := Aligned(Block)
	copy(payload, "direct")
	f, err := OpenDirect(path, payload)
	if err != nil {
		if !strings.Contains(err.Error(), "O_DIRECT") {
			t.Errorf("got %v, want an error that names O_DIRECT", err)
		}
		t.Skip("not here: ", err)
	}
	defer f.Close()
	if got, err := os.ReadFile(path); err != nil || string(got) != string(payload) {
		t.Errorf("got %d bytes, %v; want what was written", len(got), err)
	}
	r, err := OpenDirectRead(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	back := Aligned(Block)
	if err := r.ReadAt(back, 0); err != nil || string(back) != string(payload) {
		t.Errorf("read back: got %q, %v", back[:8], err)
	}
}

// A full device takes nothing, a limited file a part: neither passes for a
// write.
func TestFullDisk(t *testing.T) {
	full, err := Open("/dev/full", 0)
	if err != nil {
		t.Skip("no device that is always full: ", err)
	}
	defer full.Close()
	fails(t, full.WriteAt([]byte("abc"), 0), "pwrite of 3 bytes to full: ", unix.ENOSPC)
	n, err := full.Write([]byte("abc"))
	fails(t, err, "write of 3 bytes to full: ", unix.ENOSPC)
	if n != 0 {
		t.Errorf("got %d bytes written, want none", n)
	}
}

func TestShortWrite(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	limitFiles(t, 1000)
	n, err := f.Write(make([]byte, 3000))
	fails(t, err, "write to f took 1000 of 3000 bytes: is the disk full?", nil)
	if n != 1000 {
		t.Errorf("got %d bytes, want 1000", n)
	}
	fails(t, f.WriteAt(make([]byte, 600), 500), "pwrite to f took 500 of 600 bytes: is the disk full?", nil)
	fails(t, f.WriteAt([]byte("abc"), 1000), "pwrite of 3 bytes to f: ", unix.EFBIG)
	if got, err := Written(filepath.Join(dir, "w"), make([]byte, 600), 6000, 0); err == nil || got != nil {
		t.Errorf("Written: got %v, %v; want an error and no file", got, err)
	}
}

// limitFiles lets this process write files of so many bytes and no more, until
// the test ends.
func limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &old); err != nil {
			t.Error(err)
		}
	})
}

// A file in memory takes and gives back bytes, and an fsync of it fails nobody.
func TestMemory(t *testing.T) {
	f, err := Memory()
	if err != nil {
		t.Fatal(err)
	}
	if f == nil {
		if runtime.GOOS == "linux" {
			t.Fatal("Linux has files in memory")
		}
		t.Skip("this system has no file that lives in memory alone")
	}
	defer f.Close()
	back := make([]byte, 6)
	if err := errors.Join(f.WriteAt([]byte("memory"), 3), f.Sync(), f.ReadAt(back, 3)); err != nil || string(back) != "memory" {
		t.Errorf("got %q, %v; want what was written", back, err)
	}
	fails(t, f.ReadAt(back, 4), "pread from memfd got 5 of 6 bytes", nil)
}

func TestCreateAndOpenRefuse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	_, err := Open(path, 0)
	fails(t, err, "open "+path, unix.ENOENT)
	f, err := Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v, %v; want 0600", info.Mode(), err)
	}
	_, err = Create(path, 0)
	fails(t, err, "open "+path, unix.EEXIST)
	_, err = Written(path, []byte("x"), 1, 0)
	fails(t, err, "open "+path, unix.EEXIST)
}

// The other calls do what they say, on a file that was written with flags.
func TestFlagsAndSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Written(path, []byte("abc"), 7, DSyncFlag)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flags, err := unix.FcntlInt(uintptr(f.FD()), unix.F_GETFL, 0)
	if err != nil || flags&DSyncFlag != DSyncFlag {
		t.Errorf("got the flags %#x, %v; want %#x among them", flags, err, DSyncFlag)
	}
	if _, err := f.Write([]byte("12")); err != nil {
		t.Fatal(err)
	}
	if err := f.Rewind(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("Z")); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(5); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "Z2cab" {
		t.Errorf("got %q, %v; want Z2cab", got, err)
	}
	if call, err := f.FullSync(); err != nil || call == "" {
		t.Errorf("FullSync: got %q, %v", call, err)
	}
	if call, err := f.BarrierSync(); err != nil || call == "" {
		t.Errorf("BarrierSync: got %q, %v", call, err)
	}
	if err := f.SyncRange(0, 5); HasSyncRange && err != nil && !errors.Is(err, unix.ENOSYS) {
		t.Errorf("SyncRange: %v", err)
	}
}
