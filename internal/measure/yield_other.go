//go:build !linux

package measure

import "time"

// rest does nothing: this system has no call for it outside the C library.
func rest(time.Duration) {}
