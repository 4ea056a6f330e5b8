package axioms

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEval(t *testing.T) {
	check := func(expr, text, want string) {
		t.Helper()
		r, err := Eval(expr)
		if err != nil {
			t.Errorf("Eval(%q): %v", expr, err)
			return
		}
		if got := r.Quantity.String(); got != want || r.Text != text {
			t.Errorf("Eval(%q): got %q as %q, want %q as %q", expr, got, r.Text, want, text)
		}
	}
	check("8 B / 2 GB/s", "8 B / (2 GB/s)", "4 ns")
	check("8B/2GB/s", "8 B / (2 GB/s)", "4 ns")
	check("8 B / s", "8 B/s", "8 B/s")
	check("8 B / 2 s", "8 B / (2 s)", "4 B/s")
	check("1/3 s", "1 / (3 s)", "0.333/s")
	check("100 B/s / 4", "(100 B/s) / 4", "25 B/s")
	check("3 B * s / 3", "(3 B*s) / 3", "1 B*s")
	check("8 / min", "8/min", "0.133/s")
	check("8 / min(2 s, 4 s)", "8 / min(2 s, 4 s)", "4/s")
	check("8 B / 2 GB / s", "8 B / (2 GB/s)", "4 ns")
	check("312 TFLOP/s / 2 TB/s", "(312 TFLOP/s) / (2 TB/s)", "156 FLOP/B")
	check("14 GFLOP ÷ 312 TFLOP/s", "14 GFLOP / (312 TFLOP/s)", "44.9 µs")

	check("1 + 2 * 3", "1 + 2 * 3", "7")
	check("(1 + 2) * 3", "(1 + 2) * 3", "9")
	check("((1)) + (2 * 3)", "1 + 2 * 3", "7")
	check("10 - (4 - 3)", "10 - (4 - 3)", "9")
	check("10 - 4 - 3", "10 - 4 - 3", "3")
	check("8 / (4 / 2)", "8 / (4 / 2)", "4")
	check("8 / 4 / 2", "8 / 4 / 2", "1")
	check("2 × 3 · 4", "2 * 3 * 4", "24")
	check("7 − 2", "7 - 2", "5")
	check("-2^2", "-2^2", "-4")
	check("(-2)^2", "(-2)^2", "4")
	check("--5 - -+-5", "5 - 5", "0")
	check("-(2 + 3)", "-(2 + 3)", "-5")
	check("-(-5 GB/s)", "-(-5 GB/s)", "5 GB/s")
	check("-2 GB/s", "-2 GB/s", "-2 GB/s")
	check("3 * -2 GB/s", "3 * (-2 GB/s)", "-6 GB/s")
	check("2^-2", "2^-2", "0.25")
	check("(2^3)^2", "(2^3)^2", "64")
	check("4 s^2", "4 s^2", "4 s^2")
	check("(4 s)^2 / 4 s", "(4 s)^2 / (4 s)", "4 s")
	check("3 s-1 s", "3 s - 1 s", "2 s")

	check("ceil(350/16)", "ceil(350 / 16)", "22")
	check("floor(66 GB / 1 GiB)", "floor(66 GB / (1 GiB))", "61")
	check("floor(-1.5 B)", "floor(-1.5 B)", "-2 B")
	check("sqrt(4 s^2)", "sqrt(4 s^2)", "2 s")
	check("log2(1_024) + log10(1e3)", "log2(1024) + log10(1e3)", "13")
	check("max(1 ms, 200 us, 3 ns)", "max(1 ms, 200 µs, 3 ns)", "1 ms")
	check("min(5,3)", "min(5, 3)", "3")

	check("1 MB / dram-copy", "1 MB / dram-copy", "100 µs")
	check("1 MB / dram_copy", "1 MB / dram-copy", "100 µs")
	check("fsync-disk - fsync-plp", "fsync-disk - fsync-plp", "9.9 ms")
	check("a100-peak / a100-bandwidth", "a100-peak / a100-bandwidth", "156 FLOP/B")
	check("2 * 32 * 4096 * 2 B", "2 * 32 * 4096 * 2 B", "512 KiB")
	check("66 GB / (524,288 B/token * 2048 tokens)", "66 GB / ((524288 B/token) * 2048 tokens)", "61.5")
}

