package compare

import (
	"slices"

	"envelope/internal/host"
	"envelope/manifest"
)

// machine is what is compared of the environment, in the order in which it is
// told. A test holds it to the fields of host.Environment: each of them is here,
// or among those left out.
func machine() []aspect {
	type env = *host.Environment
	return []aspect{
		fact("system.os", "system", "", func(e env) host.Fact[string] { return e.System.OS }),
		fact("system.kernel", "kernel", "", func(e env) host.Fact[string] { return e.System.Kernel }),
		fact("system.arch", "architecture", "", func(e env) host.Fact[string] { return e.System.Arch }),
		fact("cpu.model", "processor", "", func(e env) host.Fact[string] { return e.CPU.Model }),
		fact("cpu.vendor", "processor's vendor", "", func(e env) host.Fact[string] { return e.CPU.Vendor }),
		fact("cpu.logical", "logical CPUs", "1", func(e env) host.Fact[int] { return e.CPU.Logical }),
		fact("cpu.physical", "physical cores", "1", func(e env) host.Fact[int] { return e.CPU.Physical }),
		fact("cpu.allowed", "CPUs that the affinity mask leaves", "1", func(e env) host.Fact[int] { return e.CPU.Allowed }),
		fact("cpu.quota_set", "CPU quota set", "", func(e env) host.Fact[bool] { return e.CPU.QuotaSet }),
		fact("cpu.quota", "CPUs' worth of time", "1", func(e env) host.Fact[float64] { return e.CPU.Quota }),
		fact("cpu.caches", "caches", "", func(e env) host.Fact[[]host.Cache] { return e.CPU.Caches }),
		fact("cpu.vector", "vector extensions", "", func(e env) host.Fact[[]string] { return e.CPU.Vector }),
		fact("cpu.governor", "governor", "", func(e env) host.Fact[string] { return e.CPU.Governor }),
		number("cpu.frequency", "frequency", "Hz", within(1.1), func(r *manifest.Run) host.Fact[float64] { return r.Environment.CPU.Frequency }),
		fact("cpu.performance_cores", "fast CPUs", "1", func(e env) host.Fact[int] { return e.CPU.PerformanceCores }),
		fact("cpu.efficiency_cores", "slow CPUs", "1", func(e env) host.Fact[int] { return e.CPU.EfficiencyCores }),
		fact("virtual.machine", "virtual machine", "", func(e env) host.Fact[string] { return e.Virtual.Machine }),
		fact("virtual.container", "container", "", func(e env) host.Fact[string] { return e.Virtual.Container }),
		fact("virtual.hypervisor", "hypervisor", "", func(e env) host.Fact[string] { return e.Virtual.Hypervisor }),
		number("memory.total", "memory", "B", within(1.01), func(r *manifest.Run) host.Fact[float64] { return float(r.Environment.Memory.Total) }),
		number("memory.available", "memory available", "B", within(2), func(r *manifest.Run) host.Fact[float64] { return float(r.Environment.Memory.Available) }),
		fact("memory.limit_set", "memory limit set", "", func(e env) host.Fact[bool] { return e.Memory.LimitSet }),
		number("memory.limit", "memory allowed", "B", within(1.01), func(r *manifest.Run) host.Fact[float64] { return float(r.Environment.Memory.Limit) }),
		fact("memory.transparent_huge", "transparent huge pages", "", func(e env) host.Fact[string] { return e.Memory.TransparentHuge }),
		fact("memory.huge_pages", "huge pages reserved", "1", func(e env) host.Fact[uint64] { return e.Memory.HugePages }),
		fact("memory.huge_page_size", "huge page", "B", func(e env) host.Fact[uint64] { return e.Memory.HugePageSize }),
		fact("clock.source", "clock source", "", func(e env) host.Fact[string] { return e.Clock.Source }),
		fact("clock.available", "clock sources", "", func(e env) host.Fact[[]string] { return e.Clock.Available }),
		number("clock.overhead", "reading of the clock", "s", within(1.5), func(r *manifest.Run) host.Fact[float64] { return r.Environment.Clock.Overhead }),
		number("clock.resolution", "step of the clock", "s", within(2), func(r *manifest.Run) host.Fact[float64] { return r.Environment.Clock.Resolution }),
		fact("target.filesystem", "file system", "", func(e env) host.Fact[string] { return e.Target.Filesystem }),
		fact("target.options", "mount options", "", func(e env) host.Fact[[]string] { return e.Target.Options }),
		fact("target.bind", "part of the file system mounted", "", func(e env) host.Fact[bool] { return e.Target.Bind }),
		fact("target.subvolume", "subvolume", "", func(e env) host.Fact[string] { return e.Target.Subvolume }),
		fact("target.pool", "pool", "", func(e env) host.Fact[string] { return e.Target.Pool }),
		fact("target.sync", "sync property", "", func(e env) host.Fact[string] { return e.Target.Sync }),
		fact("target.variant", "served by", "", func(e env) host.Fact[string] { return e.Target.Variant }),
		fact("target.upper_filesystem", "file system below", "", func(e env) host.Fact[string] { return e.Target.UpperFilesystem }),
		fact("target.upper_options", "mount options below", "", func(e env) host.Fact[[]string] { return e.Target.UpperOptions }),
		fact("target.device", "device", "", func(e env) host.Fact[string] { return e.Target.Device }),
		fact("target.layers", "block devices", "", func(e env) host.Fact[[]host.Layer] { return e.Target.Layers }),
		{name: inEnvironment + "target.disks", label: "disks", unit: "1", get: disks},
		fact("target.boundary", "an fsync is handed over to", "", func(e env) host.Fact[string] { return e.Target.Boundary }),
		fact("target.eatmydata", "libeatmydata preloaded", "", func(e env) host.Fact[bool] { return e.Target.Eatmydata }),
		number("load.load_1", "load for each CPU, at the start", "1", near(0.25), func(r *manifest.Run) host.Fact[float64] { return perCPU(r, r.Environment.Load.Load1) }),
		share("load.pressure_cpu.avg_10", "time that tasks waited for a CPU, at the start", 0.05, func(r *manifest.Run) host.Fact[float64] { return r.Environment.Load.PressureCPU.Avg10 }),
		share("load.pressure_io.avg_10", "time that tasks waited for a disk, at the start", 0.05, func(r *manifest.Run) host.Fact[float64] { return r.Environment.Load.PressureIO.Avg10 }),
		share("load.pressure_memory.avg_10", "time that tasks waited for memory, at the start", 0.05, func(r *manifest.Run) host.Fact[float64] { return r.Environment.Load.PressureMemory.Avg10 }),
		share("load.pressure_cpu.total", "time that tasks waited for a CPU, in the run", 0.1, during(func(v *host.Volatile) host.Fact[float64] { return v.PressureCPU.Total })),
		share("load.pressure_io.total", "time that tasks waited for a disk, in the run", 0.1, during(func(v *host.Volatile) host.Fact[float64] { return v.PressureIO.Total })),
		share("load.pressure_memory.total", "time that tasks waited for memory, in the run", 0.1, during(func(v *host.Volatile) host.Fact[float64] { return v.PressureMemory.Total })),
		share("load.steal", "time stolen from each CPU, in the run", 0.01, func(r *manifest.Run) host.Fact[float64] {
			return perCPU(r, during(func(v *host.Volatile) host.Fact[float64] { return v.Steal })(r))
		}),
		share("load.throttled_time", "time throttled, in the run", 0.01, during(func(v *host.Volatile) host.Fact[float64] { return v.ThrottledTime })),
	}
}

