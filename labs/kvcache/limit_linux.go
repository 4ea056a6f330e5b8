package kvcache

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limit is a limit on a process's memory that needs no privilege, with the
// kernel's own count of what it limits. Both are exact: mmap compares this count
// with that limit (mm/mmap.c, may_expand_vm).
type limit struct {
	name    string
	which   int
	counter string // in /proc/self/status
}

// limits are tried in this order. RLIMIT_DATA counts what is private and
// writable, since Linux 4.7; RLIMIT_AS counts whatever is mapped, and is there
// for systems that know it only.
var limits = []limit{
	{"RLIMIT_DATA", unix.RLIMIT_DATA, "VmData"},
	{"RLIMIT_AS", unix.RLIMIT_AS, "VmSize"},
}

// count is how much of a limit is used, in bytes.
func (l limit) count(status *proc) (int64, error) {
	text, err := status.read()
	if err != nil {
		return 0, refusal(fmt.Sprintf("the kernel does not say how much of %s is used: %v", l.name, err))
	}
	n, lines := sum(text, l.counter)
	if lines != 1 {
		return 0, refusal(fmt.Sprintf("%s has no %s", status.path, l.counter))
	}
	return n, nil
}

// fillUp takes sequences under a limit until the kernel refuses one, or until
// the most that it is told. The limit is what the process has, and free bytes
// more. What a call refuses once it must refuse for that reason, so before
// anything else the whole is taken without the limit, and with it a piece that
// is far too large: a system that gives both has no such limit.
func fillUp(s shape, free, most int, limited bool) (a admission, err error) {
	still()
	status := newProc("/proc/self/status")
	if err := fits(most * s.bytes()); err != nil {
		return a, err
	}
	for _, l := range limits {
		var old unix.Rlimit
		if err := unix.Getrlimit(l.which, &old); err != nil {
			return a, fmt.Errorf("reading %s: %w", l.name, err)
		}
		used, err := l.count(status)
		if err != nil {
			return a, err
		}
		top := uint64(used) + uint64(free)
		if err := unix.Setrlimit(l.which, &unix.Rlimit{Cur: top, Max: old.Max}); err != nil {
			return a, refusal(fmt.Sprintf("%s can't be set to %d MiB: %v", l.name, top>>20, err))
		}
		holds := fits(2*free) != nil
		if !holds || !limited {
			if err := unix.Setrlimit(l.which, &old); err != nil {
				return a, fmt.Errorf("taking %s back: %w", l.name, err)
			}
		}
		if !holds {
			continue
		}
		a = admission{limit: l.name}
		a.admitted, a.refusal = sequences(s.bytes(), most)
		if err := unix.Setrlimit(l.which, &old); err != nil {
			return a, fmt.Errorf("taking %s back: %w", l.name, err)
		}
		now, err := l.count(status)
		a.grown = now - used - int64(a.admitted)*int64(s.bytes())
		a.left = int64(top) - now
		return a, err
	}
	return a, refusal("no limit on a process's memory is enforced here")
}

// fits reports by nil that so much can be taken at once, and gives it back.
func fits(size int) error {
	m, err := take(size)
	if err != nil {
		return refusal(fmt.Sprintf("%d MiB were refused without a limit of the lab's own: %v", size>>20, err))
	}
	return giveBack(m)
}

// sequences takes and writes one after the other. It allocates nothing else:
// under the limit the process itself would not get it either.
func sequences(size, most int) (admitted int, refusal bool) {
	seed := uint64(start)
	for admitted < most {
		m, err := take(size)
		if err != nil {
			return admitted, true
		}
		seed = fill(m, seed)
		admitted++
	}
	return admitted, false
}
