package uring

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ring makes one, or skips the test where there is none to be had.
func ring(t *testing.T, entries int) *Ring {
	t.Helper()
	r, err := New(entries)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("the second time: %v", err)
		}
	})
	return r
}

// file writes random bytes.
func file(t *testing.T, size int) (*os.File, []byte) {
	t.Helper()
	data := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "data"))
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, data
}

func demand(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// More operations than there are entries go through, so the queues wrap around.
func TestReadsArriveWhereTheyBelong(t *testing.T) {
	r := ring(t, 8)
	f, data := file(t, 1<<16)
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 100 {
		var got, want [][]byte
		for range 1 + rng.IntN(8) {
			if rng.IntN(3) == 0 {
				if err := r.Nop(); err != nil {
					t.Fatal(err)
				}
				continue
			}
			at, n := rng.IntN(len(data)-1), 1+rng.IntN(3000)
			n = min(n, len(data)-at)
			p := make([]byte, n)
			if err := r.Read(int(f.Fd()), p, int64(at)); err != nil {
				t.Fatal(err)
			}
			got, want = append(got, p), append(want, data[at:at+n])
		}
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("round %d: read %d holds other bytes than the file", round, i)
			}
		}
	}
	if err := r.Run(); err != nil {
		t.Errorf("with nothing queued: %v", err)
	}
}

// An operation that comes to nothing is named, and the ring goes on.
func TestFaultsAreNamed(t *testing.T) {
	r := ring(t, 4)
	f, data := file(t, 1000)
	p := make([]byte, 200)
	read := func(fd int, offset int64) error {
		t.Helper()
		for _, err := range []error{r.Nop(), r.Read(fd, p, offset), r.Nop()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return r.Run()
	}
	demand(t, read(int(f.Fd()), 900), "reading 200 bytes at 900: it came to 100, want 200")
	demand(t, read(1<<20, 0), "reading 200 bytes at 0: bad file descriptor")
	if err := read(int(f.Fd()), 800); err != nil || !bytes.Equal(p, data[800:]) {
		t.Errorf("after the faults: %v, or other bytes than the file's", err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	r := ring(t, 4)
	for range 4 {
		if err := r.Nop(); err != nil {
			t.Fatal(err)
		}
	}
	demand(t, r.Nop(), "4 operations are queued")
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	if err := r.Nop(); err != nil {
		t.Errorf("after a run: %v", err)
	}
	demand(t, r.Read(0, nil, 0), "a read of 0 bytes")
	for _, n := range []int{0, -1, maxEntries + 1} {
		_, err := New(n)
		demand(t, err, "want 1 to 32768")
	}
}

func TestRefusals(t *testing.T) {
	check := func(errno unix.Errno, setting string, unavailable bool, want string) {
		t.Helper()
		err := refused(errno, setting)
		if errors.Is(err, ErrUnavailable) != unavailable {
			t.Errorf("%v: unavailable is %v, want %v", errno, !unavailable, unavailable)
		}
		demand(t, err, want)
	}
	check(unix.ENOSYS, "", true, "this kernel has none")
	check(unix.EPERM, "", true, "a filter of system calls")
	check(unix.EPERM, "0", true, "a filter of system calls")
	check(unix.EPERM, "1", true, "kernel.io_uring_disabled is 1")
	check(unix.EPERM, "2", true, "kernel.io_uring_disabled is 2")
	check(unix.EACCES, "", true, "a security module")
	check(unix.ENOMEM, "", true, "ulimit -l")
	check(unix.EMFILE, "", false, "too many open files")
	check(unix.EINVAL, "", false, "io_uring_setup: invalid argument")
}

// What the kernel says of its memory is believed only where it can be so.
func TestLayoutIsChecked(t *testing.T) {
	good := params{sqEntries: 8, cqEntries: 16, features: oneMapping,
		submissions: submissionOffsets{head: 0, tail: 4, mask: 16, entries: 24, flags: 36, dropped: 32, array: 384},
		completions: completionOffsets{head: 8, tail: 12, mask: 20, entries: 28, overflow: 44, cqes: 64},
	}
	if got, err := good.size(5); err != nil || got != 384+4*8 {
		t.Errorf("got %d, %v; want %d", got, err, 384+4*8)
	}
	check := func(want string, spoil func(*params)) {
		t.Helper()
		p := good
		spoil(&p)
		_, err := p.size(5)
		demand(t, err, want)
	}
	check("before Linux 5.4", func(p *params) { p.features = 0 })
	check("queues of 4 and 16 entries where 5", func(p *params) { p.sqEntries = 4 })
	check("queues of 8 and 12 entries", func(p *params) { p.cqEntries = 12 })
	check("queues of 8 and 4 entries", func(p *params) { p.cqEntries = 4 })
	check("over its own limit", func(p *params) { p.sqEntries, p.cqEntries = 1<<16, 1<<17 })
	check("puts sq tail at byte 4096", func(p *params) { p.submissions.tail = 4096 })
	check("puts cq overflow at byte 45", func(p *params) { p.completions.overflow = 45 })
	check("puts the completions at byte 68", func(p *params) { p.completions.cqes = 68 })
	check("puts the completions at byte 4294967288", func(p *params) { p.completions.cqes = 1<<32 - 8 })
}

func BenchmarkNopAlone(b *testing.B) {
	r, err := New(1)
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	for b.Loop() {
		if r.Nop() != nil || r.Run() != nil {
			b.Fatal("a nop failed")
		}
	}
}

func Benchmark280NopsTogether(b *testing.B) {
	r, err := New(512)
	if err != nil {
		b.Skip(err)
	}
	defer r.Close()
	for b.Loop() {
		for range 280 {
			if r.Nop() != nil {
				b.Fatal("the ring is full")
			}
		}
		if err := r.Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(280*b.N), "ns/nop")
}
