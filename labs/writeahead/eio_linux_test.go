package writeahead

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"envelope/internal/child"
	"envelope/internal/child/childtest"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// twice runs two trials over a store, or skips.
func twice(t *testing.T, ctx context.Context, r *lab.Run, store backing) ([]eioOutcome, error) {
	t.Helper()
	out, how, err := syncTwice(ctx, r, store, 2)
	if no := (*unreachable)(nil); errors.As(err, &no) {
		needMount(t, measure.VoidFor(measure.Unreachable, "%s", no.why))
	}
	t.Logf("%s: %+v, %v", how, out, err)
	noMount(t, r.Dir)
	childtest.NoChildren(t)
	return out, err
}

// noMount demands that nothing is mounted below a directory.
func noMount(t *testing.T, dir string) {
	t.Helper()
	for _, m := range ownMounts() {
		if strings.HasPrefix(m.path, dir) {
			t.Errorf("%+v is left", m)
		}
	}
}

// Each of the three facts is seen by itself: a store on which only one of them
// is otherwise deviates in that one.
func TestEachFactCounts(t *testing.T) {
	check := func(store backing, want []float64, outcome eioOutcome) {
		t.Helper()
		out, err := twice(t, t.Context(), newRun(t, ""), store)
		if err != nil || len(out) != 2 {
			t.Fatalf("%s: got %d outcomes, %v", store, len(out), err)
		}
		for _, o := range out {
			if d := cmp.Diff(outcome, o, cmp.AllowUnexported(eioOutcome{})); d != "" {
				t.Errorf("%s (-want +got):\n%s", store, d)
			}
			if d := cmp.Diff(want, o.deviations()); d != "" {
				t.Errorf("%s (-want +got):\n%s", store, d)
			}
		}
	}
	const all = payloadSize
	check(failing, []float64{0, 0, 0}, eioOutcome{first: syscall.EIO, cached: all})
	check(healthy, []float64{1, 0, 1}, eioOutcome{cached: all, reread: all, stored: all})
	check(writesAll, []float64{0, 0, 1}, eioOutcome{first: syscall.EIO, cached: all, reread: all, stored: all})
	check(neverWell, []float64{0, 1, 0}, eioOutcome{first: syscall.EIO, second: syscall.EIO, cached: all})
}

// A file system that never answers is an error in the end, and its client does
// not hang for longer.
func TestWatchdog(t *testing.T) {
	defer func(d time.Duration) { eioLimit = d }(eioLimit)
	eioLimit = 500 * time.Millisecond
	start := time.Now()
	out, err := twice(t, t.Context(), newRun(t, ""), silent)
	if err == nil || !strings.Contains(err.Error(), "did not answer within 500ms: its connection was aborted") {
		t.Errorf("got %v, %v", out, err)
	}
	if took := time.Since(start); took > child.Patience/2 {
		t.Errorf("it took %v", took)
	}
}

