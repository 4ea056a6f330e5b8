package axioms

import (
	"math"
	"strings"
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

func TestParseErrors(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		q, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q): got %s, want an error", text, q.Exact())
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Parse(%q): got %q, want it to hold %q", text, err, w)
			}
		}
		if q != (Quantity{}) {
			t.Errorf("Parse(%q): got %s beside an error", text, q.Exact())
		}
	}
	check("", "empty", `"300 us"`)
	check("  ", "empty")
	check("GB", `"GB"`, "no number")
	check("~5 ms", `"~5 ms"`, "no number")
	check(strings.Repeat("1", 300), "longer than 256")

	check("NaN", `"NaN"`, "finite")
	check("-inf", "finite")
	check("Infinity s", "finite")
	check("1e999 s", "too large")
	check("1e308 TB", "too large")
	check("1e-400 s", "too small")
	check("1e-320 ns", "too small")
	check("1e99999999999999999999", "exponent")

	check("1,5 ms", `decimal point as "."`)
	check("1.000,5", `decimal point as "."`)
	check("1,00", "groups thousands")
	check("1,0000", "groups thousands")
	check("1234,567", "groups thousands")
	check("1,000_000", "groups thousands")
	check("1__0", `"__0"`)
	check("1.5.2", `".2"`)
	check("5 ms!", `"!"`)
	check("5 6", `"6"`)
	check("1 1", `"1"`)
	check("2 GB / 3 s", `"/ 3 s"`)
	check("5 s^0", "power")
	check("5 s^10", "power")
	check("5 s^9*s", "power")

	check("5 mB", `"MB"`)
	check("5 gB", `"GB"`)
	check("5 Mb", `"MB" for bytes`, `"Mbit" for bits`)
	check("5 mb", `"MB" for bytes`, `"Mbit" for bits`)
	check("5 b", `"B" for bytes`, `"bit" for bits`)
	check("5 KB", `"kB" for 1,000 bytes`, `"KiB" for 1,024 bytes`)
	check("5 K", `"k" for 1,000`, `"KiB"`)
	check("5 kib", `"KiB"`)
	check("5 m", `"min"`, `"ms"`, `"M"`)
	check("5 S", `write "s"`)
	check("5 MS", `write "ms"`)
	check("5 US", `write "us"`)
	check("5 khz", `write "kHz"`)
	check("5 d", `write "day"`)
	check("5 gflop", `write "GFLOP"`)
	check("5 TFLOPS", `"TFLOP" for an amount`, `"TFLOP/s" for a rate`)
	check("5 Gbps", `write "Gbit/s"`)
	check("5 gbps", `write "Gbit/s"`)
	check("5 MBps", `write "MB/s"`)
	check("5 GB/S", `write "s"`)
	check("5 parsec", `unknown unit "parsec"`, "use B, bit, s")
}

func TestReadSaysHowItWasWritten(t *testing.T) {
	check := func(text string, none, bare bool) {
		t.Helper()
		r, err := Read(text)
		if err != nil || r.None != none || r.Bare != bare {
			t.Errorf("Read(%q): got none %t, bare %t, error %v; want %t, %t", text, r.None, r.Bare, err, none, bare)
		}
	}
	check("none", true, false)
	check("0 B", false, false)
	check("0", false, true)
	check("300", false, true)
	check("5x", false, false)
}

func TestIn(t *testing.T) {
	check := func(q Quantity, unit string, want float64, fails string) {
		t.Helper()
		got, err := q.In(unit)
		if fails != "" {
			if err == nil || !strings.Contains(err.Error(), fails) {
				t.Errorf("%s in %q: got error %v, want %q", q, unit, err, fails)
			}
			return
		}
		if err != nil || got != want {
			t.Errorf("%s in %q: got %v, %v, want %v", q, unit, got, err, want)
		}
	}
	check(Bytes(1<<20), "kB", 1048.576, "")
	check(BytesPerSecond(2e9), "GB/s", 2, "")
	check(PerSecond(5), "1/s", 5, "")
	check(Count(0.5), "%", 50, "")
	check(Bytes(1), "s", 0, "cannot compare B and s")
	check(Bytes(1), "KB", 0, "KiB")
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("got no panic")
		}
	}()
	MustParse("five")
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"300us", "1,000 B/s", "none", "5x", "1e-400 s", "5 1/s", "2 GB/", "1_0^2", "5 KiB^-2/s", "\u22125 \u00b5s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(q.Exact()); err != nil || again.Dim != q.Dim ||
			math.Float64bits(again.Value) != math.Float64bits(q.Value) {
			t.Errorf("Parse(%q) is %q, which reads back as %s, %v", text, q.Exact(), again.Exact(), err)
		}
	})
}
