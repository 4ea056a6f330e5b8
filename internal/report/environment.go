package report

import (
	"fmt"
	"reflect"
	"strings"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// facts is a group of what is known of the machine.
type facts struct {
	Name string
	Rows []fact
}

// fact is one thing that is known, with where from, or why it is not known. At the
// end is what it was when the run was over, of what changes meanwhile.
type fact struct {
	Name, Value, AtEnd, Source string
	Unknown                    bool
}

// environment lists every fact of the environment, in the order of its type.
func environment(e *host.Environment, end *host.Volatile) []facts {
	var out []facts
	v := reflect.ValueOf(e).Elem()
	for i := range v.NumField() {
		g := facts{Name: label(v.Type().Field(i))}
		if g.Name == "load" {
			g.Rows = listFacts("", v.Field(i))
			for j, f := range listFacts("", reflect.ValueOf(end).Elem()) {
				g.Rows[j].AtEnd = f.Value
			}
		} else {
			g.Rows = listFacts("", v.Field(i))
		}
		out = append(out, g)
	}
	return out
}

// label is a field's name as results.json has it, in words.
func label(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.ReplaceAll(name, "_", " ")
}

// listFacts finds the facts in a value, through structs and lists of them.
func listFacts(name string, v reflect.Value) []fact {
	if f, ok := asFact(name, v); ok {
		return f
	}
	var out []fact
	for i := range v.NumField() {
		out = append(out, listFacts(strings.TrimSpace(name+" "+label(v.Type().Field(i))), v.Field(i))...)
	}
	return out
}

// asFact reads a value that is a host.Fact of whatever type.
func asFact(name string, v reflect.Value) ([]fact, bool) {
	at, source, unknown := v.FieldByName("Value"), v.FieldByName("Source"), v.FieldByName("Unknown")
	if at.Kind() != reflect.Pointer || source.Kind() != reflect.String || unknown.Kind() != reflect.String {
		return nil, false
	}
	f := fact{Name: name, Source: source.String()}
	if at.IsNil() {
		f.Unknown, f.Value, f.Source = true, "unknown", unknown.String()
		return []fact{f}, true
	}
	unit, _ := v.FieldByName("Unit").Interface().(string)
	out := []fact{f}
	switch x := at.Elem().Interface().(type) {
	case []host.Disk:
		out[0].Value = fmt.Sprintf("%d at the bottom", len(x))
		for i := range x {
			out = append(out, diskFacts(&x[i])...)
		}
	default:
		out[0].Value = factText(at.Elem(), unit)
	}
	return out, true
}

// diskFacts are the facts of one disk, under its name.
func diskFacts(d *host.Disk) []fact {
	var out []fact
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Struct {
			out = append(out, listFacts(d.Name+" "+label(v.Type().Field(i)), v.Field(i))...)
		}
	}
	return out
}

// factText writes the value of a fact.
func factText(v reflect.Value, unit string) string {
	switch x := v.Interface().(type) {
	case string:
		return x
	case bool:
		return pick(x, "yes", "no")
	case int:
		return quantity(float64(x), unit)
	case uint64:
		return quantity(float64(x), unit)
	case float64:
		return quantity(x, unit)
	case []string:
		return pick(len(x) == 0, "none", strings.Join(x, ", "))
	case []host.Cache:
		return pick(len(x) == 0, "none", host.CachesText(x))
	case []host.Layer:
		return pick(len(x) == 0, "none", host.LayersText(x))
	}
	return fmt.Sprint(v.Interface())
}

// quantity writes a number of a fact. Hertz are no unit that the suite reckons
// with.
func quantity(v float64, unit string) string {
	if unit == "Hz" {
		return typeset.Number(v/1e9) + " GHz"
	}
	return value(v, pick(unit == "", "1", unit))
}

// condition is one stretch of measuring, with the machine around it.
type condition struct {
	Lab               string
	Stretch           int
	Wall, CPU         string
	Load              string
	WaitCPU, WaitIO   string
	WaitMemory        string
	Stolen, Throttled string
}

// conditions lists the stretches of every lab.
func conditions(labs []manifest.Lab) []condition {
	var out []condition
	for i := range labs {
		for j := range labs[i].Conditions {
			c := &labs[i].Conditions[j]
			row := condition{Lab: labs[i].Name, Stretch: j + 1, Wall: value(c.Wall, "s"), CPU: value(c.CPU, "s"),
				Load:       numberOf(c.Before.Load1) + " to " + numberOf(c.After.Load1),
				WaitCPU:    waited(c.Before.PressureCPU, c.After.PressureCPU, c.Wall),
				WaitIO:     waited(c.Before.PressureIO, c.After.PressureIO, c.Wall),
				WaitMemory: waited(c.Before.PressureMemory, c.After.PressureMemory, c.Wall),
				Stolen:     grown(c.Before.Steal, c.After.Steal, "s"),
				Throttled:  "unknown",
			}
			if a, ok := c.Before.Throttled.Get(); ok {
				if b, ok := c.After.Throttled.Get(); ok && b >= a {
					row.Throttled = value(float64(b-a), "1")
				}
			}
			out = append(out, row)
		}
	}
	return out
}

func numberOf(f host.Fact[float64]) string {
	if v, ok := f.Get(); ok {
		return typeset.Number(v)
	}
	return "unknown"
}

// grown is by how much a counter grew.
func grown(before, after host.Fact[float64], unit string) string {
	a, ok := before.Get()
	b, ok2 := after.Get()
	if !ok || !ok2 || b < a {
		return "unknown"
	}
	return value(b-a, unit)
}

// waited is the share of a stretch in which at least one task waited.
func waited(before, after host.Pressure, wall float64) string {
	a, ok := before.Total.Get()
	b, ok2 := after.Total.Get()
	if !ok || !ok2 || b < a || !positive(wall) || !isFinite((b-a)/wall) {
		return "unknown"
	}
	return fmt.Sprintf("%.1f %%", 100*min((b-a)/wall, 1))
}

// axiomRow is an axiom that was measured, beside what is assumed of its kind.
type axiomRow struct {
	Name, Assumed, Class, Measured, Interval, N, Factor, Method, Bounds, Taken string
}

func axiomRows(run *manifest.Run) []axiomRow {
	var out []axiomRow
	for _, m := range run.Axioms {
		row := axiomRow{Name: m.Name, Measured: typeset.Quantity(m.Quantity), Interval: typeset.Quantity(m.Low) + " to " + typeset.Quantity(m.High),
			N: count(m.N), Method: m.Method, Bounds: m.Bounds, Assumed: "nothing", Taken: "in this run"}
		if !m.Taken.IsZero() {
			row.Taken = "on " + m.Taken.UTC().Format("2006-01-02")
		}
		if c, err := axioms.Lookup(m.Name); err == nil {
			row.Assumed, row.Class = typeset.Quantity(c.Quantity), c.Class
			if c.Ranged() {
				row.Assumed = typeset.Quantity(c.Low) + " to " + typeset.Quantity(c.High)
			}
			row.Factor = typeset.OverAssumed(m.Quantity, c)
		}
		out = append(out, row)
	}
	return out
}
