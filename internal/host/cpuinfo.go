package host

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// cpuInfo is what /proc/cpuinfo says: the first CPU's fields, and how many CPUs
// and cores there are.
type cpuInfo struct {
	fields     map[string]string
	processors int
	cores      map[string]bool // "package/core"
}

func parseCPUInfo(s string) cpuInfo {
	c := cpuInfo{fields: make(map[string]string), cores: make(map[string]bool)}
	pkg := ""
	for line := range strings.Lines(s) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), clean(value[:min(len(value), 1<<14)])
		// clean shortens for display; the flags are needed whole.
		if key == "flags" || key == "Features" {
			_, value, _ = strings.Cut(line, ":")
			value = strings.TrimSpace(value)
		}
		if _, seen := c.fields[key]; !seen {
			c.fields[key] = value
		}
		switch key {
		case "processor":
			c.processors++
		case "physical id":
			pkg = value
		case "core id":
			c.cores[pkg+"/"+value] = true
		}
	}
	return c
}

func (c cpuInfo) text(err error, keys ...string) Fact[string] {
	if err != nil {
		return Missing[string](why(cpuinfo, err))
	}
	for _, k := range keys {
		if v := c.fields[k]; v != "" && v != "unknown" {
			return Known(v, "", cpuinfo)
		}
	}
	return Missing[string](cpuinfo + " has no " + keys[0])
}

// model is a name on x86 and two numbers on Arm, where the kernel has no name.
func (c cpuInfo) model(err error) Fact[string] {
	implementer, part := c.fields["CPU implementer"], c.fields["CPU part"]
	if err == nil && implementer != "" && part != "" && c.fields["model name"] == "" {
		return Known("implementer "+implementer+", part "+part, "", cpuinfo)
	}
	return c.text(err, "model name")
}

// implementers are the makers' codes in arch/arm64/include/asm/cputype.h.
var implementers = map[string]string{
	"0x41": "Arm", "0x42": "Broadcom", "0x43": "Cavium", "0x46": "Fujitsu", "0x48": "HiSilicon",
	"0x4e": "NVIDIA", "0x50": "APM", "0x51": "Qualcomm", "0x61": "Apple", "0x6d": "Microsoft", "0xc0": "Ampere",
}

func (c cpuInfo) vendor(err error) Fact[string] {
	if name := implementers[c.fields["CPU implementer"]]; err == nil && name != "" {
		return Known(name, "", cpuinfo)
	}
	return c.text(err, "vendor_id", "CPU implementer")
}

func (c cpuInfo) logical(err error) Fact[int] {
	if err != nil || c.processors == 0 {
		return Missing[int](cpuinfo + " lists no processor")
	}
	return Known(c.processors, "1", cpuinfo)
}

func (c cpuInfo) physical(err error) Fact[int] {
	if err != nil || len(c.cores) == 0 {
		return Missing[int](cpuinfo + " has no core id")
	}
	return Known(len(c.cores), "1", cpuinfo)
}

func (c cpuInfo) frequency(err error) Fact[float64] {
	mhz, errNumber := number(c.fields["cpu MHz"])
	if err != nil || errNumber != nil || mhz == 0 {
		return Missing[float64]("no cpufreq directory, and " + cpuinfo + " has no cpu MHz")
	}
	return Known(mhz*1e6, "Hz", cpuinfo+" (current)")
}

// vectorFlags are the vector extensions that the kernels of this suite, or
// anybody reading its numbers, could care for; prefixes end in "*".
var vectorFlags = []string{
	"sse2", "ssse3", "sse4_1", "sse4_2", "avx", "avx2", "avx_*", "avx10*", "f16c", "fma", "avx512*", "amx_*",
	"asimd", "asimdhp", "asimddp", "asimdfhm", "sve*", "sme", "sme2", "i8mm", "bf16",
}

func (c cpuInfo) vector(err error) Fact[[]string] {
	flags := strings.Fields(c.fields["flags"] + " " + c.fields["Features"])
	if err != nil {
		return Missing[[]string](why(cpuinfo, err))
	}
	if len(flags) == 0 {
		return Missing[[]string](cpuinfo + " has no flags")
	}
	found := []string{}
	for _, f := range flags {
		if slices.ContainsFunc(vectorFlags, func(p string) bool {
			prefix, wild := strings.CutSuffix(p, "*")
			return f == p || wild && strings.HasPrefix(f, prefix)
		}) {
			found = append(found, clean(f))
		}
	}
	return Known(found, "", cpuinfo)
}

func readCaches(root fs.FS) Fact[[]Cache] {
	const dir = cpuDir + "cpu0/cache"
	var caches []Cache
	for _, name := range names(root, dir) {
		if !strings.HasPrefix(name, "index") {
			continue
		}
		c, ok := readCache(root, dir+"/"+name)
		if ok {
			caches = append(caches, c)
		}
	}
	if len(caches) == 0 {
		return Missing[[]Cache](dir + " lists no cache with a size")
	}
	return Known(caches, "", dir)
}

func readCache(root fs.FS, dir string) (Cache, bool) {
	level, err1 := readUint(root, dir+"/level")
	kind, err2 := readText(root, dir+"/type")
	text, err3 := readText(root, dir+"/size")
	size, err4 := parseCacheSize(text)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return Cache{}, false
	}
	c := Cache{Level: int(level), Type: clean(kind), Size: size}
	if s, err := readText(root, dir+"/shared_cpu_list"); err == nil {
		if list, err := parseList(s); err == nil {
			c.SharedBy = len(list)
		}
	}
	return c, true
}

// parseCacheSize returns "32K" in bytes; the kernel writes KiB always.
func parseCacheSize(s string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "K"), 10, 40)
	return n * 1024, err
}

func sysctlCaches(live Live) Fact[[]Cache] {
	var caches []Cache
	for _, c := range []struct {
		name, kind string
		level      int
	}{
		{"hw.l1dcachesize", "Data", 1}, {"hw.l1icachesize", "Instruction", 1},
		{"hw.l2cachesize", "Unified", 2}, {"hw.l3cachesize", "Unified", 3},
	} {
		if n, ok := sysctlUint(live, c.name, "B").Get(); ok && n > 0 {
			caches = append(caches, Cache{Level: c.level, Type: c.kind, Size: n})
		}
	}
	if len(caches) == 0 {
		return Missing[[]Cache]("no sysctl hw.l1dcachesize")
	}
	return Known(caches, "", "sysctl")
}
