package probe

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/measure"
)

func rng() *rand.Rand { return rand.New(rand.NewPCG(1, 0)) }

// sound demands a measured axiom of the right unit, with an interval around it.
func sound(t *testing.T, m axioms.Measured, unit string) {
	t.Helper()
	if err := m.Validate(); err != nil {
		t.Errorf("%s: %v", m.Name, err)
	}
	v, low, high := m.Quantity.Value, m.Low.Value, m.High.Value
	if m.Quantity.Dim.String() != unit || m.Low.Dim != m.Quantity.Dim || m.High.Dim != m.Quantity.Dim {
		t.Errorf("%s: got %v (%v to %v), want all in %s", m.Name, m.Quantity, m.Low, m.High, unit)
	}
	if !(v > 0) || math.IsInf(v, 0) || !(low <= v && v <= high) || !(low > 0) {
		t.Errorf("%s: got %v (%v to %v), want it positive and within its interval", m.Name, v, low, high)
	}
	if m.N < 1 || m.Method == "" || m.Bounds == "" {
		t.Errorf("%s: got n %d, method %q, bounds %q", m.Name, m.N, m.Method, m.Bounds)
	}
}

// units are the axioms that every run measures.
var units = map[string]string{"clock": "s", "system-call": "s", "cache-copy": "B/s", "dram-copy": "B/s", "seq-write": "B/s"}

// With all the time that it takes, every axiom is there, with all its samples.
func TestAxioms(t *testing.T) {
	got, err := Axioms(t.Context(), measure.NewClock(), t.TempDir(), rng(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range got {
		names = append(names, m.Name)
		sound(t, m, units[m.Name])
	}
	if want := Names()[:5]; !slices.Equal(names, want) || len(units) != len(want) {
		t.Errorf("got %v, want %v", names, want)
	}
	if _, err := axioms.NewSet(got...); err != nil {
		t.Errorf("as a set: %v", err)
	}
}

// What the budget leaves no time for is left out, and is no error.
func TestBudgetEndsEarly(t *testing.T) {
	got, err := Axioms(t.Context(), measure.NewClock(), t.TempDir(), rng(), time.Nanosecond)
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v; want nothing", got, err)
	}
}

func TestAxiomsAreRefused(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Axioms(ctx, measure.NewClock(), t.TempDir(), rng(), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: got %v, want %v", err, context.Canceled)
	}
	nowhere := t.TempDir() + "/nowhere"
	if _, err := Axioms(t.Context(), measure.NewClock(), nowhere, rng(), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: got %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := Barrier(measure.NewClock(), nowhere, rng()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: got %v, want %v", err, fs.ErrNotExist)
	}
}

func TestBarrier(t *testing.T) {
	if got, err := Barrier(measure.NewClock(), t.TempDir(), rng()); err != nil || got <= 0 {
		t.Errorf("got %v, %v; want a time", got, err)
	}
}

// The probes are kept apart: what one has no samples for, or fails at, is not
// the others' fault.
func TestProbesAreKeptApart(t *testing.T) {
	count := func(name string, values ...float64) measure.Arm {
		n := 0
		return measure.Arm{Name: name, Unit: "s", Count: func() (float64, error) {
			n++
			return values[(n-1)%len(values)], nil
		}}
	}
	broken := measure.Arm{Name: "broken", Unit: "s", Count: func() (float64, error) { return 0, errors.New("out of paper") }}
	base := count("base", 1)
	probes := []probe{
		{name: "plain", method: "m", bounds: "b", n: 9, arm: count("plain", 5, 4, 6, 5)},
		{name: "broken", method: "m", bounds: "b", n: 9, arm: broken},
		{name: "net", method: "m", bounds: "b", n: 9, arm: count("net", 3), less: &base},
		{name: "nothing-left", method: "m", bounds: "b", n: 9, arm: count("nothing-left", 1), less: &base},
		{name: "base-broken", method: "m", bounds: "b", n: 9, arm: count("base-broken", 3), less: &broken},
	}
	series, _, err := sample(t.Context(), measure.Options{Clock: measure.NewClock(), Rand: rng()}, probes, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, failed := conclude(probes, series)
	values := map[string]float64{}
	for _, m := range got {
		values[m.Name] = m.Quantity.Value
		sound(t, m, "s")
	}
	if len(values) != 2 || values["plain"] != 5 || values["net"] != 2 {
		t.Errorf("got %v, want plain 5 and net 2", values)
	}
	var texts []string
	for _, e := range failed {
		texts = append(texts, e.Error())
	}
	for i, want := range []string{"broken: broken: out of paper", "nothing-left: ", "base-broken: broken: out of paper"} {
		if i >= len(texts) || !strings.HasPrefix(texts[i], want) {
			t.Errorf("got %q, want %q in place %d", texts, want, i)
		}
	}
}

// A rate is the bytes over the time, so its interval is turned around.
func TestMeasured(t *testing.T) {
	samples := []float64{9, 1, 8, 2, 7, 3, 6, 4, 5}
	p := probe{name: "rate", method: "m", bounds: "b", bytes: 90}
	m := p.measured(samples)
	sound(t, m, "B/s")
	if m.Quantity.Value != 18 || m.N != 9 || m.Method != "m" {
		t.Errorf("got %v of %d by %q, want 18 of 9 by m", m.Quantity, m.N, m.Method)
	}
	low, high, ok := measure.MedianInterval(samples, 0.95)
	if !ok || m.Low.Value != 90/high || m.High.Value != 90/low {
		t.Errorf("got %v to %v, want 90 over %v and %v (%v)", m.Low, m.High, high, low, ok)
	}
	few := probe{name: "few", method: "m", bounds: "b"}
	m = few.measured([]float64{3, 1, 2})
	sound(t, m, "s")
	if m.Low.Value != 1 || m.High.Value != 3 || m.Method != "m (3 samples: the interval is their range)" {
		t.Errorf("got %v to %v by %q, want the whole range, and that it is", m.Low, m.High, m.Method)
	}
}

// Payloads hold no zeros to speak of: they would compress away.
func TestBuffersAreNotZero(t *testing.T) {
	payload := random(rng(), chunk)
	if zeros := len(payload) - len(slices.DeleteFunc(slices.Clone(payload), func(b byte) bool { return b == 0 })); zeros > chunk/128 {
		t.Errorf("%d of %d bytes are zero", zeros, chunk)
	}
	if !slices.Equal(payload, random(rng(), chunk)) {
		t.Error("the same seed gave other bytes")
	}
}

// The arena has numbers that a sum takes at full speed, to its last byte.
func TestArena(t *testing.T) {
	a, err := newArena(rng())
	if err != nil {
		t.Fatal(err)
	}
	defer a.free()
	data := a.buffer.Data
	if len(a.bytes) != 2*cold || len(data) != 2*cold/4 {
		t.Fatalf("got %d bytes and %d numbers, want %d bytes", len(a.bytes), len(data), 2*cold)
	}
	zeros := 0
	for _, i := range []int{0, len(data) / 3, len(data) - 1000} {
		for _, v := range data[i : i+1000] {
			if v == 0 {
				zeros++
			}
			if !(v >= 0 && v < 1) {
				t.Fatalf("got %v, want numbers from 0 to 1", v)
			}
		}
	}
	if zeros > 30 {
		t.Errorf("%d of 3000 numbers are zero", zeros)
	}
	if with := a.line(); !slices.Equal(with[:], a.bytes[:line]) {
		t.Error("the line to write is none of the arena's")
	}
}
