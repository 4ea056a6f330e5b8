package axioms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// quantityJSON is a Quantity in results.json: a number in base units beside its unit.
type quantityJSON struct {
	Value *float64 `json:"value"`
	Unit  *Dim     `json:"unit"`
}

// MarshalJSON writes {"value": 2e9, "unit": "B/s"}. A value that is not finite is an error: JSON has no word for it.
func (q Quantity) MarshalJSON() ([]byte, error) {
	if !q.Finite() {
		return nil, fmt.Errorf("quantity %s: not a finite number", q)
	}
	return json.Marshal(quantityJSON{&q.Value, &q.Dim})
}

// UnmarshalJSON reads what MarshalJSON wrote. A missing or unknown field and a unit that is not a base unit are errors.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	var j quantityJSON
	if err := strict(data, &j); err != nil {
		return fmt.Errorf("quantity: %w", err)
	}
	if j.Value == nil || j.Unit == nil {
		return fmt.Errorf("quantity: %q lacks its value or its unit", clip(string(data)))
	}
	*q = Quantity{*j.Value, *j.Unit}
	return nil
}

// measuredJSON is a Measured in results.json: one unit for its three numbers.
type measuredJSON struct {
	Name   string     `json:"name"`
	Unit   *Dim       `json:"unit"`
	Value  *float64   `json:"value"`
	Low    *float64   `json:"low"`
	High   *float64   `json:"high"`
	N      int        `json:"n"`
	Method string     `json:"method"`
	Bounds string     `json:"bounds"`
	Taken  *time.Time `json:"taken,omitempty"`
}

// MarshalJSON writes m with its numbers in base units beside one unit. A Measured that Validate refuses is an error.
func (m Measured) MarshalJSON() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	j := measuredJSON{Name: m.Name, Unit: &m.Quantity.Dim, Value: &m.Quantity.Value, Low: &m.Low.Value, High: &m.High.Value,
		N: m.N, Method: m.Method, Bounds: m.Bounds}
	if !m.Taken.IsZero() {
		j.Taken = &m.Taken
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote. Unknown fields, missing numbers and whatever Validate refuses are errors.
func (m *Measured) UnmarshalJSON(data []byte) error {
	var j measuredJSON
	if err := strict(data, &j); err != nil {
		return fmt.Errorf("measured axiom: %w", err)
	}
	if j.Unit == nil || j.Value == nil || j.Low == nil || j.High == nil {
		return fmt.Errorf("measured axiom %q: lacks its unit, value, low or high", clip(j.Name))
	}
	v := Measured{Name: j.Name, Quantity: Quantity{*j.Value, *j.Unit}, Low: Quantity{*j.Low, *j.Unit},
		High: Quantity{*j.High, *j.Unit}, N: j.N, Method: j.Method, Bounds: j.Bounds}
	if j.Taken != nil {
		v.Taken = *j.Taken
		if v.Taken.IsZero() {
			return fmt.Errorf("measured axiom %q: taken at no time", clip(j.Name))
		}
	}
	if err := v.Validate(); err != nil {
		return err
	}
	*m = v
	return nil
}

// MarshalJSON writes the measured axioms of s as an array; the constants are the program's and are not repeated.
func (s Set) MarshalJSON() ([]byte, error) {
	if s.measured == nil {
		return []byte("[]"), nil
	}
	return json.Marshal(s.measured)
}

// UnmarshalJSON reads what MarshalJSON wrote, with the errors of NewSet.
func (s *Set) UnmarshalJSON(data []byte) error {
	var list []Measured
	if err := strict(data, &list); err != nil {
		return fmt.Errorf("measured axioms: %w", err)
	}
	v, err := NewSet(list...)
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// strict decodes one JSON value and refuses unknown fields and whatever follows it.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("text behind the value")
	}
	return nil
}
