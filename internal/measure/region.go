package measure

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Region is the closed interval in which a claim's quantity must lie, in the
// claim's unit. An end that is infinite does not bound.
type Region struct {
	Min, Max float64
}

// AtLeast is the region [min, +inf).
func AtLeast(min float64) Region { return Region{Min: min, Max: math.Inf(1)} }

// AtMost is the region (-inf, max].
func AtMost(max float64) Region { return Region{Min: math.Inf(-1), Max: max} }

// Within is the region [min, max].
func Within(min, max float64) Region { return Region{Min: min, Max: max} }

// Equal is the region that holds one value only.
func Equal(v float64) Region { return Region{Min: v, Max: v} }

// Contains reports whether v lies in the region. NaN lies in none.
func (r Region) Contains(v float64) bool { return v >= r.Min && v <= r.Max }

// side returns 0 for a value in the region, -1 for one below it and 1 for one
// above.
func (r Region) side(v float64) int {
	switch {
	case v < r.Min:
		return -1
	case v > r.Max:
		return 1
	}
	return 0
}

// Covers reports whether all of [low, high] lies in the region.
func (r Region) Covers(low, high float64) bool {
	return low <= high && r.Contains(low) && r.Contains(high)
}

// Misses reports whether [low, high] lies wholly outside the region, beyond the
// nearer bound by the given factor.
func (r Region) Misses(low, high, factor float64) bool {
	if !(low <= high) {
		return false
	}
	below := !math.IsInf(r.Min, -1) && high < r.Min && beyond(r.Min, high, factor)
	above := !math.IsInf(r.Max, 1) && low > r.Max && beyond(low, r.Max, factor)
	return below || above
}

// beyond reports whether larger exceeds smaller by at least factor. Between
// values of different sign every factor is exceeded.
func beyond(larger, smaller, factor float64) bool {
	if smaller <= 0 {
		return larger*factor >= smaller
	}
	return larger >= smaller*factor
}

// Valid returns an error for a region that nothing can fail or nothing can
// meet.
func (r Region) Valid() error {
	switch {
	case math.IsNaN(r.Min) || math.IsNaN(r.Max):
		return fmt.Errorf("region has a bound that is not a number")
	case math.IsInf(r.Min, -1) && math.IsInf(r.Max, 1):
		return fmt.Errorf("region has no bound: nothing can fail it")
	case r.Min > r.Max || math.IsInf(r.Min, 1) || math.IsInf(r.Max, -1):
		return fmt.Errorf("region %v is empty: nothing can meet it", r)
	}
	return nil
}

// String writes the region as a condition on the quantity: ">= 3", "<= 1.5",
// "= 0" or "in [0.5, 2]".
func (r Region) String() string {
	switch {
	case r.Min == r.Max:
		return "= " + digits(r.Min)
	case math.IsInf(r.Max, 1):
		return ">= " + digits(r.Min)
	case math.IsInf(r.Min, -1):
		return "<= " + digits(r.Max)
	}
	return "in [" + digits(r.Min) + ", " + digits(r.Max) + "]"
}

// digits is a number as people read it: a whole one in full, any other to six
// digits. 43/240 has no short decimal, and its last digits are no news.
func digits(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

type regionJSON struct {
	Min *float64 `json:"min"`
	Max *float64 `json:"max"`
}

// MarshalJSON writes {"min": x, "max": y} with null for an end that does not
// bound, since JSON has no infinity.
func (r Region) MarshalJSON() ([]byte, error) {
	var j regionJSON
	if !math.IsInf(r.Min, -1) {
		j.Min = &r.Min
	}
	if !math.IsInf(r.Max, 1) {
		j.Max = &r.Max
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Region) UnmarshalJSON(data []byte) error {
	var j regionJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Region{Min: math.Inf(-1), Max: math.Inf(1)}
	if j.Min != nil {
		r.Min = *j.Min
	}
	if j.Max != nil {
		r.Max = *j.Max
	}
	return nil
}
