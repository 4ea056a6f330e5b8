package kv

import (
	"fmt"
	"slices"
)

const (
	mostLayers = 4096
	mostBytes  = 1 << 24 // of a token in one layer, 200 times what any real model has
	mostState  = 1 << 40 // bytes of one layer
)

// MostTokens is the longest sequence that is reckoned with. With the limits on
// layers and bytes, no total leaves an int64.
const MostTokens = 1 << 24

// Layer is what one layer keeps of a sequence.
type Layer struct {
	Kind   string // "attention", "window", "latent", "state", "shared", "none"
	Bytes  int64  // for each token
	Window int64  // tokens that are kept; 0: all
	State  int64  // bytes that do not grow
	How    string // the product that Bytes is, or State
}

// Model is what a config.json says of a model's cache.
type Model struct {
	Type   string // its model_type
	Format Format // of the cache
	Layers []Layer
	// Parameters is how many there are, and Size what they take in bytes. Both
	// are 0 where the file does not determine them, and Unknown says why.
	Parameters, Size int64
	Unknown          string
	// Longest is the longest sequence that the file knows of, in tokens, and
	// LongestField the field that says so. 0 where it says nothing.
	Longest      int64
	LongestField string
	Notes        []string // what the file left out or said beside the shape
}

// Options are what the file does not say.
type Options struct {
	Format *Format  // of the cache; nil: what the file says of it, and 2 bytes where it says nothing
	Ignore []string // fields that the user knows to leave the cache as it is
}

// Fixed is what a sequence takes before its first token, in bytes.
func (m *Model) Fixed() (sum int64) {
	for _, l := range m.Layers {
		sum += l.State
	}
	return sum
}

// Total is what a sequence of so many tokens takes, in bytes.
func (m *Model) Total(tokens int64) int64 {
	sum := m.Fixed()
	for _, l := range m.Layers {
		kept := tokens
		if l.Window > 0 {
			kept = min(tokens, l.Window)
		}
		sum += l.Bytes * kept
	}
	return sum
}

// Slope is what the next token adds to a sequence of so many, in bytes.
func (m *Model) Slope(tokens int64) (sum int64) {
	for _, l := range m.Layers {
		if l.Window == 0 || tokens < l.Window {
			sum += l.Bytes
		}
	}
	return sum
}

// Intercept is what a sequence of so many tokens takes beside Slope x tokens:
// the fixed state, and the windows that are full.
func (m *Model) Intercept(tokens int64) int64 { return m.Total(tokens) - tokens*m.Slope(tokens) }

// Group is layers that are alike.
type Group struct {
	Count int
	Layer
}

// Groups returns the layers with those that are alike put together, in the order
// in which each kind comes first.
func (m *Model) Groups() (groups []Group) {
	for _, l := range m.Layers {
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Layer == l })
		if i < 0 {
			groups = append(groups, Group{1, l})
			continue
		}
		groups[i].Count++
	}
	return groups
}

// check holds the layers to the limits that keep totals within an int64.
func (m *Model) check() error {
	for _, l := range m.Layers {
		if l.Bytes < 0 || l.Bytes > mostBytes || l.State < 0 || l.State > mostState {
			return fmt.Errorf("a layer would keep %d B a token and %d B of state, more than any model: is a field in another unit?", l.Bytes, l.State)
		}
	}
	return nil
}
