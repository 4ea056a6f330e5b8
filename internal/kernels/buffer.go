package kernels

import (
	"fmt"
	"unsafe"
)

// A Buffer is memory of its own for large arrays: it begins at a page boundary of 2 MiB where the system lets it, and asks
// for pages of that size. Asking is not getting: [Buffer.Huge] tells what came of it.
type Buffer struct {
	// Data is the buffer. It must not be used after Free.
	Data []float32

	memory []byte // what Free gives back; nil where the collector owns it
}

// hugePage is the larger page size of the systems that have one to offer; a multiple of every cache line.
const hugePage = 2 << 20

// NewBuffer returns a buffer of n float32 values, all zero and none of them touched yet: the first write to a page costs a
// fault, and a page never written may share one page of zeros with all others, which reads faster than memory does.
func NewBuffer(n int) (*Buffer, error) {
	if n < 0 {
		return nil, fmt.Errorf("allocating %d values: the number is negative", n)
	}
	if n == 0 {
		return &Buffer{}, nil
	}
	memory, owned, err := reserve(4*n + hugePage)
	if err != nil {
		return nil, fmt.Errorf("allocating %d values: %w", n, err)
	}
	skip := -int(uintptr(unsafe.Pointer(&memory[0]))) & (hugePage - 1)
	data := unsafe.Slice((*float32)(unsafe.Pointer(&memory[skip])), n)
	b := &Buffer{Data: data}
	if owned {
		b.memory = memory
		advise(memory[skip : skip+4*n])
	}
	return b, nil
}

// Free gives the memory back to the system. Later calls do nothing.
func (b *Buffer) Free() error {
	memory := b.memory
	b.Data, b.memory = nil, nil
	if memory == nil {
		return nil
	}
	if err := release(memory); err != nil {
		return fmt.Errorf("freeing a buffer: %w", err)
	}
	return nil
}

// Huge returns how many bytes of the buffer lie in huge pages at this moment, as the kernel counts them. It is an error
// where the kernel does not count.
func (b *Buffer) Huge() (int64, error) {
	if len(b.Data) == 0 {
		return 0, nil
	}
	bytes, err := hugeBytes(uintptr(unsafe.Pointer(&b.Data[0])), uintptr(4*len(b.Data)))
	if err != nil {
		return 0, fmt.Errorf("counting huge pages: %w", err)
	}
	return bytes, nil
}
