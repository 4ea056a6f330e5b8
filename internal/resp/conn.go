package resp

import (
	"fmt"

	"golang.org/x/sys/unix"

	"envelope/internal/poll"
)

// conn is a client's connection.
type conn struct {
	fd      int
	parser  parser
	in      []byte // what was read and not carried out
	out     []byte // replies
	sent    int    // of out
	paused  bool   // nothing is read until the replies are gone
	stalled bool   // in may hold whole requests: there were too many replies
	writing bool   // it is watched for room to write
	queued  bool   // in the server's dirty
	closing bool   // when the replies are gone
}

// waiting is how many bytes of replies wait.
func (c *conn) waiting() int { return len(c.out) - c.sent }

// listen makes a Unix socket that only this user can connect to.
func listen(path string) (fd int, err error) {
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, fmt.Errorf("making a socket: %w", err)
	}
	unix.CloseOnExec(fd)
	if err = unix.SetNonblock(fd, true); err == nil {
		// The socket gets the mode at bind (unix(7)); nothing else of this process makes files meanwhile.
		mask := unix.Umask(0o177)
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
		unix.Umask(mask)
	}
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("listening on a Unix socket: %w", err)
	}
	return fd, nil
}

// accept takes all connections that wait. Where there is no descriptor left for
// one, the socket is left alone until another connection ends: it would be ready
// again at once, and for ever.
func (s *Server) accept() {
	for len(s.conns) < most {
		fd, _, err := unix.Accept(s.socket)
		switch {
		case err == unix.EINTR || err == unix.ECONNABORTED:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil:
			s.listenAgain(false)
			return
		}
		unix.CloseOnExec(fd)
		if unix.SetNonblock(fd, true) != nil || s.poller.Add(fd, true, false) != nil {
			unix.Close(fd)
			continue
		}
		s.conns[fd] = &conn{fd: fd, parser: parser{bulk: -1}}
	}
	s.listenAgain(false)
}

// listenAgain watches the socket, or not.
func (s *Server) listenAgain(on bool) {
	if s.full == on && s.poller.Change(s.socket, on, false) == nil {
		s.full = !on
	}
}

func (s *Server) close(c *conn) {
	if s.conns[c.fd] != c {
		return
	}
	s.poller.Remove(c.fd)
	unix.Close(c.fd)
	delete(s.conns, c.fd)
	s.listenAgain(true)
}

// queue has a connection looked at when the turn's replies are sent.
func (s *Server) queue(c *conn) {
	if !c.queued {
		c.queued = true
		s.dirty = append(s.dirty, c)
	}
}

// ready takes an event of a connection. One that is paused or stalled has enough
// to do with what it has.
func (s *Server) ready(c *conn, e poll.Event) {
	if e.Writable && c.waiting() > 0 {
		s.queue(c)
	}
	if e.Readable && !c.paused && !c.stalled && !c.closing {
		s.read(c)
	}
}

// read reads once and carries out what is whole.
func (s *Server) read(c *conn) {
	s.Reads++
	n, errno := sysRead(c.fd, s.buffer)
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return
	case errno != 0 || n == 0:
		s.close(c)
		return
	}
	if len(c.in) > 0 {
		c.in = append(c.in, s.buffer[:n]...)
		s.carryOut(c)
		return
	}
	// In the usual case all of it is whole, and nothing is copied.
	used := s.process(c, s.buffer[:n])
	c.in = append(c.in[:0], s.buffer[used:n]...)
}

// carryOut processes what a connection has left of its input.
func (s *Server) carryOut(c *conn) {
	used := s.process(c, c.in)
	c.in = c.in[:copy(c.in, c.in[used:])]
	if len(c.in) == 0 && cap(c.in) > spare {
		c.in = nil
	}
}

// process carries out whole requests until there is none left, or enough replies
// wait, and returns how much of the data that was.
func (s *Server) process(c *conn, data []byte) (used int) {
	c.stalled = false
	for used < len(data) && !c.closing {
		if c.waiting() > highWater {
			c.stalled = true
			break
		}
		n, err := c.parser.next(data[used:])
		if err != nil {
			c.out = failure(c.out, err.Error())
			c.closing = true
			used = len(data)
			break
		}
		if n == 0 {
			break
		}
		used += n
		if len(c.parser.args) == 0 {
			continue
		}
		c.out = s.db.execute(c.parser.args, c.out)
		if s.Faults.FlushEach && !s.send(c) {
			return used
		}
	}
	c.parser.trim()
	if c.waiting() > 0 || c.stalled || c.closing {
		s.queue(c)
	}
	return used
}

// repeat takes up the input that was left when a turn ended, or a pause.
func (s *Server) repeat() {
	again := s.again
	s.again = nil
	for _, c := range again {
		if s.conns[c.fd] == c {
			s.carryOut(c)
		}
	}
}

// flush sends the replies of a turn, one write to a connection.
func (s *Server) flush() {
	for _, c := range s.dirty {
		c.queued = false
		if s.conns[c.fd] == c && s.send(c) {
			s.settle(c)
		}
	}
	s.dirty = s.dirty[:0]
}

// send writes what waits and reports whether the connection is still there.
func (s *Server) send(c *conn) bool {
	for c.waiting() > 0 {
		s.Writes++
		n, errno := sysWrite(c.fd, c.out[c.sent:])
		if errno == unix.EINTR {
			continue
		}
		if errno == unix.EAGAIN {
			break
		}
		if errno != 0 {
			s.close(c)
			return false
		}
		if c.sent += n; c.waiting() > 0 {
			break // the client is slower than we are: another turn
		}
	}
	switch {
	case c.waiting() == 0:
		if c.out, c.sent = c.out[:0], 0; cap(c.out) > spare {
			c.out = nil
		}
	case c.sent > highWater: // of a client that is never done, what was sent would add up
		c.out, c.sent = c.out[:copy(c.out, c.out[c.sent:])], 0
	}
	return true
}

// settle decides what a connection waits for next.
func (s *Server) settle(c *conn) {
	waiting := c.waiting()
	if c.closing && waiting == 0 {
		s.close(c)
		return
	}
	resumed := false
	switch {
	case !c.paused && waiting > highWater:
		c.paused = true
		s.Pauses++
	case c.paused && waiting == 0:
		c.paused, resumed = false, true
	}
	if read, write := !c.paused && !c.closing, waiting > 0; resumed || c.paused || c.closing || write != c.writing {
		c.writing = write
		if s.poller.Change(c.fd, read, write) != nil {
			s.close(c)
			return
		}
	}
	// No event tells of what was read already.
	if c.stalled && !c.paused && !(resumed && s.Faults.ForgetInput) {
		s.again = append(s.again, c)
	} else if resumed {
		c.stalled = false
	}
}
