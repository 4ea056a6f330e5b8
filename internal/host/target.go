package host

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// Target is where the measured directory really is. It names no path.
type Target struct {
	Filesystem      Fact[string]   `json:"filesystem"`       // with subtype: fuse.gocryptfs; a magic number in hex where there is no name
	Options         Fact[[]string] `json:"options"`          // mount options from an allow-list
	Bind            Fact[bool]     `json:"bind"`             // whether only a part of the file system is mounted there
	Subvolume       Fact[string]   `json:"subvolume"`        // of btrfs
	Pool            Fact[string]   `json:"pool"`             // of ZFS
	Sync            Fact[string]   `json:"sync"`             // the sync property of a ZFS data set
	Variant         Fact[string]   `json:"variant"`          // the program of a FUSE mount, the kind of a 9p share
	UpperFilesystem Fact[string]   `json:"upper_filesystem"` // below an overlay
	UpperOptions    Fact[[]string] `json:"upper_options"`    // options of the file systems below an overlay or a loop device
	Device          Fact[string]   `json:"device"`           // what the file system was mounted from, by device number
	Layers          Fact[[]Layer]  `json:"layers"`           // from there down
	Disks           Fact[[]Disk]   `json:"disks"`            // every whole disk at the bottom
	Boundary        Fact[string]   `json:"boundary"`         // what an fsync is handed over to: none, memory, host, network
	Guest           Fact[bool]     `json:"guest"`            // whether this is a virtual machine
	Eatmydata       Fact[bool]     `json:"eatmydata"`        // whether libeatmydata is preloaded
}

// boundary lists the file systems whose files are kept by another machine or by
// the host of this one, where the durability is not this kernel's to promise.
var boundary = map[string]string{
	"nfs": "network", "nfs4": "network", "cifs": "network", "smb3": "network", "smbfs": "network", "ceph": "network",
	"afs": "network", "lustre": "network", "gpfs": "network", "beegfs": "network", "glusterfs": "network",
	"ocfs2": "network", "gfs2": "network", "fuse.sshfs": "network", "fuse.glusterfs": "network", "fuse.s3fs": "network",
	"fuse.rclone": "network", "fuse.juicefs": "network", "fuse.ceph": "network", "fuse.gcsfuse": "network",
	"9p": "host", "virtiofs": "host", "vboxsf": "host", "vmhgfs": "host", "fuse.vmhgfs-fuse": "host", "prl_fs": "host",
	"drvfs": "host", "fakeowner": "host", "fuse.grpcfuse": "host", "fuse.osxfs": "host", "hostfs": "host",
}

func readTarget(root fs.FS, dir string, live Live, guest Fact[bool]) Target {
	t := Target{Guest: guest, Eatmydata: readEatmydata(root)}
	path, err := live.Resolve(dir)
	if err != nil {
		return t.blank(why("the directory", err))
	}
	mounts, err := readMounts(root)
	if err != nil {
		return t.byStatfs(dir, live, err.Error())
	}
	var dev *Number
	if n, err := live.Device(dir); err == nil {
		dev = &n
	}
	m, ok := mountOf(mounts, path, dev)
	if !ok {
		return t.byStatfs(dir, live, "no line of "+mountinfo+" holds the directory")
	}
	t.describe(m)
	t.descend(root, live, mounts, m, path)
	return t
}

// blank makes every fact that depends on the mount unknown.
func (t Target) blank(why string) Target {
	s, list := Missing[string](why), Missing[[]string](why)
	t.Filesystem, t.Subvolume, t.Pool, t.Sync, t.Variant, t.UpperFilesystem, t.Device, t.Boundary = s, s, s, s, s, s, s, s
	t.Options, t.UpperOptions = list, list
	t.Bind, t.Layers, t.Disks = Missing[bool](why), Missing[[]Layer](why), Missing[[]Disk](why)
	return t
}

// byStatfs asks the file system itself where there is no mount table.
func (t Target) byStatfs(dir string, live Live, why string) Target {
	t = t.blank(why)
	st, err := live.Statfs(dir)
	if err != nil {
		return t
	}
	name := clean(st.Name)
	if name == "" {
		name = magicName(st.Magic)
	} else if !st.Local {
		t.Boundary = Known("network", "", "statfs")
	}
	t.Filesystem = Known(name, "", "statfs")
	if b := boundary[name]; b != "" {
		t.Boundary = Known(b, "", "statfs")
	}
	if name == "tmpfs" || name == "ramfs" {
		t.Boundary = Known("memory", "", "statfs")
	}
	return t
}

// describe fills in what the mount itself tells.
func (t *Target) describe(m Mount) {
	no := "does not apply to " + m.kind()
	t.Filesystem = Known(m.kind(), "", mountinfo)
	t.Options = Known(printable(m.all()), "", mountinfo)
	t.Subvolume, t.Pool, t.Sync, t.Variant = Missing[string](no), Missing[string](no), Missing[string](no), Missing[string](no)
	t.UpperFilesystem, t.UpperOptions = Missing[string](no), Missing[[]string](no)
	top := "/"
	switch {
	case m.Type == "btrfs":
		if sub, ok := m.option("subvol"); ok {
			top = sub
		}
		t.Subvolume = customaryFact(top, customarySub)
	case m.Type == "zfs":
		pool, _, _ := strings.Cut(m.Source, "/")
		t.Pool = customaryFact(pool, customaryPool)
		t.Sync = Missing[string]("the sync property of a ZFS data set is not in /proc or /sys")
	case m.Type == "9p":
		t.Variant = Missing[string]("the 9p mount does not say what serves it")
		if v, _ := m.option("aname"); v == "drvfs" || strings.HasPrefix(v, "drvfs;") {
			t.Variant = Known("drvfs", "", mountinfo)
		}
	case strings.HasPrefix(m.kind(), "fuse."):
		t.Variant = Known(strings.TrimPrefix(m.kind(), "fuse."), "", mountinfo)
	case strings.HasPrefix(m.kind(), "fuse"):
		t.Variant = Missing[string]("the FUSE mount does not name its program")
	}
	t.Bind = Known(m.Root != top, "", mountinfo)
}

