package axioms

import (
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

// step is a unit that Format may choose, from the value (in base units) at which it begins.
type step struct {
	from  float64
	scale float64
	unit  string
}

var (
	byteSteps = []step{{1e18, 1e18, "EB"}, {1e15, 1e15, "PB"}, {1e12, 1e12, "TB"}, {1e9, 1e9, "GB"}, {1e6, 1e6, "MB"},
		{1e3, 1e3, "kB"}, {1e-3, 1, "B"}}
	binarySteps = []step{{0, 1 << 60, "EiB"}, {0, 1 << 50, "PiB"}, {0, 1 << 40, "TiB"}, {0, 1 << 30, "GiB"}, {0, 1 << 20, "MiB"},
		{0, 1 << 10, "KiB"}}
	timeSteps = []step{{2 * 86400, 86400, "day"}, {7200, 3600, "h"}, {120, 60, "min"}, {1, 1, "s"}, {1e-3, 1e-3, "ms"},
		{1e-6, 1e-6, "µs"}, {1e-12, 1e-9, "ns"}}
	largeSteps = []step{{1e18, 1e18, "E"}, {1e15, 1e15, "P"}, {1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"},
		{1e3, 1e3, "k"}, {1e-3, 1, ""}}
	rateSteps = largeSteps[2:] // P and E alone are no counts that Parse reads
)

// String returns q as Format does.
func (q Quantity) String() string { return Format(q) }

// Format returns q for people: in the unit that suits its size, rounded to three significant digits. Two kinds are
// printed in full instead: a whole plain number ("65,536") and a size that is a whole number of KiB, MiB and so on
// and would not be exact in kB ("64 KiB"). Parse reads the text back to within the digits printed. A value that is not
// finite is printed as NaN or Inf, and Parse refuses it.
func Format(q Quantity) string {
	if !q.Finite() {
		return strconv.FormatFloat(q.Value, 'g', -1, 64) + behind(q.Dim.suffix())
	}
	switch q.Dim {
	case DimOne:
		return plain(q.Value)
	case DimByte:
		if s, ok := wholeBinary(q.Value); ok {
			return s
		}
		return scaled(q.Value, byteSteps, "", "B")
	case DimSecond:
		return scaled(q.Value, timeSteps, "", "s")
	case DimBytePerSecond:
		return scaled(q.Value, byteSteps, "/s", "B/s")
	case DimFLOP:
		return scaled(q.Value, largeSteps, "FLOP", "FLOP")
	case DimFLOPPerSecond:
		return scaled(q.Value, largeSteps, "FLOP/s", "FLOP/s")
	case DimPerSecond:
		return scaled(q.Value, rateSteps, "/s", "/s")
	}
	return exponent(q.Value) + behind(q.Dim.suffix())
}

// Exact returns q in base units with every digit that it takes for Parse to give back the same bits: "1048576 B",
// "0.0003 s", "12.5/s".
func (q Quantity) Exact() string {
	return strconv.FormatFloat(q.Value, 'g', -1, 64) + behind(q.Dim.suffix())
}

// behind returns a unit as it stands behind a number: "5 B", "5/s", "5".
func behind(unit string) string {
	if unit == "" || unit[0] == '/' {
		return unit
	}
	return " " + unit
}

// plain prints a number without a unit.
func plain(v float64) string {
	a := math.Abs(v)
	if v == math.Trunc(v) && a < 1e15 {
		return humanize.Comma(int64(v))
	}
	if r := three(v); math.Abs(r) >= 1000 && a < 1e15 {
		return humanize.Comma(int64(r))
	}
	return exponent(v)
}

// scaled prints v in the first step that its rounded value reaches, and in base units beyond either end.
func scaled(v float64, steps []step, suffix, base string) string {
	a := math.Abs(three(v))
	if v == 0 {
		return "0" + behind(base)
	}
	for _, s := range steps {
		if a < s.from {
			continue
		}
		if a/s.scale >= 1e4 {
			break
		}
		return digits(v/s.scale) + behind(s.unit+suffix)
	}
	return exponent(v) + behind(base)
}

// wholeBinary prints a size that is a whole number of a binary unit and needs more than three digits in decimal ones.
func wholeBinary(v float64) (string, bool) {
	if three(v) == v {
		return "", false
	}
	for _, s := range binarySteps {
		n := v / s.scale
		if math.Abs(n) < 1 {
			continue
		}
		if n != math.Trunc(n) || math.Abs(n) >= 1024 {
			return "", false
		}
		return strconv.FormatFloat(n, 'f', -1, 64) + " " + s.unit, true
	}
	return "", false
}

// three rounds to three significant digits.
func three(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	if err != nil { // only the last fraction of the range rounds up to infinity
		return v
	}
	return r
}

// digits prints three significant digits without an exponent.
func digits(v float64) string { return strconv.FormatFloat(three(v), 'f', -1, 64) }

// exponent prints three significant digits, with an exponent where the number is very large or very small.
func exponent(v float64) string { return strconv.FormatFloat(three(v), 'g', -1, 64) }
