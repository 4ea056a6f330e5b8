package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Volatile is what changes while a run lasts: taken at its start and again at
// its end. The counters (totals, steal, throttled) mean something as differences.
type Volatile struct {
	Load1          Fact[float64] `json:"load_1"` // runnable and blocked tasks, averaged over 1, 5 and 15 minutes
	Load5          Fact[float64] `json:"load_5"`
	Load15         Fact[float64] `json:"load_15"`
	PressureCPU    Pressure      `json:"pressure_cpu"`
	PressureIO     Pressure      `json:"pressure_io"`
	PressureMemory Pressure      `json:"pressure_memory"`
	Steal          Fact[float64] `json:"steal"`          // s that the hypervisor took from all CPUs since boot
	Throttled      Fact[uint64]  `json:"throttled"`      // periods in which the own cgroup ran out of its quota
	ThrottledTime  Fact[float64] `json:"throttled_time"` // s
	ClockSource    Fact[string]  `json:"clock_source"`   // the kernel may change it during a run
}

// Pressure is the "some" line of one resource: the share of time in which at
// least one task waited for it (Documentation/accounting/psi.rst).
type Pressure struct {
	Avg10 Fact[float64] `json:"avg_10"` // share of the last 10 s, 0 to 1
	Total Fact[float64] `json:"total"`  // s since boot
}

// ReadVolatile returns the volatile part as it is now.
func ReadVolatile(root fs.FS, live Live) Volatile {
	v := Volatile{
		PressureCPU:    readPressure(root, "cpu"),
		PressureIO:     readPressure(root, "io"),
		PressureMemory: readPressure(root, "memory"),
		Steal:          readSteal(root),
		ClockSource:    readClockSource(root),
	}
	v.Load1, v.Load5, v.Load15 = readLoad(root, live)
	v.Throttled, v.ThrottledTime = readThrottled(root)
	return v
}

// Beside returns v for a record in which other, another reading of the same
// machine, stands as well: facts that come from where they come from there have no
// source of their own.
func (v Volatile) Beside(other Volatile) Volatile {
	unsourced(&v.Load1, other.Load1)
	unsourced(&v.Load5, other.Load5)
	unsourced(&v.Load15, other.Load15)
	for _, p := range [][2]*Pressure{{&v.PressureCPU, &other.PressureCPU}, {&v.PressureIO, &other.PressureIO}, {&v.PressureMemory, &other.PressureMemory}} {
		unsourced(&p[0].Avg10, p[1].Avg10)
		unsourced(&p[0].Total, p[1].Total)
	}
	unsourced(&v.Steal, other.Steal)
	unsourced(&v.Throttled, other.Throttled)
	unsourced(&v.ThrottledTime, other.ThrottledTime)
	unsourced(&v.ClockSource, other.ClockSource)
	return v
}

func unsourced[T any](f *Fact[T], other Fact[T]) {
	if f.Source == other.Source {
		f.Source = ""
	}
}

func readLoad(root fs.FS, live Live) (a, b, c Fact[float64]) {
	source := "/proc/loadavg"
	s, err := readText(root, source)
	if err != nil {
		// macOS keeps it in a sysctl; the text form is what a fixture can give.
		if t, errLive := live.Sysctl("vm.loadavg"); errLive == nil {
			s, err, source = strings.Trim(t, "{} "), nil, "sysctl vm.loadavg"
		}
	}
	if err != nil {
		m := Missing[float64](why(source, err))
		return m, m, m
	}
	load, err := parseLoad(s)
	if err != nil {
		m := Missing[float64](source + ": " + err.Error())
		return m, m, m
	}
	return Known(load[0], "1", source), Known(load[1], "1", source), Known(load[2], "1", source)
}

// parseLoad returns the three averages of /proc/loadavg.
func parseLoad(s string) ([3]float64, error) {
	var out [3]float64
	f := strings.Fields(s)
	if len(f) < 3 {
		return out, fmt.Errorf("%q does not hold three averages", clean(s))
	}
	for i := range out {
		n, err := number(f[i])
		if err != nil {
			return out, err
		}
		out[i] = n
	}
	return out, nil
}

// number parses a finite decimal that is not negative; JSON has no other, and
// ParseFloat alone takes "NaN", "Inf" and hexadecimal.
func number(s string) (float64, error) {
	for _, r := range s {
		if r != '.' && (r < '0' || r > '9') {
			return 0, fmt.Errorf("%q is not a number", clean(s))
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", clean(s))
	}
	return n, nil
}

func readPressure(root fs.FS, resource string) Pressure {
	name := "/proc/pressure/" + resource
	s, err := readText(root, name)
	if err != nil {
		m := Missing[float64](why(name, err) + ": a kernel without PSI, or with it switched off")
		return Pressure{m, m}
	}
	avg10, total, err := parsePressure(s)
	if err != nil {
		m := Missing[float64](name + ": " + err.Error())
		return Pressure{m, m}
	}
	return Pressure{Known(avg10, "1", name), Known(total, "s", name)}
}

// parsePressure returns the some line of a pressure file: the 10 s average as a
// share of 1 (the file has percent) and the total in seconds (it has µs).
func parsePressure(s string) (avg10, total float64, err error) {
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "some" {
			continue
		}
		seen := 0
		for _, kv := range f[1:] {
			key, value, _ := strings.Cut(kv, "=")
			if key != "avg10" && key != "total" {
				continue
			}
			n, err := number(value)
			if err != nil {
				return 0, 0, err
			}
			seen++
			if key == "avg10" {
				avg10 = n / 100
			} else {
				total = n / 1e6
			}
		}
		if seen == 2 {
			return avg10, total, nil
		}
	}
	return 0, 0, fmt.Errorf("no line of the kind some in %q", clean(s))
}

func readSteal(root fs.FS) Fact[float64] {
	const name = "/proc/stat"
	s, err := readText(root, name)
	if err != nil {
		return Missing[float64](why(name, err))
	}
	ticks, err := parseSteal(s)
	if err != nil {
		return Missing[float64](name + ": " + err.Error())
	}
	// USER_HZ is 100 on every architecture that Go runs on under Linux.
	return Known(float64(ticks)/100, "s", name)
}

// parseSteal returns the eighth number of the line "cpu" (proc_stat(5)), in ticks of 10 ms.
func parseSteal(s string) (uint64, error) {
	for line := range strings.Lines(s) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "cpu" {
			continue
		}
		if len(f) < 9 {
			return 0, fmt.Errorf("no steal time in %q", clean(line))
		}
		n, err := strconv.ParseUint(f[8], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a number", clean(f[8]))
		}
		return n, nil
	}
	return 0, fmt.Errorf("no line of the kind cpu")
}

func readThrottled(root fs.FS) (Fact[uint64], Fact[float64]) {
	g, err := ownCgroup(root, "cpu")
	if err != nil {
		return Missing[uint64](err.Error()), Missing[float64](err.Error())
	}
	n, seconds, err := g.throttled(root)
	if err != nil {
		return Missing[uint64](err.Error()), Missing[float64](err.Error())
	}
	source := g.label("cpu.stat", "cpu.stat")
	return Known(n, "1", source), Known(seconds, "s", source)
}
