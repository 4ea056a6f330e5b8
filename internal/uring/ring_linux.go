package uring

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's numbers that are used here.
const (
	opNop  = 0
	opRead = 22

	enterGetEvents = 1 << 0

	mapQueues      = 0
	mapSubmissions = 0x10000000

	registerProbe = 8
	opSupported   = 1 << 0
)

// A Ring is a pair of queues that this process and the kernel share. It is for one goroutine at a time.
type Ring struct {
	fd      int
	queues  []byte // the mapping with both queues
	memory  []byte // the mapping with the submissions
	entries []submission
	done    []completion
	slots   []slot // beside the entries: what is expected of each

	sqTail, sqDropped, cqHead, cqTail, cqOverflow *uint32

	tail     uint32 // of the submissions that are queued; the kernel sees it when they are submitted
	queued   uint32 // and not submitted
	inFlight uint32 // submitted, and not done
}

// A slot is what the operation in an entry should come to.
type slot struct {
	op     uint8
	result int32
	offset int64
	buffer []byte // which the collector must leave alone until the kernel is done with it
}

// New makes a ring that so many operations can be queued in. Its error wraps [ErrUnavailable] where the kernel has no io_uring
// or does not let this process have it.
func New(entries int) (*Ring, error) {
	if entries < 1 || entries > maxEntries {
		return nil, fmt.Errorf("a ring of %d entries: want 1 to %d", entries, maxEntries)
	}
	var p params
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		setting, _ := os.ReadFile("/proc/sys/kernel/io_uring_disabled")
		return nil, refused(errno, strings.TrimSpace(string(setting)))
	}
	r := &Ring{fd: int(fd)}
	unix.CloseOnExec(r.fd)
	err := r.share(&p, entries)
	if err == nil {
		err = r.probe(opNop, opRead)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// refused names what io_uring_setup(2) answered. The setting is kernel.io_uring_disabled, "" where there is none.
func refused(errno unix.Errno, setting string) error {
	switch errno {
	case unix.ENOSYS:
		return fmt.Errorf("%w: this kernel has none, or a filter of system calls says so (ENOSYS)", ErrUnavailable)
	case unix.EPERM:
		if setting == "1" || setting == "2" {
			return fmt.Errorf("%w: kernel.io_uring_disabled is %s (EPERM)", ErrUnavailable, setting)
		}
		return fmt.Errorf("%w: a filter of system calls forbids it (EPERM)", ErrUnavailable)
	case unix.EACCES:
		return fmt.Errorf("%w: a security module forbids it (EACCES)", ErrUnavailable)
	case unix.ENOMEM:
		return fmt.Errorf("%w: its queues are over the limit of locked memory (ulimit -l), or memory is short (ENOMEM)", ErrUnavailable)
	}
	return fmt.Errorf("io_uring_setup: %w", errno)
}

// share maps the queues.
func (r *Ring) share(p *params, asked int) error {
	size, err := p.size(asked)
	if err != nil {
		return err
	}
	const both, how = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	if r.queues, err = unix.Mmap(r.fd, mapQueues, size, both, how); err != nil {
		return fmt.Errorf("mapping the queues of io_uring: %w", err)
	}
	if r.memory, err = unix.Mmap(r.fd, mapSubmissions, int(p.sqEntries)*submissionSize, both, how); err != nil {
		return fmt.Errorf("mapping the submissions of io_uring: %w", err)
	}
	word := func(offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&r.queues[offset])) }
	s, c := p.submissions, p.completions
	r.sqTail, r.sqDropped = word(s.tail), word(s.dropped)
	r.cqHead, r.cqTail, r.cqOverflow = word(c.head), word(c.tail), word(c.overflow)
	r.entries = unsafe.Slice((*submission)(unsafe.Pointer(&r.memory[0])), p.sqEntries)
	r.done = unsafe.Slice((*completion)(unsafe.Pointer(&r.queues[c.cqes])), p.cqEntries)
	r.slots = make([]slot, p.sqEntries)
	for _, said := range []struct {
		name      string
		got, want uint32
	}{
		{"mask of submissions", *word(s.mask), p.sqEntries - 1}, {"number of submissions", *word(s.entries), p.sqEntries},
		{"mask of completions", *word(c.mask), p.cqEntries - 1}, {"number of completions", *word(c.entries), p.cqEntries},
	} {
		if said.got != said.want {
			return fmt.Errorf("the kernel's %s is %d, want %d", said.name, said.got, said.want)
		}
	}
	// The kernel takes entries in the order of this array. It never changes: entry n stands at place n.
	for i, places := 0, unsafe.Slice(word(s.array), p.sqEntries); i < len(places); i++ {
		places[i] = uint32(i)
	}
	r.tail = atomic.LoadUint32(r.sqTail)
	return nil
}

