package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"envelope/axioms"
	"envelope/internal/host"
)

// example is an axiom that could have been measured.
func example(name string, samples ...float64) axioms.Measured {
	p := probe{name: name, method: "m", bounds: "b"}
	return p.measured(samples)
}

var noon = time.Date(2026, 5, 17, 12, 0, 0, 0, time.UTC)

func load(t *testing.T, dir string) Taken {
	t.Helper()
	got, ok, err := Load(dir)
	if err != nil || !ok {
		t.Fatalf("got %v, %v; want what was saved", ok, err)
	}
	return got
}

func save(t *testing.T, dir string, taken Taken) (aside string) {
	t.Helper()
	aside, err := Save(dir, taken)
	if err != nil {
		t.Fatal(err)
	}
	return aside
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "envelope")
	if _, ok, err := Load(dir); ok || err != nil {
		t.Errorf("before the first: got %v, %v; want nothing, and no error", ok, err)
	}
	for i, samples := range [][]float64{{1, 2, 3}, {4, 5, 6}} {
		want := Taken{Time: noon.Add(time.Duration(i) * time.Second), Axioms: []axioms.Measured{example("clock", samples...)}}
		save(t, dir, want)
		got := load(t, dir)
		if !got.Time.Equal(want.Time) {
			t.Errorf("taken at %v, want %v", got.Time, want.Time)
		}
		if diff := cmp.Diff(want.Axioms, got.Axioms); diff != "" {
			t.Errorf("axioms (- saved, + loaded):\n%s", diff)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 2 {
		t.Errorf("got %v, want the file and its lock", names)
	}
	if _, err := Save(dir, Taken{Time: noon}); err == nil {
		t.Error("saved nothing over something")
	}
}

// What could not be measured this time is kept from the last, with its time, on
// the same machine and the same files.
func TestSaveKeepsWhatIsMissing(t *testing.T) {
	here := host.Environment{}
	here.CPU.Model = host.Known("Z80", "", "cpuid")
	here.Target.Filesystem = host.Known("ext4", "", "mountinfo")
	dir := t.TempDir()
	first := Taken{Time: noon, Environment: here, Axioms: []axioms.Measured{example("clock", 1, 2, 3), example("mutex", 1, 2, 3), example("write-fsync", 1, 2, 3)}}
	save(t, dir, first)
	next := Taken{Time: noon.Add(time.Hour), Environment: here, Axioms: []axioms.Measured{example("clock", 4, 5, 6)}}
	next.Environment.Target.Filesystem = host.Known("tmpfs", "", "mountinfo")
	save(t, dir, next)
	check := func(want string) {
		t.Helper()
		var got []string
		for _, m := range load(t, dir).Axioms {
			text := fmt.Sprintf("%s %g", m.Name, m.Quantity.Value)
			if !m.Taken.IsZero() {
				text += " of " + m.Taken.UTC().Format(time.TimeOnly)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("kept %s, want %s", text, want)
		}
	}
	check("clock 5, mutex 2 of 12:00:00")
	next.Time, next.Axioms = noon.Add(2*time.Hour), []axioms.Measured{example("branch-miss", 7, 8, 9)}
	save(t, dir, next)
	check("branch-miss 8, clock 5 of 13:00:00, mutex 2 of 12:00:00")
	next.Environment.CPU.Model = host.Known("6502", "", "cpuid")
	save(t, dir, next)
	check("branch-miss 8")
}

// A file that can't be read is left as it is until the next is saved, which sets
// it aside: no reader can move what another process has just written.
func TestDamagedFileIsSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, Name)
	var names []string
	for _, text := range []string{"{", "[1"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := Load(dir); ok || err == nil || !strings.Contains(err.Error(), "envelope axioms --measure takes new ones") {
			t.Errorf("got %v, %v; want an error that says what to do", ok, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("after Load: %q, %v; want the file untouched", got, err)
		}
		aside := save(t, dir, Taken{Time: noon, Axioms: []axioms.Measured{example("clock", 1, 2, 3)}})
		if got, err := os.ReadFile(aside); err != nil || string(got) != text {
			t.Errorf("set aside as %q: got %q, %v; want its bytes", aside, got, err)
		}
		load(t, dir)
		names = append(names, aside)
	}
	if names[0] == names[1] {
		t.Errorf("both are %s", names[0])
	}
}

// The file may be anybody's text.
func TestLoadBelievesNoOther(t *testing.T) {
	dir := t.TempDir()
	check := func(want string, change func(taken *Taken)) {
		t.Helper()
		taken := Taken{Time: noon, Axioms: []axioms.Measured{example("clock", 1, 2, 3)}}
		change(&taken)
		os.Remove(filepath.Join(dir, Name))
		save(t, dir, taken)
		if _, ok, err := Load(dir); ok || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, %v; want an error with %q", ok, err, want)
		}
	}
	axiom := func(change func(m *axioms.Measured)) func(*Taken) {
		return func(taken *Taken) { change(&taken.Axioms[0]) }
	}
	check("measured at 0001", func(taken *Taken) { taken.Time = time.Time{} })
	check("measured at 2019", func(taken *Taken) { taken.Time = time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC) })
	check("clock comes twice", func(taken *Taken) { taken.Axioms = append(taken.Axioms, taken.Axioms[0]) })
	check(`there is no axiom "no-such-axiom"`, axiom(func(m *axioms.Measured) { m.Name = "no-such-axiom" }))
	check(`clock is in "B", want "s"`, axiom(func(m *axioms.Measured) {
		m.Quantity, m.Low, m.High = axioms.Bytes(2), axioms.Bytes(1), axioms.Bytes(3)
	}))
	check("rests on 4611686018427387904 observations", axiom(func(m *axioms.Measured) { m.N = 1 << 62 }))
	check("is said to be", axiom(func(m *axioms.Measured) { m.Low = axioms.Seconds(5e-324) }))
	check("is said to be", axiom(func(m *axioms.Measured) { m.High = axioms.Seconds(1e250) }))
	for _, text := range []string{"\x1b[2J", "a\u202eb", "two\nlines", strings.Repeat("x", longestText+1)} {
		check("a text that is too long or can't be printed", axiom(func(m *axioms.Measured) { m.Method = text }))
		check("a text that is too long or can't be printed", axiom(func(m *axioms.Measured) { m.Bounds = text }))
	}
	check("was measured at 0000", axiom(func(m *axioms.Measured) { m.Taken = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) }))

	os.Remove(filepath.Join(dir, Name))
	if err := os.WriteFile(filepath.Join(dir, Name), make([]byte, largest+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "1048577 bytes, and at most 1048576 are read") {
		t.Errorf("got %v, want that it is too large", err)
	}
}

// What Save would refuse is known before anything is measured.
func TestCanSave(t *testing.T) {
	dir := t.TempDir()
	if err := CanSave(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	refused := func(dir, want string) {
		t.Helper()
		if err := CanSave(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", dir, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, Name), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(dir, "is not a regular file")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(file, "file exists")
}

// Every text of the suite can be kept.
func TestTextsOfTheSuiteCanBeKept(t *testing.T) {
	s, err := Open(t.Context(), options().Clock, t.TempDir(), rng())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, p := range s.probes {
		m := axioms.Measured{Name: p.name, N: 9, Method: p.method + " (9 samples: the interval is their range)", Bounds: p.bounds}
		m.Quantity = axioms.Quantity{Value: 2, Dim: p.dim()}
		m.Low, m.High = m.Quantity, m.Quantity
		if err := checkAxiom(m); err != nil {
			t.Error(err)
		}
	}
	if slices.Contains(byteRates, "core-peak") {
		t.Error("core-peak is no rate of bytes")
	}
}
