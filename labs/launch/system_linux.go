package launch

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readsWithoutWaiting reads what was just written to a file, and forbids the kernel to wait for anything.
func readsWithoutWaiting(fd int) error {
	const nowait = 0x8 // RWF_NOWAIT
	for range 8 {      // the pages may be in somebody's hands at first
		_, err := unix.Preadv2(fd, [][]byte{make([]byte, 1<<10)}, 0, nowait)
		if err != unix.EAGAIN && err != unix.EINTR {
			return err
		}
	}
	return unix.EAGAIN
}

// inMemory returns a file that lies in memory alone.
func inMemory() (*os.File, error) {
	fd, err := unix.MemfdCreate("weights", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making a file in memory: %w", err)
	}
	return os.NewFile(uintptr(fd), "memfd"), nil
}

// bindHere keeps the calling thread on the processor on which it is, until it is released.
func bindHere() (processor int, release func() error, err error) {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return 0, nil, fmt.Errorf("asking for the processors of a thread: %w", err)
	}
	var number uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&number)), 0, 0); errno != 0 {
		return 0, nil, fmt.Errorf("asking for the processor of a thread: %w", errno)
	}
	if err := bindTo(int(number)); err != nil {
		return 0, nil, err
	}
	return int(number), func() error { return unix.SchedSetaffinity(0, &before) }, nil
}

// bindTo keeps the calling thread on a processor.
func bindTo(processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("binding a thread to a processor: %w", err)
	}
	return nil
}
