package speculate

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	distributed = "output-is-distributed-as-p"
	yields      = "yield-follows-the-formula"
	onlySpeed   = "a-bad-proposer-costs-only-speed"
	predictable = "copying-code-is-predictable"
)

// Names of controls.
const (
	redrawn          = "redraw-from-p"
	greedyMatch      = "greedy-match"
	staleContext     = "stale-context"
	oneOff           = "one-proposal-more"
	forcedAcceptance = "forced-acceptance"
	bothShuffled     = "both-shuffled"
)

// Lab asks what verifying guesses costs, and what it changes.
var Lab = &lab.Lab{
	Name: "speculate", Title: "what may be guessed?", Group: lab.Serving, Rule: 14, Doc: doc,
	Axioms:    []string{"acceptance", "a100-peak", "a100-bandwidth", "model-weights", "model-work"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   0.1, // it times nothing
	Measure:   measureAll,
}

// exact is a claim about the suite's own decoder of which every observation must
// lie in the region.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(distributed, measure.AtMost(0.01),
		"whatever proposes, two tokens in a row come out as often as the model alone gives them: the total variation is at most 0.01",
		"95 % upper bound of the total variation between pairs of tokens that came out and the model's, for a good, a bad and an adversarial proposer, all bounds together"),
	exact(yields, measure.Within(0.99, 1.01),
		"a pass that verifies K proposals, each accepted with probability a, gives 1 + a + ... + a^K tokens on average, within 1 %",
		"both ends of the 95 % interval of the mean tokens a pass / formula, for K = 4, 8, 16 and a = 0.7, 0.9, all intervals together"),
	exact(onlySpeed, measure.Within(1, 1.05),
		"a proposer that is nearly always wrong leaves between 1 and 1.05 tokens a pass, distributed as the model's are",
		"both ends of the 95 % interval of the mean tokens a pass; then 1 + 5 x the 95 % upper bound of the total variation, which brings 0.01 to the same 1.05"),
	exact(predictable, measure.AtLeast(3),
		"a proposer that copies what followed the same words before has at least three times the share of its words accepted on this lab's source that it has on the source's words in random order",
		"share of copied words accepted on the source / on its words shuffled, for each of several orders"),
}

var controls = []lab.Control{
	{Name: redrawn, Text: "a rejected proposal is replaced by a draw from p instead of from the residual", Breaks: []string{distributed}},
	{Name: greedyMatch, Text: "a proposal is accepted if it is the model's likeliest token, which replaces it if not", Breaks: []string{distributed}},
	{Name: staleContext, Text: "every position of a pass is judged by the distribution of the first", Breaks: []string{distributed}},
	{Name: oneOff, Text: "every pass verifies K + 1 proposals", Breaks: []string{yields}},
	{Name: forcedAcceptance, Text: "every proposal is accepted", Breaks: []string{onlySpeed}},
	{Name: bothShuffled, Text: "the source's words are shuffled too", Breaks: []string{predictable}},
}
