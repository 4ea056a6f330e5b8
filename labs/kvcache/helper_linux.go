package kvcache

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// outOfReach says why this system can't be asked; "" where it can.
const outOfReach = ""

// still keeps the process from growing by itself: no collection, no second
// thread of Go code, and no huge pages, which round what is touched up to 2 MiB.
// A kernel that does not know that call has none.
func still() {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	unix.Prctl(unix.PR_SET_THP_DISABLE, 1, 0, 0, 0)
}

// proc reads a file of /proc into memory that it has from the start, so that
// reading takes none.
type proc struct {
	path string
	buf  []byte
}

func newProc(path string) *proc {
	p := &proc{path: path, buf: make([]byte, 1<<20)}
	for i := range p.buf {
		p.buf[i] = 1 // so that the pages are there
	}
	return p
}

func (p *proc) read() ([]byte, error) {
	fd, err := unix.Open(p.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n := 0
	for n < len(p.buf) {
		k, err := unix.Read(fd, p.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if k == 0 {
			return p.buf[:n], nil
		}
		n += k
	}
	return nil, errors.New("the file is larger than expected")
}

// sum adds up the lines of a name, which /proc gives in kB, and counts them.
func sum(text []byte, name string) (total int64, lines int) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		value, ok := bytes.CutPrefix(line, []byte(name+":"))
		value, kB := bytes.CutSuffix(bytes.TrimSpace(value), []byte(" kB"))
		if n, err := strconv.ParseInt(string(value), 10, 64); ok && kB && err == nil {
			total, lines = total+n<<10, lines+1
		}
	}
	return total, lines
}

// resident is what the kernel counts for the process, in memory or swapped out,
// of what no file backs: pages of the program itself come and go. It is found by
// walking the page tables; the counts in /proc/self/status may be off by
// megabytes where there are many processors.
func resident(p *proc) (int64, error) {
	text, err := p.read()
	if err != nil {
		return 0, err
	}
	memory, lines := sum(text, "Anonymous")
	swap, _ := sum(text, "Swap")
	if lines == 0 {
		return 0, fmt.Errorf("%s has no line Anonymous", p.path)
	}
	return memory + swap, nil
}

// meter returns a file that resident can read.
func meter() (*proc, error) {
	var last error
	for _, path := range []string{"/proc/self/smaps_rollup", "/proc/self/smaps"} {
		p := newProc(path)
		if _, last = resident(p); last == nil {
			return p, nil
		}
	}
	return nil, refusal(fmt.Sprintf("the kernel does not say exactly what a process has in memory: %v", last))
}

// take maps memory of the process's own. The runtime is not told that a system
// call begins: it might take the moment to start a thread, whose stack would be
// mapped too, or be refused under the limit and end the process.
func take(size int) ([]byte, error) {
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_PRIVATE | unix.MAP_ANON
	at, _, errno := unix.RawSyscall6(unix.SYS_MMAP, 0, uintptr(size), prot, flags, ^uintptr(0), 0)
	if errno != 0 {
		return nil, errno
	}
	// Not of the collector's memory, so that it may be made of a number.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil
}

func giveBack(m []byte) error {
	_, _, errno := unix.RawSyscall(unix.SYS_MUNMAP, uintptr(unsafe.Pointer(unsafe.SliceData(m))), uintptr(len(m)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// fill writes numbers that do not repeat and are not zero: pages of zeros, or
// pages that are alike, need not exist. The race detector is kept out of it, for
// it would take longer than the writing.
//
//go:norace
func fill(m []byte, state uint64) uint64 {
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(m))), len(m)/8)
	for i := range words {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		words[i] = state
	}
	return state
}

// start is where the numbers that are written begin.
const start = 0x9e3779b97f4a7c15

// rehearse does all that keep does, with one page.
func rehearse(m *proc) error {
	t, err := take(page)
	if err != nil {
		return refusal(fmt.Sprintf("%d KiB were refused: %v", page>>10, err))
	}
	fill(t, start)
	if _, err := resident(m); err != nil {
		return err
	}
	return giveBack(t)
}

// keep takes a cache tensor by tensor, writes it, and says what the kernel
// counted before and after.
func keep(s shape, tensors int) (h held, err error) {
	still()
	m, err := meter()
	if err != nil {
		return h, err
	}
	// Once before it counts, for the stacks and tables of the process itself.
	if err := rehearse(m); err != nil {
		return h, err
	}
	seed := uint64(start)
	if h.before, err = resident(m); err != nil {
		return h, err
	}
	for range s.layers {
		for range tensors {
			t, err := take(s.tensor())
			if err != nil {
				return h, refusal(fmt.Sprintf("a cache of %d MiB was refused: %v", s.bytes()>>20, err))
			}
			seed = fill(t, seed)
		}
	}
	h.after, err = resident(m)
	return h, err
}
