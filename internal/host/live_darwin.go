package host

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

func (local) Statfs(dir string) (Statfs, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return Statfs{}, err
	}
	return Statfs{Name: unix.ByteSliceToString(st.Fstypename[:]), Local: st.Flags&unix.MNT_LOCAL != 0}, nil
}

// Sysctl reads a string; where the variable is a number, that as text.
func (local) Sysctl(name string) (string, error) {
	raw, err := unix.SysctlRaw(name)
	if err != nil {
		return "", err
	}
	if name == "vm.loadavg" {
		return loadText(raw)
	}
	switch len(raw) {
	case 4:
		if n, err := unix.SysctlUint32(name); err == nil && !isText(raw) {
			return strconv.FormatUint(uint64(n), 10), nil
		}
	case 8:
		if n, err := unix.SysctlUint64(name); err == nil && !isText(raw) {
			return strconv.FormatUint(n, 10), nil
		}
	}
	return unix.Sysctl(name)
}

// isText reports whether raw is a string that happens to be as long as a number:
// printable up to its final zero, with none before.
func isText(raw []byte) bool {
	for _, b := range raw[:len(raw)-1] {
		if b < ' ' || b > '~' {
			return false
		}
	}
	return raw[len(raw)-1] == 0
}

// loadText decodes struct loadavg of sys/resource.h: three fixed-point numbers
// of 4 bytes and, aligned to 8, their scale.
func loadText(raw []byte) (string, error) {
	if len(raw) < 24 {
		return "", fmt.Errorf("vm.loadavg has %d bytes", len(raw))
	}
	scale := float64(binary.LittleEndian.Uint64(raw[16:]))
	if scale == 0 {
		return "", fmt.Errorf("vm.loadavg has the scale 0")
	}
	at := func(i int) float64 { return float64(binary.LittleEndian.Uint32(raw[4*i:])) / scale }
	return fmt.Sprintf("%.2f %.2f %.2f", at(0), at(1), at(2)), nil
}
