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
	least    uint64 // B, from the peak of a run of all labs and some room
}

var rlimits = []rlimit{
	{unix.RLIMIT_AS, "address space", "-v", 3 << 30}, // most of it is reserved and never used
	{unix.RLIMIT_DATA, "data", "-d", 768 << 20},
}

// roomy refuses limits that are too low.
func roomy(get func(resource int, to *unix.Rlimit) error) error {
	for _, l := range rlimits {
		var now unix.Rlimit
		if err := get(l.resource, &now); err != nil {
			continue // it will be known when it is hit
		}
		if now.Cur < l.least {
			return fmt.Errorf("this process may have %d MiB of %s, and measuring takes up to %d MiB: raise the limit (ulimit %s)",
				now.Cur>>20, l.of, l.least>>20, l.flag)
		}
	}
	return nil
}
