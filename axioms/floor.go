package axioms

import (
	"fmt"
	"strconv"
)

// Layer is one place that bytes can be moved through, and the least time that moving them takes.
type Layer struct {
	Name     string   // of the axiom that it rests on: "dram-copy"
	Text     string   // what was done with the bytes, for people
	Rate     Quantity // the highest that the axiom allows, in B/s
	Floor    Quantity // size / Rate, in s
	Upper    bool     // the rate is the upper end of an interval or a range, and not its only number
	Measured bool     // on this machine; otherwise assumed of a class of hardware
	Source   string   // method, or class and source
}

// layers are the places in the order in which a write goes down.
var layers = []struct {
	name, text string
	always     bool // it has an assumed value; otherwise it is there when it was measured
}{
	{"cache-copy", "copied within the caches", true},
	{"dram-copy", "copied through memory", true},
	{"seq-write", "written in sequence to the device measured here", false},
	{"nvme-write", "written to an NVMe flash drive", true},
	{"disk-write", "written to a spinning disk", true},
}

// Floor returns, for each layer from the top down, the least time that moving size bytes through it can take. A layer's
// rate is the high end of its axiom's interval or range, so that a time under the floor is out of reach and not merely
// unusual. A size that is not in bytes, negative or not finite is an error.
func Floor(size Quantity, set Set) ([]Layer, error) {
	if size.Dim != DimByte {
		return nil, fmt.Errorf("a floor is the time to move bytes: got %s, want a size such as %q", size, "1 MB")
	}
	if !size.Finite() || size.Value < 0 {
		return nil, fmt.Errorf("size %s: want a size of zero bytes or more", size)
	}
	var out []Layer
	for _, l := range layers {
		g, err := set.Get(l.name)
		if err != nil {
			if !l.always {
				continue
			}
			return nil, err
		}
		floor, err := size.Div(g.High)
		if err != nil {
			return nil, fmt.Errorf("floor of %s at %s: %w", size, l.name, err)
		}
		out = append(out, Layer{l.name, l.text, g.High, floor, g.High != g.Quantity, g.Measured, g.Source})
	}
	return out, nil
}

// Ruling says what a measured time means for one layer.
type Ruling struct {
	Layer  Layer
	Out    bool    // the time is under the floor: the bytes did not go through this layer while it was taken
	Factor float64 // floor / time: above 1 where the layer is ruled out
}

// String says which way the ruling went and by how much: "ruled out, 4x under its floor".
func (r Ruling) String() string {
	switch {
	case r.Out:
		return "ruled out, " + times(r.Factor) + " under its floor"
	case r.Factor == 0:
		return "not ruled out, nothing to move"
	case r.Factor == 1:
		return "not ruled out, at its floor"
	default:
		return "not ruled out, " + times(1/r.Factor) + " over its floor"
	}
}

// times prints a factor near 1 with the digits that keep it from reading as 1.
func times(f float64) string {
	if f < 1.005 {
		return strconv.FormatFloat(f, 'g', 6, 64) + "x"
	}
	return plain(three(f)) + "x"
}

// RuledOut holds a measured time against each layer's floor. A time at the floor exactly is not ruled out. A time that
// is not in seconds, not finite or not above zero is an error: a clock that read zero has measured nothing.
func RuledOut(took Quantity, layers []Layer) ([]Ruling, error) {
	if took.Dim != DimSecond {
		return nil, fmt.Errorf("got %s, want a time such as %q", took, "25 us")
	}
	if !took.Finite() || took.Value <= 0 {
		return nil, fmt.Errorf("a time of %s measures nothing: want one above zero", took)
	}
	out := make([]Ruling, 0, len(layers))
	for _, l := range layers {
		f, err := l.Floor.Ratio(took)
		if err != nil {
			return nil, fmt.Errorf("floor of %s: %w", l.Name, err)
		}
		out = append(out, Ruling{l, took.Value < l.Floor.Value, f})
	}
	return out, nil
}
