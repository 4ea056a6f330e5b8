package manifest

import (
	"bufio"
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The command for all: go test ./manifest -run TestKilledAtRandom -kills 10000 -timeout 30m
var kills = flag.Int("kills", 100, "how many appends TestKilledAtRandom kills")

// TestKilledAtEachStep kills an append before every step that changes the
// disk, in a document that grows and in one that is set aside.
func TestKilledAtEachStep(t *testing.T) {
	steps := map[int64][]string{
		0: {"create", "write", "sync", "rename", "sync directory", "end"},
		1: {"link", "create", "write", "sync", "rename", "sync directory", "end"},
	}
	for limit, names := range steps {
		for _, step := range names {
			path := filepath.Join(t.TempDir(), "results.json")
			mustAppend(t, path, 0, AppendOptions{Limit: limit})
			c := child{Path: path, First: 1, N: 1, Limit: limit, Die: step}
			if err := c.command(t).Run(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("step %q: got %v, want a child that was killed there", step, err)
			}
			want := 1
			if step == "sync directory" || step == "end" {
				want = 2
			}
			if got := inOrder(t, history(t, path)); got != want {
				t.Errorf("limit %d, killed before %q: %d runs, want %d", limit, step, got, want)
			}
			for i := want; i < want+2; i++ {
				mustAppend(t, path, i, AppendOptions{Limit: limit})
			}
			if got := inOrder(t, history(t, path)); got != want+2 {
				t.Errorf("limit %d, killed before %q: %d runs after two more, want %d", limit, step, got, want+2)
			}
			noScratch(t, path)
		}
	}
}

// TestKilledAtRandom kills a process that appends without end, again and
// again: what it acknowledged is there, at most one more is, and the document
// is whole.
func TestKilledAtRandom(t *testing.T) {
	var path string
	have, unacknowledged := 0, 0
	for k := range *kills {
		if k%50 == 0 { // so that the document stays small
			path, have = filepath.Join(t.TempDir(), "results.json"), 0
		}
		c := child{Path: path, First: have}
		if k%100 >= 50 {
			c.Limit = 32 << 10
		}
		acknowledged := killed(t, c, time.Duration(rand.Int64N(int64(6*time.Millisecond))))
		got := inOrder(t, history(t, path))
		if got < have+acknowledged || got > have+acknowledged+1 {
			t.Fatalf("kill %d: %d runs, want %d or one more", k, got, have+acknowledged)
		}
		unacknowledged += got - have - acknowledged
		have = got
	}
	mustAppend(t, path, have, AppendOptions{})
	noScratch(t, path)
	t.Logf("%d kills, %d of them between the rename and the acknowledgement", *kills, unacknowledged)
}

// killed runs a child, kills it some time after its first acknowledgement and
// returns how many it gave.
func killed(t *testing.T, c child, after time.Duration) int {
	t.Helper()
	cmd := c.command(t)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); n++ {
		if n == 0 {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || stderr.Len() > 0 {
		t.Fatalf("the child ended by itself: %v, %s", err, &stderr)
	}
	return n
}

// TestManyAtOnce has 8 processes append 20 runs each.
func TestManyAtOnce(t *testing.T) {
	for _, limit := range []int64{0, 64 << 10} {
		path := filepath.Join(t.TempDir(), "results.json")
		var wait []func() error
		for p := range 8 {
			cmd := child{Path: path, First: 20 * p, N: 20, Limit: limit}.command(t)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			wait = append(wait, cmd.Wait)
		}
		for _, w := range wait {
			if err := w(); err != nil {
				t.Error(err)
			}
		}
		ids := history(t, path)
		slices.Sort(ids)
		if got := inOrder(t, ids); got != 160 {
			t.Errorf("limit %d: %d runs landed, want 160", limit, got)
		}
	}
}

func TestFileSizeLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.json")
	mustAppend(t, path, 0, AppendOptions{})
	one := size(t, path)
	for i := 1; i < 4; i++ {
		mustAppend(t, path, i, AppendOptions{})
	}
	before := read(t, path)

	out, err := child{Path: path, First: 4, N: 1, Quota: uint64(2 * one)}.command(t).CombinedOutput()
	beside := path + ".run-" + idOf(4) + ".json"
	if err == nil || !bytes.Contains(out, []byte(syscall.EFBIG.Error())) || !bytes.Contains(out, []byte(beside)) {
		t.Errorf("got %v, %s, want %v and the run kept in %s", err, out, syscall.EFBIG, beside)
	}
	unchanged(t, path, before)
	noScratch(t, path)
	if ids := idsIn(t, beside); !slices.Equal(ids, []string{idOf(4)}) {
		t.Errorf("beside: got runs %v", ids)
	}

	out, err = child{Path: path, First: 5, N: 1, Quota: 16}.command(t).Output()
	if l, lerr := readLayout(out); err == nil || lerr != nil || len(l.runs) != 1 {
		t.Errorf("no file can be written: got %v and %q, want the run written out", err, out)
	}
	unchanged(t, path, before)
	noScratch(t, path)
}

func TestWithoutPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	const nobody = 65534
	check := func(name string, prepare func(dir, path string), want string, kept bool) {
		t.Helper()
		dir := t.TempDir()
		for d := dir; d != filepath.Clean(os.TempDir()); d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "results.json")
		mustAppend(t, path, 0, AppendOptions{})
		prepare(dir, path)
		before := read(t, path)
		var stderr bytes.Buffer
		cmd := child{Path: path, First: 1, N: 1, UID: nobody}.command(t)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: got %v, %s, want an error with %q", name, err, &stderr, want)
		}
		unchanged(t, path, before)
		if kept {
			idsIn(t, path+".run-"+idOf(1)+".json")
		} else if l, err := readLayout(out); err != nil || len(l.runs) != 1 {
			t.Errorf("%s: got %q, %v, want the run written out", name, out, err)
		}
	}
	check("directory", func(string, string) {}, "permission denied", false)
	check("file", func(dir, path string) { os.Chmod(dir, 0o777) }, "can't be written by this user", true)
	check("lock", func(dir, path string) {
		os.Chmod(dir, 0o777)
		os.Chmod(path, 0o666)
		os.Chmod(path+".lock", 0)
	}, "locking it", true)
}
