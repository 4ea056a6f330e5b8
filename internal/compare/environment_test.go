package compare

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/manifest"
)

var update = flag.Bool("update", false, "write what the tests compare with")

// leaves lists the facts below a type by their names in JSON. A fact that is a
// list of structs with facts of their own is told by those.
func leaves(t reflect.Type, at string) []string {
	if t.Kind() != reflect.Struct {
		return []string{at}
	}
	if value, ok := t.FieldByName("Value"); ok && strings.HasPrefix(t.Name(), "Fact[") {
		list := value.Type.Elem()
		if list.Kind() == reflect.Slice && list.Elem() == reflect.TypeFor[host.Disk]() {
			return append(leaves(list.Elem(), at+"[]."), at)
		}
		return []string{at}
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if at != "" && !strings.HasSuffix(at, ".") {
			name = "." + name
		}
		out = append(out, leaves(t.Field(i).Type, at+name)...)
	}
	return out
}

// Every field of the environment is compared, or left out for a reason: one that
// is added is in neither list until somebody has decided.
func TestEveryFieldIsCompared(t *testing.T) {
	told := map[string]string{}
	for _, a := range append(machine(), diskFacts(0)...) {
		name := strings.Replace(strings.TrimPrefix(a.name, inEnvironment), "[0]", "[]", 1)
		if told[name] != "" {
			t.Errorf("%s is compared twice", name)
		}
		if a.label == "" {
			t.Errorf("%s has no label", name)
		}
		told[name] = "compared"
	}
	for name, why := range leftOut {
		if told[name] != "" || why == "" {
			t.Errorf("%s is left out for the reason %q, and %s", name, why, told[name])
		}
		told[name] = "left out"
	}
	fields := leaves(reflect.TypeFor[host.Environment](), "")
	for _, field := range fields {
		if told[field] == "" {
			t.Errorf("%s is neither compared nor left out", field)
		}
		delete(told, field)
	}
	for name := range told {
		t.Errorf("%s is no field of the environment", name)
	}
	if len(fields) < 60 {
		t.Errorf("got %d fields, want them all: %v", len(fields), fields)
	}
}

// Every aspect of the machine notices when its field changes, or becomes unknown.
func TestEveryAspectNotices(t *testing.T) {
	a, b := run("a"), run("b")
	fill(reflect.ValueOf(&a.Environment).Elem(), 1)
	fill(reflect.ValueOf(&a.EnvironmentEnd).Elem(), 1.5)
	fill(reflect.ValueOf(&b.Environment).Elem(), 40)
	fill(reflect.ValueOf(&b.EnvironmentEnd).Elem(), 90)
	// Rates for each CPU need their number, which is another aspect.
	unknown := run("c")
	noticed := func(a, b manifest.Run, but ...string) {
		t.Helper()
		got := map[string]bool{}
		for _, d := range differences([]*manifest.Run{&a, &b}) {
			got[strings.TrimPrefix(d.Name, inEnvironment)] = true
		}
		for _, aspect := range machine() {
			if name := strings.TrimPrefix(aspect.name, inEnvironment); !got[name] && !slices.Contains(but, name) {
				t.Errorf("%s: the difference was not noticed", name)
			}
		}
	}
	// All lists have one element, and a share that is the same for each CPU is one.
	b.Environment.Target.Disks = host.Known([]host.Disk{{}, {}}, "", "t")
	b.Environment.CPU.Logical = host.Known(2, "1", "t")
	noticed(a, b)
	noticed(a, unknown)
	noticed(unknown, a)
	if d := differences([]*manifest.Run{&a, &a}); len(d) != 0 {
		t.Errorf("got %v of a run and itself, want nothing", d)
	}
	if d := differences([]*manifest.Run{&unknown, &unknown}); len(d) != 0 {
		t.Errorf("got %v of two runs that know nothing, want nothing", d)
	}
}

