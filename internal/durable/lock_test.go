package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	unlock, err := Lock(path, 0o600, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path, 0o600, time.Millisecond); !errors.Is(err, ErrHeld) {
		t.Errorf("got %v of a lock that is held, want %v", err, ErrHeld)
	}
	taken := make(chan error)
	go func() {
		again, err := Lock(path, 0o600, time.Minute)
		if err == nil {
			again()
		}
		taken <- err
	}()
	unlock()
	if err := <-taken; err != nil {
		t.Errorf("got %v once it was free", err)
	}
	holds(t, path+Sidecar, "", 0o600)
	alone(t, dir, "file"+Sidecar)
	if _, err := Lock(filepath.Join(dir, "away", "file"), 0o600, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v in no directory", err)
	}
}

// What lies where the lock should be is not opened, followed or taken for one.
func TestLockOfAnother(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	check := func(what string, lay func(name string) error) {
		t.Helper()
		if err := lay(path + Sidecar); err != nil {
			t.Fatal(err)
		}
		unlock, err := Lock(path, 0o600, time.Millisecond)
		if err == nil {
			unlock()
			t.Errorf("%s was locked", what)
		} else if errors.Is(err, ErrHeld) {
			t.Errorf("%s: got %v, want what is wrong with it", what, err)
		}
		if err := os.Remove(path + Sidecar); err != nil {
			t.Fatal(err)
		}
	}
	check("a link", func(name string) error { return os.Symlink(filepath.Join(dir, "elsewhere"), name) })
	check("a FIFO", func(name string) error { return syscall.Mkfifo(name, 0o600) })
	check("a directory", func(name string) error { return os.Mkdir(name, 0o700) })
	alone(t, dir)
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	name := func(s string) string { return filepath.Join(dir, s) }
	keep := []string{"a", "a.lock", "a.x", "b.x" + Suffix, strings.TrimPrefix(Suffix, ".")}
	for _, s := range append([]string{"a.x" + Suffix, "a.y.z" + Suffix}, keep...) {
		if err := os.WriteFile(name(s), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(name("a.dir"+Suffix), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(name("a")); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, "a", "a.dir"+Suffix, "a.lock", "a.x", "b.x"+Suffix, "tmp")
	if err := Sweep(filepath.Join(dir, "away", "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v from no directory", err)
	}
}
