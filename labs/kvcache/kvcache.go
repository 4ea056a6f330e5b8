package kvcache

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	costs   = "cache-costs-what-it-multiplies-to"
	divides = "grouped-heads-divide-by-the-group"
	ceiling = "ceiling-is-where-division-says"
	doubles = "one-byte-cache-doubles-the-ceiling"
)

// Names of controls.
const (
	valuesMissing = "values-missing"
	notShared     = "heads-not-shared"
	limitOff      = "limit-off"
	sixteenBoth   = "sixteen-bits-in-both"
)

// Names of series that questions are scored by.
const (
	aToken = "bytes-a-token"
	fitIn  = "sequences-beside-the-weights"
	ofByte = "one-byte-over-two"
)

// Lab asks what a cache of keys and values costs, and how many sequences fit.
var Lab = &lab.Lab{
	Name: "kvcache", Title: "what ate the batch?", Group: lab.Serving, Rule: 10, Doc: doc,
	Axioms: []string{"model-layers", "model-width", "model-context", "model-weights", "a100-memory", "a100-peak", "a100-bandwidth",
		"core-peak", "dram-read"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   1.5, Memory: 384 << 20,
	Measure:  measureAll,
	Children: children,
}

// exact is a claim about this machine of which every observation must lie in
// the region. Linux alone says exactly what a process has, and holds it to a
// limit.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Machine, System: "linux", Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(costs, measure.Within(0.98, 1.05),
		"a cache takes 2 x layers x heads x values x bytes x tokens of memory, from 2 % less to 5 % more",
		"growth of a child's resident set (no file behind it) when it takes and writes a cache, by the kernel's walk of its page tables / the product"),
	exact(divides, measure.Within(7.76, 8.24),
		"where 32 heads share 4 of keys and values, the cache takes an eighth of the memory, within 3 %",
		"growth of a child's resident set with 32 heads of keys and values / that of one with 4"),
	exact(ceiling, measure.Within(-1, 1),
		"a process that may take F bytes more gets floor(F / bytes of a sequence) sequences, and at most one more or fewer",
		"sequences that a child took and wrote before the kernel refused the next one, less floor(F / bytes of one)"),
	exact(doubles, measure.Within(-1, 1),
		"with values of one byte twice as many sequences fit as with two bytes, and at most one more or fewer",
		"sequences that a child got with values of one byte, less twice those that another got under the same limit with two"),
}

var controls = []lab.Control{
	{Name: valuesMissing, Text: "the cache keeps the keys, and no values", Breaks: []string{costs}},
	{Name: notShared, Text: "every one of the 32 heads keeps keys and values of its own, in both arms", Breaks: []string{divides}},
	{Name: limitOff, Text: "the limit is taken back before the first sequence, and the child stops at twice the number", Breaks: []string{ceiling}},
	{Name: sixteenBoth, Text: "values have two bytes in both arms", Breaks: []string{doubles}},
}
