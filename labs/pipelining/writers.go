package pipelining

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"

	"envelope/internal/poll"
	"envelope/internal/resp"
)

// Each of a trial's writers has two SETs in flight, each of another key.
const (
	writersEach = 4
	writerDepth = 2
)

// writers write to a server until it dies.
type writers struct {
	seed   uint64
	poller *poll.Poller
	all    []*writer
	byFD   map[int]*writer
	open   int
	acked  int
}

type writer struct {
	fd, number  int
	sent, acked int // SETs
	half        []byte
	deaf        bool // the server takes nothing more
}

func newWriters(dir string, seed uint64) (w *writers, err error) {
	w = &writers{seed: seed, byFD: map[int]*writer{}}
	if w.poller, err = poll.New(writersEach); err != nil {
		return nil, err
	}
	for i := range writersEach {
		fd, err := dial(dir, socketName)
		if err != nil {
			w.close()
			return nil, err
		}
		one := &writer{fd: fd, number: i}
		w.all, w.byFD[fd] = append(w.all, one), one
		if err := w.poller.Add(fd, true, false); err != nil {
			w.close()
			return nil, err
		}
	}
	w.open = writersEach
	return w, nil
}

func (w *writers) close() {
	for _, one := range w.all {
		unix.Close(one.fd)
	}
	w.poller.Close()
}

// run writes until every connection has ended, and closes reached at the given
// number of acknowledgements.
func (w *writers) run(limit int, reached chan struct{}) error {
	for _, one := range w.all {
		w.send(one, writerDepth)
	}
	said := false
	for w.open > 0 {
		events, err := w.poller.Wait(-1)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := w.read(w.byFD[e.FD]); err != nil {
				return err
			}
		}
		if w.acked >= limit && !said {
			said = true
			close(reached)
		}
	}
	return nil
}

// send sends the next SETs. They are short, and so few that a socket always has
// room for them; what it does not take at once is not sent at all.
func (w *writers) send(one *writer, n int) {
	var request []byte
	for i := range n {
		j := one.sent + i
		request = resp.AppendRequest(request, []byte("SET"), []byte(writtenKey(one.number, j)), valueOf(w.seed, one.number, j))
	}
	if one.deaf {
		return
	}
	if got, err := unix.Write(one.fd, request); err != nil || got < len(request) {
		one.deaf = true // it is dying; what it has said is still to be read
		return
	}
	one.sent += n
}

// read takes what the server has said, its last words among them.
func (w *writers) read(one *writer) error {
	var piece [4096]byte
	n, err := unix.Read(one.fd, piece[:])
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil || n == 0 { // a connection that a killed process had not read to its end is reset
		w.open--
		return w.poller.Remove(one.fd)
	}
	ok := []byte("+OK\r\n")
	one.half = append(one.half, piece[:n]...)
	acks := 0
	for ; bytes.HasPrefix(one.half, ok); acks++ {
		one.half = one.half[len(ok):]
	}
	if !bytes.HasPrefix(ok, one.half) {
		return fmt.Errorf("the server answered a SET with %.80q", one.half)
	}
	one.acked, w.acked = one.acked+acks, w.acked+acks
	w.send(one, acks)
	return nil
}

// compare holds what was acknowledged against what is there.
func (w *writers) compare(d *resp.Database) (acked, lost int) {
	for _, one := range w.all {
		acked += one.acked
		for j := range one.acked {
			v, ok := d.Value(writtenKey(one.number, j))
			if !ok || !bytes.Equal(v, valueOf(w.seed, one.number, j)) {
				lost++
			}
		}
	}
	return acked, lost
}
