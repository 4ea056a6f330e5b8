package measure

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nap is the end of a wait that is spun all the same: a thread wakes up some tens
// of microseconds late.
const nap = 100 * time.Microsecond

// rest makes a turn of a spinning loop cheap for others, when so much time is
// left. A thread that spins keeps the kernel's own ones waiting for a whole time
// slice, and among them those that finish an fsync: on a 2-core machine that made
// 100 µs into 3.4 ms. And where there is not enough processor for all, whoever
// spins is made to wait for as long as he spun, and whoever sleeps is not. The
// calls are raw, so that the scheduler does not hand the thread's work to another
// for so short a time.
func rest(left time.Duration) {
	if left <= nap+nap/4 {
		unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		return
	}
	// Without this the kernel may add 50 µs, to wake several threads at once.
	unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, 1, 0)
	t := unix.NsecToTimespec(int64(left - nap))
	unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
