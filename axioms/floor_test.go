package axioms

import (
	"math"
	"strings"
	"testing"
)

func TestFloor(t *testing.T) {
	check := func(layers []Layer, i int, name, floor string, measured bool) {
		t.Helper()
		if i >= len(layers) {
			t.Errorf("got %d layers, want %s as number %d", len(layers), name, i)
			return
		}
		if l := layers[i]; l.Name != name || l.Floor.String() != floor || l.Measured != measured || l.Text == "" || l.Source == "" {
			t.Errorf("got %s, %s, measured %t, want %s, %s, %t", l.Name, l.Floor, l.Measured, name, floor, measured)
		}
	}
	layers, err := Floor(Bytes(1e6), Set{})
	if err != nil || len(layers) != 4 {
		t.Fatalf("got %d layers, %v, want 4", len(layers), err)
	}
	check(layers, 0, "cache-copy", "20 µs", false)
	check(layers, 1, "dram-copy", "100 µs", false)
	check(layers, 2, "nvme-write", "500 µs", false)
	check(layers, 3, "disk-write", "6.67 ms", false)

	m := dram()
	m.High = BytesPerSecond(40e9)
	disk := dram()
	disk.Name, disk.Method = "seq-write", "a file of 64 MiB, direct"
	set, err := NewSet(m, disk)
	if err != nil {
		t.Fatal(err)
	}
	layers, err = Floor(Bytes(1e6), set)
	if err != nil || len(layers) != 5 {
		t.Fatalf("got %d layers, %v, want 5", len(layers), err)
	}
	check(layers, 0, "cache-copy", "20 µs", false)
	check(layers, 1, "dram-copy", "25 µs", true) // by the high end of its interval
	check(layers, 2, "seq-write", "34.5 µs", true)
	check(layers, 3, "nvme-write", "500 µs", false)
}

func TestRuledOut(t *testing.T) {
	check := func(took string, want ...string) {
		t.Helper()
		layers, err := Floor(Bytes(1e6), Set{})
		if err != nil {
			t.Fatal(err)
		}
		rulings, err := RuledOut(MustParse(took), layers)
		if err != nil || len(rulings) != len(want) {
			t.Fatalf("%s: got %d rulings, %v, want %d", took, len(rulings), err, len(want))
		}
		for i, r := range rulings {
			if r.String() != want[i] || r.Out != (r.Factor > 1) {
				t.Errorf("%s, %s: got %q, out %t, factor %v, want %q", took, r.Layer.Name, r, r.Out, r.Factor, want[i])
			}
		}
	}
	check("25 us", "not ruled out, 1.25x over its floor", "ruled out, 4x under its floor",
		"ruled out, 20x under its floor", "ruled out, 267x under its floor")
	check("500 us", "not ruled out, 25x over its floor", "not ruled out, 5x over its floor",
		"not ruled out, at its floor", "ruled out, 13.3x under its floor")
	check("499.9 us", "not ruled out, 25x over its floor", "not ruled out, 5x over its floor",
		"ruled out, 1.0002x under its floor", "ruled out, 13.3x under its floor")
	check("1 s", "not ruled out, 50,000x over its floor", "not ruled out, 10,000x over its floor",
		"not ruled out, 2,000x over its floor", "not ruled out, 150x over its floor")
}

func TestNothingIsMovedInNoTime(t *testing.T) {
	layers, err := Floor(Bytes(0), Set{})
	if err != nil {
		t.Fatal(err)
	}
	rulings, err := RuledOut(Seconds(1e-9), layers)
	if err != nil || rulings[0].Out || rulings[0].String() != "not ruled out, nothing to move" {
		t.Errorf("got %v, %v", rulings, err)
	}
}

func TestFloorRefuses(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	_, err := Floor(Seconds(1), Set{})
	check(err, "want a size")
	_, err = Floor(Bytes(-1), Set{})
	check(err, "-1 B")
	_, err = Floor(Quantity{math.Inf(1), DimByte}, Set{})
	check(err, "Inf")
	_, err = RuledOut(Bytes(1), nil)
	check(err, "want a time")
	_, err = RuledOut(Seconds(0), nil)
	check(err, "measures nothing")
	_, err = RuledOut(Seconds(-1), nil)
	check(err, "measures nothing")
	_, err = RuledOut(Quantity{math.NaN(), DimSecond}, nil)
	check(err, "measures nothing")
}