// leftOut are the fields of host.Environment that are not compared, and why.
var leftOut = map[string]string{
	"target.guest":      "virtual.machine says it",
	"load.load_5":       "load_1 is about the run's own time",
	"load.load_15":      "load_1 is about the run's own time",
	"load.throttled":    "throttled_time says it",
	"load.clock_source": "clock.source is read at the same time",
}

// disks is how many there are.
func disks(r *manifest.Run) Value {
	list, ok := r.Environment.Target.Disks.Get()
	if !ok {
		return value(r.Environment.Target.Disks)
	}
	return Value{Value: len(list)}
}

// share is a share of time or of the CPUs, told where two runs are further apart
// than that: the same steps as a run that waits for quiet goes by, and finer ones
// where every hundredth of the time is missing from the figures.
func share(name, label string, most float64, get func(*manifest.Run) host.Fact[float64]) aspect {
	a := number(name, label, "1", near(most), get)
	a.share = true
	return a
}

// perCPU divides by the logical CPUs.
func perCPU(r *manifest.Run, f host.Fact[float64]) host.Fact[float64] {
	v, ok := f.Get()
	n, known := r.Environment.CPU.Logical.Get()
	switch {
	case !ok:
		return f
	case !known || n <= 0:
		return host.Missing[float64]("the number of CPUs is not known")
	}
	return finite(v/float64(n), f.Source)
}

// finite is a share that can be written, and unknown where it can't.
func finite(v float64, source string) host.Fact[float64] {
	if manifest.Number(v) == nil {
		return host.Missing[float64]("it is too large for a number")
	}
	return host.Known(v, "1", source)
}

// leastWall is how many seconds a run must have lasted for its counters, some of
// which count in steps of 10 ms, to say what share of it they stand for.
const leastWall = 1

// tooShort is why a share of a run is not known that nothing is the matter with:
// no difference to one where it is.
const tooShort = "the run was too short for the counter"

// during is how much a counter of seconds rose in the run, for each second of it.
func during(counter func(*host.Volatile) host.Fact[float64]) func(*manifest.Run) host.Fact[float64] {
	return func(r *manifest.Run) host.Fact[float64] {
		before, after := counter(&r.Environment.Load), counter(&r.EnvironmentEnd)
		a, ok1 := before.Get()
		b, ok2 := after.Get()
		wall := r.Finished.Sub(r.Started).Seconds()
		switch {
		case !ok1:
			return before
		case !ok2:
			return after
		case wall < leastWall:
			return host.Missing[float64](tooShort)
		case b < a:
			return host.Missing[float64]("the counter went backwards")
		}
		return finite((b-a)/wall, after.Source)
	}
}

// mostDisks bounds how many disks are compared one by one.
const mostDisks = 16

// differences lists what is not the same in all runs: the program and how it was
// called, then the machine.
func differences(runs []*manifest.Run) []Difference {
	all := slices.Concat(program(runs), called(), machine())
	fewest := mostDisks
	for _, r := range runs {
		list, _ := r.Environment.Target.Disks.Get()
		fewest = min(fewest, len(list))
	}
	for i := range fewest {
		all = append(all, diskFacts(i)...)
	}
	out := []Difference{}
	for i := range all {
		if d, ok := all[i].over(runs); ok {
			out = append(out, d)
		}
	}
	return out
}
