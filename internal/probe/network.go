package probe

import (
	"golang.org/x/sys/unix"

	"envelope/internal/measure"
)

// roundTrip is a probe of one byte there and back over a connected pair of
// sockets, the other side on a thread of its own.
func roundTrip(ours, theirs int, method string) probe {
	// echo closes a descriptor twice if both ends of it are the same one.
	back, err := unix.Dup(theirs)
	if err != nil {
		back = -1
	}
	go echo(theirs, back)
	return probe{
		method: method, n: 15, bounds: "a call to another process on this machine",
		arm:   measure.Arm{Ops: turns, Op: volley(ours, ours, turns)},
		close: func() { unix.Shutdown(ours, unix.SHUT_RDWR); closeAll(ours) },
	}
}

func unixRoundTrip(*bench) (probe, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return probe{}, err
	}
	return roundTrip(fds[0], fds[1], "one byte there and back over a Unix socket between two threads"), nil
}

func tcpRoundTrip(*bench) (probe, error) {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return probe{}, err
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return probe{}, err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return probe{}, err
	}
	where, err := unix.Getsockname(listener)
	if err != nil {
		return probe{}, err
	}
	ours, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return probe{}, err
	}
	if err := unix.Connect(ours, where); err != nil {
		unix.Close(ours)
		return probe{}, err
	}
	theirs, _, err := unix.Accept(listener)
	if err != nil {
		unix.Close(ours)
		return probe{}, err
	}
	for _, fd := range []int{ours, theirs} {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			closeAll(ours, theirs)
			return probe{}, err
		}
	}
	return roundTrip(ours, theirs, "one byte there and back over TCP on loopback between two threads, no delay"), nil
}
