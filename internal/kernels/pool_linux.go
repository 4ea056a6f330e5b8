package kernels

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A bed is where a hand sleeps: a futex on its state. Telling a goroutine by a channel wakes one thread that looks for work
// and has that wake the one to which the goroutine is locked; this wakes the right one.
type bed struct{}

func newBed() bed { return bed{} }

const (
	futexWait = 0 | 128 // private to the process
	futexWake = 1 | 128
)

// sleep returns when the state has been left, or for no reason.
func (bed) sleep(state *atomic.Uint32, while uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(state)), futexWait, uintptr(while), 0, 0, 0)
}

func (bed) rouse(state *atomic.Uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(state)), futexWake, 1, 0, 0, 0)
}

// A seat is the processor on which a hand works.
type seat struct {
	thread    int
	processor int // -1: any
}

func newSeat() seat { return seat{thread: unix.Gettid(), processor: -1} }

// seats are the processors that this process may use.
type seats struct {
	known   bool
	allowed []int
}

// apart gives each hand a processor of its own, none of them the caller's, as far as there are. Without it the kernel may put
// one that it wakes beside its waker, whatever else is idle (some for power, guests for the host), and leave them together for
// longer than a product takes: half of the calls on two threads were seen to run on one processor.
func (s *seats) apart(hands []*hand) {
	if len(hands) == 0 {
		return
	}
	if !s.known {
		s.known, s.allowed = true, processors()
	}
	here := slices.Index(s.allowed, processor())
	for n, h := range hands {
		h.seat.take(s.of(n, here))
	}
}

// of is the processor for the hand of that number while the caller is on the allowed one at a place, or on none (-1). It is -1
// where none is left.
func (s *seats) of(number, caller int) int {
	if caller >= 0 && number >= caller {
		number++
	}
	if number >= len(s.allowed) {
		return -1
	}
	return s.allowed[number]
}

// take moves the thread to a processor. Where there is none, or the system refuses, the thread stays where it may be.
func (s *seat) take(processor int) {
	if processor < 0 || s.processor == processor {
		return
	}
	var set unix.CPUSet
	set.Set(processor)
	_ = unix.SchedSetaffinity(s.thread, &set)
	s.processor = processor
}

func processors() (all []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for n := range 8 * int(unsafe.Sizeof(set)) {
		if set.IsSet(n) {
			all = append(all, n)
		}
	}
	return all
}

// processor is the one that runs this. It may be another at any time.
func processor() int {
	var number uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&number)), 0, 0)
	return int(number)
}
