package uring

import (
	"fmt"
	"unsafe"
)

// params is struct io_uring_params: what is asked for and what came of it.
type params struct {
	sqEntries, cqEntries      uint32
	flags                     uint32
	sqThreadCPU, sqThreadIdle uint32
	features, workers         uint32
	reserved                  [3]uint32
	submissions               submissionOffsets
	completions               completionOffsets
}

// submissionOffsets is struct io_sqring_offsets: where in the shared memory the parts of the submission queue are.
type submissionOffsets struct {
	head, tail, mask, entries, flags, dropped, array, reserved uint32
	user                                                       uint64
}

// completionOffsets is struct io_cqring_offsets.
type completionOffsets struct {
	head, tail, mask, entries, overflow, cqes, flags, reserved uint32
	user                                                       uint64
}

// submission is struct io_uring_sqe.
type submission struct {
	op, flags uint8
	priority  uint16
	file      int32
	offset    uint64
	address   uint64
	length    uint32
	opFlags   uint32
	tag       uint64
	rest      [3]uint64
}

// completion is struct io_uring_cqe.
type completion struct {
	tag    uint64
	result int32
	flags  uint32
}

// The sizes of these in the kernel's header.
const (
	paramsSize     = 120
	submissionSize = 64
	completionSize = 16
)

// A type of another size would not compile.
var (
	_ = [1]int{}[unsafe.Sizeof(params{})-paramsSize]
	_ = [1]int{}[unsafe.Sizeof(submission{})-submissionSize]
	_ = [1]int{}[unsafe.Sizeof(completion{})-completionSize]
)

// oneMapping is the feature of kernels from 5.4 on that both queues lie in one mapping.
const oneMapping = 1 << 0

// size returns the bytes of the mapping that holds both queues, or what in the kernel's answer can't be so.
func (p *params) size(asked int) (int, error) {
	switch {
	case p.features&oneMapping == 0:
		return 0, fmt.Errorf("%w: its queues lie in two mappings, as before Linux 5.4", ErrUnavailable)
	case !powerOfTwo(p.sqEntries) || !powerOfTwo(p.cqEntries) || int(p.sqEntries) < asked || p.cqEntries < p.sqEntries:
		return 0, fmt.Errorf("the kernel made queues of %d and %d entries where %d were asked for", p.sqEntries, p.cqEntries, asked)
	case p.sqEntries > maxEntries || p.cqEntries > 2*maxEntries:
		return 0, fmt.Errorf("the kernel made queues of %d and %d entries, over its own limit", p.sqEntries, p.cqEntries)
	}
	s, c := p.submissions, p.completions
	end := max(uint64(s.array)+4*uint64(p.sqEntries), uint64(c.cqes)+completionSize*uint64(p.cqEntries))
	for _, field := range []struct {
		name string
		at   uint32
	}{
		{"sq head", s.head}, {"sq tail", s.tail}, {"sq mask", s.mask}, {"sq entries", s.entries}, {"sq dropped", s.dropped}, {"sq array", s.array},
		{"cq head", c.head}, {"cq tail", c.tail}, {"cq mask", c.mask}, {"cq entries", c.entries}, {"cq overflow", c.overflow},
	} {
		if field.at%4 != 0 || uint64(field.at)+4 > end {
			return 0, fmt.Errorf("the kernel puts %s at byte %d of %d", field.name, field.at, end)
		}
	}
	if c.cqes%8 != 0 || end > 1<<30 {
		return 0, fmt.Errorf("the kernel puts the completions at byte %d of %d", c.cqes, end)
	}
	return int(end), nil
}

// maxEntries is the kernel's limit for a submission queue.
const maxEntries = 32768

func powerOfTwo(n uint32) bool { return n > 0 && n&(n-1) == 0 }
