package kernels

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns two places for n values, each between pages that can't be touched: the first ends at such a page, the
// second begins at one. Whatever reads or writes past the end of the first, or before the second, dies.
func guarded(t testing.TB, n int) [2][]float32 {
	t.Helper()
	before, after := between(t, n), between(t, n)
	return [2][]float32{before[len(before)-n:], after[:n:n]}
}

// between maps whole pages with room for n values, with a page on either side that can't be touched.
func between(t testing.TB, n int) []float32 {
	t.Helper()
	page := unix.Getpagesize()
	size := (4*n + page) / page * page
	memory, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatalf("mapping %d bytes: %v", size, err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	inner := memory[page : page+size]
	if err := unix.Mprotect(inner, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatalf("opening %d bytes: %v", size, err)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&inner[0])), size/4)
}
