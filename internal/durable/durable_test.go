package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// holds demands the bytes and the permissions of a file.
func holds(t *testing.T, path, want string, mode fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || string(data) != want {
		t.Errorf("got %q, %v, want %q", data, err, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
		t.Errorf("got %v, %v, want mode %04o", info, err, mode)
	}
}

// alone demands that a directory holds these names and no others.
func alone(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Replace(path, Options{Mode: 0o600}, []byte("one"), []byte(" two")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "one two", 0o600)
	if err := Replace(path, Options{Mode: 0o640}, []byte("three")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "three", 0o640)
	alone(t, dir, "file")
}

func TestReplaceLike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const mode, group = 0o606, 4242
	if err := os.Chmod(path, mode); err != nil { // which a umask would cut
		t.Fatal(err)
	}
	given := os.Chown(path, -1, group) == nil // only root may
	like, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Replace(path, Options{Mode: 0o600, Like: like}, []byte("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "new", mode)
	now, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := now.Sys().(*syscall.Stat_t).Gid; given && got != group {
		t.Errorf("it belongs to group %d, want %d", got, group)
	}
	if os.SameFile(now, like) {
		t.Error("the old file was written, want a new one in its place")
	}
}

// Until the rename the old file is there, whole; from then on the new one is.
// The bytes are synced before it, the name after it.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var steps []string
	err := Replace(path, Options{Mode: 0o600, Temporary: path + ".lock", At: func(step string) {
		steps = append(steps, step)
		want := "old"
		if step == "sync directory" || step == "end" {
			want = "new"
			alone(t, dir, "file")
		} else if step != "create" {
			if names, _ := filepath.Glob(path + ".lock.*" + Suffix); len(names) != 1 {
				t.Errorf("%s: got %v, want one temporary file", step, names)
			}
		}
		holds(t, path, want, 0o600)
	}}, []byte("n"), []byte("ew"))
	want := []string{"create", "write", "write", "sync", "rename", "sync directory", "end"}
	if err != nil || !slices.Equal(steps, want) {
		t.Errorf("got %v, %v, want %v", steps, err, want)
	}
}

// Each step that fails says so, and leaves no temporary file.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	err := Replace(filepath.Join(dir, "missing", "file"), Options{Mode: 0o600}, nil)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "making a temporary file: ") {
		t.Errorf("got %v", err)
	}
	full := filepath.Join(dir, "full", "x")
	if err := os.MkdirAll(full, 0o700); err != nil {
		t.Fatal(err)
	}
	err = Replace(filepath.Dir(full), Options{Mode: 0o600}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "putting the new document in place: ") {
		t.Errorf("got %v", err)
	}
	alone(t, dir, "full")
}

func TestNotSynced(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err := Replace(filepath.Join(dir, "file"), Options{Mode: 0o600, At: func(step string) {
		if step == "sync directory" {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				t.Fatal(err)
			}
		}
	}}, []byte("new"))
	if e := (*NotSyncedError)(nil); !errors.As(err, &e) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the directory could not be synced", err)
	}
	holds(t, filepath.Join(dir+"-away", "file"), "new", 0o600)
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Create(path, 0o600, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := Create(path, 0o640, []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want %v", err, fs.ErrExist)
	}
	holds(t, path, "one", 0o600)
	alone(t, dir, "file")
}

func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	for range 2 {
		if err := MakeDir(deep, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{deep, filepath.Dir(deep)} {
		if info, err := os.Stat(d); err != nil || info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("got %v, %v, want a directory for its owner alone", info, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := MakeDir(filepath.Join(file, "a"), 0o700); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v, want %v", err, syscall.ENOTDIR)
	}
	if err := MakeDir(file, 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want %v", err, fs.ErrExist)
	}
}
