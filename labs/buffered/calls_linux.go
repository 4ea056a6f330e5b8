package buffered

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// newCounter returns the kernel's count for this thread, or the writer's own
// where the kernel keeps none (no task I/O accounting, gVisor).
func newCounter(w *countingWriter) callCounter {
	f, err := os.Open("/proc/thread-self/io")
	if err != nil {
		return writerCounter{w}
	}
	k := &kernelCounter{file: f}
	if _, err := k.count(); err != nil {
		f.Close()
		return writerCounter{w}
	}
	return k
}

// kernelCounter reads syscw of /proc/thread-self/io: the number of write system
// calls of this thread, the one that opened it (man 5 proc).
type kernelCounter struct {
	file *os.File
	buf  [256]byte
}

func (k *kernelCounter) count() (uint64, error) {
	n, _ := k.file.ReadAt(k.buf[:], 0)
	for line := range bytes.Lines(k.buf[:n]) {
		if v, ok := bytes.CutPrefix(line, []byte("syscw: ")); ok {
			return strconv.ParseUint(string(bytes.TrimSpace(v)), 10, 64)
		}
	}
	return 0, fmt.Errorf("no count of write calls in /proc/thread-self/io: %q", k.buf[:n])
}

func (k *kernelCounter) slept() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return u.Nvcsw
}

func (k *kernelCounter) name() string { return "the kernel for this thread, /proc/thread-self/io" }
func (k *kernelCounter) close()       { k.file.Close() }
