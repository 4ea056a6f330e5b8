package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"envelope/internal/host"
	"envelope/internal/lab"
)

// A directory that can't be read without waiting, or not be written, leaves weights in memory, and the reason.
func TestWeightsInMemory(t *testing.T) {
	var memory host.Memory
	check := func(dir, want string) {
		t.Helper()
		r := lab.NewRun(lab.Config{Lab: Lab, Dir: dir, Seed: 1, Environment: &host.Environment{Memory: memory}})
		w, wait, err := newWeights(r, 2<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		if !strings.Contains(wait, want) {
			t.Errorf("%s: got %q, want %q", dir, wait, want)
		}
		if err := w.read(large); err != nil || !w.holds(0, large) {
			t.Errorf("%s: %v, or other bytes than were written", dir, err)
		}
	}
	check(filepath.Join(t.TempDir(), "away"), "no such file or directory")
	memory.Available = known[uint64](14<<20 - 1)
	check(t.TempDir(), "2 MiB in a file would wait for the disk, with 13 MiB of memory")
	memory.Available = known[uint64](14 << 20)

	var fs unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		t.Skip("there is no tmpfs at /dev/shm")
	}
	dir, err := os.MkdirTemp("/dev/shm", "envelope-test-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	f, err := unnamed(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4<<10)); err != nil {
		t.Fatal(err)
	}
	why := readsWithoutWaiting(int(f.Fd()))
	if why == nil {
		t.Skip("this kernel reads tmpfs without waiting")
	}
	check(dir, "can be read without waiting: "+why.Error())
}

// A thread is bound to one processor, and then to all that it had.
func TestBind(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, during, after unix.CPUSet
	get := func(set *unix.CPUSet) {
		t.Helper()
		if err := unix.SchedGetaffinity(0, set); err != nil {
			t.Fatal(err)
		}
	}
	get(&before)
	processor, release, err := bindHere()
	if err != nil {
		t.Skip(err)
	}
	get(&during)
	if during.Count() != 1 || !during.IsSet(processor) {
		t.Errorf("bound to %d processors, want processor %d alone", during.Count(), processor)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if get(&after); after != before {
		t.Errorf("%d processors after the release, want the %d from before", after.Count(), before.Count())
	}
	if err := bindTo(1 << 20); err == nil {
		t.Error("a thread was bound to a processor that there is not")
	}
}
