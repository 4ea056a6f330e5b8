package kernels

import (
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A place is the processor that a worker is bound to.
type place struct {
	thread    int
	processor int // -1: none
}

func newPlace() place { return place{thread: unix.Gettid(), processor: -1} }

// places are the processors that this process may use.
type places struct {
	allowed []int // nil: not asked yet
	refused bool  // the system lets no thread be bound
}

// apart binds each worker to a processor of its own, none of them the caller's, as far as there are. Without it the kernel may
// put one that it wakes beside its waker, whatever else is idle (some for power, guests for the host), and leave them together
// for longer than a product takes: half of the calls on two threads were seen to run on one processor.
//
// Only a worker in the caller's way moves: moving one that is awake takes 0.1 ms.
func (p *places) apart(workers []*worker) {
	if p.refused {
		return
	}
	if p.allowed == nil {
		p.allowed = allowed()
	}
	here := processor()
	for _, w := range workers {
		if err := w.place.bind(p.of(w, workers, here), p.allowed); err != nil {
			// Allowed no more, perhaps: ask again, and if that was not it give up.
			if now := allowed(); !slices.Equal(now, p.allowed) {
				p.allowed = now
				continue
			}
			p.refuse()
			return
		}
	}
}

// refuse leaves every worker where the system puts it.
func (p *places) refuse() { p.refused = true }

// of returns the processor that a worker should be on: where it is, or if it has none or the caller is there, one that is
// neither the caller's nor any worker's, or -1.
func (p *places) of(w *worker, workers []*worker, here int) int {
	if w.place.processor >= 0 && w.place.processor != here {
		return w.place.processor
	}
	for _, n := range p.allowed {
		taken := func(w *worker) bool { return w.place.processor == n }
		if n != here && !slices.ContainsFunc(workers, taken) {
			return n
		}
	}
	return -1
}

// bind moves the thread to a processor, or with -1 lets it run on any that is allowed.
func (p *place) bind(processor int, allowed []int) error {
	if p.processor == processor {
		return nil
	}
	to := []int{processor}
	if processor < 0 {
		to = allowed
	}
	var set unix.CPUSet
	for _, n := range to {
		set.Set(n)
	}
	if err := unix.SchedSetaffinity(p.thread, &set); err != nil {
		return err
	}
	p.processor = processor
	return nil
}

// allowed lists the processors that the process may use: its first thread, that is, which nobody binds by accident.
func allowed() []int {
	all := []int{}
	var set unix.CPUSet
	if unix.SchedGetaffinity(os.Getpid(), &set) != nil {
		return all
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
