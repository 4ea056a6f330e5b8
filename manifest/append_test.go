package manifest

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"envelope/internal/durable"
)

func mustAppend(t *testing.T, path string, i int, o AppendOptions) {
	t.Helper()
	if written, err := Append(path, numbered(i), o); err != nil || written != path {
		t.Fatalf("appending run %d: written to %q, %v", i, written, err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func size(t *testing.T, path string) int64 { return int64(len(read(t, path))) }

func unchanged(t *testing.T, path string, before []byte) {
	t.Helper()
	if !bytes.Equal(read(t, path), before) {
		t.Errorf("%s has changed", path)
	}
}

// noScratch fails where a temporary file is left.
func noScratch(t *testing.T, path string) {
	t.Helper()
	left, err := filepath.Glob(path + durable.Sidecar + ".*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	mustAppend(t, path, 0, AppendOptions{})
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&^0o022 != 0o644&^0o022 {
		t.Errorf("got %v, %v, want mode 0644 less the umask", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	for i := 1; i < 4; i++ {
		mustAppend(t, path, i, AppendOptions{})
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v, want the mode kept", info.Mode(), err)
	}
	if got := inOrder(t, idsIn(t, path)); got != 4 {
		t.Errorf("got %d runs, want 4", got)
	}
	if !bytes.HasPrefix(read(t, path), bytes.TrimSuffix(before, []byte(tail))) {
		t.Error("the first run's bytes have changed")
	}
	noScratch(t, path)
}

// Whatever form the old document has, its bytes stay.
func TestAppendKeepsBytes(t *testing.T) {
	check := func(name, before, after string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "results.json")
		whole := before + after
		if err := os.WriteFile(path, []byte(whole), 0o644); err != nil {
			t.Fatal(err)
		}
		mustAppend(t, path, 0, AppendOptions{})
		got := string(read(t, path))
		if !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
			t.Errorf("%s: got %q, want it to begin with %q and end with %q", name, got, before, after)
		}
		if _, err := readLayout([]byte(got)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("no runs", `{"format":"envelope-results/1","runs":[`, `]}`)
	check("no runs, spread out", "{\n  \"format\": \"envelope-results/1\",\n  \"runs\": [", "  \n  ]\n}\n\n")
	check("runs first", `{"runs": [{"id": 1.0e+00, "b": "\u00e9"}`, ` ], "format": "envelope-results/1" } `)
	check("numbers as they were", `{"format":"envelope-results/1","runs":[{"x":10000000000000000000001,"y":1.50}`, `]}`)
}

func TestAppendSetsAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	base := strings.TrimSuffix(path, ".json")
	if err := os.WriteFile(base+".2.json", []byte("somebody else's"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, 0, AppendOptions{})
	limit := 2 * size(t, path)
	for i := 1; i < 6; i++ {
		mustAppend(t, path, i, AppendOptions{Limit: limit})
	}
	var ids []string
	for _, name := range []string{".1.json", ".3.json", ".json"} {
		if size(t, base+name) > limit {
			t.Errorf("%s is larger than the limit", name)
		}
		ids = append(ids, idsIn(t, base+name)...)
	}
	if got := inOrder(t, ids); got != 6 {
		t.Errorf("got %d runs in three documents, want 6", got)
	}
	unchanged(t, base+".2.json", []byte("somebody else's"))
}

// A document of no runs is never full.
func TestAppendKeepsEmptyDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	if err := os.WriteFile(path, []byte(`{"format":"envelope-results/1","runs":[]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, 0, AppendOptions{Limit: 1})
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 2 {
		t.Errorf("got %v, %v, want the document and its lock", files, err)
	}
}

func TestAppendRefuses(t *testing.T) {
	check := func(name, text, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "results.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Appendable(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: beforehand: got %v, want an error with %q", name, err, want)
		}
		beside := path + ".run-" + idOf(0) + ".json"
		written, err := Append(path, numbered(0), AppendOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), beside) {
			t.Errorf("%s: got %v, want an error with %q and the run's place", name, err, want)
		}
		unchanged(t, path, []byte(text))
		if written != beside || !slices.Equal(idsIn(t, beside), []string{idOf(0)}) {
			t.Errorf("%s: written to %q, want %q", name, written, beside)
		}
		noScratch(t, path)
	}
	doc := string(document([]byte(`{"id":"a"}`)))
	check("empty", "", "it is empty")
	check("blank", " \n", "it is empty")
	check("truncated", doc[:len(doc)-4], "the text ends")
	check("truncated in a string", doc[:12], "ends inside a string")
	check("garbage behind", doc+"x", `"x" behind the end`)
	check("NULs behind", doc+"\x00\x00", "behind the end")
	check("two documents", doc+doc, "behind the end")
	check("an array", "["+doc+"]", `where a document that begins with "{" should be`)
	check("duplicate keys", `{"format":"envelope-results/1","runs":[],"runs":[]}`, `"runs" comes twice`)
	check("duplicate keys in a run", string(document([]byte(`{"id":"a","id":"b"}`))), `runs[0]: byte 53: the key "id" comes twice`)
	check("unknown field", `{"format":"envelope-results/1","runs":[],"x":1}`, `unknown field "x"`)
	check("no runs", `{"format":"envelope-results/1"}`, `it has no "runs"`)
	check("no format", `{"runs":[]}`, `it has no "format"`)
	check("a later format", `{"format":"envelope-results/2","runs":[]}`, "use the version that wrote it")
	check("another format", `{"format":"\u001b[2J","runs":[]}`, `its format is "?[2J"`)
	check("a run that is none", string(document([]byte(`1`))), "runs[0]: byte 43")
	check("runs that are none", `{"format":"envelope-results/1","runs":null}`, "where the array of runs should be")
}

func TestAppendToWhatIsNoFile(t *testing.T) {
	check := func(name string, prepare func(dir, path string) error, want string) {
		t.Helper()
		dir := t.TempDir()
		path := filepath.Join(dir, "results.json")
		if err := prepare(dir, path); err != nil {
			t.Fatal(err)
		}
		// A lock is only looked at when it is taken.
		if err := Appendable(path); !strings.HasPrefix(name, "lock") && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: beforehand: got %v, want an error with %q", name, err, want)
		}
		written, err := Append(path, numbered(0), AppendOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, want)
		}
		if !slices.Equal(idsIn(t, written), []string{idOf(0)}) {
			t.Errorf("%s: the run is not in %q", name, written)
		}
	}
	check("dangling link", func(dir, path string) error { return os.Symlink("nowhere", path) }, "a symbolic link to nowhere")
	check("link loop", func(dir, path string) error { return os.Symlink("results.json", path) }, "can't be followed")
	check("directory", func(dir, path string) error { return os.Mkdir(path, 0o755) }, "it is a directory")
	check("link to a directory", func(dir, path string) error { return os.Symlink(".", path) }, "it is a directory")
	check("FIFO", func(dir, path string) error { return syscall.Mkfifo(path, 0o644) }, "it is a FIFO")
	check("device", func(dir, path string) error { return os.Symlink("/dev/null", path) }, "it is a device")
	check("read-only", func(dir, path string) error {
		return os.WriteFile(path, document([]byte("{}")), 0o444)
	}, "it is read-only (mode 0444)")
	check("lock that is a link", func(dir, path string) error { return os.Symlink("x", path+".lock") }, "locking it")
	check("lock that is a FIFO", func(dir, path string) error { return syscall.Mkfifo(path+".lock", 0o644) }, "not a lock file")
}

// What can be appended to is left as it was, and so is its directory.
func TestAppendable(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	check := func(want ...string) {
		t.Helper()
		if err := Appendable(path); err != nil {
			t.Error(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, want) {
			t.Errorf("the directory holds %q, want %q", got, want)
		}
	}
	check()
	mustAppend(t, path, 0, AppendOptions{})
	before := read(t, path)
	check("results.json", "results.json.lock")
	unchanged(t, path, before)
}

func TestAppendThroughLink(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "real", "kept.json")
	if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, target, 0, AppendOptions{})
	link := filepath.Join(dir, "results.json")
	if err := os.Symlink("real/kept.json", link); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, link, 1, AppendOptions{})
	if got := inOrder(t, idsIn(t, target)); got != 2 {
		t.Errorf("got %d runs in the link's target, want 2", got)
	}
	if to, err := os.Readlink(link); err != nil || to != "real/kept.json" {
		t.Errorf("the link is %q, %v", to, err)
	}
}

func TestAppendWithoutDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "results.json")
	if err := Appendable(path); err == nil || !strings.Contains(err.Error(), "does not exist: make it") {
		t.Errorf("beforehand: got %v", err)
	}
	var out bytes.Buffer
	written, err := Append(path, numbered(0), AppendOptions{Fallback: &out})
	if written != "" || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "does not exist: make it") {
		t.Errorf("got %q, %v", written, err)
	}
	if l, err := readLayout(out.Bytes()); err != nil || len(l.runs) != 1 {
		t.Errorf("written out: %q, %v", &out, err)
	}
	if _, err := Append(path, numbered(0), AppendOptions{}); err == nil || !strings.Contains(err.Error(), "the run is lost") {
		t.Errorf("without a fallback: got %v", err)
	}
}

func TestAppendWaitsForLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	mustAppend(t, path, 0, AppendOptions{})
	before := read(t, path)
	other := flock.New(path + ".lock")
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	written, err := Append(path, numbered(1), AppendOptions{Wait: time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "another run has held its lock") || !strings.Contains(written, ".run-") {
		t.Errorf("got %q, %v, want an error that names the lock", written, err)
	}
	unchanged(t, path, before)
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, path, 1, AppendOptions{})
}

// A run that can't be encoded changes nothing.
func TestAppendRefusesRun(t *testing.T) {
	check := func(name string, change func(*Run), want string) {
		t.Helper()
		dir := t.TempDir()
		r := numbered(0)
		change(&r)
		if written, err := Append(filepath.Join(dir, "results.json"), r, AppendOptions{}); err == nil || !strings.Contains(err.Error(), want) || written != "" {
			t.Errorf("%s: got %q, %v, want an error with %q", name, written, err, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
	}
	check("no id", func(r *Run) { r.ID = "" }, "is not a UUID")
	check("an id that is a path", func(r *Run) { r.ID = "../../x" }, "is not a UUID")
	check("NaN", func(r *Run) { r.Labs = []Lab{{Seconds: math.NaN()}} }, "NaN")
	check("a NaN sample", func(r *Run) {
		r.Labs = []Lab{{Series: []Series{{Samples: Samples{0, math.NaN()}}}}}
	}, "sample 1 is NaN")
}

func TestAppendSweepsOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	keep := []string{"results.json.lock.tmp.bak", "other.json.lock.x.tmp", "results.json.tmp"}
	for _, name := range append(keep, "results.json.lock.abc.tmp") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mustAppend(t, path, 0, AppendOptions{})
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path + ".lock.abc.tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an orphan was left: %v", err)
	}
}

func TestID(t *testing.T) {
	at := time.Date(2026, 5, 17, 9, 30, 0, 123e6, time.UTC)
	a, b := NewID(at), NewID(at)
	if a == b || !validID(a) || !validID(b) {
		t.Errorf("got %q and %q, want two different UUIDs of version 7", a, b)
	}
	if got := timeOfID(a); !got.Equal(at) {
		t.Errorf("got time %v, want %v", got, at)
	}
	if later := NewID(at.Add(time.Millisecond)); later <= a {
		t.Errorf("%q is not behind %q", later, a)
	}
}
