package probe

import "unsafe"

// storing is one way to fill memory: n bytes from p on, a multiple of block,
// with the line of bytes at from again and again. Go's own ways are no measure
// of a write: a copy also reads, in 32 B at a time on amd64, and what fills a
// buffer with a value other than zero goes 8 B at a time.
type storing struct {
	text string
	fill func(p *byte, n int, from *byte)
}

const (
	block = 256     // all ways store that much in one turn
	most  = 1 << 20 // bytes given to assembly at once: the scheduler cannot interrupt it
)

var portable = storing{"stores of 8 B", func(p *byte, n int, from *byte) {
	with := *(*[line / 8]uint64)(unsafe.Pointer(from))
	to := unsafe.Slice((*[line / 8]uint64)(unsafe.Pointer(p)), n/line)
	for i := range to {
		to[i] = with
	}
}}

// over fills a buffer, the length of which is a multiple of block.
func (s storing) over(buf []byte, with *[line]byte) {
	for len(buf) > 0 {
		n := min(len(buf), most)
		s.fill(&buf[0], n, &with[0])
		buf = buf[n:]
	}
}
