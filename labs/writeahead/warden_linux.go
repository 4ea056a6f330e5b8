package writeahead

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/child"
)

func addChildren(all map[string]func([]string) int) { all["eio"] = eio }

// streamOver is what a client and a warden say last.
const streamOver = "end"

// job is what the three processes of the EIO claim are told.
type job struct {
	role  string // warden, serve or client
	way   string // how to mount
	dir   string // holds the backing files and the mountpoint
	store backing
	seed  uint64
	n     int
	limit time.Duration // for all of the client's work
}

func (j job) args(role string) []string {
	return []string{role, j.way, j.dir, string(j.store), strconv.FormatUint(j.seed, 16), strconv.Itoa(j.n), j.limit.String()}
}

func (j job) point() string   { return filepath.Join(j.dir, "mount") }
func (j job) backing() string { return filepath.Join(j.dir, "backing") }

func parseJob(args []string) (j job, err error) {
	if len(args) != 7 {
		return j, fmt.Errorf("want a role, a way to mount, a directory, a store, a seed, a count and a limit, got %d arguments", len(args))
	}
	j = job{role: args[0], way: args[1], dir: args[2], store: backing(args[3])}
	var errs [3]error
	j.seed, errs[0] = strconv.ParseUint(args[4], 16, 64)
	j.n, errs[1] = strconv.Atoi(args[5])
	j.limit, errs[2] = time.ParseDuration(args[6])
	return j, errors.Join(errs[:]...)
}

// eio is the child of that name: each of the three processes is one.
func eio(args []string) int {
	return child.Main(func() error {
		j, err := parseJob(args)
		if err != nil {
			return err
		}
		switch j.role {
		case "warden":
			return j.watch()
		case "serve":
			return serveMount(j.backing(), j.point(), j.store, j.way == byHelper)
		case "client":
			return j.client()
		}
		return fmt.Errorf("unknown role %q", j.role)
	})
}

// self is another process of the lab.
func (j job) self(role string) *exec.Cmd {
	return exec.Command("/proc/self/exe", j.args(role)...)
}

// watch starts the serving process and the client, and sees to it that neither
// hangs nor leaves a mount: when the client is done, when time is up, or when
// the run is gone, which ends the warden's standard input. It does not die with
// the run, so that it can clean up; and it never touches the mount.
func (j job) watch() (err error) {
	late := fmt.Errorf("the file system under test did not answer within %v: its connection was aborted", j.limit)
	ctx, cancel := context.WithTimeoutCause(context.Background(), j.limit, late)
	defer cancel()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if j.way == byNamespace {
		// In this namespace only; where it is mounted already, it stays so.
		unix.Mount("fusectl", connections, "fusectl", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
	defer func() { err = errors.Join(err, unmount(j.point())) }()
	server, err := child.Start(ctx, j.self("serve"), child.Options{Stop: func(p *child.Process) {
		// Where the control file system can't be reached, the server's death
		// aborts the connection just as well.
		abort(j.point())
		p.SendKill()
	}})
	if err != nil {
		return err
	}
	defer server.Close()
	line, err := server.Line()
	if err != nil {
		return err
	}
	if line != isMounted {
		// fusermount3 has said why to its standard error.
		return child.Say(line + server.Complaint())
	}
	if err := j.relay(ctx); err != nil {
		return err
	}
	// A server that died on the way would have failed the client's calls in
	// its own manner. This one is alive, for it answers.
	server.EndInput()
	if line, err := server.Line(); err != nil {
		return err
	} else if line != isUnmounted {
		return server.Nonsense(line, isUnmounted)
	}
	return child.Say(streamOver)
}

// relay runs the client, and hands on what it says.
func (j job) relay(ctx context.Context) error {
	client, err := child.Start(ctx, j.self("client"), child.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		line, err := client.Line()
		if err != nil {
			return err
		}
		if line == streamOver {
			return client.Close()
		}
		if err := child.Say(line); err != nil {
			return err
		}
	}
}

// client writes the payloads through the mount, syncs each twice, and says what
// it was told.
func (j job) client() error {
	for i := range j.n {
		o, err := syncTwiceIn(filepath.Join(j.point(), trialFile(i)), payloadOf(j.seed, i))
		if err != nil {
			return err
		}
		if err := child.Say(o.line(i)); err != nil {
			return err
		}
	}
	return child.Say(streamOver)
}

// syncTwiceIn makes bare system calls: what is under test is what each of them
// returns.
func syncTwiceIn(path string, payload []byte) (o eioOutcome, err error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return o, fmt.Errorf("opening a file on the mount: %w", err)
	}
	defer unix.Close(fd)
	if n, err := unix.Pwrite(fd, payload, 0); err != nil || n != len(payload) {
		return o, fmt.Errorf("writing to the mount: %d of %d bytes, %w", n, len(payload), err)
	}
	errno := func(err error) syscall.Errno {
		e, _ := err.(syscall.Errno)
		return e
	}
	o.first = errno(unix.Fsync(fd))
	o.second = errno(unix.Fsync(fd))
	if o.cached, err = shown(fd, payload); err != nil {
		return o, err
	}
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		return o, fmt.Errorf("dropping the cached pages: %w", err)
	}
	o.reread, err = shown(fd, payload)
	return o, err
}

func shown(fd int, payload []byte) (int, error) {
	got := make([]byte, len(payload))
	n, err := unix.Pread(fd, got, 0)
	if err != nil {
		return 0, fmt.Errorf("reading from the mount: %w", err)
	}
	return equal(got[:n], payload[:n]), nil
}

func (o eioOutcome) line(i int) string {
	return fmt.Sprintf("trial %d %d %d %d %d", i, uint(o.first), uint(o.second), o.cached, o.reread)
}

// parseOutcome reads what line wrote.
func parseOutcome(line string, i int) (o eioOutcome, ok bool) {
	var at int
	var first, second uint
	n, err := fmt.Sscanf(line, "trial %d %d %d %d %d", &at, &first, &second, &o.cached, &o.reread)
	o.first, o.second = syscall.Errno(first), syscall.Errno(second)
	return o, err == nil && n == 5 && at == i && line == o.line(i)
}

// isRefusal returns why a mount was refused.
func isRefusal(line string) (why string, ok bool) { return strings.CutPrefix(line, refused) }
