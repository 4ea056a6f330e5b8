package host

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// cgroup is this process's place in one hierarchy: the directories from its own
// group up to the top of what is mounted, innermost first.
type cgroup struct {
	version int // 1 or 2
	dirs    []string
}

var (
	errNoCgroup     = errors.New("no cgroup of this kind is mounted")
	errOutsideGroup = errors.New("the process's own cgroup is not visible here")
)

// ownCgroup finds the hierarchy that carries a controller. Version 1 is asked
// first: on a machine with both, a controller is in version 2 only if it is not
// in version 1 (Documentation/admin-guide/cgroup-v2.rst, "Mounting").
func ownCgroup(root fs.FS, controller string) (cgroup, error) {
	text, err := readText(root, "/proc/self/cgroup")
	if err != nil {
		return cgroup{}, errors.New(why("/proc/self/cgroup", err))
	}
	mounts, err := readMounts(root)
	if err != nil {
		return cgroup{}, err
	}
	own := parseCgroup(text)
	if p, ok := own[controller]; ok {
		return locate(root, mounts, p, controller)
	}
	if p, ok := own[""]; ok {
		return locate(root, mounts, p, "")
	}
	return cgroup{}, errNoCgroup
}

// parseCgroup returns the path in each hierarchy by controller, version 2 under
// the empty name (cgroups(7), /proc/pid/cgroup: "hierarchy-ID:controllers:path").
func parseCgroup(text string) map[string]string {
	own := make(map[string]string)
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, c := range strings.Split(f[1], ",") {
			own[c] = f[2]
		}
	}
	return own
}

func locate(root fs.FS, mounts []Mount, own, controller string) (cgroup, error) {
	for i := len(mounts) - 1; i >= 0; i-- {
		m := mounts[i]
		version := 2
		if controller != "" {
			version = 1
		}
		if version == 2 && m.Type != "cgroup2" || version == 1 && (m.Type != "cgroup" || !has(m.Super, controller)) {
			continue
		}
		rel, ok := below(own, m.Root)
		if !ok || strings.HasPrefix(own, "/..") {
			// The own group lies outside the part that is mounted: its limits
			// cannot be told, and those of the mounted part are another's.
			return cgroup{}, errOutsideGroup
		}
		g := cgroup{version: version}
		for d := path.Clean("/" + rel); ; d = path.Dir(d) {
			g.dirs = append(g.dirs, path.Join(m.Point, d))
			if d == "/" {
				break
			}
		}
		if !exists(root, g.dirs[0]) {
			return cgroup{}, errOutsideGroup
		}
		return g, nil
	}
	return cgroup{}, errNoCgroup
}

// below returns p relative to dir, and whether it lies there.
func below(p, dir string) (string, bool) {
	if dir == "/" {
		return p, true
	}
	if p == dir {
		return "/", true
	}
	rel, ok := strings.CutPrefix(p, dir+"/")
	return "/" + rel, ok
}

// quota returns the tightest CPU quota from the own group upwards, in CPUs, and
// whether there is one.
func (g cgroup) quota(root fs.FS) (float64, bool, error) {
	tightest, found := 0.0, false
	for _, d := range g.dirs {
		q, set, err := g.quotaAt(root, d)
		if err != nil {
			return 0, false, err
		}
		if set && (!found || q < tightest) {
			tightest, found = q, true
		}
	}
	return tightest, found, nil
}

// quotaAt reads one group. A group without the file sets no quota: the root
// never has one, and neither has a group whose parent does not hand the
// controller down.
func (g cgroup) quotaAt(root fs.FS, dir string) (float64, bool, error) {
	if g.version == 2 {
		s, err := readText(root, path.Join(dir, "cpu.max"))
		if errors.Is(err, fs.ErrNotExist) {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, errors.New(why("cpu.max", err))
		}
		return parseCPUMax(s)
	}
	q, err := readText(root, path.Join(dir, "cpu.cfs_quota_us"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, errors.New(why("cpu.cfs_quota_us", err))
	}
	p, err := readText(root, path.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0, false, errors.New(why("cpu.cfs_period_us", err))
	}
	if q == "-1" {
		return 0, false, nil
	}
	return parseCPUMax(q + " " + p)
}

// parseCPUMax parses "max 100000" or "150000 100000": quota and period in µs.
func parseCPUMax(s string) (float64, bool, error) {
	f := strings.Fields(s)
	if len(f) != 2 {
		return 0, false, fmt.Errorf("%q is not a quota and a period", clean(s))
	}
	if f[0] == "max" {
		return 0, false, nil
	}
	q, err1 := strconv.ParseUint(f[0], 10, 63)
	p, err2 := strconv.ParseUint(f[1], 10, 63)
	if err1 != nil || err2 != nil || p == 0 {
		return 0, false, fmt.Errorf("%q is not a quota and a period", clean(s))
	}
	return float64(q) / float64(p), true, nil
}

// memoryLimit returns the tightest memory limit from the own group upwards in
// bytes, and whether there is one.
func (g cgroup) memoryLimit(root fs.FS) (uint64, bool, error) {
	file := "memory.max"
	if g.version == 1 {
		file = "memory.limit_in_bytes"
	}
	var tightest uint64
	found := false
	for _, d := range g.dirs {
		s, err := readText(root, path.Join(d, file))
		if errors.Is(err, fs.ErrNotExist) || err == nil && s == "max" {
			continue
		}
		if err != nil {
			return 0, false, errors.New(why(file, err))
		}
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return 0, false, fmt.Errorf("%s: %q is not a size", file, clean(s))
		}
		// Version 1 says "unlimited" as the largest signed number, rounded
		// down to a page, whose size is up to 64 KiB.
		if n >= 1<<63-1<<16 {
			continue
		}
		if !found || n < tightest {
			tightest, found = n, true
		}
	}
	return tightest, found, nil
}

// throttled returns the periods in which the own group was throttled, and for
// how many seconds. Version 1 counts nanoseconds, version 2 microseconds.
func (g cgroup) throttled(root fs.FS) (periods uint64, seconds float64, err error) {
	s, err := readText(root, path.Join(g.dirs[0], "cpu.stat"))
	if err != nil {
		return 0, 0, errors.New(why("cpu.stat", err))
	}
	v := parsePairs(s)
	n, ok := v["nr_throttled"]
	if !ok {
		return 0, 0, errors.New("cpu.stat has no nr_throttled: no quota can be set on this cgroup")
	}
	if t, ok := v["throttled_usec"]; ok {
		return n, float64(t) / 1e6, nil
	}
	return n, float64(v["throttled_time"]) / 1e9, nil
}

// parsePairs returns the lines of the form "name number".
func parsePairs(s string) map[string]uint64 {
	out := make(map[string]uint64)
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		if n, err := strconv.ParseUint(f[1], 10, 64); err == nil {
			out[f[0]] = n
		}
	}
	return out
}

// label names the file of a hierarchy without its path, which names containers and users.
func (g cgroup) label(v1, v2 string) string {
	if g.version == 1 {
		return "cgroup v1 " + v1
	}
	return "cgroup v2 " + v2
}
