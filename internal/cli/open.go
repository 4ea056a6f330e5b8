package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// openFile opens a file that the user named, and refuses what is none: a FIFO would
// wait for a writer without a word. What the shell has opened already, as for
// <(...), is read whatever it is.
func openFile(name string) (*os.File, error) {
	if opened(name) {
		return os.Open(name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "open", Path: name, Err: unix.EISDIR}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file; what another program writes can be read from /dev/stdin")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// opened says that a name is that of a file which this process came with.
func opened(name string) bool {
	name = filepath.Clean(name)
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/")
}
