package report

import (
	"math"
	"slices"
	"strconv"
)

// scale maps values to a coordinate of a picture.
type scale struct {
	log      bool
	zero     bool    // a logarithmic scale on which zero has a place of its own, before its start
	binary   bool    // of bytes: its steps are powers of two
	whole    bool    // of counts: its steps are whole numbers
	low, hi  float64 // the ends of the axis
	from, to float64 // where they are drawn
}

// beforeLog is what the place of zero takes on a logarithmic scale.
const beforeLog = 30

// linear returns a scale that holds all values, and base as well where one is
// given, with some room around them.
func linear(from, to float64, values ...float64) scale {
	low, hi := hull(values)
	switch {
	case low == 0 && hi == 0: // a count of none has nothing below it
		hi = 1
	case !(hi > low):
		pad := math.Max(math.Abs(low)*0.5, 1)
		low, hi = bounded(low-pad), bounded(low+pad)
	}
	room := hi/16 - low/16
	whole := !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
	return scale{low: bounded(low - room), hi: bounded(hi + room), from: from, to: to, whole: whole}
}

// upFromZero returns a linear scale from 0 to a little over the largest value.
func upFromZero(from, to float64, values ...float64) scale {
	_, hi := hull(append(values, 0))
	if hi <= 0 {
		hi = 1
	}
	return scale{low: 0, hi: bounded(hi + hi/12), from: from, to: to}
}

// logarithmic returns a scale that holds all values above zero, and spans a
// factor of at least so much. Zeros get a place of their own. Where nothing is
// above zero, or something below, the scale is linear.
func logarithmic(from, to, least float64, values ...float64) scale {
	var above []float64
	zero := false
	for _, v := range values {
		switch {
		case v > 0:
			above = append(above, v)
		case v < 0:
			return linear(from, to, values...)
		default:
			zero = true
		}
	}
	if len(above) == 0 {
		return linear(from, to, values...)
	}
	low, hi := hull(above)
	a, b := math.Log10(low), math.Log10(hi)
	room := math.Max((b-a)/14, 0.02)
	if short := math.Log10(least) - (b - a + 2*room); short > 0 {
		room += short / 2
	}
	s := scale{log: true, zero: zero, low: tenTo(a - room), hi: tenTo(b + room), from: from, to: to}
	if zero {
		s.from += math.Copysign(beforeLog, to-from)
	}
	return s
}

// tenTo is 10^x, kept within what a float64 can be told apart from 0 and from
// infinity.
func tenTo(x float64) float64 { return math.Pow(10, min(max(x, -307), 308)) }

func bounded(v float64) float64 { return min(max(v, -math.MaxFloat64), math.MaxFloat64) }

func hull(values []float64) (low, hi float64) {
	low, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if isFinite(v) {
			low, hi = math.Min(low, v), math.Max(hi, v)
		}
	}
	if low > hi {
		return 0, 0
	}
	return low, hi
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// at is where a value is drawn; what lies outside is drawn at the end that it
// lies beyond.
func (s scale) at(v float64) float64 {
	if s.zero && v <= 0 {
		return s.from - math.Copysign(beforeLog-6, s.to-s.from)
	}
	var share float64
	switch {
	case s.log && v <= 0:
		share = 0
	case s.log:
		low, hi := math.Log10(s.low), math.Log10(s.hi)
		share = (math.Log10(v) - low) / (hi - low)
	default:
		share = (v/2 - s.low/2) / (s.hi/2 - s.low/2)
	}
	if math.IsNaN(share) {
		share = 0
	}
	return s.from + (s.to-s.from)*min(max(share, 0), 1)
}

// tick is a place on an axis.
type tick struct {
	at    float64
	value float64
	named bool
}

// ticks returns places on the axis, at most so many of them with a name.
func (s scale) ticks(most int) []tick {
	if s.log {
		return s.logTicks(most)
	}
	var out []tick
	step := niceStep(s.hi/float64(most) - s.low/float64(most))
	if s.binary {
		step = math.Exp2(math.Ceil(math.Log2(step)))
	}
	if s.whole {
		step = math.Max(step, 1)
	}
	first := math.Ceil(s.low / step)
	for i := 0.0; i <= float64(most)+1; i++ {
		v := (first + i) * step
		if v > s.hi || !isFinite(v) {
			break
		}
		if v == 0 {
			v = 0 // not -0
		}
		out = append(out, tick{s.at(v), v, true})
	}
	return out
}

// niceStep is the least of 1, 2 and 5 times a power of ten that is not under v.
func niceStep(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Floor(math.Log10(v))
	for _, m := range []float64{1, 2, 5, 10} {
		if step := m * math.Pow(10, power); step >= v*(1-1e-9) && step > 0 {
			return step
		}
	}
	return v
}

func (s scale) logTicks(most int) []tick {
	a, b := math.Log10(s.low), math.Log10(s.hi)
	if s.binary { // an axis under a factor of two may have no power of two
		if out := s.binaryTicks(most); len(out) > 0 {
			return out
		}
	}
	first, last := int(math.Ceil(a-1e-9)), int(math.Floor(b+1e-9))
	// The most names that fit, at values that are round in the same way.
	for _, steps := range [][]float64{{1, 1.5, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}} {
		named := s.decades(first, last, steps, 1, true)
		if len(named) > most && len(steps) > 1 || len(named) < 2 {
			continue
		}
		if len(named) > most {
			named = s.decades(first, last, steps, (last-first)/most+1, true)
		}
		if b-a >= 5 {
			return named
		}
		for _, t := range s.decades(first, last, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, false) {
			if !slices.ContainsFunc(named, func(n tick) bool { return n.value == t.value }) {
				named = append(named, t)
			}
		}
		return named
	}
	// Under a factor of two the steps of a linear axis serve better.
	var out []tick
	straight := scale{low: s.low, hi: s.hi, from: 0, to: 1}
	for _, t := range straight.ticks(min(most, 4)) {
		t.at = s.at(t.value)
		out = append(out, t)
	}
	return out
}

// binaryTicks are powers of two, so many apart that most of them at most have a
// name: 8 B, 1 KiB, 128 KiB.
func (s scale) binaryTicks(most int) []tick {
	first, last := int(math.Ceil(math.Log2(s.low)-1e-9)), int(math.Floor(math.Log2(s.hi)+1e-9))
	every := max((last-first)/most+1, 1)
	var out []tick
	for e := first; e <= last; e++ {
		if v := math.Ldexp(1, e); e%every == 0 && v >= s.low && v <= s.hi {
			out = append(out, tick{s.at(v), v, true})
		}
	}
	return out
}

// decades are ticks at steps within every so many decades, from the one before the
// first.
func (s scale) decades(first, last int, steps []float64, every int, named bool) []tick {
	var out []tick
	for d := first - 1; d <= last; d++ {
		if (d-first)%every != 0 {
			continue
		}
		for _, m := range steps {
			if t := s.tick(d, m, named); t.value >= s.low && t.value <= s.hi {
				out = append(out, t)
			}
		}
	}
	return out
}

// tick is m times a power of ten, to the digits that it is written with: 3e-05
// and not the product of the two.
func (s scale) tick(decade int, m float64, named bool) tick {
	v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'g', -1, 64)+"e"+strconv.Itoa(decade), 64)
	if err != nil {
		v = s.hi
	}
	return tick{s.at(v), v, named}
}
