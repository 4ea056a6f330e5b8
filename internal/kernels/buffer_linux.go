package kernels

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// reserve maps size bytes of private memory.
func reserve(size int) (memory []byte, owned bool, err error) {
	memory, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, false, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	return memory, true, nil
}

func release(memory []byte) error { return unix.Munmap(memory) }

// advise asks for huge pages; a kernel built without them refuses, and then Huge says so.
func advise(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// hugeBytes sums what /proc/self/smaps counts as AnonHugePages over the mappings that lie in [start, start+size). The advice
// splits a mapping at the edges of the buffer, so nothing else is counted.
func hugeBytes(start, size uintptr) (int64, error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	total, counted, inside := int64(0), false, false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		var low, high uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &low, &high); n == 2 {
			inside = low >= start && low < start+size
			continue
		}
		if value, found := strings.CutPrefix(line, "AnonHugePages:"); found && inside {
			var kib int64
			if _, err := fmt.Sscanf(value, "%d kB", &kib); err != nil {
				return 0, fmt.Errorf("reading %q: %w", line, err)
			}
			total, counted = total+kib<<10, true
		}
	}
	if err := lines.Err(); err != nil {
		return 0, err
	}
	if !counted {
		return 0, errors.New("/proc/self/smaps has no AnonHugePages for this mapping")
	}
	return total, nil
}