// fill gives each fact below v a value that is made of n.
func fill(v reflect.Value, n float64) {
	switch v.Kind() {
	case reflect.Struct:
		if value := v.FieldByName("Value"); value.IsValid() && strings.HasPrefix(v.Type().Name(), "Fact[") {
			value.Set(reflect.New(value.Type().Elem()))
			fill(value.Elem(), n)
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n)
	case reflect.String:
		v.SetString(map[bool]string{true: "one", false: "another"}[n < 10])
	case reflect.Int:
		v.SetInt(int64(n))
	case reflect.Uint64:
		v.SetUint(uint64(n))
	case reflect.Float64:
		v.SetFloat(n)
	case reflect.Bool:
		v.SetBool(n < 10)
	}
}

// What always differs a little is told only where it differs by much.
func TestMuch(t *testing.T) {
	check := func(name string, want bool, set func(e *host.Environment, end *host.Volatile, much bool)) {
		t.Helper()
		a, b := run("a"), run("b")
		for i, r := range []*manifest.Run{&a, &b} {
			r.Environment.CPU.Logical = host.Known(4, "1", "t")
			set(&r.Environment, &r.EnvironmentEnd, i == 1)
		}
		got := slices.ContainsFunc(differences([]*manifest.Run{&a, &b}), func(d Difference) bool { return d.Name == inEnvironment+name })
		if got != want {
			t.Errorf("%s: told %v, want %v", name, got, want)
		}
	}
	either := func(little, much float64, first float64, set func(e *host.Environment, end *host.Volatile, f host.Fact[float64])) func(bool) func(*host.Environment, *host.Volatile, bool) {
		return func(large bool) func(*host.Environment, *host.Volatile, bool) {
			return func(e *host.Environment, end *host.Volatile, second bool) {
				v := first
				if second && large {
					v = much
				} else if second {
					v = little
				}
				set(e, end, host.Known(v, "1", "t"))
			}
		}
	}
	both := func(name string, f func(bool) func(*host.Environment, *host.Volatile, bool)) {
		t.Helper()
		check(name, false, f(false))
		check(name, true, f(true))
	}
	both("load.load_1", either(1.9, 2.1, 1, func(e *host.Environment, _ *host.Volatile, f host.Fact[float64]) { e.Load.Load1 = f }))
	both("load.pressure_io.avg_10", either(0.04, 0.06, 0, func(e *host.Environment, _ *host.Volatile, f host.Fact[float64]) { e.Load.PressureIO.Avg10 = f }))
	both("cpu.frequency", either(1.09e9, 1.2e9, 1e9, func(e *host.Environment, _ *host.Volatile, f host.Fact[float64]) { e.CPU.Frequency = f }))
	both("clock.overhead", either(50e-9, 70e-9, 40e-9, func(e *host.Environment, _ *host.Volatile, f host.Fact[float64]) { e.Clock.Overhead = f }))
	// Of 10 s on 4 CPUs.
	both("load.steal", either(100.3, 100.5, 100, func(e *host.Environment, end *host.Volatile, f host.Fact[float64]) {
		e.Load.Steal, end.Steal = host.Known(100.0, "s", "t"), f
	}))
	both("load.pressure_cpu.total", either(100.9, 101.1, 100, func(e *host.Environment, end *host.Volatile, f host.Fact[float64]) {
		e.Load.PressureCPU.Total, end.PressureCPU.Total = host.Known(100.0, "s", "t"), f
	}))
}

// A counter that went backwards is of another boot, or of another machine.
func TestCounterGoesBackwards(t *testing.T) {
	a, b := run("a"), run("b")
	for _, r := range []*manifest.Run{&a, &b} {
		r.Environment.Load.ThrottledTime, r.EnvironmentEnd.ThrottledTime = host.Known(5.0, "s", "t"), host.Known(5.0, "s", "t")
	}
	b.EnvironmentEnd.ThrottledTime = host.Known(1.0, "s", "t")
	d := differences([]*manifest.Run{&a, &b})
	if len(d) != 1 || d[0].Values[0].Value != 0.0 || d[0].Values[1].Value != nil || !strings.Contains(d[0].Values[1].Unknown, "backwards") {
		t.Errorf("got %+v, want what b throttled to be unknown", d)
	}
	// Nor has a counter anything to say of a moment.
	b.EnvironmentEnd.ThrottledTime = host.Known(6.0, "s", "t")
	b.Finished = b.Started.Add(time.Second / 2)
	d = differences([]*manifest.Run{&a, &b})
	if len(d) != 0 {
		t.Errorf("got %+v, want nothing told of half a second", d)
	}
}

