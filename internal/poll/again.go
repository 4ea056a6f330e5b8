package poll

import (
	"time"

	"golang.org/x/sys/unix"
)

// again makes a call that waits until no signal has cut it short. The scheduler
// sends signals of its own; to whom nothing is reported it must mean that time is
// up.
func again(limit time.Duration, wait func(left time.Duration) (int, error)) (n int, err error) {
	var start time.Time
	if limit > 0 {
		start = time.Now()
	}
	for left := limit; ; {
		if n, err = wait(left); err != unix.EINTR {
			return n, err
		}
		if limit > 0 {
			left = max(0, limit-time.Since(start))
		}
	}
}
