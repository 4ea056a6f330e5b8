package axioms

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner reads numbers and units; Parse, ParseUnit and Eval stand on it.
type scanner struct {
	text   string
	pos    int
	strict bool // whatever follows a slash is a unit: Parse; otherwise it may be a name or a number: Eval
	one    bool // "1/s" is a unit
	inCall int  // depth of function calls: a comma there separates arguments
}

// fault is an error at a byte offset of the text.
type fault struct {
	pos int
	msg string
	err error // the cause, where it is an error of its own
}

func (s *scanner) fault(pos int, format string, args ...any) *fault {
	return &fault{pos: pos, msg: fmt.Sprintf(format, args...)}
}

// clip shortens text for a message.
func clip(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

func (s *scanner) peek() rune {
	if s.pos >= len(s.text) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(s.text[s.pos:])
	return r
}

func (s *scanner) space() {
	for s.pos < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		if r != ' ' && r != '\t' && r != '\u00a0' && r != '\u202f' && r != '\u2009' {
			return
		}
		s.pos += n
	}
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

// at returns the byte i places on, or 0 behind the end.
func (s *scanner) at(i int) byte {
	if s.pos+i < 0 || s.pos+i >= len(s.text) {
		return 0
	}
	return s.text[s.pos+i]
}

// decimalNumber is a number as it was written: digits with at most one point, and a power of ten.
type decimalNumber struct {
	digits string
	exp    int
}

// number reads digits, grouped by "," or "_" or not at all, a fraction and a power of ten.
func (s *scanner) number() (decimalNumber, *fault) {
	var n decimalNumber
	start := s.pos
	whole, err := s.whole()
	if err != nil {
		return n, err
	}
	n.digits = whole
	if s.at(0) == '.' && digit(s.at(1)) {
		from := s.pos
		for s.pos++; digit(s.at(0)); s.pos++ {
		}
		n.digits += s.text[from:s.pos]
	}
	if n.digits == "" {
		return n, s.fault(start, "expected a number")
	}
	if s.at(0) == 'e' || s.at(0) == 'E' {
		i := 1
		if s.at(1) == '+' || s.at(1) == '-' {
			i = 2
		}
		if digit(s.at(i)) {
			from := s.pos + 1
			for s.pos += i; digit(s.at(0)); s.pos++ {
			}
			exp, err := strconv.Atoi(s.text[from:s.pos])
			if err != nil || exp > 9999 || exp < -9999 {
				return n, s.fault(start, "the exponent of %q is out of range", clip(s.text[start:s.pos]))
			}
			n.exp = exp
		}
	}
	return n, nil
}

// whole reads the digits before the point and drops the group separators.
func (s *scanner) whole() (string, *fault) {
	start := s.pos
	var out []byte
	var sep byte
	group := 0 // digits since the last separator
	for {
		c := s.at(0)
		switch {
		case digit(c):
			out = append(out, c)
			group++
			s.pos++
			continue
		case (c == ',' || c == '_') && len(out) > 0 && digit(s.at(1)):
			if c == ',' && s.inCall > 0 {
				if s.three() {
					return "", s.fault(s.pos, "%q may be one number or two: write 1_000 for a thousand, a space behind the comma for two", clip(s.text[start:s.pos+4]))
				}
				return string(out), nil
			}
			if sep != 0 && sep != c || c == ',' && (!s.three() || sep == 0 && group > 3) {
				return "", s.fault(s.pos, "a comma groups thousands, as in 1,000: write a decimal point as %q", ".")
			}
			sep, group = c, 0
			s.pos++
			continue
		}
		return string(out), nil
	}
}

// three reports whether exactly three digits follow the separator at hand.
func (s *scanner) three() bool {
	return digit(s.at(1)) && digit(s.at(2)) && digit(s.at(3)) && !digit(s.at(4))
}

// value joins a number and its unit to base units, rounding once where the unit is a power of ten.
func (n decimalNumber) value(u unit) (float64, error) {
	v, err := strconv.ParseFloat(n.digits+"e"+strconv.Itoa(n.exp+u.exp10), 64)
	if err == nil {
		v *= u.mult
	}
	if err != nil || math.IsInf(v, 0) {
		return 0, errors.New("the number is too large for a 64-bit float")
	}
	if v == 0 && strings.Trim(n.digits, "0.") != "" {
		return 0, errors.New("the number is too small for a 64-bit float: write 0 if it is nothing")
	}
	return v, nil
}

// word reads letters, or a percent sign.
func (s *scanner) word() string {
	start := s.pos
	if s.at(0) == '%' {
		s.pos++
		return "%"
	}
	for s.pos < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.pos:])
		if !unicode.IsLetter(r) {
			break
		}
		s.pos += n
	}
	return s.text[start:s.pos]
}

// unit reads the unit at hand, as far as it goes: an atom or a slash, then every "/atom" and "*atom" that follows. It
// reads nothing, and says so by an empty text, where no unit is at hand.
func (s *scanner) unit() (unit, *fault) {
	u := unit{mult: 1}
	if s.one && s.at(0) == '1' && s.at(1) == '/' {
		s.pos++
	} else if s.peek() != '/' {
		if took, err := s.factor(&u, "", 1); !took || err != nil {
			return u, err
		}
	}
	for {
		back := s.pos
		s.space()
		op, sign := "*", 1
		switch s.peek() {
		case '/':
			op, sign = "/", -1
		case '*', '·':
			if u.text == "" {
				s.pos = back
				return u, nil
			}
		default:
			s.pos = back
			return u, nil
		}
		s.pos += utf8.RuneLen(s.peek())
		s.space()
		took, err := s.factor(&u, op, sign)
		if err != nil {
			return u, err
		}
		if !took {
			s.pos = back
			return u, nil
		}
		u.compound = true
	}
}

// factor reads one atom with its power into u. It reports false, with the position to be restored by the caller, where
// what is at hand is not a unit but may be something else.
func (s *scanner) factor(u *unit, op string, sign int) (bool, *fault) {
	start := s.pos
	w := s.word()
	if w == "" {
		return false, nil
	}
	a, ok := lookup(w)
	if !s.strict && (!ok || s.named()) {
		s.pos = start
		return false, nil
	}
	if !ok {
		return false, s.fault(start, "%s", unknownUnit(w))
	}
	n, text, err := s.power()
	if err != nil {
		return false, err
	}
	if text != "" {
		u.compound = true
	}
	if !u.times(a, sign*n) {
		return false, s.fault(start, "the power of %q is too high", a.symbol)
	}
	u.text += op + a.symbol + text
	return true, nil
}

// named reports whether the word just read goes on as a name or is called as a function, so that it is no unit.
func (s *scanner) named() bool {
	c := s.at(0)
	if c == '_' || digit(c) || c == '-' && letter(s.at(1)) {
		return true
	}
	t := *s
	t.space()
	return t.at(0) == '('
}

func letter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// power reads "^2" or "^-1" behind an atom.
func (s *scanner) power() (int, string, *fault) {
	if s.at(0) != '^' {
		return 1, "", nil
	}
	start := s.pos
	s.pos++
	if s.at(0) == '-' {
		s.pos++
	}
	for digit(s.at(0)) {
		s.pos++
	}
	n, err := strconv.Atoi(s.text[start+1 : s.pos])
	if err != nil || n > maxExponent || n < -maxExponent || n == 0 {
		return 0, "", s.fault(start, "the power of a unit is a whole number from -%d to %[1]d and not 0", maxExponent)
	}
	return n, s.text[start:s.pos], nil
}
