package poll

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Poller is a kqueue. One goroutine uses it.
type Poller struct {
	fd     int
	raw    []unix.Kevent_t
	events []Event
	places map[int]int // of a descriptor in events, during Wait
}

// New makes a poller that reports at most n descriptors at a time.
func New(n int) (*Poller, error) {
	fd, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("kqueue: %w", err)
	}
	unix.CloseOnExec(fd)
	return &Poller{fd: fd, raw: make([]unix.Kevent_t, 2*n), events: make([]Event, 0, 2*n), places: map[int]int{}}, nil
}

// Add watches a descriptor that is not watched yet.
func (p *Poller) Add(fd int, read, write bool) error {
	return p.control(fd, unix.EV_ADD|flag(read), unix.EV_ADD|flag(write))
}

// Change says anew what a watched descriptor is watched for.
func (p *Poller) Change(fd int, read, write bool) error {
	return p.control(fd, flag(read), flag(write))
}

// Remove forgets a descriptor, before it is closed.
func (p *Poller) Remove(fd int) error { return p.control(fd, unix.EV_DELETE, unix.EV_DELETE) }

func flag(on bool) int {
	if on {
		return unix.EV_ENABLE
	}
	return unix.EV_DISABLE
}

func (p *Poller) control(fd, read, write int) error {
	var changes [2]unix.Kevent_t
	unix.SetKevent(&changes[0], fd, unix.EVFILT_READ, read)
	unix.SetKevent(&changes[1], fd, unix.EVFILT_WRITE, write)
	if _, err := unix.Kevent(p.fd, changes[:], nil, nil); err != nil {
		return fmt.Errorf("kevent: %w", err)
	}
	return nil
}

// Wait returns what is ready, after at most the given time; a negative one is
// for ever. The slice is good until the next call.
func (p *Poller) Wait(limit time.Duration) ([]Event, error) {
	n, err := again(limit, func(left time.Duration) (int, error) {
		if left < 0 {
			return unix.Kevent(p.fd, nil, p.raw, nil)
		}
		ts := unix.NsecToTimespec(min(left, time.Hour).Nanoseconds())
		return unix.Kevent(p.fd, nil, p.raw, &ts)
	})
	if err != nil {
		return nil, fmt.Errorf("kevent: %w", err)
	}
	p.events = p.events[:0]
	clear(p.places)
	for _, e := range p.raw[:n] {
		at, ok := p.places[int(e.Ident)]
		if !ok {
			at = len(p.events)
			p.places[int(e.Ident)] = at
			p.events = append(p.events, Event{FD: int(e.Ident)})
		}
		p.events[at].Readable = p.events[at].Readable || e.Filter == unix.EVFILT_READ
		p.events[at].Writable = p.events[at].Writable || e.Filter == unix.EVFILT_WRITE
	}
	return p.events, nil
}

// Close ends the poller; what it watched stays open.
func (p *Poller) Close() error { return unix.Close(p.fd) }
