package probe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/internal/host"
)

func TestWhatFits(t *testing.T) {
	p := probe{method: "m", bounds: "b"}
	here := host.Environment{}
	here.CPU.Model = host.Known("Z80", "", "cpuid")
	here.CPU.Allowed = host.Known(2, "1", "sched_getaffinity")
	here.Target.Filesystem = host.Known("ext4", "", "mountinfo")
	taken := Taken{Time: time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC), Environment: here}
	for _, name := range []string{"l1-load", "write-fsync", "mutex", "seq-write"} {
		p.name = name
		taken.Axioms = append(taken.Axioms, p.measured([]float64{1, 2, 3}))
	}
	check := func(change func(e *host.Environment), why string, want ...string) {
		t.Helper()
		e := here
		change(&e)
		got, said := taken.For(e, taken.Time.Add(time.Hour))
		var names []string
		for _, m := range got {
			names = append(names, m.Name)
			if !m.Taken.Equal(taken.Time) {
				t.Errorf("%s was taken %v, want %v", m.Name, m.Taken, taken.Time)
			}
		}
		if !slices.Equal(names, want) || (said == "") != (why == "") || !strings.Contains(said, why) {
			t.Errorf("got %v (%s), want %v (%s)", names, said, want, why)
		}
	}
	check(func(*host.Environment) {}, "", "l1-load", "write-fsync", "mutex", "seq-write")
	check(func(e *host.Environment) { e.CPU.Model = host.Known("6502", "", "cpuid") }, "another machine: processor Z80 then, 6502 now")
	check(func(e *host.Environment) { e.CPU.Model = host.Missing[string]("no cpuid") }, "processor Z80 then, unknown")
	check(func(e *host.Environment) { e.CPU.Allowed = host.Known(1, "1", "taskset") }, "CPUs allowed 2 then, 1 now")
	check(func(e *host.Environment) { e.System.Kernel = host.Known("Linux 7", "", "uname") }, "kernel unknown then, Linux 7 now")
	check(func(e *host.Environment) { e.Target.Filesystem = host.Known("tmpfs", "", "mountinfo") },
		"write-fsync, seq-write measured on another file system: ext4 then, tmpfs now", "l1-load", "mutex")
	check(func(e *host.Environment) { e.Target.Device = host.Known("8:1", "", "mountinfo") }, "device unknown then, 8:1 now", "l1-load", "mutex")
	if got, said := taken.For(here, taken.Time.Add(-time.Second)); len(got) != 0 || !strings.Contains(said, "has the clock been set back?") {
		t.Errorf("before it was measured: got %v (%s), want nothing", got, said)
	}
	for _, m := range taken.Axioms {
		if !m.Taken.IsZero() {
			t.Errorf("%s was changed", m.Name)
		}
	}
}

func TestFileAxiomsExist(t *testing.T) {
	for _, name := range onFiles {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is no axiom", name)
		}
	}
}
