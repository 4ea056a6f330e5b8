package axioms

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// dram is a measured axiom that nothing is wrong with.
func dram() Measured {
	return Measured{Name: "dram-copy", Quantity: BytesPerSecond(28e9), Low: BytesPerSecond(27e9), High: BytesPerSecond(29e9),
		N: 31, Method: "copies of 64 MiB", Bounds: "how fast one core copies what no cache holds"}
}

// clock is a measured axiom that has no constant.
func clock() Measured {
	return Measured{Name: "clock", Quantity: Seconds(40e-9), Low: Seconds(39e-9), High: Seconds(41e-9), N: 100}
}

func TestSetPrefersMeasured(t *testing.T) {
	set, err := NewSet(clock(), dram())
	if err != nil {
		t.Fatal(err)
	}
	check := func(set Set, name, want, kind string) {
		t.Helper()
		g, err := set.Get(name)
		if err != nil || g.Quantity.String() != want || g.Kind() != kind {
			t.Errorf("%s: got %s, %s, %v, want %s, %s", name, g.Quantity, g.Kind(), err, want, kind)
		}
	}
	check(set, "dram-copy", "28 GB/s", "measured")
	check(set, "dram_copy", "28 GB/s", "measured")
	check(set, "clock", "40 ns", "measured")
	check(set, "nvme-write", "2 GB/s", "assumed")
	check(Set{}, "dram-copy", "10 GB/s", "assumed")

	all := set.All()
	if last := all[len(all)-1]; len(all) != len(All())+1 || last.Name != "clock" {
		t.Errorf("got %d axioms, the last %q; want %d and clock", len(all), last.Name, len(All())+1)
	}
}

func TestUnknownAxioms(t *testing.T) {
	check := func(name string, want ...string) {
		t.Helper()
		_, err := Set{}.Get(name)
		_, err2 := Lookup(name)
		if err == nil || err2 == nil || err.Error() != err2.Error() {
			t.Errorf("%s: got %v and %v, want the same error", name, err, err2)
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: got %q, want it to hold %q", name, err, w)
			}
		}
	}
	check("dram-cpy", `"dram-cpy"`, "did you mean dram-copy")
	check("DRAM-copy", "did you mean dram-copy")
	check("fsync", "fsync-plp")
	check("clock", "there are function-call, system-call")
	check(strings.Repeat("zq", 1<<16), "there are")
}

func TestNewSetRefuses(t *testing.T) {
	check := func(want string, change func(*Measured)) {
		t.Helper()
		m := dram()
		change(&m)
		if _, err := NewSet(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
		if _, err := json.Marshal(m); err == nil {
			t.Errorf("%s: got JSON, want the same error", want)
		}
	}
	check("want a name", func(m *Measured) { m.Name = "" })
	check("want a name", func(m *Measured) { m.Name = "Dram" })
	check("want a name", func(m *Measured) { m.Name = "dram-2" })
	check("want a name", func(m *Measured) { m.Name = "2dram" })
	check("want a name", func(m *Measured) { m.Name = "min" })
	check("want a name", func(m *Measured) { m.Name = "sqrt" })
	check("0 observations", func(m *Measured) { m.N = 0 })
	check("not finite", func(m *Measured) { m.Quantity.Value = math.NaN() })
	check("not finite", func(m *Measured) { m.High.Value = math.Inf(1) })
	check(`its interval is in "s"`, func(m *Measured) { m.Low.Dim = DimSecond })
	check("not inside", func(m *Measured) { m.Low.Value = 28.5e9 })
	check("not inside", func(m *Measured) { m.High.Value = 27.5e9 })
	check("over zero", func(m *Measured) { m.Low.Value = 0 })
	check(`the assumed value is in "B/s"`, func(m *Measured) {
		m.Quantity.Dim, m.Low.Dim, m.High.Dim = DimSecond, DimSecond, DimSecond
	})
	if _, err := NewSet(dram(), dram()); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("got %v, want an error with %q", err, "twice")
	}
}