// hangs returns nil when the client of a run in dir hangs.
func hangs(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, child.Patience)
	defer cancel()
	for ctx.Err() == nil {
		if found, _ := filepath.Glob(filepath.Join(dir, "eio-*", clientHangs)); len(found) > 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

// A run that is stopped while the client hangs leaves neither.
func TestStoppedWhileTheClientHangs(t *testing.T) {
	r := newRun(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	var watcher sync.WaitGroup
	defer watcher.Wait()
	defer cancel()
	watcher.Go(func() {
		defer cancel()
		if err := hangs(ctx, r.Dir); err != nil && ctx.Err() == nil {
			t.Error("the client does not hang: ", err)
		}
	})
	start := time.Now()
	if _, err := twice(t, ctx, r, silent); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > eioLimit/2 {
		t.Errorf("it took %v, as if nobody had told the warden", took)
	}
}

func addTestChildren(all map[string]func([]string) int) { all["abandon"] = abandon }

// abandon is a child that does what a run does, until it is killed. It and all
// that it starts hold descriptor 3.
func abandon(args []string) int {
	return child.Main(func() error {
		r := lab.NewRun(lab.Config{Lab: Lab, Dir: args[0], Seed: 1, Start: driver.Start})
		_, _, err := syncTwice(context.Background(), r, silent, 1)
		if no := (*unreachable)(nil); errors.As(err, &no) {
			return child.Stay(refused + no.why)
		}
		return err
	})
}

// When the run is killed while its client hangs, all of its processes end, and
// no mount is left.
func TestKilledWhileTheClientHangs(t *testing.T) {
	r := newRun(t, "")
	theirs, ours, err := os.Pipe() // whoever holds ours is alive
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	cmd := r.Child("abandon", r.Dir)
	cmd.ExtraFiles = []*os.File{ours}
	p, err := child.Start(t.Context(), cmd, child.Options{})
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	hanging := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { hanging <- hangs(ctx, r.Dir) }()
	type reply struct {
		line string
		err  error
	}
	first := make(chan reply, 1)
	go func() {
		line, err := p.Line()
		first <- reply{line, err}
	}()
	select {
	case err := <-hanging:
		if err != nil {
			t.Fatal(err)
		}
	case s := <-first:
		why, ok := isRefusal(s.line)
		if !ok {
			t.Fatalf("the run ended with %q, %v", s.line, s.err)
		}
		needMount(t, measure.VoidFor(measure.Unreachable, "%s", why))
	}
	p.SendKill()
	if s := <-first; s.err == nil || !strings.Contains(s.err.Error(), "ended by itself (signal: killed)") {
		t.Fatalf("got %q, %v, want that the run was killed", s.line, s.err)
	}
	theirs.SetReadDeadline(time.Now().Add(eioLimit / 2)) // at eioLimit the warden gives up, run or no run
	if _, err := io.ReadAll(theirs); err != nil {
		t.Errorf("a process of a killed run lives on: %v", err)
	}
	noMount(t, r.Dir)
	if left, _ := filepath.Glob(filepath.Join(r.Dir, "eio-*")); len(left) != 1 || os.RemoveAll(left[0]) != nil {
		t.Errorf("%v can't be removed", left)
	}
}

// A way that is refused leaves the others, and all refusals are the reason.
func TestRefusals(t *testing.T) {
	r := script(t, `echo "refused: no such thing"; read x`)
	r.Wanted = map[string]bool{eioClaim: true}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip(err)
	}
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	j := r.Record().Voids[eioClaim]
	if j.Reason != measure.Unreachable || strings.Count(j.Detail, "no such thing") != len(ways()) {
		t.Errorf("got %+v", j)
	}
	childtest.NoChildren(t)
}

// What a warden says that is no outcome makes the measurement impossible.
func TestBrokenWarden(t *testing.T) {
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip(err)
	}
	check := func(text, want string) {
		t.Helper()
		r := script(t, text)
		if out, _, err := syncTwice(t.Context(), r, failing, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", text, out, err, want)
		}
		childtest.NoChildren(t)
	}
	check(`echo end; read x`, `said "end"`)
	check(`echo trial 1 5 0 0 0; read x`, `said "trial 1 5 0 0 0"`)
	check(`echo trial 0 5 0 0; read x`, `said "trial 0 5 0 0"`)
	check(`for i in 0 1 2; do echo trial $i 5 0 0 0; done; read x`, `said "trial 2 5 0 0 0"`)
	check(`echo trial 0 5 0 0 0; echo oh >&2; exit 4`, `ended by itself (exit status 4): "oh"`)
}

func TestParseMounts(t *testing.T) {
	const text = `22 28 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw
90 28 0:45 / /tmp/a\040b/mount rw,nosuid,nodev shared:9 master:1 - fuse.envelope envelope-writeahead-77 rw,user_id=0
not a mount at all
91 28 0:46 - fuse.envelope cut
92 28 8:1 /x /y\134z rw - ext4 /dev/sda1 rw
`
	want := []mountPoint{
		{"20", "/sys", "sysfs", "sysfs"},
		{"45", "/tmp/a b/mount", "envelope-writeahead-77", "fuse.envelope"},
		{"1", `/y\z`, "/dev/sda1", "ext4"},
	}
	if d := cmp.Diff(want, parseMounts(text), cmp.AllowUnexported(mountPoint{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A mount is swept unless its own warden lives: the number may be another's by
// now, or nobody's.
func TestWatched(t *testing.T) {
	check := func(source, path string, want bool) {
		t.Helper()
		if got := (mountPoint{source: source, path: path}).watched(); got != want {
			t.Errorf("%s on %s: got %v, want %v", source, path, got, want)
		}
	}
	own := fmt.Sprint(mountSource, os.Getpid())
	check(own, filepath.Join(os.Args[0], "mount"), true)
	check(own, "/somewhere/else/mount", false)
	check(mountSource+"4194305", filepath.Join(os.Args[0], "mount"), false) // beyond the kernel's largest
	check(mountSource+"x", filepath.Join(os.Args[0], "mount"), false)
}

func TestOutcomeLine(t *testing.T) {
	o := eioOutcome{first: syscall.EIO, second: syscall.ENOTCONN, cached: 7, reread: 8}
	if got, ok := parseOutcome(o.line(3), 3); !ok || got != o {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, line := range []string{"", "trial", o.line(2), o.line(3) + " ", o.line(3) + " 9", "trial 3 -5 0 0 0"} {
		if got, ok := parseOutcome(line, 3); ok {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
	for e, want := range map[syscall.Errno]string{0: "0", syscall.EIO: "EIO", syscall.ENOTCONN: unix.ENOTCONN.Error()} {
		if got := said(e); got != want {
			t.Errorf("errno %d: got %q, want %q", uint(e), got, want)
		}
	}
	if _, err := parseJob([]string{"client", "", "", "", "z", "z", "z"}); strings.Count(fmt.Sprint(err), "\n") != 2 {
		t.Errorf("got %v, want three errors", err)
	}
}
