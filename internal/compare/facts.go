package compare

import (
	"fmt"
	"reflect"

	"envelope/internal/host"
	"envelope/manifest"
)

// aspect is one thing about a run that could explain why its figures differ from
// those of another.
type aspect struct {
	name  string // where it stands in a run
	label string
	unit  string
	get   func(*manifest.Run) Value
	alike func(a, b float64) bool // of numbers; nil: equal
	share bool
	hash  bool
}

// differs reports whether the values of two runs are to be told. What neither run
// knows is no difference, whatever the reasons.
func (a *aspect) differs(x, y Value) bool {
	if x.Unknown == tooShort || y.Unknown == tooShort {
		return false
	}
	if x.Value == nil || y.Value == nil {
		return (x.Value == nil) != (y.Value == nil)
	}
	p, ok1 := x.Value.(float64)
	q, ok2 := y.Value.(float64)
	if ok1 && ok2 && a.alike != nil {
		return !a.alike(p, q)
	}
	return !reflect.DeepEqual(x.Value, y.Value)
}

// over returns the difference between the runs, if there is one that is worth
// telling: between the first and any other.
func (a *aspect) over(runs []*manifest.Run) (Difference, bool) {
	d := Difference{Name: a.name, Label: a.label, Unit: a.unit, Share: a.share, Hash: a.hash}
	found := false
	for _, r := range runs {
		v := a.get(r)
		d.Values = append(d.Values, v)
		found = found || a.differs(d.Values[0], v)
	}
	return d, found
}

// value is a fact as a Value.
func value[T any](f host.Fact[T]) Value {
	v, ok := f.Get()
	if !ok {
		return Value{Unknown: orNoReason(f.Unknown)}
	}
	return Value{Value: v}
}

func orNoReason(why string) string {
	if why == "" {
		return "no reason recorded"
	}
	return why
}

// fact is an aspect of the environment that is told wherever it is not equal.
func fact[T any](name, label, unit string, get func(*host.Environment) host.Fact[T]) aspect {
	return aspect{name: inEnvironment + name, label: label, unit: unit, get: func(r *manifest.Run) Value { return value(get(&r.Environment)) }}
}

// number is one that is told only where two runs are not alike.
func number(name, label, unit string, alike func(a, b float64) bool, get func(*manifest.Run) host.Fact[float64]) aspect {
	return aspect{name: inEnvironment + name, label: label, unit: unit, alike: alike, get: func(r *manifest.Run) Value { return value(get(r)) }}
}

const inEnvironment = "environment."

// within is alike for numbers that differ by less than a factor.
func within(factor float64) func(a, b float64) bool {
	return func(a, b float64) bool { return a == b || min(a, b) > 0 && max(a, b) <= factor*min(a, b) }
}

// near is alike for numbers that differ by no more than that.
func near(most float64) func(a, b float64) bool {
	return func(a, b float64) bool { return max(a, b)-min(a, b) <= most }
}

// float is a fact about a whole number of bytes or the like, for comparing by a
// factor.
func float[T uint64 | int](f host.Fact[T]) host.Fact[float64] {
	v, ok := f.Get()
	if !ok {
		return host.Missing[float64](f.Unknown)
	}
	return host.Known(float64(v), f.Unit, f.Source)
}

// diskFacts are those of each disk under the directory.
func diskFacts(i int) []aspect {
	at := func(f func(host.Disk) Value) func(r *manifest.Run) Value {
		return func(r *manifest.Run) Value {
			disks, ok := r.Environment.Target.Disks.Get()
			if !ok || i >= len(disks) {
				return Value{Unknown: "there is no such disk in the list"}
			}
			return f(disks[i])
		}
	}
	one := func(name, label, unit string, f func(host.Disk) Value) aspect {
		return aspect{name: fmt.Sprintf("%starget.disks[%d].%s", inEnvironment, i, name), label: fmt.Sprintf("disk %d, %s", i+1, label), unit: unit, get: at(f)}
	}
	return []aspect{
		one("name", "name", "", func(d host.Disk) Value { return Value{Value: d.Name} }),
		one("model", "model", "", func(d host.Disk) Value { return value(d.Model) }),
		one("rotational", "rotational", "", func(d host.Disk) Value { return value(d.Rotational) }),
		one("write_cache", "write cache", "", func(d host.Disk) Value { return value(d.WriteCache) }),
		one("scheduler", "scheduler", "", func(d host.Disk) Value { return value(d.Scheduler) }),
		one("logical_block", "logical block", "B", func(d host.Disk) Value { return value(d.LogicalBlock) }),
		one("physical_block", "physical block", "B", func(d host.Disk) Value { return value(d.PhysicalBlock) }),
		one("size", "size", "B", func(d host.Disk) Value { return value(d.Size) }),
		one("transport", "transport", "", func(d host.Disk) Value { return value(d.Transport) }),
		one("flush_counter", "flush counter readable", "", func(d host.Disk) Value { return value(d.FlushCounter) }),
	}
}
