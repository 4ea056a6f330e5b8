package pipelining

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"

	"envelope/internal/measure"
	"envelope/internal/resp"
)

// What a client sends before it reads anything: a counter and a value of 500 bytes in
// turn, as inline requests, which are short. The replies are many times as long.
const (
	eager     = 30_000
	largeSize = 500
)

// errRoomy says that the system takes all replies without a reader.
var errRoomy = errors.New("the system's socket buffers hold all replies to 30,000 commands, so that a server has no reason to pause")

// errNoRoom says that a client can't send all of it here without reading.
var errNoRoom = errors.New("the system's socket buffers do not hold 30,000 short commands, and nobody can send more than they hold without reading")

// paused sends more than the server will take in replies, waits until the server
// has stopped reading, and only then reads.
func (b *bench) paused(ctx context.Context) error {
	trials := 3
	if b.Full {
		trials = 30
	}
	s, err := start(ctx, b.Run, b.directory(), setup{Faults: resp.Faults{ForgetInput: b.Sabotaged(noReprocess)}})
	if err != nil {
		return err
	}
	defer s.Close()
	large := bytes.Repeat([]byte("v"), largeSize)
	copy(large, b.Payload("large", largeSize/2))
	pauses := 0
	for trial := range trials {
		wrong, n, err := eagerClient(ctx, s, trial, large)
		if errors.Is(err, errNoRoom) || errors.Is(err, errRoomy) {
			b.Void(pausedServed, measure.Unreachable, "%v", err)
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			wrong++
		}
		pauses += n
		b.Observe(pausedServed, float64(wrong))
	}
	b.Note("the server paused its reads %d times in %d trials", pauses, trials)
	return nil
}

// eagerClient is one trial: how many replies were missing or wrong, and how often
// the server paused.
func eagerClient(ctx context.Context, s *server, trial int, large []byte) (wrong, pauses int, err error) {
	fd, err := dial(s.dir, socketName)
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(fd)
	// A request for more than the system allows gets what it allows.
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1<<20)
	first, err := s.tell("report")
	if err != nil {
		return 0, 0, err
	}
	counter, key := "n"+strconv.Itoa(trial), "v"
	request := resp.AppendRequest(nil, []byte("SET"), []byte(key), large)
	want := append(make([]byte, 0, eager/2*(largeSize+24)), "+OK\r\n"...)
	for i := range eager {
		if i%2 == 0 {
			request = append(request, "INCR "+counter+"\r\n"...)
			want = fmt.Appendf(want, ":%d\r\n", i/2+1)
		} else {
			request = append(request, "GET "+key+"\r\n"...)
			want = resp.AppendBulk(want, large)
		}
	}
	if err := sendAll(ctx, s, fd, request); err != nil {
		return 0, 0, err
	}
	if r, err := s.tell("report"); err != nil || r.Waiting == 0 {
		return 0, 0, cmp.Or(err, errRoomy)
	}
	got, err := readAll(ctx, s, fd, len(want))
	if err != nil {
		return 0, 0, err
	}
	last, err := s.tell("report")
	if err != nil {
		return 0, 0, err
	}
	return amiss(got, want), last.Pauses - first.Pauses, nil
}

// sendAll writes without reading, and returns when the server has paused: there
// is nothing that it could do until somebody reads.
func sendAll(ctx context.Context, s *server, fd int, request []byte) error {
	for still := 0; len(request) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := unix.Write(fd, request[:min(len(request), 16<<10)])
		switch {
		case err == unix.EINTR:
			continue
		case err == nil:
			request, still = request[n:], 0
			continue
		case err != unix.EAGAIN:
			return fmt.Errorf("writing to the server: %w", err)
		}
		// The server may be about to read. When it has said twice that it has not, it waits for us.
		r, err := s.tell("report")
		if err != nil {
			return err
		}
		if still++; still > 2 && r.Waiting > 0 {
			return errNoRoom
		}
	}
	_, err := rest(ctx, s)
	return err
}

// rest waits until the server does nothing more by itself: between two of its
// reports nothing has happened.
func rest(ctx context.Context, s *server) (report, error) {
	for {
		before, err := s.tell("report")
		if err != nil {
			return report{}, err
		}
		after, err := s.tell("report")
		if err != nil {
			return report{}, err
		}
		if before.Counts == counted(after, before) {
			return after, ctx.Err()
		}
	}
}

// counted is a report's counts, but for the waits that the reports themselves
// cost.
func counted(r, like report) resp.Counts {
	c := r.Counts
	c.Waits = like.Waits
	return c
}

// readAll reads until so many bytes are there, or the server has nothing more to
// say. It reads what is there when the server has come to rest, and no more until it
// has again: however fast either of them is, the server fills the socket, pauses and
// is resumed many times, the last of them with nothing left to read but what it has
// read already.
func readAll(ctx context.Context, s *server, fd, size int) ([]byte, error) {
	got := make([]byte, 0, size)
	for quiet := 0; len(got) < size && quiet < 3; {
		r, err := rest(ctx, s)
		if err != nil {
			return nil, err
		}
		n, err := unix.IoctlGetInt(fd, bytesWaiting)
		if err != nil {
			return nil, fmt.Errorf("asking how many bytes the server has sent: %w", err)
		}
		if n == 0 && r.Waiting == 0 {
			quiet++
			continue
		}
		quiet = 0
		piece, err := readThose(fd, n)
		if err != nil {
			return nil, err
		}
		got = append(got, piece...)
	}
	return got, nil
}

// readThose reads bytes that are there already.
func readThose(fd, n int) ([]byte, error) {
	piece := make([]byte, n)
	for have := 0; have < n; {
		m, err := unix.Read(fd, piece[have:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, fmt.Errorf("reading from the server: %w", err)
		case m == 0:
			return piece[:have], nil
		default:
			have += m
		}
	}
	return piece, nil
}

// amiss counts the replies that are not where they should be: all of them behind
// the first byte that differs or is missing.
func amiss(got, want []byte) int {
	same := 0
	for same < min(len(got), len(want)) && got[same] == want[same] {
		same++
	}
	if same == len(want) && len(got) == len(want) {
		return 0
	}
	replies := resp.Replies(want[:same])
	return max(1, eager+1-replies)
}
