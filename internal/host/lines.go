package host

import (
	"fmt"
	"strings"
)

// Lines returns what a run prints before its first measurement: a short line for
// each part, aligned, the unfit reason and the warnings last.
func (e Environment) Lines() []string {
	out := []string{
		line("system", word(e.System.OS)+", "+word(e.System.Kernel)+", "+word(e.System.Arch)),
		line("processor", e.CPU.line()),
		line("caches", cachesLine(e.CPU.Caches)),
		line("vectors", join(e.CPU.Vector, " ")),
		line("virtual", "machine "+sourced(e.Virtual.Machine)+", container "+sourced(e.Virtual.Container)),
		line("memory", e.Memory.line()),
		line("clock", word(e.Clock.Source)+" of "+join(e.Clock.Available, " ")+e.Clock.measured()),
		line("load", e.Load.line()),
	}
	return append(out, e.Target.lines()...)
}

func line(key, text string) string { return fmt.Sprintf("%-10s %s", key, text) }

// word returns the value alone, or "unknown": the reasons are in the record.
func word[T any](f Fact[T]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprint(v)
	}
	return "unknown"
}

// sourced returns the value with where it was read, or the reason in full.
func sourced[T any](f Fact[T]) string {
	if v, ok := f.Get(); ok {
		return fmt.Sprintf("%v (%s)", v, f.Source)
	}
	return f.String()
}

func join(f Fact[[]string], sep string) string {
	v, ok := f.Get()
	switch {
	case !ok:
		return f.String()
	case len(v) == 0:
		return "none"
	}
	return strings.Join(v, sep)
}

func size(f Fact[uint64]) string {
	v, ok := f.Get()
	if !ok {
		return "unknown"
	}
	return iec(v)
}

// iec writes a size in the largest binary unit that leaves at least 1.
func iec(n uint64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, i := float64(n)/1024, 0
	for v >= 1024 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + " " + units[i:i+1] + "iB"
}

func (c CPU) line() string {
	s := fmt.Sprintf("%s, CPUs %s logical, %s physical", word(c.Model), word(c.Logical), word(c.Physical))
	switch set, ok := c.QuotaSet.Get(); {
	case !ok:
		s += ", quota " + c.QuotaSet.String()
	case set:
		s += fmt.Sprintf(", quota %s CPUs (%s)", word(c.Quota), c.Quota.Source)
	default:
		s += ", no quota"
	}
	if hz, ok := c.Frequency.Get(); ok {
		s += fmt.Sprintf(", %.2f GHz", hz/1e9)
	}
	s += ", governor " + word(c.Governor)
	if p, ok := c.PerformanceCores.Get(); ok {
		s += fmt.Sprintf(", %d fast and %s slow", p, word(c.EfficiencyCores))
	}
	return s
}

func cachesLine(f Fact[[]Cache]) string {
	caches, ok := f.Get()
	if !ok {
		return f.String()
	}
	return CachesText(caches)
}

// CachesText lists caches for people: "L1d 48 KiB, L3 32 MiB for 2 CPUs".
func CachesText(caches []Cache) string {
	var parts []string
	for _, c := range caches {
		kind := map[string]string{"Data": "d", "Instruction": "i"}[c.Type]
		text := fmt.Sprintf("L%d%s %s", c.Level, kind, iec(c.Size))
		if c.SharedBy > 1 {
			text += fmt.Sprintf(" for %d CPUs", c.SharedBy)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func (m Memory) line() string {
	s := size(m.Total) + ", " + size(m.Available) + " available"
	switch set, ok := m.LimitSet.Get(); {
	case !ok:
		s += ", limit " + m.LimitSet.String()
	case set:
		s += fmt.Sprintf(", limit %s (%s)", size(m.Limit), m.Limit.Source)
	default:
		s += ", no limit"
	}
	return s + ", transparent huge pages " + word(m.TransparentHuge)
}

func (c Clock) measured() string {
	s := ""
	if v, ok := c.Overhead.Get(); ok {
		s += fmt.Sprintf(", %.3g ns a reading", v*1e9)
	}
	if v, ok := c.Resolution.Get(); ok {
		s += fmt.Sprintf(", resolution %.3g ns", v*1e9)
	}
	return s
}

func (v Volatile) line() string {
	share := func(p Pressure) string {
		if n, ok := p.Avg10.Get(); ok {
			return fmt.Sprintf("%.0f %%", 100*n)
		}
		return "unknown"
	}
	s := fmt.Sprintf("%s %s %s, pressure cpu %s io %s memory %s", word(v.Load1), word(v.Load5), word(v.Load15),
		share(v.PressureCPU), share(v.PressureIO), share(v.PressureMemory))
	if n, ok := v.Steal.Get(); ok {
		s += fmt.Sprintf(", stolen %.3g s", n)
	}
	if n, ok := v.Throttled.Get(); ok {
		s += fmt.Sprintf(", throttled in %d periods", n)
	}
	return s
}

func (t Target) lines() []string {
	out := []string{line("directory", t.place())}
	disks, ok := t.Disks.Get()
	if !ok {
		out = append(out, line("disks", t.Disks.String()))
	}
	for _, d := range disks {
		out = append(out, line("disk", d.line()))
	}
	if reason, unfit := t.Unfit(); unfit {
		out = append(out, line("unfit", reason))
	}
	for _, w := range t.Warnings() {
		out = append(out, line("warning", w))
	}
	return out
}

// place is the file system, what distinguishes it, and the layers down to the disks.
func (t Target) place() string {
	s := word(t.Filesystem)
	for _, f := range []struct {
		key  string
		fact Fact[string]
	}{{"subvolume", t.Subvolume}, {"pool", t.Pool}, {"served by", t.Variant}, {"over", t.UpperFilesystem}} {
		if v, ok := f.fact.Get(); ok {
			s += ", " + f.key + " " + v
		}
	}
	if layers, ok := t.Layers.Get(); ok {
		s += " on " + LayersText(layers)
	}
	if o, ok := t.Options.Get(); ok {
		s += " [" + strings.Join(o, ",") + "]"
	}
	return s
}

// LayersText lists block devices for people, from the file system down: "dm-0
// (lvm), sda".
func LayersText(layers []Layer) string {
	var parts []string
	for _, l := range layers {
		if l.Kind == "disk" {
			parts = append(parts, l.Device)
		} else {
			parts = append(parts, l.Device+" ("+l.Kind+")")
		}
	}
	return strings.Join(parts, ", ")
}

func (d Disk) line() string {
	spin := "rotational " + word(d.Rotational)
	if r, ok := d.Rotational.Get(); ok && r {
		spin = "spinning"
	} else if ok {
		spin = "not spinning"
	}
	flushes := "flushes counted"
	if ok, _ := d.FlushCounter.Get(); !ok {
		flushes = "flushes not counted"
	}
	return fmt.Sprintf("%s, %s, model %s, %s, write cache %s, scheduler %s, blocks %s/%s B, %s", d.Name, size(d.Size),
		word(d.Model), spin, word(d.WriteCache), word(d.Scheduler), word(d.LogicalBlock), word(d.PhysicalBlock), flushes)
}
