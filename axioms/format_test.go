package axioms

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	check := func(q Quantity, want, exact string) {
		t.Helper()
		if got := q.String(); got != want {
			t.Errorf("%s: got %q, want %q", q.Exact(), got, want)
		}
		if got := q.Exact(); got != exact {
			t.Errorf("%s: got exact %q, want %q", q, got, exact)
		}
	}
	check(Bytes(0), "0 B", "0 B")
	check(Bytes(8), "8 B", "8 B")
	check(Bytes(0.5), "0.5 B", "0.5 B")
	check(Bytes(1e-9), "1e-09 B", "1e-09 B")
	check(Bytes(1000), "1 kB", "1000 B")
	check(Bytes(1024), "1 KiB", "1024 B")
	check(Bytes(1536), "1.54 kB", "1536 B")
	check(Bytes(65536), "64 KiB", "65536 B")
	check(Bytes(-65536), "-64 KiB", "-65536 B")
	check(Bytes(512000), "512 kB", "512000 B")
	check(Bytes(1e6), "1 MB", "1e+06 B")
	check(Bytes(1<<20), "1 MiB", "1.048576e+06 B")
	check(Bytes(1023<<10), "1023 KiB", "1.047552e+06 B")
	check(Bytes(999600), "1 MB", "999600 B")
	check(Bytes(1e30), "1e+30 B", "1e+30 B")

	check(Seconds(0), "0 s", "0 s")
	check(Seconds(4e-9), "4 ns", "4e-09 s")
	check(Seconds(2e-10), "0.2 ns", "2e-10 s")
	check(Seconds(3e-15), "3e-15 s", "3e-15 s")
	check(Seconds(0.0003), "300 µs", "0.0003 s")
	check(Seconds(999.6e-6), "1 ms", "0.0009996 s")
	check(Seconds(-0.01), "-10 ms", "-0.01 s")
	check(Seconds(90), "90 s", "90 s")
	check(Seconds(119.7), "2 min", "119.7 s")
	check(Seconds(7200), "2 h", "7200 s")
	check(Seconds(864000), "10 day", "864000 s")
	check(Seconds(1e12), "1e+12 s", "1e+12 s")

	check(BytesPerSecond(2e9), "2 GB/s", "2e+09 B/s")
	check(BytesPerSecond(1<<20), "1.05 MB/s", "1.048576e+06 B/s")
	check(FLOP(14e9), "14 GFLOP", "1.4e+10 FLOP")
	check(Quantity{312e12, DimFLOPPerSecond}, "312 TFLOP/s", "3.12e+14 FLOP/s")
	check(Quantity{156, DimFLOPPerByte}, "156 FLOP/B", "156 FLOP/B")
	check(PerSecond(12744103), "12.7 M/s", "1.2744103e+07/s")
	check(PerSecond(9.996e14), "1000 T/s", "9.996e+14/s")
	check(PerSecond(1e17), "1e+17/s", "1e+17/s")
	check(PerSecond(12.5), "12.5/s", "12.5/s")
	check(Quantity{3e9, Dim{Byte: 2, Second: -1}}, "3e+09 B^2/s", "3e+09 B^2/s")

	check(Count(65536), "65,536", "65536")
	check(Count(-1234567), "-1,234,567", "-1.234567e+06")
	check(Count(24873.3), "24,900", "24873.3")
	check(Count(0.12345), "0.123", "0.12345")
	check(Count(1e20), "1e+20", "1e+20")
	check(Quantity{math.Inf(1), DimSecond}, "+Inf s", "+Inf s")
}

// quantities draws any finite quantity in a dimension that the labs know or do not.
func quantities(t *rapid.T) Quantity {
	dim := rapid.SampledFrom([]Dim{DimOne, DimByte, DimSecond, DimFLOP, DimBytePerSecond, DimFLOPPerSecond, DimFLOPPerByte,
		DimPerSecond, {Byte: 2}, {Byte: -1, Second: -3}, {FLOP: 9, Byte: -9, Second: 1}}).Draw(t, "dim")
	v := rapid.OneOf(
		rapid.Float64(),
		rapid.Float64Range(-1e6, 1e6),
		rapid.Map(rapid.Int64Range(-1<<50, 1<<50), func(n int64) float64 { return float64(n) }),
		rapid.Map(rapid.IntRange(0, 60), func(n int) float64 { return float64(int64(1) << n) }),
		rapid.Map(rapid.IntRange(-30, 30), func(n int) float64 { return 9.996 * math.Pow10(n) }),
	).Filter(func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }).Draw(t, "value")
	return Quantity{v, dim}
}

func TestExactReadsBackBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := quantities(t)
		got, err := Parse(q.Exact())
		if err != nil || got.Dim != q.Dim || math.Float64bits(got.Value) != math.Float64bits(q.Value) {
			t.Fatalf("%q: got %s, %v", q.Exact(), got.Exact(), err)
		}
		r, err := Eval(q.Exact())
		if err != nil || r.Quantity.Dim != q.Dim || math.Float64bits(r.Quantity.Value) != math.Float64bits(q.Value) {
			t.Fatalf("Eval(%q): got %s, %v", q.Exact(), r.Quantity.Exact(), err)
		}
	})
}

func TestFormatReadsBackWithinItsDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := quantities(t)
		text := q.String()
		got, err := Parse(text)
		if err != nil || got.Dim != q.Dim {
			t.Fatalf("%s printed as %q: got %s, %v", q.Exact(), text, got.Exact(), err)
		}
		within := 0.005*(1+1e-9)*math.Abs(q.Value) + 5e-324*1000
		if off := math.Abs(got.Value - q.Value); off > within {
			t.Fatalf("%s printed as %q: off by %g, want at most %g", q.Exact(), text, off, within)
		}
	})
}
