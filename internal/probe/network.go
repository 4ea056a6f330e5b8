package probe

import (
	"golang.org/x/sys/unix"

	"envelope/internal/measure"
)

// roundTrip is a probe of one byte there and back over a connected pair of
// sockets, the other side on a thread of its own.
func roundTrip(ends [2]int, method string) probe {
	gone := echo(ends[1], ends[1])
	return probe{
		method: method, n: 51, bounds: "a call to another process on this machine",
		arm: measure.Arm{Ops: turns, Op: volley(ends[0], ends[0])},
		close: func() {
			unix.Shutdown(ends[0], unix.SHUT_RDWR)
			<-gone
			closeAll(ends[:]...)
		},
	}
}

func unixRoundTrip(*bench) (probe, error) {
	var ends [2]int
	err := unshared(func() (_ []int, err error) {
		ends, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		return ends[:], err
	})
	if err != nil {
		return probe{}, err
	}
	return roundTrip(ends, "one byte there and back over a Unix socket between two threads"), nil
}

func tcpRoundTrip(*bench) (probe, error) {
	ends, err := loopback()
	if err != nil {
		return probe{}, err
	}
	for _, fd := range ends {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			closeAll(ends[:]...)
			return probe{}, err
		}
	}
	return roundTrip(ends, "one byte there and back over TCP on loopback between two threads, no delay"), nil
}

// loopback connects two TCP sockets on 127.0.0.1.
func loopback() (ends [2]int, err error) {
	listener, err := tcpSocket()
	if err != nil {
		return ends, err
	}
	defer unix.Close(listener)
	if err := unix.Bind(listener, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return ends, err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return ends, err
	}
	where, err := unix.Getsockname(listener)
	if err != nil {
		return ends, err
	}
	if ends[0], err = tcpSocket(); err != nil {
		return ends, err
	}
	if err = unix.Connect(ends[0], where); err == nil {
		err = unshared(func() (_ []int, err error) { // the connection waits: this returns at once
			ends[1], _, err = unix.Accept(listener)
			return ends[1:], err
		})
	}
	if err != nil {
		closeAll(ends[0])
	}
	return ends, err
}

func tcpSocket() (fd int, err error) {
	err = unshared(func() (_ []int, err error) {
		fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		return []int{fd}, err
	})
	return fd, err
}
