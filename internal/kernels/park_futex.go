//go:build linux && !nofutex

package kernels

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A parker is where a thread sleeps: a futex. To tell a locked goroutine by a channel wakes a thread that looks for work, and has
// that wake the one to which the goroutine is locked; this wakes the right one.
type parker struct{}

func newParker() parker { return parker{} }

// The operations of futex(2), private to the process.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// park returns when the word has been changed, or for no reason.
func (parker) park(word *atomic.Uint32, while uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(while), 0, 0, 0)
}

// unpark comes after the change.
func (parker) unpark(word *atomic.Uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1, 0, 0, 0)
}
