package host

import (
	"io/fs"
	"path"
	"strings"
)

// Layer is one block device on the way from the file system down to the disks.
type Layer struct {
	Device string `json:"device"` // the kernel's name: dm-0, md0, sda1
	Kind   string `json:"kind"`   // disk, partition, lvm, crypt, raid1, multipath, loop, ...
	Name   string `json:"-"`      // the device-mapper's name: the owner's own word, kept out of every output
}

// stack walks down from a mount and collects the layers and the disks.
type stack struct {
	root   fs.FS
	live   Live
	mounts []Mount
	seen   map[string]bool
	layers []Layer
	disks  []string
	upper  []Mount  // file systems below an overlay or a loop device
	gaps   []string // why a branch could not be followed to its disk
}

func (s *stack) gap(why string) { s.gaps = append(s.gaps, why) }

// mount goes on below a mounted file system, on which the path lies.
func (s *stack) mount(m Mount, at string) {
	switch {
	case m.Type == "overlay":
		s.overlay(m, at)
	case m.Type == "btrfs":
		s.btrfs(m)
	case m.Device.Major != 0:
		s.number(m.Device)
	case m.Type == "zfs":
		s.gap("the disks of a ZFS pool are not listed in /proc or /sys")
	case m.Type == "tmpfs", m.Type == "ramfs":
		s.gap(m.Type + " has no device")
	case m.Type == "fuse", strings.HasPrefix(m.Type, "fuse."):
		s.gap("what backs a FUSE file system is its program's secret")
	case boundary[m.Type] != "":
		s.gap("the disks are behind the " + boundary[m.Type] + " boundary")
	default:
		s.gap("no device has the number " + m.Device.String())
	}
}

// number goes on at a device number. The name of the mount's source is not
// asked: /dev/root exists nowhere, and a name may have been given away since.
func (s *stack) number(n Number) {
	text, err := readText(s.root, "/sys/dev/block/"+n.String()+"/uevent")
	if err != nil {
		s.gap(why("/sys/dev/block/"+n.String(), err))
		return
	}
	name := ueventName(text)
	if name == "" {
		s.gap("/sys/dev/block/" + n.String() + "/uevent has no DEVNAME")
		return
	}
	s.device(name)
}

// ueventName returns the kernel's name of a block device. sysfs writes "!" where
// the name has "/" (cciss!c0d0), which is the form that directories need.
func ueventName(text string) string {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "DEVNAME="); ok && clean(v) == v {
			return strings.ReplaceAll(v, "/", "!")
		}
	}
	return ""
}

// device goes on at a block device of that kernel name.
func (s *stack) device(name string) {
	if s.seen[name] {
		return
	}
	s.seen[name] = true
	sys := "/sys/block/" + name
	if !exists(s.root, sys) {
		whole, ok := s.parent(name)
		if !ok {
			s.gap(name + " is not in /sys/block")
			return
		}
		s.layers = append(s.layers, Layer{Device: name, Kind: "partition"})
		s.device(whole)
		return
	}
	l := s.layer(name)
	s.layers = append(s.layers, l)
	switch below := names(s.root, sys+"/slaves"); {
	case l.Kind == "loop":
		s.loop(name)
	case len(below) > 0:
		for _, b := range below {
			s.device(b)
		}
	case l.Kind != "disk" && l.Kind != "memory" && l.Kind != "network":
		s.gap(name + " lists no device below it")
	default:
		s.disks = append(s.disks, name)
	}
}

// parent finds the whole disk that holds a partition: the one whose directory
// has a directory of that name.
func (s *stack) parent(name string) (string, bool) {
	for _, disk := range names(s.root, "/sys/block") {
		if strings.HasPrefix(name, disk) && exists(s.root, "/sys/block/"+disk+"/"+name+"/partition") {
			return disk, true
		}
	}
	return "", false
}

func (s *stack) layer(name string) Layer {
	sys := "/sys/block/" + name
	l := Layer{Device: name, Kind: "disk"}
	if exists(s.root, sys+"/dm") {
		uuid, _ := readText(s.root, sys+"/dm/uuid")
		l.Kind = dmKind(uuid)
		l.Name, _ = readText(s.root, sys+"/dm/name")
		return l
	}
	if exists(s.root, sys+"/md") {
		l.Kind = "md"
		if level, err := readText(s.root, sys+"/md/level"); err == nil && level != "" {
			l.Kind = clean(level) // raid1, raid5, linear, ...
		}
		return l
	}
	for _, k := range []struct{ prefix, kind string }{
		{"loop", "loop"}, {"bcache", "bcache"}, {"zram", "memory"}, {"ram", "memory"},
		{"nbd", "network"}, {"rbd", "network"}, {"drbd", "network"},
	} {
		if strings.HasPrefix(name, k.prefix) {
			l.Kind = k.kind
		}
	}
	return l
}

