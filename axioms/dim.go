package axioms

import (
	"fmt"
	"strconv"
	"strings"
)

// maxExponent is the largest power of a base unit that a dimension may hold. Nothing that the labs compute comes near
// it; it keeps the exponents from wrapping round.
const maxExponent = 9

// Dim is a dimension: the powers of the base units byte, second and FLOP. Whatever is only counted (tokens, records,
// system calls) has no dimension of its own: it is a plain number, the zero Dim. Dims are compared with ==.
type Dim struct {
	Byte, Second, FLOP int8
}

// The dimensions that the labs reckon in. Any other one that an expression ends in is printed with a warning.
var (
	DimOne           = Dim{}                    // a plain number: "1"
	DimByte          = Dim{Byte: 1}             // a size: "B"
	DimSecond        = Dim{Second: 1}           // a time: "s"
	DimFLOP          = Dim{FLOP: 1}             // an amount of arithmetic: "FLOP"
	DimBytePerSecond = Dim{Byte: 1, Second: -1} // a bandwidth: "B/s"
	DimFLOPPerSecond = Dim{FLOP: 1, Second: -1} // a rate of arithmetic: "FLOP/s"
	DimFLOPPerByte   = Dim{FLOP: 1, Byte: -1}   // an intensity: "FLOP/B"
	DimPerSecond     = Dim{Second: -1}          // a rate: "1/s", which is Hz
)

// Known reports whether d is one of the dimensions that the labs reckon in.
func (d Dim) Known() bool {
	switch d {
	case DimOne, DimByte, DimSecond, DimFLOP, DimBytePerSecond, DimFLOPPerSecond, DimFLOPPerByte, DimPerSecond:
		return true
	}
	return false
}

// String returns d in base units, as results.json writes it: "B", "s", "FLOP", "1", "B/s", "FLOP/B", "1/s", "B^2/s".
// ParseUnit reads it back.
func (d Dim) String() string {
	s := d.suffix()
	if s == "" || s[0] == '/' {
		return "1" + s
	}
	return s
}

// suffix is String without the leading 1, the form that follows a number: "B/s", "/s", "".
func (d Dim) suffix() string {
	var num, den strings.Builder
	for _, p := range [...]struct {
		symbol string
		exp    int8
	}{{"B", d.Byte}, {"FLOP", d.FLOP}, {"s", d.Second}} {
		switch {
		case p.exp > 0:
			if num.Len() > 0 {
				num.WriteByte('*')
			}
			num.WriteString(p.symbol + power(p.exp))
		case p.exp < 0:
			den.WriteString("/" + p.symbol + power(-p.exp))
		}
	}
	return num.String() + den.String()
}

func power(exp int8) string {
	if exp == 1 {
		return ""
	}
	return "^" + strconv.Itoa(int(exp))
}

// ParseUnit reads a unit made of base units only, the form that String writes and results.json holds. "Hz" is taken for
// "1/s". A scaled unit such as "GB/s" is an error: beside a number in base units it would be a lie.
func ParseUnit(text string) (Dim, error) {
	if text == "1" {
		return DimOne, nil
	}
	s := scanner{text: text, strict: true, one: true}
	u, err := s.unit()
	if err == nil && s.pos < len(s.text) {
		err = s.fault(s.pos, "unexpected %q", clip(s.text[s.pos:]))
	}
	if err != nil {
		return Dim{}, fmt.Errorf("unit %q: %s", clip(text), err.msg)
	}
	if u.text == "" {
		return Dim{}, fmt.Errorf("unit %q: empty; a plain number has the unit %q", clip(text), "1")
	}
	if !u.base() {
		return Dim{}, fmt.Errorf("unit %q is not a base unit: use %q", clip(text), u.dim)
	}
	return u.dim, nil
}

// MarshalText writes d as String does.
func (d Dim) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote, as ParseUnit does.
func (d *Dim) UnmarshalText(text []byte) error {
	v, err := ParseUnit(string(text))
	if err == nil {
		*d = v
	}
	return err
}

// plus returns d with n times e's exponents added, and false where an exponent leaves its range.
func (d Dim) plus(e Dim, n int) (Dim, bool) {
	b := int(d.Byte) + n*int(e.Byte)
	s := int(d.Second) + n*int(e.Second)
	f := int(d.FLOP) + n*int(e.FLOP)
	if max(b, s, f) > maxExponent || min(b, s, f) < -maxExponent {
		return Dim{}, false
	}
	return Dim{Byte: int8(b), Second: int8(s), FLOP: int8(f)}, true
}

// half returns the dimension whose square is d, and false where there is none.
func (d Dim) half() (Dim, bool) {
	if d.Byte%2 != 0 || d.Second%2 != 0 || d.FLOP%2 != 0 {
		return Dim{}, false
	}
	return Dim{Byte: d.Byte / 2, Second: d.Second / 2, FLOP: d.FLOP / 2}, true
}

// side is d as an error message names one side of an operation.
func (d Dim) side() string {
	if d == DimOne {
		return "1 (a plain number)"
	}
	return d.String()
}
