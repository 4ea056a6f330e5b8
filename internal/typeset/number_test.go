package typeset

import (
	"math"
	"testing"

	"envelope/axioms"
	"envelope/internal/measure"
)

func TestNumber(t *testing.T) {
	check := func(v float64, want string) {
		t.Helper()
		if got := Number(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
	check(0, "0")
	check(12, "12")
	check(1234567, "1,234,567")
	check(-3, "-3")
	check(0.000123456, "0.000123")
	check(3.14159, "3.14")
	check(999.4, "999")
	check(999.6, "1,000")
	check(12345.678, "12,300")
	check(1e15, "1e+15")
	check(math.Inf(1), "+Inf")
}

func TestQuantity(t *testing.T) {
	check := func(q axioms.Quantity, want string) {
		t.Helper()
		if got := Quantity(q); got != want {
			t.Errorf("%v: got %q, want %q", q, got, want)
		}
	}
	check(axioms.PerSecond(1000), "1,000/s")
	check(axioms.PerSecond(12.5), "12.5/s")
	check(axioms.PerSecond(0), "0/s")
	check(axioms.PerSecond(1e9/3), "333,000,000/s")
	check(axioms.PerSecond(1e18), "1e+18/s")
	check(axioms.PerSecond(math.Inf(1)), "+Inf/s")
	check(axioms.BytesPerSecond(2e9), "2 GB/s")
	check(axioms.Seconds(0.0003), "300 µs")
	check(axioms.Count(65536), "65,536")
}

func TestBeside(t *testing.T) {
	check := func(q, other axioms.Quantity, want string) {
		t.Helper()
		if got := Beside(q, other); got != want {
			t.Errorf("%v beside %v: got %q, want %q", q, other, got, want)
		}
	}
	check(axioms.Bytes(524373.3), axioms.Bytes(524288), "512 KiB")
	check(axioms.Bytes(540000), axioms.Bytes(524288), "527 KiB")
	check(axioms.Bytes(1500000), axioms.Bytes(1<<20), "1.43 MiB")
	check(axioms.Bytes(524288), axioms.Bytes(1<<20), "512 KiB")
	check(axioms.Bytes(1000), axioms.Bytes(524288), "1 kB")
	check(axioms.Bytes(0), axioms.Bytes(524288), "0 B")
	check(axioms.Bytes(1000001), axioms.Bytes(1000000), "1 MB")
	check(axioms.Seconds(3e-6), axioms.Bytes(524288), "3 µs")
	check(axioms.Count(70), axioms.Count(64), "70")
}

func TestSpan(t *testing.T) {
	check := func(low, high float64, unit, want string) {
		t.Helper()
		if got := Span(low, high, unit); got != want {
			t.Errorf("%v to %v %s: got %q, want %q", low, high, unit, got, want)
		}
	}
	check(0, 0, "1", "0")
	check(65536, 65536, "B", "64 KiB")
	check(30, 110, "1", "30 to 110")
	check(0.2, 0.297, "1", "0.2 to 0.297")
	check(1, 1.00097656, "1", "1 to 1.00098")
	check(7.98976109, 7.99414634, "1", "7.98976 to 7.99415")
	check(1, 1.0000001, "1", "1 to 1.0000001")
	check(0.3, math.Nextafter(0.3, 1), "1", "0.29999999999999999 to 0.30000000000000004")
	check(1.0001e-6, 1.0002e-6, "s", "1.0001e-06 s to 1.0002e-06 s")
	check(-1.0002, -1.0001, "1", "-1.0002 to -1.0001")
	check(1, 1.0001, "\x1b[2J", "1 [2J to 1.0001 [2J")
}

func TestValue(t *testing.T) {
	check := func(v float64, unit, want string) {
		t.Helper()
		if got := Value(v, unit); got != want {
			t.Errorf("%v %q: got %q, want %q", v, unit, got, want)
		}
	}
	check(65536, "B", "64 KiB")
	check(0.0003, "s", "300 µs")
	check(2.5, "1", "2.5")
	check(2.5, "furlong\x1b[2J", "2.5 furlong[2J")
}

// What is printed in full is read back to the bit.
func TestExact(t *testing.T) {
	check := func(q axioms.Quantity, want string) {
		t.Helper()
		got := Exact(q)
		if got != want {
			t.Errorf("%v: got %q, want %q", q, got, want)
		}
		if back, err := axioms.Parse(got); err != nil || back != q {
			t.Errorf("%q is read as %v, %v", got, back, err)
		}
	}
	check(axioms.Bytes(65536), "64 KiB")
	check(axioms.Bytes(1000001), "1,000,001 B")
	check(axioms.Bytes(-1000001), "-1,000,001 B")
	check(axioms.Seconds(0.000123456), "0.000123456 s")
	check(axioms.Seconds(1234), "1,234 s")
	check(axioms.PerSecond(100_000), "100,000/s")
	check(axioms.PerSecond(123_456), "123,456/s")
	check(axioms.Count(1.0/3), "0.3333333333333333")
}

func TestRegion(t *testing.T) {
	check := func(r measure.Region, unit, want string) {
		t.Helper()
		if got := Region(r, unit); got != want {
			t.Errorf("%v: got %q, want %q", r, got, want)
		}
	}
	check(measure.Equal(0), "1", "= 0")
	check(measure.AtLeast(1000), "1", ">= 1,000")
	check(measure.Equal(65536), "B", "= 64 KiB")
	check(measure.Equal(65537), "B", "= 65,537 B")
	check(measure.AtMost(1.25), "1", "<= 1.25")
	check(measure.Within(0.5, 2), "1", "in [0.5, 2]")
	check(measure.Within(5.702, 5.934), "1", "in [5.702, 5.934]")
	check(measure.Within(409.6, 640), "1", "in [409.6, 640]")
	check(measure.AtMost(1e-5), "1", "<= 1e-05")
	check(measure.Equal(172.0/960), "1", "= 0.179 (43/240)")
	check(measure.Within(0, 1-1.0/256), "1", "in [0, 0.996 (255/256)]")
	check(measure.AtMost(0.0003), "s", "<= 300 µs")
	check(measure.AtLeast(math.Pi), "1", ">= 3.141592653589793")
	check(measure.AtLeast(2), "furlong", ">= 2 furlong")
}
