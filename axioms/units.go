package axioms

import (
	"fmt"
	"math"
	"strings"
)

// atom is one unit word. A number in it is worth number * 10^exp10 * mult in base units; the power of ten is kept apart
// so that "300us" becomes the float nearest to 0.0003 and not a rounded product.
type atom struct {
	symbol string // as it is printed
	exp10  int
	mult   float64
	dim    Dim
	system system
}

// system tells the two families of byte multiples apart.
type system uint8

const (
	neither system = iota
	decimal        // kB, GB, Mbit
	binary         // KiB, GiB, Mibit
)

type prefix struct {
	symbol string
	exp10  int
	mult   float64
}

var (
	large = []prefix{{"k", 3, 1}, {"M", 6, 1}, {"G", 9, 1}, {"T", 12, 1}, {"P", 15, 1}, {"E", 18, 1}}
	kibi  = []prefix{{"Ki", 0, 1 << 10}, {"Mi", 0, 1 << 20}, {"Gi", 0, 1 << 30}, {"Ti", 0, 1 << 40}, {"Pi", 0, 1 << 50},
		{"Ei", 0, 1 << 60}}
	small = []prefix{{"m", -3, 1}, {"µ", -6, 1}, {"u", -6, 1}, {"μ", -6, 1}, {"n", -9, 1}, {"p", -12, 1}}
)

// bases are the units that take prefixes.
var bases = []struct {
	symbol string
	mult   float64
	dim    Dim
	sets   [][]prefix
	bytes  bool
}{
	{"B", 1, DimByte, [][]prefix{large, kibi}, true},
	{"bit", 0.125, DimByte, [][]prefix{large, kibi}, true},
	{"FLOP", 1, DimFLOP, [][]prefix{large}, false},
	{"Hz", 1, DimPerSecond, [][]prefix{large}, false},
	{"s", 1, DimSecond, [][]prefix{small}, false},
}

// words are the units that take none, each with the symbol that stands for it in print.
var words = map[string]atom{
	"min": {"min", 0, 60, DimSecond, neither},
	"h":   {"h", 0, 3600, DimSecond, neither},
	"day": {"day", 0, 86400, DimSecond, neither},
	"k":   {"k", 3, 1, DimOne, neither},
	"M":   {"M", 6, 1, DimOne, neither},
	"G":   {"G", 9, 1, DimOne, neither},
	"T":   {"T", 12, 1, DimOne, neither},
	"%":   {"%", -2, 1, DimOne, neither},
	"x":   {"x", 0, 1, DimOne, neither},
}

// spelled maps what people write in full onto a symbol.
var spelled = map[string]string{
	"byte": "B", "bytes": "B", "bits": "bit",
	"sec": "s", "second": "s", "seconds": "s", "minute": "min", "minutes": "min", "hour": "h", "hours": "h", "days": "day",
	"msec": "ms", "millisecond": "ms", "milliseconds": "ms", "usec": "us", "microsecond": "us", "microseconds": "us",
	"nsec": "ns", "nanosecond": "ns", "nanoseconds": "ns", "times": "x", "percent": "%",
}

// counted are the things that are only counted: the word is kept in print and worth 1.
var counted = []string{"block", "call", "fsync", "message", "op", "operation", "record", "request", "row", "sequence",
	"step", "token", "trial", "write"}

// lookup finds a unit by the word that was written, case and all.
func lookup(word string) (atom, bool) {
	if symbol, ok := spelled[word]; ok {
		word = symbol
	}
	if a, ok := words[word]; ok {
		return a, true
	}
	for _, b := range bases {
		p, ok := strings.CutSuffix(word, b.symbol)
		if !ok {
			continue
		}
		if p == "" {
			return atom{b.symbol, 0, b.mult, b.dim, neither}, true
		}
		for i, set := range b.sets {
			for _, pre := range set {
				if pre.symbol == p {
					a := atom{pre.symbol + b.symbol, pre.exp10, pre.mult * b.mult, b.dim, neither}
					if b.bytes {
						a.system = decimal + system(i)
					}
					a.symbol = strings.NewReplacer("μ", "µ", "us", "µs").Replace(a.symbol)
					return a, true
				}
			}
		}
	}
	for _, c := range counted {
		if word == c || word == c+"s" {
			return atom{symbol: word, mult: 1}, true
		}
	}
	return atom{}, false
}

