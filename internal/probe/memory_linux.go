package probe

import "golang.org/x/sys/unix"

// smallPages asks for pages of the ordinary size. A kernel without huge pages
// refuses, and has none to give.
func smallPages(mem []byte) { unix.Madvise(mem, unix.MADV_NOHUGEPAGE) }