// plainSubtype has no room for the title of somebody's own application.
var plainSubtype = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,31}$`)

// kind returns the type as it is printed. The part after "fuse." is whatever the
// program calls itself, so it is left out unless it is a plain word.
func (m Mount) kind() string {
	kind, sub, ok := strings.Cut(m.Type, ".")
	if ok && !plainSubtype.MatchString(sub) {
		return clean(kind)
	}
	return clean(m.Type)
}

func customaryFact(name string, customary map[string]bool) Fact[string] {
	if customary[name] {
		return Known(name, "", mountinfo)
	}
	return Missing[string]("not printed: a name that somebody chose")
}

// descend fills in what lies below the file system.
func (t *Target) descend(root fs.FS, live Live, mounts []Mount, m Mount, at string) {
	s := &stack{root: root, live: live, mounts: mounts, seen: make(map[string]bool)}
	s.mount(m, at)
	gaps := strings.Join(s.gaps, "; ")
	if len(s.upper) > 0 {
		t.UpperFilesystem = Known(s.upper[0].kind(), "", mountinfo)
		var all []string
		for _, u := range s.upper {
			all = append(all, u.all()...)
		}
		t.UpperOptions = Known(printable(all), "", mountinfo)
	} else if m.Type == "overlay" {
		t.UpperFilesystem, t.UpperOptions = Missing[string](gaps), Missing[[]string](gaps)
	}
	if len(s.layers) > 0 {
		t.Device = Known(s.layers[0].Device, "", "/sys/dev/block")
		t.Layers = Known(s.layers, "", "/sys/block")
	} else {
		t.Device, t.Layers = Missing[string](gaps), Missing[[]Layer](gaps)
	}
	if gaps != "" || len(s.disks) == 0 {
		// Some of the disks is not all of them: a sum over them would mislead.
		t.Disks = Missing[[]Disk](gaps)
	} else {
		var disks []Disk
		for _, d := range s.disks {
			disks = append(disks, readDisk(root, d, t.Guest))
		}
		t.Disks = Known(disks, "", "/sys/block")
	}
	t.Boundary = t.boundary(append([]Mount{m}, s.upper...))
}

// boundary tells what an fsync that does its work is handed over to.
func (t *Target) boundary(mounts []Mount) Fact[string] {
	for _, m := range mounts {
		if b := boundary[m.Type]; b != "" {
			return Known(b, "", mountinfo)
		}
		if m.Type == "tmpfs" || m.Type == "ramfs" {
			return Known("memory", "", mountinfo)
		}
	}
	layers, _ := t.Layers.Get()
	for _, kind := range []string{"memory", "network"} {
		if slices.ContainsFunc(layers, func(l Layer) bool { return l.Kind == kind }) {
			return Known(kind, "", "/sys/block")
		}
	}
	disks, ok := t.Disks.Get()
	for _, d := range disks {
		if v, ok := d.Transport.Get(); ok && v != "pcie" {
			return Known("network", "", d.Transport.Source)
		}
	}
	guest, asked := t.Guest.Get()
	switch {
	case !ok:
		return Missing[string](t.Disks.Unknown)
	case !asked:
		return Missing[string](t.Guest.Unknown)
	case guest:
		return Known("host", "", t.Guest.Source)
	}
	return Known("none", "", "/sys/block")
}

// readEatmydata looks for the library in what the dynamic linker was told.
func readEatmydata(root fs.FS) Fact[bool] {
	const name = "/proc/self/environ"
	s, err := readText(root, name)
	if err != nil {
		return Missing[bool](why(name, err))
	}
	for _, kv := range strings.Split(s, "\x00") {
		if v, ok := strings.CutPrefix(kv, "LD_PRELOAD="); ok && strings.Contains(v, "eatmydata") {
			return Known(true, "", "LD_PRELOAD")
		}
	}
	if s, err := readText(root, "/etc/ld.so.preload"); err == nil && strings.Contains(s, "eatmydata") {
		return Known(true, "", "/etc/ld.so.preload")
	}
	return Known(false, "", name)
}

// magics are the numbers of file systems that a directory is likely to be on
// (include/uapi/linux/magic.h and the file systems' own sources).
var magics = map[uint64]string{
	0xef53: "ext4", 0x58465342: "xfs", 0x9123683e: "btrfs", 0x2fc12fc1: "zfs", 0x01021994: "tmpfs", 0x858458f6: "ramfs",
	0x794c7630: "overlay", 0x6969: "nfs", 0x01021997: "9p", 0x6a656a63: "virtiofs", 0x65735546: "fuse", 0xf2f52010: "f2fs",
	0xff534d42: "cifs", 0xfe534d42: "smb3", 0x00c36400: "ceph", 0xca451a4e: "bcachefs", 0x4d44: "vfat", 0x2011bab0: "exfat",
}

func magicName(n uint64) string {
	if name := magics[n]; name != "" {
		return name
	}
	return fmt.Sprintf("%#x", n)
}
