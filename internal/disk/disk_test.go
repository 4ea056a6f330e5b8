package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestFallBack(t *testing.T) {
	check := func(full error, plain error, wantCall string, wantErr error) {
		t.Helper()
		plains := 0
		fl := flushes{
			full:  func() error { return full },
			plain: func() error { plains++; return plain },
		}
		call, err := fl.fall("F_FULLFSYNC", fl.full)
		if !strings.HasPrefix(call, wantCall) || !errors.Is(err, wantErr) {
			t.Errorf("F_FULLFSYNC gives %v, fsync %v: got %q, %v; want %q, %v", full, plain, call, err, wantCall, wantErr)
		}
		if fell := plains > 0; fell != strings.HasPrefix(wantCall, "fsync") {
			t.Errorf("F_FULLFSYNC gives %v: fsync was called %d times", full, plains)
		}
	}
	check(nil, nil, "F_FULLFSYNC", nil)
	check(unix.ENOTSUP, nil, "fsync (F_FULLFSYNC refused: ", nil)
	check(unix.EINVAL, nil, "fsync (F_FULLFSYNC refused: ", nil)
	check(unix.ENOTTY, nil, "fsync (F_FULLFSYNC refused: ", nil)
	check(unix.ENOTTY, unix.EIO, "fsync", unix.EIO)
	check(unix.EIO, nil, "F_FULLFSYNC", unix.EIO) // a lost write is no reason to try a weaker call
	check(unix.ENOSPC, nil, "F_FULLFSYNC", unix.ENOSPC)
}

func TestNoFullFlushIsFsync(t *testing.T) {
	called := false
	fl := flushes{plain: func() error { called = true; return nil }}
	if call, err := fl.fall("F_FULLFSYNC", fl.full); call != "fsync" || err != nil || !called {
		t.Errorf("got %q, %v, called %v; want fsync, nil, true", call, err, called)
	}
}

func TestWrittenFileHasItsBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Written(path, []byte("abcdef"), 15, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.WriteAt([]byte("XY"), 1); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Sync(), f.DataSync()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "aXYdefabcdefabc"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestErrorsNameTheCall(t *testing.T) {
	f, err := Create(filepath.Join(t.TempDir(), "f"), 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	check := func(call string, err error) {
		t.Helper()
		if !errors.Is(err, unix.EBADF) || !strings.HasPrefix(err.Error(), call) {
			t.Errorf("got %v, want %q and EBADF", err, call)
		}
	}
	check("pwrite of 3 bytes to f", f.WriteAt([]byte("abc"), 0))
	check("fsync of f", f.Sync())
	check(DataSyncCall+" of f", f.DataSync())
}

func TestAligned(t *testing.T) {
	for range 50 {
		p := Aligned(8192)
		if at := uintptr(unsafe.Pointer(&p[0])); len(p) != 8192 || cap(p) != 8192 || at%Block != 0 {
			t.Fatalf("got %d bytes, capacity %d, at %#x", len(p), cap(p), at)
		}
	}
}
