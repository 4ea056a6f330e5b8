package predict

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// Guess is an answer to a question before it is committed: a quantity and, if
// the user wants, the interval that holds the truth four times in five.
type Guess struct {
	Value     axioms.Quantity
	Low, High *axioms.Quantity // both nil where no interval was given
}

// ReadGuess reads an answer in the given dimension: "300us", "100us..1ms", whose
// middle is then the answer, or "300us in 100us..1ms". A plain number in place
// of a size is bytes; elsewhere a missing unit is an error.
func ReadGuess(text string, dim axioms.Dim) (Guess, error) { return asked{dim: dim}.read(text) }

// asked is what a question asks for.
type asked struct {
	dim   axioms.Dim
	ratio bool // a plain number that can't be zero
	share bool // a ratio of one at most
}

// asks reads from a question's candidates what it asks for. One of them that is
// one or less, and none that is zero, makes it a ratio: what is counted is whole,
// and may be none.
func asks(q *lab.Question) asked {
	a := asked{dim: dimOf(q)}
	least, most := math.Inf(1), 0.0
	for _, c := range q.Candidates {
		least, most = min(least, c.Value.Value), max(most, c.Value.Value)
	}
	a.ratio = a.dim == axioms.DimOne && least > 0 && least <= 1
	a.share = a.ratio && most <= 1
	return a
}

// errNothing refuses a ratio of zero.
var errNothing = errors.New("a ratio of zero can't be scored, since how far off it is counts in factors: " +
	"write the smallest that you believe in, such as 0.001")

// read is ReadGuess for what is asked.
func (a asked) read(text string) (Guess, error) {
	g, err := a.readAny(text)
	if err == nil && a.ratio && g.Value.Value == 0 {
		return Guess{}, errNothing
	}
	return g, err
}

func (a asked) readAny(text string) (Guess, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Guess{}, fmt.Errorf("write %s, such as %s", kind(a.dim), a.example())
	}
	value, span, both := strings.Cut(text, " in ")
	if !both {
		span = text
	}
	low, high, ok := cutSpan(span)
	if !ok {
		if both {
			return Guess{}, fmt.Errorf("the interval behind %q wants two ends, such as %s", "in", a.exampleSpan())
		}
		q, err := a.one(text)
		return Guess{Value: q}, err
	}
	g, err := a.readSpan(low, high)
	if err != nil || !both {
		return g, err
	}
	if g.Value, err = a.one(value); err != nil {
		return Guess{}, err
	}
	if g.Value.Value < g.Low.Value || g.Value.Value > g.High.Value {
		return Guess{}, fmt.Errorf("%s is not within %s to %s", typeset.Quantity(g.Value), typeset.Quantity(*g.Low), typeset.Quantity(*g.High))
	}
	return g, nil
}

// cutSpan takes an interval apart: "100us..1ms", or with "to" in place of the
// dots.
func cutSpan(text string) (low, high string, ok bool) {
	if low, high, ok = strings.Cut(text, ".."); ok {
		return low, high, true
	}
	return strings.Cut(text, " to ")
}

func (a asked) readSpan(low, high string) (Guess, error) {
	low, high = strings.TrimSpace(low), strings.TrimSpace(high)
	if low == "" || high == "" {
		return Guess{}, fmt.Errorf("an interval has two ends, such as %s", a.exampleSpan())
	}
	if r, err := axioms.Read(low); err == nil && r.Bare && r.Quantity.Value != 0 {
		low += unitOf(high) // "100..900 us"
	}
	l, err := a.one(low)
	if err != nil && !errors.Is(err, errInstant) {
		return Guess{}, err
	}
	h, err := a.one(high)
	if err != nil {
		return Guess{}, err
	}
	if l.Value > h.Value {
		return Guess{}, fmt.Errorf("the interval ends before it begins: write the smaller number first, %s..%s", typeset.Quantity(h), typeset.Quantity(l))
	}
	return Guess{Value: middle(l, h), Low: &l, High: &h}, nil
}

// unitOf returns what stands behind the last digit of a quantity.
func unitOf(text string) string { return text[strings.LastIndexAny(text, "0123456789.")+1:] }

// errInstant refuses a time of zero: whatever is measured takes one.
var errInstant = errors.New("nothing takes no time at all: give a time above zero")

