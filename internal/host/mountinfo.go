package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Number is a device number.
type Number struct{ Major, Minor uint32 }

// String returns the number as sysfs writes it: "254:0".
func (n Number) String() string { return fmt.Sprintf("%d:%d", n.Major, n.Minor) }

// Mount is one line of /proc/self/mountinfo (Documentation/filesystems/proc.rst,
// section 3.5). It holds paths and names of the machine's owner and is never printed.
type Mount struct {
	ID, Parent int
	Device     Number   // st_dev of its files; 0:N where it has no block device
	Root       string   // the part of the file system that is mounted
	Point      string   // where
	Options    []string // of this mount
	Type       string   // file-system type, with subtype: "fuse.sshfs"
	Source     string   // whatever the file system calls its source; may be empty
	Super      []string // options of the file system
}

const mountinfo = "/proc/self/mountinfo"

func readMounts(root fs.FS) ([]Mount, error) {
	b, err := fs.ReadFile(root, rel(mountinfo))
	if err != nil {
		return nil, errors.New(why(mountinfo, err))
	}
	mounts, err := ParseMountinfo(string(b))
	if err != nil {
		// The error quotes the line, which may hold private names.
		return nil, errors.New(mountinfo + " has a line that cannot be parsed")
	}
	return mounts, nil
}

// ParseMountinfo parses the text of /proc/self/mountinfo. An error names the
// line and quotes it.
func ParseMountinfo(text string) ([]Mount, error) {
	var mounts []Mount
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		m, err := parseMount(line)
		if err != nil {
			return nil, fmt.Errorf("mountinfo line %d: %w", n, err)
		}
		mounts = append(mounts, m)
	}
	return mounts, nil
}

func parseMount(line string) (Mount, error) {
	before, after, ok := strings.Cut(line, " - ")
	f := strings.Split(before, " ")
	if !ok || len(f) < 6 {
		return Mount{}, fmt.Errorf("too few fields in %q", line)
	}
	// The source may be empty, which leaves two spaces in a row, and some
	// file systems leave spaces in their options.
	g := strings.SplitN(after, " ", 3)
	if len(g) != 3 || g[0] == "" {
		return Mount{}, fmt.Errorf("no type, source and options in %q", line)
	}
	id, err1 := strconv.Atoi(f[0])
	parent, err2 := strconv.Atoi(f[1])
	if err1 != nil || err2 != nil {
		return Mount{}, fmt.Errorf("no mount numbers in %q", line)
	}
	dev, err := parseNumber(f[2])
	if err != nil {
		return Mount{}, err
	}
	return Mount{
		ID: id, Parent: parent, Device: dev,
		Root: unescape(f[3]), Point: unescape(f[4]), Options: options(f[5]),
		Type: unescape(g[0]), Source: unescape(g[1]), Super: options(g[2]),
	}, nil
}

func parseNumber(s string) (Number, error) {
	major, minor, _ := strings.Cut(s, ":")
	a, err1 := strconv.ParseUint(major, 10, 32)
	b, err2 := strconv.ParseUint(minor, 10, 32)
	if err1 != nil || err2 != nil {
		return Number{}, fmt.Errorf("%q is not a device number", s)
	}
	return Number{uint32(a), uint32(b)}, nil
}

func options(s string) []string {
	var out []string
	for _, o := range strings.Split(s, ",") {
		if o != "" {
			out = append(out, unescape(o))
		}
	}
	return out
}

// unescape undoes the kernel's octal escapes (space, tab, newline, backslash and
// whatever a file system adds): "\040" is a space. Anything else is left alone.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// mountOf returns the mount that path lies on: the longest mount point that
// holds it, and of equal ones the last, which covers the others. Where st_dev
// names the device of another candidate, that one is it: a mount on a parent
// directory hides longer ones that were there before.
func mountOf(mounts []Mount, path string, dev *Number) (Mount, bool) {
	best, match := -1, -1
	for i, m := range mounts {
		if _, ok := below(path, m.Point); !ok {
			continue
		}
		if best < 0 || len(m.Point) >= len(mounts[best].Point) {
			best = i
		}
		if dev != nil && m.Device == *dev && (match < 0 || len(m.Point) >= len(mounts[match].Point)) {
			match = i
		}
	}
	switch {
	case best < 0:
		return Mount{}, false
	case match >= 0:
		return mounts[match], true
	}
	return mounts[best], true
}

// all returns the options of the mount and of its file system, each once.
func (m Mount) all() []string {
	var out []string
	for _, o := range slices.Concat(m.Options, m.Super) {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// option returns the value of an option of the file system.
func (m Mount) option(key string) (string, bool) {
	for _, o := range m.Super {
		if v, ok := strings.CutPrefix(o, key+"="); ok {
			return v, true
		}
	}
	return "", false
}

func has(list []string, s string) bool { return slices.Contains(list, s) }