func TestEvalErrors(t *testing.T) {
	check := func(expr string, column int, want ...string) {
		t.Helper()
		r, err := Eval(expr)
		e := (*ExprError)(nil)
		if !errors.As(err, &e) {
			t.Errorf("Eval(%q): got %s, %v, want an ExprError", expr, r.Quantity, err)
			return
		}
		if e.Column != column {
			t.Errorf("Eval(%q): got column %d, want %d: %v", expr, e.Column, column, err)
		}
		for _, w := range append(want, fmt.Sprintf("%q", clip(expr)), fmt.Sprintf("column %d", column)) {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("Eval(%q): got %q, want it to hold %q", expr, err, w)
			}
		}
	}
	check("", 1, "empty")
	check("   ", 4, "empty")
	check("8 B /", 6, "ends where")
	check("8 $ 3", 3, `unexpected "$ 3"`)
	check("* 3", 1, `got "* 3"`)
	check("8 B / (2 GB/s", 14, "opened at column 7 is not closed")
	check("8 B / 2 GB/s)", 13, `unexpected ")"`)
	check("max(1, 2", 9, "opened at column 4")
	check("3 µs + µ", 8, `"µ"`)
	check("1.5.2", 4, `".2"`)

	check("1 MB + 2 s", 6, "cannot add B and s")
	check("1 MB - 2", 6, "cannot subtract B and 1 (a plain number)")
	check("min(1 s, 2 B)", 1, "cannot take the minimum of s and B")
	check("1 / 0", 3, "division by zero")
	check("0^-1", 2, "division by zero")
	check("1e300*1e300", 6, "too large")
	check("1e-300*1e-300", 7, "too small")
	check("1e400", 1, "too large")
	check("(1 B^9) * 1 B", 9, "power beyond 9")

	check("2(3)", 2, "write * to multiply")
	check("2 x 32", 5, "write * to multiply")
	check("2 dram-copy", 3, "write * to multiply")
	check("(2+3) GB", 7, "write * 1 GB")
	check("5 * s", 5, `no number before it: write 1 s`)
	check("5 % 3", 5, "write * to multiply")
	check("dram-copy(3)", 1, "no function")
	check("dramcopy", 1, "did you mean dram-copy?")
	check("fsync-disk-fsync-plp", 1, "spaces round the minus")
	check("nope(3)", 1, `unknown function "nope"`, "ceil, floor")
	check("5 KB", 3, "KiB")
	check("1 B / S", 7, `write "s"`)
	check("5 e", 3, `unknown unit "e"`)

	check("2^3^2", 4, "brackets")
	check("2^0.5", 3, "whole number from -64 to 64")
	check("2^65", 3, "whole number")
	check("2^s", 3, "whole number")
	check("4 KiB ^2", 7, "(4 KiB)^2")
	check("sqrt(4 s)", 1, "sqrt of s")
	check("sqrt(-4)", 1, "negative")
	check("log2(8 B)", 1, "plain number, got B")
	check("log10(0)", 1, "above zero")
	check("ceil(1.5 ms)", 1, "divide by the unit first")
	check("ceil(1, 2)", 1, "one argument")
	check("min(1)", 1, "2 to 20 arguments")
	check("min("+strings.Repeat("1, ", 30)+"1)", 1, "2 to 20 arguments")
	check("max(1,000, 2)", 6, "1_000")
	check("1,5 + 2", 2, "decimal point")
	check("1 , 5", 3, "comma")

	check(strings.Repeat("1+", 500)+"1", 1, "longer than 1000 bytes")
	check(strings.Repeat("(", 60)+"1"+strings.Repeat(")", 60), 52, "more than 50 deep")
	check(strings.Repeat("ceil(", 60)+"1"+strings.Repeat(")", 60), 256, "more than 50 deep")
}

func TestEvalKeepsTheCause(t *testing.T) {
	_, err := Eval("1 B + 1 s")
	d := (*DimensionError)(nil)
	if !errors.As(err, &d) || d.A != DimByte || d.B != DimSecond {
		t.Errorf("got %v, want a DimensionError of B and s", err)
	}
}

func TestEvalWarnings(t *testing.T) {
	check := func(expr string, want ...string) {
		t.Helper()
		r, err := Eval(expr)
		if err != nil || len(r.Warnings) != len(want) {
			t.Errorf("Eval(%q): got warnings %q, %v, want %d", expr, r.Warnings, err, len(want))
			return
		}
		for i, w := range want {
			if !strings.Contains(r.Warnings[i], w) {
				t.Errorf("Eval(%q): got %q, want it to hold %q", expr, r.Warnings[i], w)
			}
		}
	}
	check("8 B / 2 GB/s")
	check("1 GiB / 512 MiB")
	check("1 MiB / dram-copy")
	check("66 GB / 1 GiB", "GB and GiB are mixed: a GiB is 7.4 % more than a GB")
	check("64 KiB / 2 GB/s", "GB and KiB are mixed: a KiB is 2.4 % more than a kB")
	check("1 Mibit / 1 Mbit/s", "a Mibit is 4.9 % more than a Mbit")
	check("1 B * 1 B", "B^2")
	check("1 s / 1 B", "s/B")
	check("1 MB / cache-copy", "30 GB/s to 50 GB/s: 40 GB/s was used")
	check("1 MiB * 1 MB / cache-copy", "mixed", "cache-copy", "B*s")
}

