package probe

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// smallPages asks for pages of the ordinary size. A kernel without huge pages
// refuses, and has none to give.
func smallPages(mem []byte) { unix.Madvise(mem, unix.MADV_NOHUGEPAGE) }

// writeByte is write(2), raw: one byte for a reader that waits never sleeps.
func writeByte(fd int, b *[1]byte) error {
	_, _, errno := syscall.RawSyscall6(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(b)), 1, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
