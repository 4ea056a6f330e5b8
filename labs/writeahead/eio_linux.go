package writeahead

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"envelope/internal/child"
	"envelope/internal/lab"
)

// The ways to a mount, each with what it takes. In a namespace of its own the
// mount can't outlive the processes that use it, even if all are killed.
const (
	byNamespace     = "mounted in a namespace of its own"      // root
	byUserNamespace = "mounted in a user namespace of its own" // a /dev/fuse for everyone
	byHelper        = "mounted by fusermount3"                 // that helper, set-user-ID
)

// ways are what this user may try, in order.
func ways() []string {
	if os.Geteuid() == 0 {
		return []string{byNamespace, byHelper}
	}
	return []string{byUserNamespace, byHelper}
}

// attributes are how the warden is started. It is not killed with the run: it
// notices that the run is gone, and cleans up.
func attributes(way string) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{}
	if way != byHelper {
		a.Unshareflags = syscall.CLONE_NEWNS // mounts are made private, too
	}
	if way == byUserNamespace {
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return a
}

// eioLimit is how long the client may take for all of its work, which is some
// milliseconds. Tests have less patience.
var eioLimit = 20 * time.Second

// farewell is how long a warden has for its cleaning up.
const farewell = 5 * time.Second

// syncTwice has files written and synced twice on a mount over the given store,
// and says how it was mounted. It tries the ways one by one.
func syncTwice(ctx context.Context, r *lab.Run, store backing, n int) ([]eioOutcome, string, error) {
	sweepMounts()
	var why []string
	for i, way := range ways() {
		out, err := tryWay(ctx, r, way, fmt.Sprintf("eio-%d", i), store, n)
		no := (*unreachable)(nil)
		if !errors.As(err, &no) {
			return out, way, err
		}
		why = append(why, "not "+way+": "+no.why)
	}
	return nil, "", &unreachable{"no FUSE mount here: " + strings.Join(why, "; ")}
}

func tryWay(ctx context.Context, r *lab.Run, way, name string, store backing, n int) (out []eioOutcome, err error) {
	dir, err := filepath.EvalSymlinks(r.Dir) // mountinfo knows paths without links
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return nil, &unreachable{err.Error()}
	}
	j := job{way: way, dir: filepath.Join(dir, name), store: store, seed: r.Rand("eio").Uint64(), n: n, limit: eioLimit}
	if err := errors.Join(os.Mkdir(j.dir, 0o700), prepare(j.backing(), j.seed, n), os.Mkdir(j.point(), 0o700)); err != nil {
		return nil, err
	}
	cmd := r.Child("eio", j.args("warden")...)
	cmd.SysProcAttr = attributes(way)
	p, err := child.Start(ctx, cmd, child.Options{Stop: (*child.Process).EndInput, Outlives: true})
	if err != nil && way != byHelper {
		return nil, &unreachable{err.Error()}
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		p.EndInput()
		// What it leaves behind, if it was killed, is taken away from here.
		err = errors.Join(err, p.Wait(farewell), p.Close(), unmount(j.point()))
	}()
	if out, err = j.listen(p); err != nil {
		return nil, err
	}
	return out, inspect(j.backing(), j.seed, out)
}

// listen reads the outcomes, and waits until the mount is gone.
func (j job) listen(p *child.Process) (out []eioOutcome, err error) {
	for {
		line, err := p.Line()
		if err != nil {
			return nil, err
		}
		if why, ok := isRefusal(line); ok {
			return nil, &unreachable{why}
		}
		if line == streamOver && len(out) == j.n {
			return out, nil
		}
		o, ok := parseOutcome(line, len(out))
		if !ok || len(out) == j.n {
			return nil, p.Nonsense(line, streamOver+" or a trial")
		}
		out = append(out, o)
	}
}
