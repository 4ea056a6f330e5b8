package driver

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRoomy(t *testing.T) {
	root := false
	check := func(want string, limits map[int]uint64) {
		t.Helper()
		err := roomy(root, func(resource int, to *unix.Rlimit) error {
			if limits == nil {
				return errors.New("there are none")
			}
			to.Cur = unix.RLIM_INFINITY
			if n, ok := limits[resource]; ok {
				to.Cur = n
			}
			return nil
		})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%v: got %q, want %q", limits, got, want)
		}
	}
	check("", nil)
	check("", map[int]uint64{})
	check("", map[int]uint64{unix.RLIMIT_AS: 3 << 30, unix.RLIMIT_DATA: 768 << 20})
	check("this process may have 1024 MiB of address space, and measuring takes up to 3072: raise the limit (ulimit -v)",
		map[int]uint64{unix.RLIMIT_AS: 1 << 30})
	check("this process may have 100 MiB of data, and measuring takes up to 768: raise the limit (ulimit -d)",
		map[int]uint64{unix.RLIMIT_DATA: 100 << 20})
	check("this process may have 15 threads, counting those of the user's other programs, and measuring takes up to 16: raise the limit (ulimit -u)",
		map[int]uint64{unix.RLIMIT_NPROC: 15})
	root = true
	check("", map[int]uint64{unix.RLIMIT_NPROC: 15})
}
