package axioms

import (
	"errors"
	"fmt"
	"strings"
)

// maxQuantity bounds the text that Parse accepts, in bytes.
const maxQuantity = 256

// Reading is a quantity together with how it was written.
type Reading struct {
	Quantity Quantity
	None     bool // the text was "none": zero bytes, by name
	Bare     bool // no unit was written; the caller may know which one is meant
}

// Read reads one quantity as a person writes it, and how it was written: see Parse for the forms and the errors.
func Read(text string) (Reading, error) {
	t := strings.TrimSpace(text)
	switch {
	case t == "":
		return Reading{}, fmt.Errorf("empty quantity: write a number and a unit, such as %q", "300 us")
	case len(text) > maxQuantity:
		return Reading{}, fmt.Errorf("quantity %q is longer than %d bytes", clip(t), maxQuantity)
	case strings.EqualFold(t, "none"):
		return Reading{Quantity: Bytes(0), None: true}, nil
	}
	r, err := read(t)
	if err != nil {
		return Reading{}, fmt.Errorf("quantity %q: %w", clip(t), err)
	}
	return r, nil
}

func read(text string) (Reading, error) {
	s := scanner{text: text, strict: true, one: true}
	negative := false
	for _, sign := range []string{"-", "+", "−"} {
		if strings.HasPrefix(text, sign) {
			s.pos = len(sign)
			negative = sign != "+"
			break
		}
	}
	n, bad := s.number()
	if bad != nil {
		if rest := strings.ToLower(text[s.pos:]); strings.HasPrefix(rest, "nan") || strings.HasPrefix(rest, "inf") {
			return Reading{}, fmt.Errorf("not a finite number: write one, such as %q", "300 us")
		}
		if bad.msg == "expected a number" {
			return Reading{}, fmt.Errorf("no number at its start: write one and a unit, such as %q", "300 us")
		}
		return Reading{}, errors.New(bad.msg)
	}
	s.space()
	if s.text[s.pos:] == "×" {
		s.text = s.text[:s.pos] + "x"
	}
	u, bad := s.unit()
	if bad != nil {
		return Reading{}, errors.New(bad.msg)
	}
	if s.space(); s.at(0) == ',' {
		return Reading{}, fmt.Errorf("a comma groups thousands, as in 1,000: write a decimal point as %q", ".")
	}
	if s.pos < len(s.text) {
		return Reading{}, fmt.Errorf("unexpected %q behind the quantity", clip(s.text[s.pos:]))
	}
	v, err := n.value(u)
	if err != nil {
		return Reading{}, err
	}
	if negative {
		v = -v
	}
	return Reading{Quantity: Quantity{v, u.dim}, Bare: u.text == ""}, nil
}

// Parse reads one quantity as a person writes it, and returns it in base units: "300us", "0.3 ms", "64 KiB", "2 GB/s",
// "312 TFLOP/s", "10 kHz", "100,000/s", "1_000", "1e-4 s", "8 bit", "5x", "12 %", "10k", and "none" for zero bytes.
// What can be read in two ways ("Mb", "KB", "1,5") is an error that says what to write instead, and so are empty text,
// text without a number, NaN, infinity and a number outside the range of a float64.
func Parse(text string) (Quantity, error) {
	r, err := Read(text)
	return r.Quantity, err
}

// MustParse is Parse for text that is part of the program; it panics on an error.
func MustParse(text string) Quantity {
	q, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return q
}

// In returns q as a number of the given unit: a size of 1 MiB in "kB" is 1048.576. A unit that is not known, or one of
// another dimension, is an error.
func (q Quantity) In(text string) (float64, error) {
	one, err := Parse("1 " + text)
	if err != nil {
		return 0, err
	}
	return q.Ratio(one)
}