// dmKinds are the marks with which each program begins the UUIDs of its
// device-mapper devices; the rest of a UUID is never used.
var dmKinds = []struct{ prefix, kind string }{
	{"LVM-", "lvm"}, {"CRYPT-VERITY-", "verity"}, {"CRYPT-INTEGRITY-", "integrity"}, {"CRYPT-", "crypt"},
	{"mpath-", "multipath"}, {"DMRAID-", "raid"}, {"part", "partition"}, {"stratis-", "stratis"}, {"VDO-", "vdo"},
}

func dmKind(uuid string) string {
	for _, k := range dmKinds {
		if strings.HasPrefix(uuid, k.prefix) {
			return k.kind
		}
	}
	return "device-mapper"
}

// loop goes on at the file behind a loop device.
func (s *stack) loop(name string) {
	file, err := readText(s.root, "/sys/block/"+name+"/loop/backing_file")
	if err != nil {
		s.gap(why("the file behind "+name, err))
		return
	}
	s.file("the file behind "+name, file, nil)
}

// file goes on at the file system that holds a file or directory. The path is
// that of whoever mounted it: here there may be nothing at it, or something else,
// which doubt finds out where there is a way to. For the file behind a loop device
// there is none.
func (s *stack) file(what, name string, doubt func(name string) string) {
	if !path.IsAbs(name) {
		s.gap(what + " is given by a relative path: from which directory it leads is not kept")
		return
	}
	name = path.Clean(name)
	if !exists(s.root, name) {
		s.gap(what + " is not visible here: its path belongs to another mount namespace")
		return
	}
	m, ok := mountOf(s.mounts, name, nil)
	key := "mount " + m.Device.String() + m.Point
	if !ok || s.seen[key] {
		s.gap(what + " is not visible here")
		return
	}
	if doubt != nil {
		if why := doubt(name); why != "" {
			s.gap(what + why)
			return
		}
	}
	s.seen[key] = true
	s.upper = append(s.upper, m)
	s.mount(m, name)
}

// overlay goes on at the upper directory, where everything is written.
func (s *stack) overlay(m Mount, at string) {
	// Guards against an upper directory that seems to lie in the overlay itself,
	// as it does inside a container.
	s.seen["mount "+m.Device.String()+m.Point] = true
	dir, ok := m.option("upperdir")
	if !ok {
		s.gap("the overlay has no upper directory")
		return
	}
	s.file("the overlay's upper directory", dir, func(upper string) string { return s.another(at, upper) })
}

// another says why the directory at the path of an overlay's upper one is not
// that, or may not be: a later mount can cover it. To statfs an overlay answers
// with the blocks of its upper file system (ovl_statfs in fs/overlayfs/super.c),
// so another file system of the very same size is all that is not told apart.
func (s *stack) another(overlay, upper string) string {
	own, err := s.live.Statfs(overlay)
	below, err2 := s.live.Statfs(upper)
	switch {
	case err != nil, err2 != nil:
		return " may not be what lies at its path now: one of the two can't be asked for its size"
	case own.Blocks != below.Blocks || own.BlockSize != below.BlockSize:
		return " is not what lies at its path now: that is on a file system of another size"
	}
	return ""
}

// btrfs goes on at every device of the file system: its device number is 0:N,
// so it is found by the source of the mount and completed from /sys/fs/btrfs.
func (s *stack) btrfs(m Mount) {
	source := s.kernelName(m.Source)
	var all []string
	sets := 0
	for _, id := range names(s.root, "/sys/fs/btrfs") {
		devices := names(s.root, "/sys/fs/btrfs/"+id+"/devices")
		if len(devices) == 0 {
			continue // an entry that is no file system: "features"
		}
		sets++
		if has(devices, source) {
			all, sets = devices, 1
			break
		}
		if source == "" {
			all = devices // taken only if it is the only one that is mounted
		}
	}
	switch {
	case sets == 1 && len(all) > 0:
		for _, d := range all {
			s.device(d)
		}
	case source != "":
		s.device(source)
		s.gap("whether btrfs has further devices is not known: /sys/fs/btrfs does not list " + source)
	default:
		s.gap("the source of the btrfs mount is not a device of this system")
	}
}

// kernelName returns the kernel's name of the device that a mount source names,
// or "" if this system has none of that name.
func (s *stack) kernelName(source string) string {
	name, ok := strings.CutPrefix(source, "/dev/")
	if !ok {
		return ""
	}
	if dm, ok := strings.CutPrefix(name, "mapper/"); ok {
		for _, d := range names(s.root, "/sys/block") {
			if n, err := readText(s.root, "/sys/block/"+d+"/dm/name"); err == nil && n == dm {
				return d
			}
		}
		return ""
	}
	name = strings.ReplaceAll(name, "/", "!")
	if exists(s.root, "/sys/block/"+name) {
		return name
	}
	if _, ok := s.parent(name); ok {
		return name
	}
	return ""
}
