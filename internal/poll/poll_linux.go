package poll

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Poller is an epoll instance. One goroutine uses it.
type Poller struct {
	fd     int
	raw    []unix.EpollEvent
	events []Event
}

// New makes a poller that reports at most n descriptors at a time.
func New(n int) (*Poller, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	return &Poller{fd: fd, raw: make([]unix.EpollEvent, n), events: make([]Event, 0, n)}, nil
}

// Add watches a descriptor that is not watched yet.
func (p *Poller) Add(fd int, read, write bool) error {
	return p.control(unix.EPOLL_CTL_ADD, fd, read, write)
}

// Change says anew what a watched descriptor is watched for. With neither, only
// an error of it is reported.
func (p *Poller) Change(fd int, read, write bool) error {
	return p.control(unix.EPOLL_CTL_MOD, fd, read, write)
}

// Remove forgets a descriptor, before it is closed.
func (p *Poller) Remove(fd int) error { return p.control(unix.EPOLL_CTL_DEL, fd, false, false) }

func (p *Poller) control(op, fd int, read, write bool) error {
	e := unix.EpollEvent{Fd: int32(fd)}
	if read {
		e.Events |= unix.EPOLLIN
	}
	if write {
		e.Events |= unix.EPOLLOUT
	}
	if err := unix.EpollCtl(p.fd, op, fd, &e); err != nil {
		return fmt.Errorf("epoll_ctl: %w", err)
	}
	return nil
}

// Wait returns what is ready, after at most the given time; a negative one is
// for ever. The slice is good until the next call.
func (p *Poller) Wait(limit time.Duration) ([]Event, error) {
	n, err := again(limit, func(left time.Duration) (int, error) { return unix.EpollWait(p.fd, p.raw, millis(left)) })
	if err != nil {
		return nil, fmt.Errorf("epoll_wait: %w", err)
	}
	p.events = p.events[:0]
	for _, e := range p.raw[:n] {
		gone := e.Events&(unix.EPOLLHUP|unix.EPOLLERR) != 0
		p.events = append(p.events, Event{FD: int(e.Fd), Readable: gone || e.Events&unix.EPOLLIN != 0, Writable: gone || e.Events&unix.EPOLLOUT != 0})
	}
	return p.events, nil
}

// millis rounds up: a wait that ends before its time would be waited again.
func millis(d time.Duration) int {
	if d < 0 {
		return -1
	}
	return int((min(d, time.Hour) + time.Millisecond - 1) / time.Millisecond)
}

// Close ends the poller; what it watched stays open.
func (p *Poller) Close() error { return unix.Close(p.fd) }
