package host

import (
	"io/fs"
	"strconv"
	"strings"
)

const meminfo = "/proc/meminfo"

func readMemory(root fs.FS, live Live) Memory {
	m := Memory{TransparentHuge: choiceFact(root, "/sys/kernel/mm/transparent_hugepage/enabled")}
	s, err := readText(root, meminfo)
	fields := parseMeminfo(s)
	get := func(key, unit string) Fact[uint64] {
		if err != nil {
			return Missing[uint64](why(meminfo, err))
		}
		if v, ok := fields[key]; ok {
			return Known(v, unit, meminfo)
		}
		return Missing[uint64](meminfo + " has no " + key)
	}
	m.Total = either(get("MemTotal", "B"), sysctlUint(live, "hw.memsize", "B"))
	m.Available = get("MemAvailable", "B")
	m.HugePages = get("HugePages_Total", "1")
	m.HugePageSize = get("Hugepagesize", "B")
	m.Limit, m.LimitSet = readMemoryLimit(root, m.Total)
	return m
}

func readMemoryLimit(root fs.FS, total Fact[uint64]) (Fact[uint64], Fact[bool]) {
	g, err := ownCgroup(root, "memory")
	if err != nil {
		return Missing[uint64](err.Error()), Missing[bool](err.Error())
	}
	source := g.label("memory.limit_in_bytes", "memory.max")
	n, set, err := g.memoryLimit(root)
	if err != nil {
		return Missing[uint64](err.Error()), Missing[bool](err.Error())
	}
	all, known := total.Get()
	switch {
	case set && known && n > all: // a limit above the memory is no limit
		return Known(all, "B", source+": above the total"), Known(true, "", source)
	case set:
		return Known(n, "B", source), Known(true, "", source)
	case known:
		return Known(all, "B", source+": none set, so the total"), Known(false, "", source)
	}
	return Missing[uint64]("no limit is set, and the total is not known"), Known(false, "", source)
}

// parseMeminfo returns the fields of /proc/meminfo, sizes in bytes ("kB" there is KiB).
func parseMeminfo(s string) map[string]uint64 {
	out := make(map[string]uint64)
	for line := range strings.Lines(s) {
		key, rest, ok := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if !ok || len(f) == 0 {
			continue
		}
		n, err := strconv.ParseUint(f[0], 10, 53)
		if err != nil {
			continue
		}
		if len(f) > 1 && f[1] == "kB" {
			n *= 1024
		}
		out[key] = n
	}
	return out
}

func sysctlUint(live Live, name, unit string) Fact[uint64] {
	s, err := live.Sysctl(name)
	if err != nil {
		return Missing[uint64]("no sysctl " + name)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return Missing[uint64]("sysctl " + name + " is not a number")
	}
	return Known(n, unit, "sysctl "+name)
}