// probe asks whether the kernel knows the operations.
func (r *Ring) probe(ops ...uint8) error {
	type answer struct {
		last, count uint8
		_           uint16
		_           [3]uint32
		ops         [256]struct {
			op, _ uint8
			flags uint16
			_     uint32
		}
	}
	var a answer
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), registerProbe, uintptr(unsafe.Pointer(&a)), uintptr(len(a.ops)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("%w: it can't say which operations it knows, as before Linux 5.6 (%w)", ErrUnavailable, errno)
	}
	for _, op := range ops {
		if op > a.last || a.ops[op].flags&opSupported == 0 {
			return fmt.Errorf("%w: it does not know operation %d", ErrUnavailable, op)
		}
	}
	return nil
}

// Nop queues an operation that does nothing.
func (r *Ring) Nop() error { return r.queue(submission{op: opNop}, slot{op: opNop}) }

// Read queues a read of len(p) bytes at an offset of a file. A read that comes to less is an error of [Ring.Run].
func (r *Ring) Read(fd int, p []byte, offset int64) error {
	if len(p) == 0 || len(p) > 1<<30 {
		return fmt.Errorf("a read of %d bytes: want 1 to 1 GiB", len(p))
	}
	return r.queue(submission{op: opRead, file: int32(fd), offset: uint64(offset), address: uint64(uintptr(unsafe.Pointer(&p[0]))), length: uint32(len(p))},
		slot{op: opRead, result: int32(len(p)), offset: offset, buffer: p})
}

func (r *Ring) queue(s submission, want slot) error {
	if int(r.queued+r.inFlight) == len(r.entries) {
		return fmt.Errorf("%d operations are queued, and the ring has no more room", len(r.entries))
	}
	at := r.tail & uint32(len(r.entries)-1)
	s.tag = uint64(at)
	r.entries[at], r.slots[at] = s, want
	r.tail++
	r.queued++
	return nil
}

// Run submits everything that is queued with one system call, which returns when all of it is done; a signal takes another.
// Its error names the first operation that came to something else than was asked for. After any other error the ring is of no
// more use.
func (r *Ring) Run() error {
	atomic.StoreUint32(r.sqTail, r.tail)
	var failed error
	for r.queued+r.inFlight > 0 {
		wait := r.queued + r.inFlight
		n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(r.queued), uintptr(wait), enterGetEvents, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return fmt.Errorf("io_uring_enter with %d operations: %w", r.queued, errno)
		case uint32(n) > r.queued:
			return fmt.Errorf("io_uring_enter took %d operations of %d", n, r.queued)
		default:
			r.queued -= uint32(n)
			r.inFlight += uint32(n)
		}
		if err := r.reap(); failed == nil {
			failed = err
		}
		if dropped, lost := atomic.LoadUint32(r.sqDropped), atomic.LoadUint32(r.cqOverflow); dropped+lost > 0 {
			return fmt.Errorf("the kernel dropped %d operations and lost %d completions", dropped, lost)
		}
	}
	return failed
}

// reap takes what is done off its queue.
func (r *Ring) reap() (failed error) {
	head, tail := *r.cqHead, atomic.LoadUint32(r.cqTail) // nobody else writes the head
	if tail-head > r.inFlight {
		return fmt.Errorf("%d operations are done, and %d were under way", tail-head, r.inFlight)
	}
	for ; head != tail; head++ {
		c := &r.done[head&uint32(len(r.done)-1)]
		want := &r.slots[c.tag&uint64(len(r.slots)-1)]
		if c.result != want.result && failed == nil {
			failed = want.fault(c.result)
		}
		want.buffer = nil
		r.inFlight--
	}
	atomic.StoreUint32(r.cqHead, head)
	return failed
}

// fault says what an operation came to.
func (s *slot) fault(result int32) error {
	what := "an operation that does nothing"
	if s.op == opRead {
		what = fmt.Sprintf("reading %d bytes at %d", len(s.buffer), s.offset)
	}
	if result < 0 {
		return fmt.Errorf("%s: %w", what, unix.Errno(-result))
	}
	return fmt.Errorf("%s: it came to %d, want %d", what, result, s.result)
}

// abandoned are buffers of operations that were under way when their ring was closed. The kernel may write to them at any time,
// so they are never given back.
var abandoned struct {
	sync.Mutex
	slots [][]slot
}

// Close gives the ring back. Later calls do nothing.
func (r *Ring) Close() error {
	if r.fd < 0 {
		return nil
	}
	if r.inFlight > 0 {
		abandoned.Lock()
		abandoned.slots = append(abandoned.slots, r.slots)
		abandoned.Unlock()
	}
	var errs []error
	for _, m := range [][]byte{r.queues, r.memory} {
		if m != nil {
			errs = append(errs, unix.Munmap(m))
		}
	}
	errs = append(errs, unix.Close(r.fd))
	*r = Ring{fd: -1}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing a ring: %w", err)
	}
	return nil
}