func TestJSON(t *testing.T) {
	before := clock()
	before.Taken = time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	set, err := NewSet(dram(), before)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"dram-copy","unit":"B/s","value":28000000000,"low":27000000000,"high":29000000000,"n":31,`; !strings.Contains(string(text), want) {
		t.Errorf("got %s, want it to hold %s", text, want)
	}
	if want := `"taken":"2026-05-17T09:30:00Z"`; strings.Count(string(text), `"taken"`) != 1 || !strings.Contains(string(text), want) {
		t.Errorf("got %s, want %s in it once", text, want)
	}
	if g, err := set.Get("clock"); err != nil || !g.Taken.Equal(before.Taken) {
		t.Errorf("got %+v, %v, want when it was taken", g, err)
	}
	var back Set
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(set.Measured(), back.Measured()); d != "" {
		t.Error(d)
	}
	if text, err := json.Marshal(Set{}); err != nil || string(text) != "[]" {
		t.Errorf("got %s, %v, want []", text, err)
	}

	q := PerSecond(0.1)
	if text, err = json.Marshal(q); err != nil || string(text) != `{"value":0.1,"unit":"1/s"}` {
		t.Errorf("got %s, %v", text, err)
	}
	var again Quantity
	if err := json.Unmarshal(text, &again); err != nil || again != q {
		t.Errorf("got %v, %v, want %v", again, err, q)
	}
	if _, err := json.Marshal(Quantity{math.NaN(), DimOne}); err == nil {
		t.Error("got JSON for NaN, want an error")
	}
}

func TestJSONRefuses(t *testing.T) {
	check := func(text string, into json.Unmarshaler, want string) {
		t.Helper()
		if err := into.UnmarshalJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
	check(`{"value":1}`, &Quantity{}, "lacks")
	check(`{"unit":"B"}`, &Quantity{}, "lacks")
	check(`{"value":1,"unit":"GB"}`, &Quantity{}, "not a base unit")
	check(`{"value":1,"unit":"B","u":1}`, &Quantity{}, "unknown field")
	check(`{"value":"1","unit":"B"}`, &Quantity{}, "cannot unmarshal")
	check(`{"value":1,"unit":"B"} 2`, &Quantity{}, "behind")
	check(`{"name":"clock","unit":"s","value":1,"low":1,"n":1}`, &Measured{}, "lacks")
	check(`{"name":"clock","unit":"s","value":1,"low":1,"high":1,"n":0}`, &Measured{}, "0 observations")
	check(`{"name":"clock","unit":"s","value":1,"low":1,"high":1,"n":1,"taken":"0001-01-01T00:00:00Z"}`, &Measured{}, "at no time")
	check(`{"name":"clock","x":1}`, &Measured{}, "unknown field")
	check(`[{"name":"clock","unit":"s","value":1,"low":1,"high":1,"n":1},{"name":"clock","unit":"s","value":1,"low":1,"high":1,"n":1}]`, &Set{}, "twice")
	check(`{}`, &Set{}, "cannot unmarshal")
}

func TestConstants(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		if seen[c.Name] || !validName(c.Name) {
			t.Errorf("%s: twice, or no name that an expression can use", c.Name)
		}
		seen[c.Name] = true
		if c.Class == "" || c.Source == "" {
			t.Errorf("%s: no class or no source", c.Name)
		}
		if c.Low.Dim != c.Quantity.Dim || c.High.Dim != c.Quantity.Dim || !c.Quantity.Dim.Known() {
			t.Errorf("%s: in %s, %s, %s", c.Name, c.Quantity.Dim, c.Low.Dim, c.High.Dim)
		}
		if c.Low.Value <= 0 || c.Low.Value > c.Quantity.Value || c.Quantity.Value > c.High.Value {
			t.Errorf("%s: %s is not inside %s to %s", c.Name, c.Quantity, c.Low, c.High)
		}
		if got, err := Lookup(c.Name); err != nil || got != c {
			t.Errorf("Lookup(%q): got %v, %v", c.Name, got, err)
		}
		if r, err := Eval(c.Name); err != nil || r.Quantity != c.Quantity {
			t.Errorf("Eval(%q): got %s, %v, want %s", c.Name, r.Quantity, err, c.Quantity)
		}
	}
	All()[0].Name = "changed"
	if All()[0].Name == "changed" {
		t.Error("a caller can change the constants")
	}
}

func TestConstantsAgreeWithEachOther(t *testing.T) {
	check := func(expr, want string) {
		t.Helper()
		r, err := Eval(expr)
		if err != nil || r.Quantity.String() != want {
			t.Errorf("%s: got %s, %v, want %s", expr, r.Quantity, err, want)
		}
	}
	check("1 MB / dram-copy", "100 µs")
	check("1 MB / nvme-write", "500 µs")
	check("1 MB / disk-write", "6.67 ms")
	check("fsync-plp / (8 B / nvme-write)", "25,000")
	check("a100-peak / a100-bandwidth", "156 FLOP/B")
	check("model-work / a100-peak", "44.9 µs")
	check("model-weights / a100-bandwidth", "7 ms")
	check("model-weights / model-parameters", "2 B")
	check("2 * model-layers * model-width * model-weights / model-parameters", "512 KiB")
	check("floor((a100-memory - model-weights) / 1 GiB)", "61")
	check("study-weights / study-bandwidth", "3.13 ms")
	check("(study-token - study-weights / study-bandwidth) / study-operations", "16.7 µs")
	check("1 - acceptance^5", "0.832")
	check("1 / crc32-miss", "4,294,967,296")
}

func TestDistance(t *testing.T) {
	check := func(a, b string, want int) {
		t.Helper()
		if got, back := distance(a, b), distance(b, a); got != want || back != want {
			t.Errorf("%q and %q: got %d and %d, want %d", a, b, got, back, want)
		}
	}
	check("", "", 0)
	check("", "abc", 3)
	check("show", "show", 0)
	check("shwo", "show", 1)
	check("hsow", "show", 1)
	check("bariier", "barrier", 1)
	check("kitten", "sitting", 3)
}
