package driver

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// rlimit is a limit of this process under which the runtime would abort in the
// middle of a measurement, with a dump and its files left behind.
type rlimit struct {
	resource int
	of, flag string // of what; ulimit's name for it
	least    uint64 // from the peak of a run of all labs and some room
	unit     uint64
}

var rlimits = []rlimit{
	{unix.RLIMIT_AS, "MiB of address space", "-v", 3 << 30, 1 << 20}, // most of it is reserved and never used
	{unix.RLIMIT_DATA, "MiB of data", "-d", 768 << 20, 1 << 20},
	{unix.RLIMIT_NPROC, "threads, counting those of the user's other programs", "-u", 16, 1},
}

// roomy refuses limits that are too low. Root may have any number of threads.
func roomy(root bool, get func(resource int, to *unix.Rlimit) error) error {
	for _, l := range rlimits {
		if l.resource == unix.RLIMIT_NPROC && root {
			continue
		}
		var now unix.Rlimit
		if err := get(l.resource, &now); err != nil {
			continue // it will be known when it is hit
		}
		if now.Cur < l.least {
			return fmt.Errorf("this process may have %d %s, and measuring takes up to %d: raise the limit (ulimit %s)",
				now.Cur/l.unit, l.of, l.least/l.unit, l.flag)
		}
	}
	return nil
}
