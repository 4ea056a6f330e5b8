package axioms

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestArithmetic(t *testing.T) {
	check := func(got Quantity, err error, want Quantity) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got.Exact(), err, want.Exact())
		}
	}
	q, err := Bytes(8).Div(BytesPerSecond(2e9))
	check(q, err, Seconds(4e-9))
	q, err = Bytes(8).Mul(Count(3))
	check(q, err, Bytes(24))
	q, err = FLOP(6).Div(Bytes(2))
	check(q, err, Quantity{3, DimFLOPPerByte})
	q, err = PerSecond(3).Mul(Seconds(2))
	check(q, err, Count(6))
	q, err = Seconds(3).Add(Duration(1500 * time.Millisecond))
	check(q, err, Seconds(4.5))
	q, err = Seconds(3).Sub(Seconds(5))
	check(q, err, Seconds(-2))
}

func TestArithmeticErrors(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	_, err := Bytes(1).Add(Seconds(1))
	check(err, "cannot add B and s")
	if d := (*DimensionError)(nil); !errors.As(err, &d) || d.A != DimByte || d.B != DimSecond {
		t.Errorf("got %#v, want a DimensionError of B and s", err)
	}
	_, err = Bytes(1).Sub(Count(1))
	check(err, "cannot subtract B and 1 (a plain number)")
	_, err = PerSecond(1).Cmp(Quantity{1, DimFLOPPerByte})
	check(err, "cannot compare 1/s and FLOP/B")
	_, err = Bytes(1).Ratio(Seconds(1))
	check(err, "cannot compare B and s")
	_, err = Bytes(1).Ratio(Bytes(0))
	check(err, "division by zero")
	_, err = Bytes(1).Div(Count(0))
	check(err, "division by zero")
	_, err = Bytes(1e200).Mul(Count(1e200))
	check(err, "the result is too large for a 64-bit float")
	_, err = Bytes(math.MaxFloat64).Add(Bytes(math.MaxFloat64))
	check(err, "the result is too large for a 64-bit float")
	_, err = Bytes(1e-200).Mul(Count(1e-200))
	check(err, "the result is too small for a 64-bit float")
	_, err = Bytes(1e-200).Div(Count(1e200))
	check(err, "the result is too small for a 64-bit float")
	_, err = Quantity{math.NaN(), DimOne}.Cmp(Count(1))
	check(err, "the result is not a number")
	_, err = Quantity{1, Dim{Byte: 9}}.Mul(Bytes(1))
	check(err, "the result holds a unit to a power beyond 9")
	_, err = Quantity{1, Dim{Byte: -9}}.Div(Bytes(1))
	check(err, "the result holds a unit to a power beyond 9")
}

func TestCmp(t *testing.T) {
	check := func(a, b Quantity, want int) {
		t.Helper()
		if got, err := a.Cmp(b); err != nil || got != want {
			t.Errorf("%s against %s: got %d, %v, want %d", a, b, got, err, want)
		}
	}
	check(MustParse("100 us"), MustParse("1.41 ms"), -1)
	check(MustParse("1 KiB"), MustParse("1 kB"), 1)
	check(MustParse("8 bit"), MustParse("1 B"), 0)
}

func TestDivUndoesMul(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Quantity {
			return Quantity{rapid.Float64Range(0.001, 1000).Draw(t, name),
				Dim{int8(rapid.IntRange(-2, 2).Draw(t, name)), int8(rapid.IntRange(-2, 2).Draw(t, name)), 1}}
		}
		a, b := draw("a"), draw("b")
		ab, err := a.Mul(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ab.Div(b)
		if err != nil || got.Dim != a.Dim || math.Abs(got.Value-a.Value) > 1e-12*a.Value {
			t.Fatalf("%s * %s / %[2]s: got %s, %v", a.Exact(), b.Exact(), got.Exact(), err)
		}
	})
}

func TestUnits(t *testing.T) {
	check := func(text string, want Dim) {
		t.Helper()
		if got, err := ParseUnit(text); err != nil || got != want {
			t.Errorf("ParseUnit(%q): got %v, %v, want %v", text, got, err, want)
		}
	}
	check("1", DimOne)
	check("B", DimByte)
	check("s", DimSecond)
	check("FLOP", DimFLOP)
	check("B/s", DimBytePerSecond)
	check("FLOP/s", DimFLOPPerSecond)
	check("FLOP/B", DimFLOPPerByte)
	check("1/s", DimPerSecond)
	check("Hz", DimPerSecond)
	check("B*FLOP/s^2", Dim{Byte: 1, FLOP: 1, Second: -2})

	refuse := func(text, want string) {
		t.Helper()
		if got, err := ParseUnit(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseUnit(%q): got %v, %v, want an error with %q", text, got, err, want)
		}
	}
	refuse("", "empty")
	refuse("GB/s", `use "B/s"`)
	refuse("ms", `use "s"`)
	refuse("min", `use "s"`)
	refuse("2", `"2"`)
	refuse("B ", `" "`)
	refuse("b", `"bit"`)
	refuse("B/", `"/"`)
}

func TestUnitsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exp := rapid.Int8Range(-maxExponent, maxExponent)
		d := Dim{exp.Draw(t, "byte"), exp.Draw(t, "second"), exp.Draw(t, "FLOP")}
		if got, err := ParseUnit(d.String()); err != nil || got != d {
			t.Fatalf("%q: got %v, %v, want %v", d, got, err, d)
		}
	})
}
