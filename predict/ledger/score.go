package ledger

import (
	"errors"
	"fmt"
	"math"

	"envelope/axioms"
)

// Kind says how a prediction is scored.
type Kind string

// The kinds of score.
const (
	Factor Kind = "factor" // both are positive: by their ratio
	Exact  Kind = "exact"  // right, or off by so much
)

// Score says how far a prediction was off.
type Score struct {
	Kind   Kind    `json:"kind"`
	Log    float64 `json:"log10"`  // log10(predicted / measured), above 0 where it was too much; 0 for Exact
	Factor float64 `json:"factor"` // 10^|Log|: 1 is right, and never less; 1 for Exact
	Right  bool    `json:"right"`  // equal, to within the rounding of a conversion
	Off    float64 `json:"off"`    // predicted - measured, in base units
	Unit   string  `json:"unit"`   // of Off

	Covered  *bool    `json:"covered"`  // the interval holds the measurement; nil where none was given
	Interval *float64 `json:"interval"` // score of the interval in decades, 0 is best; nil where it has none
}

// Rate scores a prediction, with its 80 % interval if low and high are given.
// All are zero or positive quantities of one dimension; others are errors.
// Where one of predicted and measured is zero, or exact is set, the score is
// Exact: a ratio would say nothing, or be infinite. What was measured and is no
// whole number is no count, however exact it is, and scored by its ratio.
func Rate(predicted axioms.Quantity, low, high *axioms.Quantity, measured axioms.Quantity, exact bool) (Score, error) {
	for _, q := range []*axioms.Quantity{&predicted, low, high, &measured} {
		if q == nil {
			continue
		}
		if err := usable("number", *q); err != nil {
			return Score{}, err
		}
		if _, err := q.Cmp(measured); err != nil {
			return Score{}, err
		}
	}
	if (low == nil) != (high == nil) {
		return Score{}, errors.New("an interval has two ends")
	}
	if low != nil && low.Value > high.Value {
		return Score{}, fmt.Errorf("the interval %s to %s ends before it begins", low, high)
	}
	p, m := predicted.Value, measured.Value
	s := Score{Kind: Exact, Factor: 1, Right: same(p, m), Off: p - m, Unit: measured.Dim.String()}
	if (!exact || m != math.Trunc(m)) && p > 0 && m > 0 {
		// Not the logarithm of the ratio, which may be out of range.
		s.Kind, s.Log = Factor, math.Log10(p)-math.Log10(m)
		s.Factor = power(math.Abs(s.Log))
	}
	if low != nil {
		covered := atMost(low.Value, m) && atMost(m, high.Value)
		s.Covered = &covered
		if s.Kind == Factor && low.Value > 0 {
			v := intervalScore(math.Log10(low.Value), math.Log10(high.Value), math.Log10(m), covered)
			s.Interval = &v
		}
	}
	return s, nil
}

// String says how far it was off, for people: "right", "3x too much", "2 KiB too
// little".
func (s Score) String() string {
	way := "much"
	if s.Log < 0 || s.Off < 0 {
		way = "little"
	}
	switch {
	case s.Right:
		return "right"
	case s.Kind == Exact:
		q := axioms.Quantity{Value: math.Abs(s.Off)}
		q.Dim, _ = axioms.ParseUnit(s.Unit)
		return q.String() + " too " + way
	case s.Factor < 1.005:
		return "right to within half a percent"
	}
	return axioms.Count(s.Factor).String() + "x too " + way
}

// level is the share of intervals that are meant to miss: they are asked for
// at 80 %.
const level = 0.2

// intervalScore is the negatively oriented interval score of Gneiting and
// Raftery, "Strictly Proper Scoring Rules, Prediction, and Estimation", Journal
// of the American Statistical Association 102 (2007), equation 43: the width,
// and 2/level times the distance by which the interval misses. All three
// numbers are logarithms, so the score is in decades. It is the least on
// average for the interval that has level/2 on either side.
func intervalScore(low, high, x float64, covered bool) float64 {
	width := high - low
	if covered {
		return width
	}
	return width + 2/level*max(low-x, x-high, 0)
}

// same allows for the rounding of a conversion between units.
func same(a, b float64) bool {
	const ulps = 1e-12
	return a == b || math.Abs(a-b) <= ulps*math.Max(a, b)
}

func atMost(a, b float64) bool { return a <= b || same(a, b) }

// power is 10^x, or the nearest number above zero that there is: neither
// infinity nor a ratio of zero can be stored or printed.
func power(x float64) float64 {
	return min(max(math.Pow(10, x), math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// ErrUnscored is wrapped where a prediction has no score and is not wrong: it
// was never measured, or its claim came out void.
var ErrUnscored = errors.New("unscored")

// Score scores the user's prediction.
func (e *Entry) Score() (Score, error) {
	p := e.Prediction
	return e.rate(p.Value, p.Unit, p.Low, p.High)
}

// DivisionScore scores what the division gave, by the same rules.
func (e *Entry) DivisionScore() (Score, error) {
	d := e.Prediction.Derivation
	if d.Value == nil {
		return Score{}, fmt.Errorf("%w: the division came to nothing", ErrUnscored)
	}
	return e.rate(*d.Value, d.Unit, nil, nil)
}

func (e *Entry) rate(value float64, unit string, low, high *float64) (Score, error) {
	if err := e.unscored(); err != nil {
		return Score{}, err
	}
	predicted, err := quantity(value, unit)
	if err != nil {
		return Score{}, err
	}
	measured, err := quantity(*e.Outcome.Measured, e.Outcome.Unit)
	if err != nil {
		return Score{}, err
	}
	var ends [2]*axioms.Quantity
	for i, v := range []*float64{low, high} {
		if v == nil {
			continue
		}
		q, err := quantity(*v, unit)
		if err != nil {
			return Score{}, err
		}
		ends[i] = &q
	}
	return Rate(predicted, ends[0], ends[1], measured, e.Outcome.Exact)
}

// unscored returns why the entry has no score, nil if it may have one.
func (e *Entry) unscored() error {
	o := e.Outcome
	switch {
	case e.Altered:
		return fmt.Errorf("%w: it is not what was registered", ErrUnscored)
	case o == nil:
		return fmt.Errorf("%w: no run came to measure it", ErrUnscored)
	case o.Verdict == "void" && o.Why != "":
		return fmt.Errorf("%w: its claim is void (%s)", ErrUnscored, o.Why)
	case o.Verdict == "void":
		return fmt.Errorf("%w: its claim is void", ErrUnscored)
	case o.Measured == nil:
		return fmt.Errorf("%w: nothing was measured", ErrUnscored)
	}
	return nil
}
