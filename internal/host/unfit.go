package host

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Unfit reports whether the directory is known not to sync, and why: claims about
// storage cannot mean anything there.
func (t Target) Unfit() (reason string, unfit bool) {
	options := t.options()
	// Documentation/filesystems/overlayfs.rst, "Volatile mount": all forms of sync
	// are omitted. Newer kernels spell it fsync=volatile.
	for _, o := range []string{"volatile", "fsync=volatile"} {
		if has(options, o) {
			return "the overlay is mounted " + o + ": an fsync there does nothing", true
		}
	}
	// ext4, xfs, btrfs and f2fs in turn: no flush is sent to the disk.
	for _, o := range []string{"nobarrier", "barrier=0", "barrier=none", "barrier=off", "fsync_mode=nobarrier"} {
		if !has(options, o) {
			continue
		}
		switch back, known := t.WriteBack().Get(); {
		case !known:
			return o + " over a write cache that is not known: an fsync does not flush it (" + t.WriteBack().Unknown + ")", true
		case back:
			return o + " over a volatile write cache: an fsync does not flush it", true
		}
	}
	return "", false
}

func (t Target) options() []string {
	own, _ := t.Options.Get()
	upper, _ := t.UpperOptions.Get()
	return slices.Concat(own, upper)
}

// Warnings returns what a reader of the results should know and the measurement
// will judge: a sentence each.
func (t Target) Warnings() []string {
	var out []string
	name, _ := t.Filesystem.Get()
	b, _ := t.Boundary.Get()
	guest, _ := t.Guest.Get()
	switch b {
	case "memory":
		out = append(out, fmt.Sprintf("the directory (%s) is kept in memory: an fsync there reaches no storage", name))
	case "network":
		out = append(out, fmt.Sprintf("%s hands writes to another machine: what an fsync makes durable there is not known", name))
	case "host":
		if boundary[name] == "host" {
			out = append(out, fmt.Sprintf("%s hands writes to the host: durability beyond this system is not known", name))
		}
	}
	if guest && b != "memory" {
		out = append(out, "in a virtual machine an fsync may reach only the host")
	}
	if eat, _ := t.Eatmydata.Get(); eat {
		out = append(out, "eatmydata is preloaded: it swallows the fsync of other programs; the system calls made here do not pass through it")
	}
	return out
}

// WriteBack reports whether any disk under the directory has a volatile write
// cache ("write back"); it is known only if it is for all of them, or if one is.
func (t Target) WriteBack() Fact[bool] {
	disks, ok := t.Disks.Get()
	if !ok {
		return Missing[bool](t.Disks.Unknown)
	}
	unknown := ""
	for _, d := range disks {
		switch cache, ok := d.WriteCache.Get(); {
		case !ok:
			unknown = d.WriteCache.Unknown
		case cache == "write back":
			return Known(true, "", d.WriteCache.Source)
		}
	}
	if unknown != "" || len(disks) == 0 {
		return Missing[bool](unknown)
	}
	return Known(false, "", "/sys/block/*/queue/write_cache")
}

// WriteBackAll reports whether every disk under the directory has a volatile
// write cache, so that every barrier must show in the flush counters.
func (t Target) WriteBackAll() Fact[bool] {
	disks, ok := t.Disks.Get()
	if !ok {
		return Missing[bool](t.Disks.Unknown)
	}
	for _, d := range disks {
		cache, ok := d.WriteCache.Get()
		if !ok {
			return Missing[bool](d.WriteCache.Unknown)
		}
		if cache != "write back" {
			return Known(false, "", d.WriteCache.Source)
		}
	}
	return Known(len(disks) > 0, "", "/sys/block/*/queue/write_cache")
}

// FlushCounter returns a function that sums the flush requests that every whole
// disk under the directory has completed since boot, or nil and the reason why
// they cannot be counted. A call opens and reads one small file a disk.
func (t Target) FlushCounter(root fs.FS) (count func() (uint64, error), reason string) {
	disks, ok := t.Disks.Get()
	if !ok {
		return nil, "the disks under the directory are not known: " + t.Disks.Unknown
	}
	var bad []string
	for _, d := range disks {
		if _, err := readFlushes(root, d.Name); err != nil {
			bad = append(bad, d.Name+": "+err.Error())
		}
	}
	if len(bad) > 0 || len(disks) == 0 {
		return nil, strings.Join(append(bad, "flushes cannot be counted"), "; ")
	}
	return func() (uint64, error) {
		var sum uint64
		for _, d := range disks {
			n, err := readFlushes(root, d.Name)
			if err != nil {
				return 0, fmt.Errorf("reading the flush counter of %s: %w", d.Name, err)
			}
			sum += n
		}
		return sum, nil
	}, ""
}
