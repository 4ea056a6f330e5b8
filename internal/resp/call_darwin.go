package resp

import (
	"errors"

	"golang.org/x/sys/unix"
)

func sysRead(fd int, p []byte) (int, unix.Errno) {
	n, err := unix.Read(fd, p)
	return max(n, 0), errnoOf(err)
}

func sysWrite(fd int, p []byte) (int, unix.Errno) {
	n, err := unix.Write(fd, p)
	return max(n, 0), errnoOf(err)
}

func errnoOf(err error) unix.Errno {
	var errno unix.Errno
	if err != nil && !errors.As(err, &errno) {
		return unix.EIO
	}
	return errno
}