// unit is a product of atoms: what stands behind a number.
type unit struct {
	text            string // canonical: "GB/s"
	exp10           int
	mult            float64
	dim             Dim
	decimal, binary string // the first byte multiple of either system, if any
	compound        bool   // more than one atom, or a power
}

func (u unit) base() bool { return u.exp10 == 0 && u.mult == 1 }

// times multiplies u by a to the power n, and reports false where an exponent leaves its range.
func (u *unit) times(a atom, n int) bool {
	dim, ok := u.dim.plus(a.dim, n)
	if !ok {
		return false
	}
	u.dim = dim
	u.exp10 += n * a.exp10
	u.mult *= math.Pow(a.mult, float64(n))
	switch {
	case a.system == decimal && u.decimal == "":
		u.decimal = a.symbol
	case a.system == binary && u.binary == "":
		u.binary = a.symbol
	}
	return u.mult > 0 && !math.IsInf(u.mult, 0)
}

// unknownUnit says what is wrong with a word that is no unit and, where it can be guessed, what was meant.
func unknownUnit(word string) string {
	switch meant := meant(word); len(meant) {
	case 0:
		return fmt.Sprintf("unknown unit %q: use B, bit, s, min, h, day, FLOP, Hz, %%, x or a multiple (KiB, MB, µs, GB/s)", clip(word))
	case 1:
		return fmt.Sprintf("unknown unit %q: write %s", clip(word), meant[0])
	default:
		return fmt.Sprintf("unit %q can be read in more than one way: write %s", clip(word), strings.Join(meant, " or "))
	}
}

// meant lists what a word may have been meant for, quoted and explained.
func meant(word string) []string {
	switch word {
	case "b":
		return []string{`"B" for bytes`, `"bit" for bits`}
	case "K", "KB":
		if word == "K" {
			return []string{`"k" for 1,000`, `"KiB" for 1,024 bytes`}
		}
		return []string{`"kB" for 1,000 bytes`, `"KiB" for 1,024 bytes`}
	case "m":
		return []string{`"min" for minutes`, `"ms" for milliseconds`, `"M" for a million`}
	case "d":
		return []string{`"day"`}
	}
	fold := strings.ToLower(word)
	if head, ok := strings.CutSuffix(fold, "flops"); ok && len(head) <= 1 {
		p := strings.ToUpper(head)
		if p == "K" {
			p = "k"
		}
		return []string{fmt.Sprintf("%q for an amount of work", p+"FLOP"), fmt.Sprintf("%q for a rate", p+"FLOP/s")}
	}
	if head, ok := strings.CutSuffix(word, "ps"); ok && len(head) > 1 {
		return perSecond(head)
	}
	var out []string
	if strings.HasSuffix(word, "b") {
		out = folded(strings.TrimSuffix(fold, "b")+"b", "B", "bytes")
		return append(out, folded(strings.TrimSuffix(fold, "b")+"bit", "bit", "bits")...)
	}
	for _, s := range symbols() {
		if strings.ToLower(s) == fold {
			out = append(out, fmt.Sprintf("%q", s))
		}
	}
	return out
}

// perSecond reads the "Gbps" and "MBps" family.
func perSecond(head string) []string {
	if h, ok := strings.CutSuffix(head, "b"); ok {
		head = h + "bit"
	}
	if _, ok := lookup(head); ok {
		return []string{fmt.Sprintf("%q", head+"/s")}
	}
	var out []string
	for _, s := range symbols() {
		if strings.EqualFold(s, head) {
			out = append(out, fmt.Sprintf("%q", s+"/s"))
		}
	}
	return out
}

// folded lists the symbols of one base that differ from word only in case.
func folded(word, base, of string) []string {
	var out []string
	for _, s := range symbols() {
		if strings.HasSuffix(s, base) && strings.ToLower(s) == word {
			out = append(out, fmt.Sprintf("%q for %s", s, of))
		}
	}
	return out
}

// symbols lists every symbol that lookup knows, without the spelled words.
func symbols() []string {
	out := []string{"min", "h", "day", "k", "M", "G", "T"}
	for _, b := range bases {
		out = append(out, b.symbol)
		for _, set := range b.sets {
			for _, p := range set {
				if p.symbol != "μ" {
					out = append(out, p.symbol+b.symbol)
				}
			}
		}
	}
	return out
}
