//go:build !linux

package kernels

import (
	"errors"
	"unsafe"
)

// reserve leaves the memory to the collector, aligned for float32.
func reserve(size int) (memory []byte, owned bool, err error) {
	words := make([]uint64, (size+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size), false, nil
}

func release([]byte) error { return nil }

func advise([]byte) {}

func hugeBytes(_, _ uintptr) (int64, error) {
	return 0, errors.ErrUnsupported
}
