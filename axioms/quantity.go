package axioms

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"
)

// Quantity is a number in base units with its dimension: bytes, seconds, FLOP, and products of them. The zero Quantity
// is the plain number 0. Two Quantities are the same thing when Value and Dim are equal.
type Quantity struct {
	Value float64 // in base units
	Dim   Dim
}

// number is what the constructors take.
type number interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float64
}

// Bytes returns a size of n bytes.
func Bytes[N number](n N) Quantity { return Quantity{float64(n), DimByte} }

// Seconds returns a time of n seconds.
func Seconds[N number](n N) Quantity { return Quantity{float64(n), DimSecond} }

// Count returns the plain number n: a count or a ratio.
func Count[N number](n N) Quantity { return Quantity{float64(n), DimOne} }

// FLOP returns n floating-point operations.
func FLOP[N number](n N) Quantity { return Quantity{float64(n), DimFLOP} }

// BytesPerSecond returns a bandwidth of n bytes per second.
func BytesPerSecond[N number](n N) Quantity { return Quantity{float64(n), DimBytePerSecond} }

// PerSecond returns a rate of n per second.
func PerSecond[N number](n N) Quantity { return Quantity{float64(n), DimPerSecond} }

// Duration returns d as a time in seconds.
func Duration(d time.Duration) Quantity { return Quantity{d.Seconds(), DimSecond} }

// DimensionError says that an operation was asked of two dimensions that it cannot join.
type DimensionError struct {
	Verb string // "add", "subtract", "compare"
	A, B Dim
}

// Error names the operation and both sides: "cannot add B and s".
func (e *DimensionError) Error() string {
	return fmt.Sprintf("cannot %s %s and %s", e.Verb, e.A.side(), e.B.side())
}

var (
	errZero      = errors.New("division by zero")
	errOverflow  = errors.New("the result is too large for a 64-bit float")
	errUnderflow = errors.New("the result is too small for a 64-bit float")
	errUndefined = errors.New("the result is not a number")
	errPowers    = fmt.Errorf("the result holds a unit to a power beyond %d", maxExponent)
)

// Finite reports whether q is a number that can be printed, stored and compared: neither NaN nor infinite.
func (q Quantity) Finite() bool { return !math.IsNaN(q.Value) && !math.IsInf(q.Value, 0) }

// Add returns q + r. Unlike dimensions are a *DimensionError; a result that is not finite is an error.
func (q Quantity) Add(r Quantity) (Quantity, error) {
	if q.Dim != r.Dim {
		return Quantity{}, &DimensionError{"add", q.Dim, r.Dim}
	}
	return checked(q.Value+r.Value, q.Dim)
}

// Sub returns q - r. Unlike dimensions are a *DimensionError; a result that is not finite is an error.
func (q Quantity) Sub(r Quantity) (Quantity, error) {
	if q.Dim != r.Dim {
		return Quantity{}, &DimensionError{"subtract", q.Dim, r.Dim}
	}
	return checked(q.Value-r.Value, q.Dim)
}

// Mul returns q * r, in the product of the two dimensions. A result that is too large or
// too small for a float64 is an error.
func (q Quantity) Mul(r Quantity) (Quantity, error) {
	dim, ok := q.Dim.plus(r.Dim, 1)
	if !ok {
		return Quantity{}, errPowers
	}
	return kept(q.Value*r.Value, dim, q.Value != 0 && r.Value != 0)
}

// Div returns q / r, in the quotient of the two dimensions. Division by zero is an error, and so
// is a result that is too large or too small for a float64.
func (q Quantity) Div(r Quantity) (Quantity, error) {
	if r.Value == 0 {
		return Quantity{}, errZero
	}
	dim, ok := q.Dim.plus(r.Dim, -1)
	if !ok {
		return Quantity{}, errPowers
	}
	return kept(q.Value/r.Value, dim, q.Value != 0)
}

// Cmp returns -1, 0 or +1 as q is less than, equal to or greater than r. Unlike dimensions are a *DimensionError.
func (q Quantity) Cmp(r Quantity) (int, error) {
	if q.Dim != r.Dim {
		return 0, &DimensionError{"compare", q.Dim, r.Dim}
	}
	if math.IsNaN(q.Value) || math.IsNaN(r.Value) {
		return 0, errUndefined
	}
	return cmp.Compare(q.Value, r.Value), nil
}

// Ratio returns q / r as a plain number. Unlike dimensions are a *DimensionError, r = 0 an error.
func (q Quantity) Ratio(r Quantity) (float64, error) {
	if q.Dim != r.Dim {
		return 0, &DimensionError{"compare", q.Dim, r.Dim}
	}
	v, err := q.Div(r)
	return v.Value, err
}

// kept is checked for a product or a quotient, in which something must not come to nothing.
func kept(v float64, dim Dim, something bool) (Quantity, error) {
	if v == 0 && something {
		return Quantity{}, errUnderflow
	}
	return checked(v, dim)
}

func checked(v float64, dim Dim) (Quantity, error) {
	switch {
	case math.IsNaN(v):
		return Quantity{}, errUndefined
	case math.IsInf(v, 0):
		return Quantity{}, errOverflow
	}
	return Quantity{v, dim}, nil
}
