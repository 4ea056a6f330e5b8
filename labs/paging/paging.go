package paging

import (
	"context"
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	underBlock = "waste-is-under-one-block"
	sixTimes   = "six-times-as-many-fit"
	agrees     = "allocator-agrees-with-a-model"
	once       = "shared-prefix-is-stored-once"
	whole      = "prefix-identity-is-the-whole-prefix"
	nearlyFree = "indirection-is-nearly-free"
	sameAnswer = "same-answer-through-the-table"
)

// Lab asks what a page table does for a cache of tokens, and what it costs.
var Lab = &lab.Lab{
	Name: "paging", Title: "what does a page table do for tokens?", Group: lab.Serving, Rule: 12, Doc: doc,
	Axioms:    []string{"model-context", "block-tokens", "a100-memory", "model-weights", "dram-copy"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   1.5, Memory: 512 << 20,
	Measure: measureAll,
}

// exact is a claim about the suite's own allocator of which every observation
// must lie in the region.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(underBlock, measure.Within(0, 255.0/256),
		"a sequence never holds a whole block that it does not use: place held less tokens is 0 to 255/256 of a block",
		"the least and the most that each sequence held unused in its life, in blocks of 1, 16 and 256 tokens"),
	// 2048 / (22 x 16) = 5.818, and 2 % to either side.
	exact(sixTimes, measure.Within(5.702, 5.934),
		"paged in blocks of 16, a pool takes 2048 / 352 = 5.82 times as many sequences of about 350 tokens as with 2048 reserved for each, within 2 %",
		"sequences that found a place before the first that did not, paged / reserved, for 350 tokens and for 1 to 688, each equally often"),
	exact(agrees, measure.Equal(0),
		"in a million random operations the allocator does what a plain reference does: no block is lost and none owned twice, 0 differences",
		"differences from the reference and faults that an audit finds, for each thousand operations; then kinds of events that never occurred"),
	exact(once, measure.Equal(0),
		"blocks in use are the shared ones and the sum of the own ones: 0 more or fewer",
		"blocks in use less floor(prefix / block) and each sequence's own ceil(length / block) - floor(prefix / block), by prompts and by forks"),
	exact(whole, measure.Equal(0),
		"equal blocks behind different prefixes are never shared: 0 of all pairs are",
		"blocks that stand in another table behind another prefix, for each of 64 sequences that differ in three blocks of four kinds"),
	{
		Name: nearlyFree, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtMost(1.7),
		Text:     "attention that reads 256 KiB blocks through a table takes at most 1.7 times as long as over one piece of memory",
		Observed: "time of attention over 128 tokens x 32 heads in scattered blocks of 16 tokens / the same in one piece",
	},
	exact(sameAnswer, measure.AtMost(1e-5),
		"attention through the table gives the answer that one piece of memory gives: a relative error of at most 1e-5",
		"distance between float32 attention through the table and float64 attention over one piece, relative to the latter, for each sequence"),
}

var controls = []lab.Control{
	{Name: "reservation", Text: "2048 tokens are reserved for each sequence, in both arms", Breaks: []string{underBlock, sixTimes}},
	{Name: "refcount-after-the-copy", Breaks: []string{agrees},
		Text: "copy on write counts an owner off only after the copy has the old block's place in the table, and so counts it off the copy"},
	{Name: "sharing-off", Text: "no prefix is looked for", Breaks: []string{once}},
	{Name: "own-tokens-only", Text: "a block is known by its own tokens, whatever stands before them", Breaks: []string{whole}},
	{Name: "pieces-of-512-bytes", Text: "the table leads to pieces of 512 B, one head of one token, in random order", Breaks: []string{nearlyFree}},
	{Name: "one-entry-wrong", Text: "one entry of each table names another block", Breaks: []string{sameAnswer}},
}

// steps are the claims in the order in which they are measured. The timed one
// comes first, while little memory is in use.
var steps = []lab.Part{
	{Claim: nearlyFree, Observe: indirection},
	{Claim: underBlock, Observe: waste},
	{Claim: sixTimes, Observe: capacity},
	{Claim: agrees, Observe: agree},
	{Claim: once, Observe: storedOnce},
	{Claim: whole, Observe: wholePrefix},
	{Claim: sameAnswer, Observe: answers},
}

// measureAll takes the claims one by one: where one of them can't be measured,
// the others stand.
func measureAll(ctx context.Context, r *lab.Run) error {
	return r.Each(ctx, steps)
}
