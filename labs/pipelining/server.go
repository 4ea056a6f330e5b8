package pipelining

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// server is a child that serves, as this process sees it.
type server struct {
	*child.Process
	dir string
}

// start starts a server in a new directory, or in one that holds a log.
func start(ctx context.Context, r *lab.Run, dir string, u setup) (*server, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return nil, child.Bare(err)
	}
	text, err := json.Marshal(u)
	if err != nil {
		return nil, err
	}
	cmd := r.Child("serve", string(text))
	cmd.Dir = dir // it names its files by their last elements: a socket's path must be short
	p, err := child.Start(ctx, cmd, child.Options{})
	if err != nil {
		return nil, err
	}
	s := &server{p, dir}
	if err := s.expect(listening); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *server) expect(want string) error {
	line, err := s.Line()
	if err == nil && line != want {
		err = s.Nonsense(line, want)
	}
	return err
}

// tell sends a line that is answered by a report.
func (s *server) tell(line string) (r report, err error) {
	if err := s.Send([]byte(line + "\n")); err != nil {
		return r, err
	}
	text, err := s.Line()
	if err != nil {
		return r, err
	}
	if json.Unmarshal([]byte(text), &r) != nil {
		return r, s.Nonsense(text, "a report")
	}
	return r, nil
}

// held calls work while the server's loop rests, so that it finds all of what
// work sent when it wakes: what is written to a Unix socket is there when the
// call returns.
func (s *server) held(work func() error) error {
	if err := s.Send([]byte("hold\n")); err != nil {
		return err
	}
	if err := s.expect(holding); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	if err := s.Send([]byte("go\n")); err != nil {
		return err
	}
	return s.expect(resumed)
}

// longestPath is how long a socket's path can be on every system here (unix(7):
// 108 bytes with its end; macOS: 104).
const longestPath = 103

// dial connects to the socket of that name in a directory. Its descriptor does
// not block.
func dial(dir, name string) (fd int, err error) {
	path := filepath.Join(dir, name)
	if len(path) > longestPath {
		d, err := os.Open(dir)
		if err != nil {
			return -1, child.Bare(err)
		}
		defer d.Close()
		path = fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), name)
	}
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, fmt.Errorf("making a socket: %w", err)
	}
	unix.CloseOnExec(fd)
	// Connecting blocks: until then the descriptor does.
	err = unix.EINTR
	for err == unix.EINTR {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("connecting to the server: %w", err)
	}
	return fd, nil
}

// reachable says why no server can be had in a directory; "" where one can.
func reachable(dir string) string {
	if _, err := os.Stat("/proc/self/fd"); err != nil && len(dir)+len("/server-000/")+len(socketName) > longestPath {
		return fmt.Sprintf("the directory's path has %d bytes, and a Unix socket in it would need a shorter one", len(dir))
	}
	return ""
}

// voidAll makes every claim that needs a server void.
func voidAll(r *lab.Run, why string) {
	for _, c := range r.Lab.Claims {
		r.Void(c.Name, measure.Unreachable, "%s", why)
	}
}
