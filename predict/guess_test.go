package predict

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"envelope/axioms"
	"envelope/internal/lab"
)

func TestReadGuess(t *testing.T) {
	s, b, one := axioms.DimSecond, axioms.DimByte, axioms.DimOne
	check := func(text string, dim axioms.Dim, want string) {
		t.Helper()
		g, err := ReadGuess(text, dim)
		if err != nil || g.String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, g.String(), err, want)
		}
	}
	check("300us", s, "300 µs")
	check("  0.3 ms ", s, "300 µs")
	check("1e-4 s", s, "100 µs")
	check("100us..1ms", s, "100 µs..1 ms")
	check("100 us to 1 ms", s, "100 µs..1 ms")
	check("100..900us", s, "100 µs..900 µs")
	check("300us in 100us..1ms", s, "300 µs in 100 µs..1 ms")
	check("0..1ms", s, "0 s..1 ms")
	check("5x", one, "5")
	check("12 %", one, "0.12")
	check("3..20", one, "3..20")
	check("none", one, "0")
	check("none", b, "0 B")
	check("0", b, "0 B")
	check("64 KiB", b, "64 KiB")
	check("71", b, "71 B")
	check("1..9 KiB", b, "1 KiB..9 KiB")
	check("1,048,576", one, "1,048,576")
	check("0.000123456 s", s, "0.000123456 s")
}

func TestReadGuessRefuses(t *testing.T) {
	s, b, one := axioms.DimSecond, axioms.DimByte, axioms.DimOne
	check := func(text string, dim axioms.Dim, want string) {
		t.Helper()
		if g, err := ReadGuess(text, dim); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want an error with %q", text, g, err, want)
		}
	}
	check("", s, "a time")
	check("fast", s, "no number")
	check("300", s, "a time is asked for")
	check("5 MB", s, "5 MB is a size; a time is asked for")
	check("5 s", one, "a plain number is asked for")
	check("5000/s", one, "5,000/s is a rate")
	check("5", axioms.DimBytePerSecond, "a bandwidth")
	check("-3 us", s, "less than nothing")
	check("0 s", s, "no time at all")
	check("none", s, "no time at all")
	check("1ms..100us", s, "ends before it begins")
	check("1ms..", s, "two ends")
	check("..", s, "two ends")
	check("5us in 1ms..2ms", s, "not within")
	check("5us in 1ms", s, "two ends")
	check("5us in", s, "behind")
	check("1 Mb", b, "more than one way")
	check("nan s", s, "no number")
	check("1e999 s", s, "1e999")
	check(strings.Repeat("9", 400)+"s", s, "longer than")
}

// A ratio of zero can't be scored; what is counted may be none.
func TestRatioIsNotZero(t *testing.T) {
	of := func(candidates ...float64) asked {
		q := &lab.Question{}
		for _, c := range candidates {
			q.Candidates = append(q.Candidates, lab.Candidate{Value: axioms.Count(c)})
		}
		return asks(q)
	}
	check := func(a asked, text, want string) {
		t.Helper()
		_, err := a.read(text)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	ratio, share, count, ways := of(1, 10, 256), of(0.9, 0.125), of(0, 12), of(7, 254)
	for _, text := range []string{"0", "none", "0..0", "0 in 0..3", "0x", "0 %"} {
		check(ratio, text, "a ratio of zero can't be scored")
		check(share, text, "a ratio of zero can't be scored")
		check(count, text, "")
		check(ways, text, "")
	}
	check(ratio, "0..3", "")
	check(ratio, "0.001", "")
	check(ratio, "a lot", "such as 7 or 7x")
	check(share, "a lot", "such as 0.2 or 20%")
	check(share, "", "such as 0.2 or 20%")
	check(share, "1..", "such as 0.1..0.4")
	if g, err := share.read("20%"); err != nil || g.Value.Value != 0.2 {
		t.Errorf("got %v, %v, want 0.2", g.Value, err)
	}
}

// The middle of an interval is as far from either end, in factors.
func TestMiddle(t *testing.T) {
	g, err := ReadGuess("100us..1ms", axioms.DimSecond)
	if err != nil || g.Value.Value != 316e-6 {
		t.Errorf("got %v, %v, want 316 µs", g.Value, err)
	}
	if g, err = ReadGuess("0..1ms", axioms.DimSecond); err != nil || g.Value.Value != 500e-6 {
		t.Errorf("got %v, %v, want 500 µs", g.Value, err)
	}
}

// What a guess prints it reads back, to the bit.
func TestGuessReadsBack(t *testing.T) {
	dims := []axioms.Dim{axioms.DimSecond, axioms.DimByte, axioms.DimOne, axioms.DimBytePerSecond, axioms.DimPerSecond, axioms.DimFLOPPerSecond}
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.SampledFrom(dims).Draw(t, "dim")
		value := rapid.OneOf(rapid.Float64Range(1e-12, 1e18), rapid.Map(rapid.Uint32(), func(n uint32) float64 { return float64(n) + 1 }))
		q := func(name string) axioms.Quantity { return axioms.Quantity{Value: value.Draw(t, name), Dim: dim} }
		g := Guess{Value: q("value")}
		if rapid.Bool().Draw(t, "interval") {
			a, b := q("low"), q("high")
			if a.Value > b.Value {
				a, b = b, a
			}
			g = Guess{Value: middle(a, b), Low: &a, High: &b}
			if v := q("value"); v.Value >= a.Value && v.Value <= b.Value {
				g.Value = v
			}
			if rapid.Bool().Draw(t, "from zero") {
				a.Value = 0
				g.Value = middle(a, b)
			}
		}
		text := g.String()
		back, err := ReadGuess(text, dim)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		same := back.Value == g.Value && (back.Low == nil) == (g.Low == nil)
		if same && g.Low != nil {
			same = *back.Low == *g.Low && *back.High == *g.High
		}
		if !same || back.String() != text {
			t.Fatalf("%q reads back as %q", text, back)
		}
	})
}

// Whatever is typed is read or refused, and what is read can be registered.
func FuzzReadGuess(f *testing.F) {
	for _, text := range []string{"300us", "100us..1ms", "3 in 1..9", "none", "..", "1....2", " to ", "1 in 2 in 3", "µ", "-0 s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, dim := range []axioms.Dim{axioms.DimSecond, axioms.DimByte, axioms.DimOne} {
			g, err := ReadGuess(text, dim)
			if err != nil {
				continue
			}
			if g.Value.Dim != dim || !g.Value.Finite() || g.Value.Value < 0 || math.Signbit(g.Value.Value) {
				t.Errorf("%q was read as %v", text, g.Value)
			}
			if g.Low != nil && (g.Low.Value > g.Value.Value || g.Value.Value > g.High.Value) {
				t.Errorf("%q: %v is not within its interval", text, g)
			}
			if back, err := ReadGuess(g.String(), dim); err != nil || back.String() != g.String() {
				t.Errorf("%q prints as %q, which reads back as %v, %v", text, g, back, err)
			}
		}
	})
}
