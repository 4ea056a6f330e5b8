//go:build !linux

package probe

import "golang.org/x/sys/unix"

// smallPages has nothing to ask for here.
func smallPages([]byte) {}

func writeByte(fd int, b *[1]byte) error {
	_, err := unix.Write(fd, b[:])
	return err
}
