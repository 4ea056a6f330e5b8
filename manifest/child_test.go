package manifest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"envelope/internal/child/childtest"
)

// child is what a copy of the test binary is told to do.
type child struct {
	Path  string
	First int // number of its first run
	N     int // runs to append, 0 for no end
	Limit int64
	Die   string // step of an append at which it kills itself
	Quota uint64 // largest file that it may write
	UID   int    // whom it runs as, 0 for the same user
}

const childEnv = "ENVELOPE_TEST_CHILD"

func TestMain(m *testing.M) {
	childtest.Main(childEnv, child.run)
	flag.Parse()
	os.Exit(m.Run())
}

// run appends, and prints the number of each run that was acknowledged.
func (c child) run() int {
	o := AppendOptions{Limit: c.Limit, Fallback: os.Stdout}
	if c.Die != "" {
		o.at = func(step string) {
			if step == c.Die {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
	}
	if err := childtest.Confine(c.Quota, c.UID); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for i := 0; c.N == 0 || i < c.N; i++ {
		written, err := Append(c.Path, numbered(c.First+i), o)
		if err != nil {
			fmt.Fprintf(os.Stderr, "written %q\n%v\n", written, err)
			return 1
		}
		fmt.Println(c.First + i)
	}
	return 0
}

// start returns the command of a child that was not started yet.
func (c child) command(t *testing.T) *exec.Cmd {
	t.Helper()
	return childtest.Command(t, childEnv, c)
}

// numbered is a small run that tells its number by its id.
func numbered(i int) Run {
	at := time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	return Run{ID: idOf(i), Started: at, Finished: at, Outcome: Complete, Command: []string{"envelope", "run"}}
}

func idOf(i int) string { return fmt.Sprintf("019e3512-0340-7000-8000-%012x", i) }

// idsIn reads the ids of all runs of a document that must be whole.
func idsIn(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := readLayout(data)
	if err != nil {
		t.Fatalf("%s is not whole: %v", path, err)
	}
	var ids []string
	for _, r := range l.runs {
		var run struct{ ID string }
		if err := json.Unmarshal(data[r.from:r.to], &run); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.ID)
	}
	return ids
}

// history reads the ids of a document and of all that were set aside before
// it, oldest first.
func history(t *testing.T, path string) []string {
	t.Helper()
	now, err := os.Stat(path)
	if err != nil {
		return nil
	}
	var ids []string
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d.json", strings.TrimSuffix(path, ".json"), n)
		info, err := os.Stat(name)
		if err != nil {
			return append(ids, idsIn(t, path)...)
		}
		if os.SameFile(info, now) {
			return append(ids, idsIn(t, path)...)
		}
		ids = append(ids, idsIn(t, name)...)
	}
}

// inOrder fails unless ids are those of runs 0, 1, 2 and so on, and returns
// how many there are.
func inOrder(t *testing.T, ids []string) int {
	t.Helper()
	for i, id := range ids {
		if id != idOf(i) {
			t.Fatalf("run %d of %d has the id %s, want %s", i, len(ids), id, idOf(i))
		}
	}
	return len(ids)
}
