package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// stub is a file whose Write or Sync fails.
type stub struct {
	calls      []string
	write, fsy error
}

func (s *stub) Write(p []byte) (int, error) {
	s.calls = append(s.calls, "write")
	if s.write != nil {
		return len(p) / 2, s.write
	}
	return len(p), nil
}

func (s *stub) Truncate(int64) error { s.calls = append(s.calls, "truncate"); return nil }
func (s *stub) Sync() error          { s.calls = append(s.calls, "sync"); return s.fsy }

func TestPut(t *testing.T) {
	check := func(s *stub, want error, calls ...string) {
		t.Helper()
		if err := put(s, 7, []byte("text"), func(string) {}); !errors.Is(err, want) || !slices.Equal(s.calls, calls) {
			t.Errorf("got %v after %q, want %v after %q", err, s.calls, want, calls)
		}
	}
	check(&stub{}, nil, "write", "sync")
	check(&stub{write: syscall.ENOSPC}, syscall.ENOSPC, "write", "truncate")
	check(&stub{fsy: syscall.EIO}, syscall.EIO, "write", "sync", "truncate") // and no second sync
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
		if !strings.Contains(advice(err), "XDG_STATE_HOME") {
			t.Errorf("%v: no advice", err)
		}
	}
}

// TestFull lets a child write no file above a size that its registrations
// reach: the one that does not fit is refused, and no half of it stays.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	cmd := child{Dir: dir, Quota: 5000}.command(t)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err == nil {
		t.Fatal("all of it fitted")
	}
	for _, want := range []string{"registering predictions", Name, "file too large", "nothing was registered"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("got %q, want %q in it", &stderr, want)
		}
	}
	n := strings.Count(stdout.String(), "\n")
	if got := len(sessionsOf(t, mustOpen(t, dir))); got != n || n == 0 {
		t.Errorf("%d registrations, want the %d that were acknowledged", got, n)
	}
}

// TestForbidden runs a child that may not write, as another user where this one
// is root.
func TestForbidden(t *testing.T) {
	check := func(name string, prepare func(dir string) error, wants ...string) {
		t.Run(name, func(t *testing.T) {
			// t.TempDir can't be entered by another user.
			root, err := os.MkdirTemp("", "ledger")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(root)
			dir := filepath.Join(root, "state")
			if err := errors.Join(os.Chmod(root, 0o755), os.Mkdir(dir, 0o755), prepare(dir)); err != nil {
				t.Fatal(err)
			}
			defer os.Chmod(dir, 0o700)
			c := child{Dir: dir, N: 1}
			if os.Geteuid() == 0 {
				c.UID = 65534
			}
			cmd := c.command(t)
			if c.UID > 0 { // the test binary may lie where only root can read
				cmd.Path = copyOf(t, cmd.Path, root)
			}
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("it was not refused: %s", out)
			}
			for _, want := range wants {
				if !strings.Contains(string(out), want) {
					t.Errorf("got %q, want %q in it", out, want)
				}
			}
		})
	}
	check("directory", func(dir string) error { return os.Chmod(dir, 0o555) },
		"opening the record of predictions", "permission denied", "XDG_STATE_HOME")
	check("file", func(dir string) error {
		return errors.Join(os.WriteFile(filepath.Join(dir, Name), nil, 0o444), os.Chmod(dir, 0o777))
	}, "registering predictions", "permission denied", Name, "nothing was registered")
}

func copyOf(t *testing.T, path, dir string) string {
	t.Helper()
	name := filepath.Join(dir, "child")
	if err := os.WriteFile(name, mustRead(t, path), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestInTheWay(t *testing.T) {
	check := func(name, want string, prepare func(path string) error) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := prepare(filepath.Join(dir, Name)); err != nil {
				t.Fatal(err)
			}
			_, _, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	check("a directory", "not a regular file", func(path string) error { return os.Mkdir(path, 0o700) })
	check("a link", "not a regular file", func(path string) error { return os.Symlink("elsewhere", path) })
	check("a pipe", "not a regular file", func(path string) error { return syscall.Mkfifo(path, 0o600) })
	check("a link for a lock", "lock", func(path string) error { return os.Symlink("elsewhere", path+".lock") })
	t.Run("a file for the directory", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{name, filepath.Join(name, "below")} {
			if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "making the state directory") {
				t.Errorf("got %v", err)
			}
		}
	})
}

// What a killed process left of a new file is removed, and of other files
// nothing is.
func TestScratchIsSwept(t *testing.T) {
	path := threeLines(t)
	dir := filepath.Dir(path)
	for _, name := range []string{Name + ".XYZ.tmp", Name + ".damaged-1", "notes.tmp", "drill.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustOpen(t, dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"drill.json", "notes.tmp", Name, Name + ".damaged-1", Name + ".lock"}
	if !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: predictions are the user's own", info.Mode(), err)
	}
}
