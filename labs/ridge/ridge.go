package ridge

import (
	_ "embed"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims, each followed by @ and a device.
const (
	memorySpeed = "batch-one-runs-at-memory-speed"
	wastes      = "batch-one-wastes-the-arithmetic"
	nearlyFree  = "below-the-ridge-more-is-nearly-free"
	recovers    = "batching-recovers-the-throughput"
	underRoof   = "nothing-beats-the-roof"
)

// device is a number of threads.
type device struct {
	name string
	all  bool
}

var devices = []device{{"cpu-1", false}, {"cpu-all", true}}

// Lab finds out where a processor stops waiting for its memory.
var Lab = &lab.Lab{
	Name: "ridge", Title: "why is it idle?", Group: lab.Serving, Rule: 9, Doc: doc,
	Axioms:  []string{"a100-peak", "a100-bandwidth", "model-weights", "model-work", "core-peak", "dram-read"},
	Seconds: 4, Measure: measureAll,
	Claims: claims(), Controls: controls(), Questions: questions,
}

func claims() []lab.Claim {
	var out []lab.Claim
	for _, d := range devices {
		c := func(name string, region measure.Region, form measure.Form, text, observed string) {
			out = append(out, lab.Claim{
				Name: name + "@" + d.name, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1",
				Region: region, Form: form, Text: text, Observed: observed,
			})
		}
		c(memorySpeed, measure.Within(0.5, 2), measure.Ratio,
			"multiplying one row by the weights takes what reading the weights takes, within a factor of two",
			"time of a product with one row / time of a sum over as many bytes")
		c(wastes, measure.AtMost(0.35), measure.Ratio,
			"one row uses at most 35 % of the arithmetic",
			"FLOP/s of a product with one row / FLOP/s of multiply-adds in registers")
		c(nearlyFree, measure.AtMost(0.5), measure.Extra,
			"well below the ridge another row costs at most half of the first",
			"(time with b rows / time with one - 1) / (b - 1), b a quarter of the ridge's rows, at least 2")
		c(recovers, measure.AtLeast(3), measure.Ratio,
			"256 rows together get at least three times the FLOP/s that one gets",
			"time per FLOP with one row / time per FLOP with 256")
		c(underRoof, measure.AtMost(1.4), measure.Ratio,
			"no number of rows gets more than 1.4 times what the roof allows",
			"time of the roof's work alone (the bytes or the multiply-adds, whichever takes longer) / time of the product, for 1, 4, 16, 64 and 256 rows")
	}
	return out
}

// on returns the names of claims on every device.
func on(names ...string) []string {
	var out []string
	for _, n := range names {
		for _, d := range devices {
			out = append(out, n+"@"+d.name)
		}
	}
	return out
}

func controls() []lab.Control {
	return []lab.Control{
		{Name: "whole-batch", Breaks: on(wastes), Text: "the one row becomes 256"},
		{Name: "loop-over-the-batch", Breaks: on(nearlyFree, recovers), Text: "the rows are multiplied one by one"},
		// Weights that fit a cache would be the obvious sabotage of the first
		// claim, but a core that reads memory at 40 GB/s multiplies from its
		// second-level cache hardly twice as fast.
		{Name: "most-skipped", Breaks: on(memorySpeed, underRoof), Text: "seven eighths of the product are left out"},
	}
}

var questions = []lab.Question{
	{
		Name: "share-of-one-row", Unit: "1",
		Text: "One row of float32 is multiplied by a matrix of weights that lies in memory, on one thread. " +
			"What share of the thread's arithmetic is in use? (0.5 is half)",
		Candidates: []lab.Candidate{
			{Text: "all of it", Value: axioms.Count(1)},
			{Text: "a third", Value: axioms.Count(0.33)},
			{Text: "a tenth", Value: axioms.Count(0.1)},
			{Text: "a hundredth", Value: axioms.Count(0.01)},
		},
		Axioms: []string{"core-peak", "dram-read", "dram-copy"},
		Answer: lab.Answer{Claim: wastes + "@cpu-1"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			return ridgeOf(s, "(2 FLOP / 4 B) / (core-peak / dram-read)", func(ridge float64) float64 { return 0.5 / ridge })
		},
	}, {
		Name: "rows-at-the-ridge", Unit: "1",
		Text: "How many rows does it take, on one thread, until reading the float32 weights takes as long as multiplying them?",
		Candidates: []lab.Candidate{
			{Text: "one: they are balanced", Value: axioms.Count(1)},
			{Text: "ten or so", Value: axioms.Count(10)},
			{Text: "as many as an A100 takes in 16 bits", Value: axioms.Count(156)},
			{Text: "thousands", Value: axioms.Count(2000)},
		},
		Axioms: []string{"core-peak", "dram-read", "dram-copy", "a100-peak", "a100-bandwidth"},
		Answer: lab.Answer{Series: "rows at the ridge, cpu-1"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			return ridgeOf(s, "(core-peak / dram-read) x 4 B / 2 FLOP", func(ridge float64) float64 { return 2 * ridge })
		},
	}, {
		Name: "256-rows-over-one", Unit: "1",
		Text: "256 rows are multiplied by the same weights in one product, on one thread. " +
			"How many times the FLOP/s of a single row does it get?",
		Candidates: []lab.Candidate{
			{Text: "the same: work is work", Value: axioms.Count(1)},
			{Text: "ten times", Value: axioms.Count(10)},
			{Text: "256 times: the weights are read once", Value: axioms.Count(256)},
		},
		Axioms: []string{"core-peak", "dram-read", "dram-copy"},
		Answer: lab.Answer{Claim: recovers + "@cpu-1"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			return ridgeOf(s, "min(256, rows at the ridge)", func(ridge float64) float64 { return min(256, 2*ridge) })
		},
	},
}

// ridgeOf turns the ridge of the assumed core, in FLOP/B, into an answer.
func ridgeOf(s axioms.Set, steps string, f func(ridge float64) float64) (lab.Derivation, error) {
	peak, err := s.Get("core-peak")
	if err != nil {
		return lab.Derivation{}, err
	}
	read, err := s.Get("dram-read")
	if err != nil {
		return lab.Derivation{}, err
	}
	ridge, err := peak.Quantity.Div(read.Quantity)
	if err != nil {
		return lab.Derivation{}, err
	}
	return lab.Derivation{Value: axioms.Count(f(ridge.Value)), Steps: strings.TrimSpace(steps)}, nil
}
