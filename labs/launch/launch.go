package launch

import (
	_ "embed"
	"fmt"
	"strings"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims, each followed by @ and a device.
const (
	beats   = "one-submission-beats-280"
	divides = "the-gap-divides-into-dispatches"
	floor   = "the-floor-stays"
	leaves  = "faster-kernels-leave-the-gap"
)

// Names of controls.
const (
	bothAlone  = "one-by-one-in-both"
	delayed    = "delay-in-each-operation"
	sevenExtra = "seven-extra-reads"
	growing    = "gap-grows-with-the-bytes"
)

// device is a mechanism by which operations are handed over.
type device struct {
	name string
	// least is how many times as long 280 submissions of nothing take, at the least. A thread costs hundreds of times what an
	// empty operation does. Through io_uring it is about 5 times, and fewer where system calls are cheap: 3 would be too near.
	least float64
	text  string // what hands over, for the claims
	start func(w *weights, processor int) (mechanism, error)
}

var (
	byRing   = device{"uring", 2, "io_uring", newRing}
	byThread = device{"thread", 3, "a worker thread", newThread}
	devices  = []device{byRing, byThread}
)

// Lab finds out what a hand-over costs, and whether a gap above the floor is made of them.
var Lab = &lab.Lab{
	Name: "launch", Title: "why does it miss its floor?", Group: lab.Serving, Rule: 13, Doc: doc,
	Axioms: []string{"study-weights", "study-bandwidth", "study-operations", "study-token", "gpu-launch",
		"thread-handover", "system-call", "dram-copy"},
	Seconds: 2.5, Measure: measureAll,
	Claims: claims(), Controls: controls, Questions: questions,
}

func claims() []lab.Claim {
	var out []lab.Claim
	for _, d := range devices {
		c := func(name string, region measure.Region, form measure.Form, text, observed string) {
			out = append(out, lab.Claim{
				Name: name + "@" + d.name, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1",
				Region: region, Form: form, System: system(d, name), Text: strings.ReplaceAll(text, "MECHANISM", d.text), Observed: observed,
			})
		}
		c(beats, measure.AtLeast(d.least), measure.Ratio,
			fmt.Sprintf("280 empty operations handed to MECHANISM one by one take at least %g times as long as in one submission", d.least),
			"time of 280 empty operations, each handed over alone and waited for / the same in one submission")
		// The quotient, gap / 280 / dispatch in [0.4, 2.5], would be wrong by as much as a dispatch costs less in the minute in
		// which it is measured. So the dispatches are taken off in turn with the gap, and what the survey found is only the
		// unit that the rest is counted in: [0.4, 2.5] less one.
		c(divides, measure.Within(-0.6, 1.5), measure.Excess,
			"what 280 reads lose by being handed to MECHANISM one by one is a dispatch each: 0.4 to 2.5 of them, so when one is taken off there is -0.6 to 1.5 left",
			"(gap of 280 reads of 16 KiB - 280 empty operations one by one) / 280 / one dispatch; a gap is the time one by one less the time in one submission")
		c(floor, measure.Within(0.5, 2), measure.Ratio,
			"280 reads in one submission to MECHANISM take what their bytes take, within a factor of two",
			"time of 280 reads of 128 KiB in one submission / time of one empty operation, and of as many bytes in pieces of 256 KiB that the caller reads itself")
		// Likewise one gap off the other: [0.5, 2] less one. Half of a dispatch is the least that a gap which came from the
		// bytes would lose with half of them.
		c(leaves, measure.Within(-0.5, 1), measure.Excess,
			"280 reads of half the bytes lose the same by being handed to MECHANISM one by one, within a factor of two: each loses -0.5 to 1 dispatch more",
			"(gap of 280 reads of 8 KiB - gap of 280 reads of 16 KiB) / 280 / one dispatch")
	}
	return out
}

// system is the only one that can tell: Linux alone has io_uring, and binds threads to processors, without which nothing but the
// first claim can be said of a worker.
func system(d device, claim string) string {
	if d.name == byThread.name && claim == beats {
		return ""
	}
	return "linux"
}

// on returns the names of a claim on every device.
func on(name string) []string {
	var out []string
	for _, d := range devices {
		out = append(out, name+"@"+d.name)
	}
	return out
}

// of returns the names of a device's claims, or of those of them that read.
func of(d device, reading bool) []string {
	all := []string{beats + "@" + d.name, divides + "@" + d.name, floor + "@" + d.name, leaves + "@" + d.name}
	if reading {
		return all[1:]
	}
	return all
}

var controls = []lab.Control{
	{Name: bothAlone, Breaks: on(beats), Text: "both arms hand over one by one"},
	{Name: delayed, Breaks: on(divides), Text: "each operation that is handed over alone takes longer, by so many dispatches",
		Dose: &lab.Dose{Default: 6, Unit: "1", Text: "dispatches"}},
	// One extra read would double the time, which is the bound itself. And beside programs that take whole turns of some
	// milliseconds, three were not always seen.
	{Name: sevenExtra, Breaks: on(floor), Text: "everything is read eight times"},
	{Name: growing, Breaks: on(leaves), Text: "each operation that is handed over alone takes longer, by so many dispatches for 16 KiB",
		Dose: &lab.Dose{Default: 8, Unit: "1", Text: "dispatches for 16 KiB, half of it for 8 KiB"}},
}
