package host

import "fmt"

// Fact is one thing known about the machine, or the reason why it is not known.
type Fact[T any] struct {
	Value   *T     `json:"value"`             // nil when unknown
	Unit    string `json:"unit,omitempty"`    // base unit: "B", "s", "Hz", "1"; "" for strings, booleans and lists
	Source  string `json:"source,omitempty"`  // where it was read: "/proc/cpuinfo", "cpuid", "statfs"
	Unknown string `json:"unknown,omitempty"` // why it is not known; empty exactly when Value is set
}

// Known returns a fact with its base unit ("" where it has none) and its source.
func Known[T any](value T, unit, source string) Fact[T] {
	return Fact[T]{Value: &value, Unit: unit, Source: source}
}

// Missing returns a fact that is not known, for the given reason.
func Missing[T any](why string) Fact[T] {
	if why == "" {
		why = "no reason recorded"
	}
	return Fact[T]{Unknown: why}
}

// Get returns the value and true, or the zero value and false when it is not known.
func (f Fact[T]) Get() (T, bool) {
	if f.Value == nil {
		var zero T
		return zero, false
	}
	return *f.Value, true
}

// String returns the value with its unit, or "unknown" with the reason. The
// zero Fact is unknown too: a field that nobody filled in is not a fact.
func (f Fact[T]) String() string {
	if f.Value == nil {
		if f.Unknown == "" {
			return "unknown"
		}
		return "unknown (" + f.Unknown + ")"
	}
	if f.Unit == "" || f.Unit == "1" {
		return fmt.Sprint(*f.Value)
	}
	return fmt.Sprint(*f.Value) + " " + f.Unit
}

// either returns the first fact that is known; when none is, the first one, so
// that the reason given is that of the best source.
func either[T any](facts ...Fact[T]) Fact[T] {
	for _, f := range facts {
		if f.Value != nil {
			return f
		}
	}
	return facts[0]
}
