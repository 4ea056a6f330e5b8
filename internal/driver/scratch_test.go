package driver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/lab"
)

// quickRun is a run in a directory; it sweeps what dead runs left there.
func quickRun(t *testing.T, dir string) {
	t.Helper()
	o := options(t, fake("first", observing(map[string]float64{"it-is-seen": 0}), counted("it-is-seen")))
	o.Dir = dir
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// names returns what a directory holds.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// What a killed run left is removed by the next; what a live one works in is
// not, and is removed by itself.
func TestKilledRunIsSwept(t *testing.T) {
	dir := t.TempDir()
	live, dead := startWorking(t, dir), startWorking(t, dir)
	if got := names(t, dir); len(got) != 2 {
		t.Fatalf("two runs at work: got %v", got)
	}
	dead.killed(t)
	if got := names(t, dir); len(got) != 2 {
		t.Fatalf("one of them killed: got %v, want what both have", got)
	}
	quickRun(t, dir)
	rest := names(t, dir)
	if len(rest) != 1 {
		t.Fatalf("after another run: got %v, want what the live one has", rest)
	}
	if _, err := os.Stat(filepath.Join(dir, rest[0], ownerFile)); err != nil {
		t.Errorf("the live run has lost its files: %v", err)
	}
	live.ended(t)
	left(t, dir)
}

// What only looks like a run's is left alone, whatever it holds.
func TestForeignDirectoriesStay(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	make := func(name, owner string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, owner), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const id = "0123456789abcdef"
	make(".envelope-notes", ownerFile)
	make(".envelope-"+id+"0", ownerFile)
	make(".envelope-"+strings.ToUpper(id), ownerFile)
	make(".envelope-"+id, "no-owner")
	make("envelope-"+id, ownerFile)
	make(".envelope-"+id[1:]+"0.new", ownerFile) // another run's, not locked yet
	// An owner that is a pipe would hold whoever opens it.
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".envelope-ffffffffffffffff"), 0o700),
		unix.Mkfifo(filepath.Join(dir, ".envelope-ffffffffffffffff", ownerFile), 0o600)); err != nil {
		t.Fatal(err)
	}
	// A link to a directory that looks like a dead run's.
	target := filepath.Join(elsewhere, ".envelope-"+id)
	if err := errors.Join(os.Mkdir(target, 0o700), os.WriteFile(filepath.Join(target, ownerFile), nil, 0o600),
		os.Symlink(target, filepath.Join(dir, ".envelope-eeeeeeeeeeeeeeee"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".envelope-dddddddddddddddd"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	quickRun(t, dir)
	left(t, dir, before...)
	if _, err := os.Stat(filepath.Join(target, ownerFile)); err != nil {
		t.Errorf("what the link names was swept: %v", err)
	}
}

// A run that was killed while it made its directory leaves one without an
// owner; it is removed once it can't be another run's any more.
func TestUnbornDirectories(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, ".envelope-0123456789abcdef.new"), filepath.Join(dir, ".envelope-fedcba9876543210.new")
	long := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.Mkdir(old, 0o700), os.Mkdir(young, 0o700), os.Chtimes(old, long, long)); err != nil {
		t.Fatal(err)
	}
	quickRun(t, dir)
	left(t, dir, filepath.Base(young))
}

// An error about the directory says which, and what to do.
func TestDirectoriesThatWontDo(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	called := false
	o := options(t, fake("first", nil, counted("it-is-seen")))
	o.All[0].Measure = observing(nil)
	o.Machine.Barrier = nil
	check := func(path string, want ...string) {
		t.Helper()
		o.Dir = path
		_, err := Run(t.Context(), o)
		werr := Writable(path)
		if err == nil || werr == nil || err.Error() != werr.Error() || called {
			t.Fatalf("%s: got %v from a run and %v from Writable, want the same error", path, err, werr)
		}
		for _, w := range append(want, path, "--dir") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want it to contain %q", path, err, w)
			}
		}
	}
	check(filepath.Join(dir, "nowhere"), "no such file", "name an existing one with --dir")
	check(file, "is not a directory; name one with --dir")
	check(filepath.Join(file, "below"), "not a directory")
	if err := Writable(dir); err != nil {
		t.Errorf("a directory that will do: %v", err)
	}
	left(t, dir, "file")
}

func TestReadOnlyDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	var text string
	if os.Getuid() == 0 { // whom no mode holds back
		for d := filepath.Dir(dir); d != filepath.Clean(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		out, err := self(t, "nobody", dir).Output()
		if err == nil {
			t.Fatal("nobody may write there")
		}
		text = string(out)
	} else {
		err := Writable(dir)
		if !errors.Is(err, fs.ErrPermission) {
			t.Fatalf("got %v, want %v", err, fs.ErrPermission)
		}
		text = err.Error()
	}
	for _, want := range []string{dir, "permission denied", "name a writable one with --dir"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want it to contain %q", text, want)
		}
	}
	left(t, dir)
}

// Nothing is written outside the directory.
func TestLabsWorkBelowTheDirectory(t *testing.T) {
	o := options(t)
	o.All = []*lab.Lab{fake("first", observing(nil), counted("it-is-seen"))}
	s, err := newScratch(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := s.sub("first")
	if err != nil || filepath.Dir(filepath.Dir(sub)) != o.Dir {
		t.Errorf("got %s, %v, want a directory two levels below %s", sub, err, o.Dir)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v, want a directory of mode 0700", info, err)
	}
	if err := s.remove(); err != nil {
		t.Fatal(err)
	}
	left(t, o.Dir)
}

// Nothing is left by a process that ends without waiting for its runs, whatever
// they begin meanwhile.
func TestAbandon(t *testing.T) {
	t.Cleanup(func() { live.Lock(); live.abandoned = false; live.Unlock() })
	dir := t.TempDir()
	s, err := newScratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.remove() })
	if _, err := s.sub("axioms"); err != nil {
		t.Fatal(err)
	}
	Abandon()
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if _, err := newScratch(dir); !errors.Is(err, errAbandoned) {
		t.Errorf("a new one: got %v, want %v", err, errAbandoned)
	}
	if got := names(t, dir); len(got) > 0 {
		t.Errorf("got %v, want nothing", got)
	}
}
