//go:build unix

package host

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func (local) Device(dir string) (Number, error) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return Number{}, err
	}
	dev := uint64(st.Dev) //nolint:unconvert // its width and sign differ by system
	return Number{Major: unix.Major(dev), Minor: unix.Minor(dev)}, nil
}

func (local) Uname() (Uname, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return Uname{}, fmt.Errorf("uname: %w", err)
	}
	return Uname{
		System:  unix.ByteSliceToString(u.Sysname[:]),
		Release: unix.ByteSliceToString(u.Release[:]),
		Machine: unix.ByteSliceToString(u.Machine[:]),
	}, nil
}
