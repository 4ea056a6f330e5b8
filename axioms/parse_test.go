package axioms

import (
	"testing"
)

func TestParse(t *testing.T) {
	check := func(text string, value float64, dim Dim) {
		t.Helper()
		q, err := Parse(text)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			return
		}
		if want := (Quantity{value, dim}); q != want {
			t.Errorf("Parse(%q): got %s, want %s", text, q.Exact(), want.Exact())
		}
	}
	check("300us", 0.0003, DimSecond)
	check("0.3 ms", 0.0003, DimSecond)
	check("300 \u00b5s", 0.0003, DimSecond)
	check("300 \u03bcs", 0.0003, DimSecond)
	check("1e-4 s", 0.0001, DimSecond)
	check("1E-4s", 0.0001, DimSecond)
	check(".5 ms", 0.0005, DimSecond)
	check("-3 ns", -3e-9, DimSecond)
	check("\u22123 ns", -3e-9, DimSecond)
	check("+3 ns", 3e-9, DimSecond)
	check("2 min", 120, DimSecond)
	check("2 h", 7200, DimSecond)
	check("2 days", 172800, DimSecond)
	check("2 seconds", 2, DimSecond)
	check(" 7\u00a0s ", 7, DimSecond)

	check("none", 0, DimByte)
	check("None", 0, DimByte)
	check("64 KiB", 65536, DimByte)
	check("64 kB", 64000, DimByte)
	check("1 MiB", 1<<20, DimByte)
	check("1MB", 1e6, DimByte)
	check("3 GiB", 3<<30, DimByte)
	check("3 GB", 3e9, DimByte)
	check("1 TiB", 1<<40, DimByte)
	check("1 TB", 1e12, DimByte)
	check("1EB", 1e18, DimByte)
	check("8 bit", 1, DimByte)
	check("8 bits", 1, DimByte)
	check("8 Mbit", 1e6, DimByte)
	check("8 Mibit", 1<<20, DimByte)
	check("65,536 bytes", 65536, DimByte)

	check("2 GB/s", 2e9, DimBytePerSecond)
	check("2 GB / s", 2e9, DimBytePerSecond)
	check("8 Gbit/s", 1e9, DimBytePerSecond)
	check("1 kB/ms", 1e6, DimBytePerSecond)
	check("60 B/min", 1, DimBytePerSecond)
	check("14 GFLOP", 14e9, DimFLOP)
	check("312 TFLOP/s", 312e12, DimFLOPPerSecond)
	check("156 FLOP/B", 156, DimFLOPPerByte)
	check("156 FLOP*B^-1", 156, DimFLOPPerByte)
	check("10 kHz", 1e4, DimPerSecond)
	check("3.2 GHz", 3.2e9, DimPerSecond)
	check("100,000/s", 1e5, DimPerSecond)
	check("5 1/s", 5, DimPerSecond)
	check("12 k/s", 12000, DimPerSecond)
	check("50 tokens/s", 50, DimPerSecond)
	check("524288 B/token", 524288, DimByte)
	check("3 B^2/s", 3, Dim{Byte: 2, Second: -1})

	check("5x", 5, DimOne)
	check("5 \u00d7", 5, DimOne)
	check("12 %", 0.12, DimOne)
	check("1,000", 1000, DimOne)
	check("12,744,103", 12744103, DimOne)
	check("1_000", 1000, DimOne)
	check("1_0_0.5", 100.5, DimOne)
	check("10k", 1e4, DimOne)
	check("3 M", 3e6, DimOne)
	check("2G", 2e9, DimOne)
	check("64 records", 64, DimOne)
}
