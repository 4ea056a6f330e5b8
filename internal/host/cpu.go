package host

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

const (
	cpuinfo = "/proc/cpuinfo"
	cpuDir  = "/sys/devices/system/cpu/"
)

func readCPU(root fs.FS, live Live) CPU {
	text, err := readText(root, cpuinfo)
	info := parseCPUInfo(text)
	p, errLive := live.Processor()
	c := CPU{
		Model:    either(info.model(err), nonEmpty(p.Model, errLive), sysctlText(live, "machdep.cpu.brand_string")),
		Vendor:   either(info.vendor(err), nonEmpty(p.Vendor, errLive), sysctlText(live, "machdep.cpu.vendor")),
		Logical:  either(countFact(root, cpuDir+"online"), info.logical(err), sysctlInt(live, "hw.logicalcpu")),
		Physical: either(readPhysical(root), info.physical(err), sysctlInt(live, "hw.physicalcpu")),
		Allowed:  readAllowed(root),
		Vector:   either(info.vector(err), nonEmptyList(p.Vector, errLive, "cpuid")),
		Caches:   either(readCaches(root), nonEmptyList(p.Caches, errLive, "cpuid"), sysctlCaches(live)),
		Governor: textFact(root, cpuDir+"cpu0/cpufreq/scaling_governor"),
	}
	c.Frequency = either(maxFrequency(root), info.frequency(err))
	c.PerformanceCores, c.EfficiencyCores = readKinds(root, live)
	c.Quota, c.QuotaSet = readQuota(root, c.Logical)
	return c
}

func nonEmpty(s string, err error) Fact[string] {
	if err != nil || clean(s) == "" {
		return Missing[string]("no cpuid")
	}
	return Known(clean(s), "", "cpuid")
}

func nonEmptyList[T any](list []T, err error, source string) Fact[[]T] {
	if err != nil || len(list) == 0 {
		return Missing[[]T]("no " + source)
	}
	return Known(list, "", source)
}

func sysctlText(live Live, name string) Fact[string] {
	s, err := live.Sysctl(name)
	if err != nil || clean(s) == "" {
		return Missing[string]("no sysctl " + name)
	}
	return Known(clean(s), "", "sysctl "+name)
}

func sysctlInt(live Live, name string) Fact[int] {
	n, ok := sysctlUint(live, name, "1").Get()
	if !ok || n > 1<<16 {
		return Missing[int]("no sysctl " + name)
	}
	return Known(int(n), "1", "sysctl "+name)
}

// readPhysical counts the sets of siblings among the CPUs that are online.
func readPhysical(root fs.FS) Fact[int] {
	list, err := readText(root, cpuDir+"online")
	if err != nil {
		return Missing[int](why(cpuDir+"online", err))
	}
	online, err := parseList(list)
	if err != nil {
		return Missing[int](cpuDir + "online: " + err.Error())
	}
	cores := make(map[string]bool)
	for _, n := range online {
		dir := cpuDir + "cpu" + strconv.Itoa(n) + "/topology/"
		s, err := readText(root, dir+"core_cpus_list")
		if err != nil {
			// The name before kernel 5.3 (Documentation/admin-guide/cputopology.rst).
			s, err = readText(root, dir+"thread_siblings_list")
		}
		if err != nil {
			return Missing[int](why("topology/core_cpus_list", err))
		}
		cores[s] = true
	}
	if len(cores) == 0 {
		return Missing[int]("no CPU is listed as online")
	}
	return Known(len(cores), "1", cpuDir+"cpu*/topology")
}

// readAllowed counts the affinity mask, which a cpuset narrows too.
func readAllowed(root fs.FS) Fact[int] {
	const name = "/proc/self/status"
	s, err := readText(root, name)
	if err != nil {
		return Missing[int](why(name, err))
	}
	for line := range strings.Lines(s) {
		v, ok := strings.CutPrefix(line, "Cpus_allowed_list:")
		if !ok {
			continue
		}
		list, err := parseList(v)
		if err != nil || len(list) == 0 {
			return Missing[int](name + ": Cpus_allowed_list is not a list of CPUs")
		}
		return Known(len(list), "1", name)
	}
	return Missing[int](name + " has no Cpus_allowed_list")
}

func readQuota(root fs.FS, logical Fact[int]) (Fact[float64], Fact[bool]) {
	g, err := ownCgroup(root, "cpu")
	if err != nil {
		return Missing[float64](err.Error()), Missing[bool](err.Error())
	}
	q, set, err := g.quota(root)
	if err != nil {
		return Missing[float64](err.Error()), Missing[bool](err.Error())
	}
	source := g.label("cpu.cfs_quota_us", "cpu.max")
	if set {
		return Known(q, "1", source), Known(true, "", source)
	}
	n, ok := logical.Get()
	if !ok {
		return Missing[float64]("no quota is set, and the number of CPUs is not known"), Known(false, "", source)
	}
	return Known(float64(n), "1", source+": none set, so the logical CPUs"), Known(false, "", source)
}

func maxFrequency(root fs.FS) Fact[float64] {
	const name = cpuDir + "cpu0/cpufreq/cpuinfo_max_freq"
	khz, err := readUint(root, name)
	if err != nil {
		return Missing[float64](why(name, err))
	}
	return Known(float64(khz)*1000, "Hz", name+" (highest)")
}

// readKinds counts the faster and the slower logical CPUs. Intel's hybrid
// processors have a PMU device for each kind; Arm ones give every CPU a capacity
// (Documentation/ABI/testing/sysfs-devices-system-cpu, cpu_capacity); macOS has
// performance levels, the fastest first.
func readKinds(root fs.FS, live Live) (fast, slow Fact[int]) {
	fast = countFact(root, "/sys/devices/cpu_core/cpus")
	slow = countFact(root, "/sys/devices/cpu_atom/cpus")
	if fast.Value != nil && slow.Value != nil {
		return fast, slow
	}
	if f, s, err := readCapacities(root); err == nil {
		source := cpuDir + "cpu*/cpu_capacity"
		return Known(f, "1", source), Known(s, "1", source)
	}
	fast, slow = sysctlInt(live, "hw.perflevel0.logicalcpu"), sysctlInt(live, "hw.perflevel1.logicalcpu")
	if fast.Value != nil && slow.Value != nil {
		return fast, slow
	}
	m := Missing[int]("the kernel does not tell kinds of core apart here")
	return m, m
}

func readCapacities(root fs.FS) (fast, slow int, err error) {
	list, err := readText(root, cpuDir+"online")
	if err != nil {
		return 0, 0, err
	}
	online, err := parseList(list)
	if err != nil || len(online) == 0 {
		return 0, 0, errors.New("no CPU is listed as online")
	}
	var caps []uint64
	for _, n := range online {
		c, err := readUint(root, fmt.Sprintf("%scpu%d/cpu_capacity", cpuDir, n))
		if err != nil {
			return 0, 0, err
		}
		caps = append(caps, c)
	}
	top := slices.Max(caps)
	if slices.Min(caps) == top {
		// The value that a kernel gives where it knows nothing, as in a guest.
		return 0, 0, errors.New("every CPU has the same capacity")
	}
	for _, c := range caps {
		if c == top {
			fast++
		} else {
			slow++
		}
	}
	return fast, slow, nil
}
