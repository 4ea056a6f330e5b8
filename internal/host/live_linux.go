package host

import (
	"errors"

	"golang.org/x/sys/unix"
)

func (local) Statfs(dir string) (Statfs, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Statfs{}, err
	}
	// Type is signed and of another width on some architectures; magic
	// numbers are 32 bits wide.
	return Statfs{Magic: uint64(uint32(st.Type)), Blocks: st.Blocks, BlockSize: uint64(st.Bsize)}, nil
}

func (local) Sysctl(string) (string, error) {
	return "", errors.New("this system has files in place of sysctl")
}