func TestCalled(t *testing.T) {
	check := func(name string, want []any, change func(r *manifest.Run)) {
		t.Helper()
		a, b := run("a", blocks("c", measure.Held)), run("b", blocks("c", measure.Held))
		change(&b)
		d := differences([]*manifest.Run{&a, &b})
		if len(d) != 1 || d[0].Name != name || !reflect.DeepEqual([]any{d[0].Values[0].Value, d[0].Values[1].Value}, want) {
			t.Errorf("%s: got %+v, want %v", name, d, want)
		}
	}
	check("labs.seed", []any{uint64(1), uint64(math.MaxUint64)}, func(r *manifest.Run) { r.Labs[0].Seed = math.MaxUint64 })
	check("labs.seed", []any{uint64(1), nil}, func(r *manifest.Run) { r.Labs = append(r.Labs, manifest.Lab{Name: "barrier", Seed: 2}) })
	check("labs.full", []any{false, true}, func(r *manifest.Run) { r.Labs[0].Full = true })
	check("command.budget", []any{nil, 5.0}, func(r *manifest.Run) { r.Command = []string{"envelope", "run", "--budget", "5s"} })
	check("command.budget", []any{nil, 1.5}, func(r *manifest.Run) { r.Command = []string{"envelope", "run", "--budget=1500ms"} })
	check("command.device", []any{nil, []string{"cpu-1", "uring"}}, func(r *manifest.Run) {
		r.Command = []string{"envelope", "run", "--device", "cpu-1", "--device=uring"}
	})
	check("command.1", []any{"run", "predict"}, func(r *manifest.Run) { r.Command = []string{"envelope", "predict"} })
	check("labs.barrier", []any{0.0, 1.0}, func(r *manifest.Run) { r.Labs[0].Barrier = 1 })
	check("program.settings.GOAMD64", []any{nil, "v3"}, func(r *manifest.Run) { r.Program.Settings = map[string]string{"GOAMD64": "v3"} })
	check("program.go_version", []any{"", "go1.27"}, func(r *manifest.Run) { r.Program.GoVersion = "go1.27" })
}

// The JSON is read by other programs: its shape does not change by accident.
func TestGolden(t *testing.T) {
	a := run("01a22d80-0006-7000-8000-000000000001",
		blocks("an-fsync-is-dear", measure.Held, 60, 50, 70), blocks("small-is-cheap", measure.Held, 0.1, -0.1, 0.3),
		claim("a-flush-each", measure.Exact, measure.Held, 1, 1, 1), blocks("another-method", measure.Held, 1, 1, 1), blocks("only-here", measure.Void))
	second := blocks("another-method", measure.Held, 1, 1, 1)
	second.Version = 2
	b := run("01a22d80-6905-7000-8000-000000000002",
		blocks("an-fsync-is-dear", measure.Failed, 1.25, 1, 1.5), blocks("small-is-cheap", measure.Void, 0.2, 0.1, 0.3),
		claim("a-flush-each", measure.Exact, measure.Held, 1, 1, 1), second)
	b.Labs[0].Source = "s2"
	b.Started, b.Finished = b.Started.Add(time.Hour), b.Finished.Add(time.Hour)
	a.Environment.Target.Filesystem, b.Environment.Target.Filesystem = host.Known("ext4", "", "t"), host.Known("tmpfs", "", "t")
	a.Environment.Target.Device, b.Environment.Target.Device = host.Known("vda", "", "t"), host.Missing[string]("tmpfs has no device")
	a.Program.Commit, b.Program.Commit = host.Known(strings.Repeat("0a", 20), "", "git"), host.Missing[string]("no repository")
	text, err := json.MarshalIndent(of(t, a, b), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "comparison.json")
	if *update {
		if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != string(text)+"\n" {
		t.Errorf("the JSON is another than in %s; got\n%s", file, text)
	}
}
