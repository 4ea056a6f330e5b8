package disk

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// flushes are the calls that FullSync and BarrierSync are made of, so that
// their fall-backs can be tested anywhere. barrier and full are nil where the
// system has no such call.
type flushes struct {
	full, barrier, plain func() error
}

// unsupported reports whether the error says that the file system has no such
// flush: external and network volumes answer with any of the three.
func unsupported(err error) bool {
	return errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTTY)
}

// fall tries a call and, where the volume has none, fsync. It returns the name
// of the call that was made and counts, with the refusal where there was one.
func (fl flushes) fall(name string, try func() error) (call string, err error) {
	if try == nil {
		return "fsync", fl.plain()
	}
	err = try()
	if err == nil {
		return name, nil
	}
	if !unsupported(err) {
		return name, fmt.Errorf("%s: %w", name, err)
	}
	refused := err
	if err := fl.plain(); err != nil {
		return "fsync", fmt.Errorf("fsync after %s was refused (%v): %w", name, refused, err)
	}
	return fmt.Sprintf("fsync (%s refused: %v)", name, refused), nil
}

// FullSync asks the drive to write its cache to the medium: F_FULLFSYNC on
// macOS, fsync elsewhere. It returns the call that was really made.
func (f *File) FullSync() (call string, err error) {
	fl := f.flushes()
	return fl.fall("F_FULLFSYNC", fl.full)
}

// BarrierSync orders writes without waiting for the medium: F_BARRIERFSYNC on
// macOS, fsync elsewhere. It returns the call that was really made.
func (f *File) BarrierSync() (call string, err error) {
	fl := f.flushes()
	return fl.fall("F_BARRIERFSYNC", fl.barrier)
}
