package writeahead

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// mountSource begins the source of every mount that the lab makes; the number
// of the process that watches over it follows.
const mountSource = "envelope-writeahead-"

const mountType = "fuse.envelope"

// connections is where the control file system of FUSE belongs (fuse.rst in
// the kernel's documentation).
const connections = "/sys/fs/fuse/connections"

// mountPoint is a line of mountinfo (proc_pid_mountinfo(5)).
type mountPoint struct {
	device string // the minor number, which is the FUSE connection's
	path   string
	source string
	kind   string
}

// parseMounts reads mountinfo, whose lines are
//
//	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
//
// and leaves out what is none.
func parseMounts(text string) (all []mountPoint) {
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 6 || len(right) < 2 {
			continue
		}
		_, minor, _ := strings.Cut(left[2], ":")
		all = append(all, mountPoint{device: minor, path: unescape(left[4]), kind: right[0], source: unescape(right[1])})
	}
	return all
}

// unescape turns the octal numbers of mountinfo into the characters that they
// stand for.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// ownMounts are the lab's mounts that this process can see. Looking at
// mountinfo asks nothing of any file system.
func ownMounts() (own []mountPoint) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for _, m := range parseMounts(string(text)) {
		if m.kind == mountType && strings.HasPrefix(m.source, mountSource) {
			own = append(own, m)
		}
	}
	return own
}

// mounted returns the lab's mount at a path, or nil.
func mounted(path string) *mountPoint {
	for _, m := range ownMounts() {
		if m.path == path {
			return &m
		}
	}
	return nil
}

// abort ends the connection of the mount at a path: every request that waits
// for its server fails at once, whatever the server does.
func abort(path string) error {
	m := mounted(path)
	if m == nil {
		return nil
	}
	return os.WriteFile(filepath.Join(connections, m.device, "abort"), []byte("1"), 0)
}

// unmount takes the lab's mount at a path away, in use or not.
func unmount(path string) error {
	if mounted(path) == nil {
		return nil
	}
	err := unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
	if err == nil {
		return nil
	}
	helper, missing := exec.LookPath("fusermount3")
	if missing != nil {
		return fmt.Errorf("unmounting: %w", err)
	}
	if out, err := exec.Command(helper, "-u", "-z", path).CombinedOutput(); err != nil {
		return fmt.Errorf("fusermount3 -u: %w: %q", err, out)
	}
	return nil
}

// sweepMounts takes away the mounts of runs that were killed together with all
// of their processes. Only a mount that a helper made can be left at all: the
// others end with their namespace.
func sweepMounts() {
	for _, m := range ownMounts() {
		if m.watched() || unmount(m.path) != nil {
			continue
		}
		// Its directory could not be removed as long as it was a mount; those
		// above it go if nothing else is in them.
		dir := filepath.Dir(m.path)
		os.RemoveAll(dir)
		if run := filepath.Dir(dir); os.Remove(run) == nil {
			os.Remove(filepath.Dir(run))
		}
	}
}

// watched reports whether the process that is to take a mount away is alive: no
// zombie, which has no command line, and no other one of the same number.
func (m mountPoint) watched() bool {
	line, err := os.ReadFile(filepath.Join("/proc", strings.TrimPrefix(m.source, mountSource), "cmdline"))
	return err == nil && strings.Contains(string(line), filepath.Dir(m.path))
}
