package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// names are the values with a name on an axis.
func names(s scale, unit string) string {
	s.binary = unit == "B"
	var out []string
	for _, t := range s.ticks(5) {
		if t.named {
			out = append(out, value(t.value, unit))
		}
	}
	return strings.Join(out, ", ")
}

func TestTicks(t *testing.T) {
	check := func(s scale, unit, want string) {
		t.Helper()
		if got := names(s, unit); got != want {
			t.Errorf("%+v: got %s, want %s", s, got, want)
		}
	}
	check(logarithmic(0, 100, 2, 1, 1000), "1", "1, 10, 100, 1,000")
	check(logarithmic(0, 100, 2, 1e-6, 3e-5), "s", "1 µs, 2 µs, 5 µs, 10 µs, 20 µs")
	check(logarithmic(0, 100, 2, 3, 60), "1", "5, 10, 20, 50")
	check(logarithmic(0, 100, 2, 1e-9, 1e9), "1", "1e-10, 1e-05, 1, 100,000, 10,000,000,000")
	check(logarithmic(0, 100, 2, 8, 8<<20), "B", "32 B, 1 KiB, 32 KiB, 1 MiB")
	check(logarithmic(0, 100, 1.1, 1, 1.01), "1", "1, 1.05")
	check(logarithmic(0, 100, 1.1, 70000, 71000), "B", "68 kB, 70 kB, 72 kB, 74 kB") // between two powers of two
	check(logarithmic(0, 100, 2, 40000, 50000), "B", "32 KiB")
	check(linear(0, 100, 0, 10), "1", "0, 5, 10")
	check(linear(0, 100, 0, 0), "1", "0, 1")
	check(linear(0, 100, -0.6, 1.5), "1", "-0.5, 0, 0.5, 1, 1.5")
	check(linear(0, 100, 0, 1), "1", "0, 1")
	check(upFromZero(0, 100, 350, 2048), "1", "0, 500, 1,000, 1,500, 2,000")
	check(upFromZero(0, 100, 0, 16384), "B", "0 B, 8 KiB, 16 KiB")
}

func TestAt(t *testing.T) {
	check := func(s scale, v, want float64) {
		t.Helper()
		if got := s.at(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%+v: %v is at %v, want %v", s, v, got, want)
		}
	}
	log := scale{log: true, low: 1, hi: 10000, from: 0, to: 100}
	check(log, 1, 0)
	check(log, 100, 50)
	check(log, 1e9, 100)
	check(log, 0, 0)
	check(log, -3, 0)
	check(scale{low: -10, hi: 10, from: 0, to: 100}, 0, 50)
	check(scale{low: -math.MaxFloat64, hi: math.MaxFloat64, from: 0, to: 100}, 0, 50)
	check(scale{low: 0, hi: 1, from: 100, to: 0}, 0.25, 75)
	zero := logarithmic(0, 100, 2, 0, 1, 10)
	if !zero.zero || zero.at(0) >= zero.from || zero.at(1) <= zero.from {
		t.Errorf("%+v: zero is at %v, 1 at %v; want it before the axis", zero, zero.at(0), zero.at(1))
	}
	if s := logarithmic(0, 100, 2, -1, 5); s.log {
		t.Error("a negative number is on a logarithmic scale")
	}
}

// Whatever is drawn, it keeps its order, and lies on the axis; ticks are values
// where they say.
func TestScaleKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), 1, 8).Draw(t, "values")
		if rapid.Bool().Draw(t, "positive") {
			for i := range values {
				values[i] = math.Abs(values[i])
			}
		}
		slices.Sort(values)
		for _, s := range []scale{linear(10, 300, values...), logarithmic(10, 300, 2, values...), upFromZero(10, 300, values...), logarithmic(300, 10, 2, values...)} {
			last := s.at(values[0])
			for _, v := range values {
				at := s.at(v)
				if !(at >= 10-1e-9 && at <= 300+1e-9) || s.to > s.from && at < last-1e-9 || s.to < s.from && at > last+1e-9 {
					t.Fatalf("%+v: %v is at %v, after %v", s, v, at, last)
				}
				last = at
			}
			for _, binary := range []bool{false, true} {
				s.binary = binary
				named := 0
				for _, k := range s.ticks(5) {
					if math.Abs(s.at(k.value)-k.at) > 1e-6 || !isFinite(k.value) {
						t.Fatalf("%+v: the tick %v is at %v", s, k.value, k.at)
					}
					if k.named {
						named++
					}
				}
				if named > 12 {
					t.Fatalf("%+v: %d ticks with a name", s, named)
				}
			}
		}
	})
}

// One step up for each observation, at its value.
func TestSteps(t *testing.T) {
	x, y := scale{low: 0, hi: 10, from: 0, to: 100}, scale{low: 0, hi: 1, from: 100, to: 0}
	check := func(want string, sorted ...float64) {
		t.Helper()
		if got := steps(sorted, x, y); got != want {
			t.Errorf("%v: got %s, want %s", sorted, got, want)
		}
	}
	check("")
	check("M0 100H50V0H100", 5)
	check("M0 100H10V75H20V50H30V25H40V0H100", 1, 2, 3, 4)
	check("M0 100H50V50H70V0H100", 5, 5, 7, 7)
	check("M0 100H50V0H100", 5, 5.01, 5.02) // on one point of the drawing
}