// one reads a single quantity of the dimension, zero or more.
func (a asked) one(text string) (axioms.Quantity, error) {
	dim := a.dim
	r, err := axioms.Read(text)
	q := r.Quantity
	switch {
	case err != nil && !strings.ContainsAny(text, "0123456789"):
		return q, fmt.Errorf("there is no number in %q: %s is asked for, such as %s", typeset.Clean(text), kind(a.dim), a.example())
	case err != nil:
		return q, err
	case r.None:
		q = axioms.Quantity{Dim: dim}
	case r.Bare && (dim == axioms.DimByte || q.Value == 0):
		q.Dim = dim
	case r.Bare && dim != axioms.DimOne:
		return q, fmt.Errorf("%s of what? Put a unit behind it: %s is asked for, such as %s", strings.TrimSpace(text), kind(a.dim), a.example())
	}
	switch {
	case q.Dim != dim:
		return q, fmt.Errorf("%s is %s; %s is asked for, such as %s", typeset.Quantity(q), kind(q.Dim), kind(a.dim), a.example())
	case q.Value < 0:
		return q, fmt.Errorf("%s is less than nothing", typeset.Quantity(q))
	case q.Value == 0 && dim == axioms.DimSecond:
		return axioms.Quantity{Dim: dim}, errInstant
	case q.Value == 0: // -0 is a zero that reads back as another
		q.Value = 0
	}
	return q, nil
}

// middle is the answer that an interval stands for: its geometric middle, since
// twice too much and half of it are equally far off, or the half of its upper end
// where it begins at zero. It is rounded as it is printed.
func middle(low, high axioms.Quantity) axioms.Quantity {
	v := math.Sqrt(low.Value) * math.Sqrt(high.Value)
	if low.Value == 0 {
		v = high.Value / 2
	}
	m := axioms.Quantity{Value: min(max(v, low.Value), high.Value), Dim: low.Dim}
	if r, err := axioms.Parse(m.String()); err == nil && r.Dim == m.Dim && r.Value >= low.Value && r.Value <= high.Value {
		return r
	}
	return m
}

// String prints the guess so that ReadGuess reads the very same back.
func (g Guess) String() string {
	if g.Low == nil {
		return typeset.Exact(g.Value)
	}
	span := typeset.Exact(*g.Low) + ".." + typeset.Exact(*g.High)
	if g.Value == middle(*g.Low, *g.High) {
		return span
	}
	return typeset.Exact(g.Value) + " in " + span
}

// Understood says for people what the guess was understood to be.
func (g Guess) Understood() string {
	s := typeset.Exact(g.Value)
	if g.Low != nil {
		s += fmt.Sprintf(", and 80 %% sure of %s to %s", typeset.Exact(*g.Low), typeset.Exact(*g.High))
	}
	return s
}

// kind says in words what a dimension is.
func kind(dim axioms.Dim) string {
	switch dim {
	case axioms.DimSecond:
		return "a time"
	case axioms.DimByte:
		return "a size"
	case axioms.DimOne:
		return "a plain number"
	case axioms.DimBytePerSecond:
		return "a bandwidth"
	case axioms.DimPerSecond:
		return "a rate"
	}
	return "a quantity in " + dim.String()
}

// example shows how an answer may be written. It is the same for every question
// of a dimension, and for every share, so it hints at none of them.
func (a asked) example() string {
	if a.share {
		return "0.2 or 20%"
	}
	switch a.dim {
	case axioms.DimSecond:
		return "12 ms"
	case axioms.DimByte:
		return "3 KiB"
	case axioms.DimOne:
		return "7 or 7x"
	}
	return axioms.Quantity{Value: 7, Dim: a.dim}.Exact()
}

func (a asked) exampleSpan() string {
	if a.share {
		return "0.1..0.4"
	}
	switch a.dim {
	case axioms.DimSecond:
		return "5ms..40ms"
	case axioms.DimByte:
		return "1KiB..9KiB"
	case axioms.DimOne:
		return "3..20"
	}
	return axioms.Quantity{Value: 3, Dim: a.dim}.Exact() + ".." + axioms.Quantity{Value: 20, Dim: a.dim}.Exact()
}
