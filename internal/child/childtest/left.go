package childtest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// NoChildren demands that this process has no children, dead or alive.
func NoChildren(t testing.TB) {
	t.Helper()
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a child is left: wait4 gave %d, %v", pid, err)
	}
}

// Descriptors counts those that are open, or skips the test where nobody can.
func Descriptors(t testing.TB) int {
	t.Helper()
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skip("descriptors can't be counted here: ", err)
	}
	return len(open)
}
