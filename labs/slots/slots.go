package slots

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	meanOverMax = "static-occupancy-is-the-mean-over-the-max"
	fewerPasses = "continuous-needs-under-60-percent-of-the-passes"
	sameTokens  = "every-token-is-the-same"
	oneStepEach = "late-eviction-costs-one-step-each"
	clockAgrees = "the-clock-agrees"
)

// Names of controls.
const (
	earlyEviction = "early-eviction"
	bothStatic    = "static-in-both"
	reusedDirty   = "reused-before-cleared"
	evictBefore   = "evict-before"
)

// Lab asks who holds the slots of a batch, and what it costs.
var Lab = &lab.Lab{
	Name: "slots", Title: "who holds the slot?", Group: lab.Serving, Rule: 11, Doc: doc,
	Axioms:    []string{"core-peak"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   1.5, Memory: 384 << 20,
	Measure: measureAll, CheckTrace: checkTrace,
}

// exact is a claim about the suite's own schedulers of which every observation
// must lie in the region.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(meanOverMax, measure.Equal(172.0/960),
		"a static batch of eight that generate 5, 8, 6, 120, 7, 9, 6 and 11 tokens uses 172 of 960 slot-steps, their mean over their longest",
		"tokens that came out / rows that the engine computed, for the eight in each of eight orders"),
	exact(fewerPasses, measure.AtMost(0.6),
		"filling each slot as soon as it is free takes at most 60 % of the passes that static batches take for the same 512 requests",
		"passes, continuous / static: of the engine for the run's own order of the requests, then by counting alone for others"),
	exact(sameTokens, measure.Equal(0),
		"a request is given the same tokens by both schedulers and alone in the engine: 0 differ",
		"tokens of each of 512 requests in which static, continuous and one by one do not all agree"),
	exact(oneStepEach, measure.Equal(1),
		"looking for ended sequences only after the next pass holds each request's slot exactly one step too long",
		"rows computed for each of 512 requests, less the tokens that it was given"),
	{
		Name: clockAgrees, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(1.5),
		Text:     "the continuous scheduler makes at least 1.5 times the tokens per second of the static one, on this machine's clock",
		Observed: "time a token of 128 requests in static batches, dead slots computed too / the same with continuous scheduling",
	},
}

var controls = []lab.Control{
	{Name: earlyEviction, Text: "a sequence that has ended leaves the static batch at once", Breaks: []string{meanOverMax}},
	{Name: bothStatic, Text: "both arms schedule statically", Breaks: []string{fewerPasses, clockAgrees}},
	{Name: reusedDirty, Text: "the continuous scheduler uses one slot again without clearing it", Breaks: []string{sameTokens}},
	{Name: evictBefore, Text: "ends are looked for before the next pass", Breaks: []string{oneStepEach}},
}