func TestEvalUsesTheSet(t *testing.T) {
	set, err := NewSet(Measured{Name: "dram-copy", Quantity: BytesPerSecond(20e9), Low: BytesPerSecond(19e9),
		High: BytesPerSecond(21e9), N: 9})
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.Eval("1 MB / dram-copy + 1 MB / nvme-write + 0 B / dram-copy")
	if err != nil || r.Quantity.String() != "550 µs" {
		t.Fatalf("got %s, %v, want 550 µs", r.Quantity, err)
	}
	if len(r.Used) != 2 || !r.Used[0].Measured || r.Used[1].Measured || len(r.Warnings) != 0 {
		t.Errorf("got %+v, warnings %q; want dram-copy measured, nvme-write assumed, no warning", r.Used, r.Warnings)
	}
}

// stable fails unless the restatement of an expression that was understood comes to the same and restates as itself.
func stable(t interface{ Fatalf(string, ...any) }, expr string) {
	r, err := Eval(expr)
	if err != nil {
		e := (*ExprError)(nil)
		if !errors.As(err, &e) || e.Column < 1 || e.Column > utf8.RuneCountInString(expr)+1 {
			t.Fatalf("Eval(%q): got %v, want an ExprError with a column inside the text", expr, err)
		}
		return
	}
	if !r.Quantity.Finite() {
		t.Fatalf("Eval(%q): got %s, want a finite number or an error", expr, r.Quantity)
	}
	again, err := Set{}.eval(r.Text, 10*maxExpression, maxDepth+1)
	if err != nil {
		t.Fatalf("Eval(%q) restated as %q: %v", expr, r.Text, err)
	}
	same := math.Float64bits(again.Quantity.Value) == math.Float64bits(r.Quantity.Value)
	if !same || again.Quantity.Dim != r.Quantity.Dim || again.Text != r.Text || !slices.Equal(again.Warnings, r.Warnings) {
		t.Fatalf("Eval(%q) is %s; restated as %q it is %s, restated as %q", expr, r.Quantity.Exact(), r.Text,
			again.Quantity.Exact(), again.Text)
	}
}

func FuzzEval(f *testing.F) {
	for _, s := range []string{"8 B / 2 GB/s", "-(1 MiB / dram-copy)^2", "min(1_000 s, 5 min) * 3 %", "1,000 × 2 k/s", "ceil(3 / 2) - floor(1)",
		"4 KiB^2*s^-1", "2^-3 + 1/3 s", "((((", "1e-9 µs·2", "sqrt(log2(8)) ÷ 2x", "--3 - -2 GB/s", "5 % / min", "fsync_disk − 1 s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expr string) { stable(t, expr) })
}

// expressions draws a text that is right by the grammar, if not always by its dimensions.
func expressions(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", " ", "  "})
	pick := 0
	if depth > 0 {
		pick = rapid.IntRange(0, 6).Draw(t, "form")
	}
	sub := func() string { return space.Draw(t, "space") + expressions(t, depth-1) + space.Draw(t, "space") }
	switch pick {
	case 1, 2:
		return sub() + rapid.SampledFrom([]string{"+", "-", " - "}).Draw(t, "op") + sub()
	case 3:
		return sub() + rapid.SampledFrom([]string{"*", "/"}).Draw(t, "op") + sub()
	case 4:
		return "(" + sub() + ")"
	case 5:
		return "-" + sub()
	case 6:
		return rapid.SampledFrom([]string{"(%s)^2", "(%s)^-1", "max(%s, 1 s)", "ceil(%s)", "sqrt(%s)"}).Draw(t, "call")
	}
	return rapid.SampledFrom([]string{"1", "2", "3 s", "5 GB/s", "7 B", "64 KiB", "0.5 B*s", "4 s^2", "2/s", "1e3", "50 %", "2 x",
		"dram-copy", "fsync_plp"}).Draw(t, "leaf")
}

func TestRestatementIsStable(t *testing.T) {
	understood := 0
	rapid.Check(t, func(t *rapid.T) {
		expr := expressions(t, 4)
		for strings.Contains(expr, "%s") {
			expr = strings.Replace(expr, "%s", expressions(t, 2), 1)
		}
		if _, err := Eval(expr); err == nil {
			understood++
		}
		stable(t, expr)
	})
	if understood < 10 {
		t.Errorf("only %d expressions were understood", understood)
	}
}
