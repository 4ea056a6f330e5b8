package precision

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
	everyGradient    = "every-gradient-matches-differences"
	catchesTranspose = "projection-catches-a-transpose"
	accumulate       = "repeated-rows-accumulate"
	doublesAgree     = "doubles-agree"
	singlesDrift     = "singles-drift-and-it-is-rounding"
	noRecursion      = "deep-graphs-do-not-recurse"
	itLearns         = "it-learns"
)

// Names of controls.
const (
	heldConstant = "statistics-held-constant"
	lastOne      = "last-of-the-repeated"
	plainSum     = "plain-sum"
	lastWrite    = "last-write-wins"
	wrongBias    = "wrong-bias-correction"
	oneTwice     = "one-program-twice"
	sameBug      = "same-bug-in-both"
	recursion    = "recursion"
	asFound      = "in-the-order-found"
	rateZero     = "learning-rate-0"
)

// Lab asks whether two programs differ by a fault or by rounding.
var Lab = &lab.Lab{
	Name: "precision", Title: "is it a bug or rounding?", Group: lab.Studies, Doc: doc,
	Axioms:    []string{"float32-roundoff", "float64-roundoff", "adam-first", "adam-second"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   2, // no claim is about time, and the question takes a twentieth of this
	Measure:   measureAll,
}

// exact is a claim about the suite's own programs of which every observation must
// lie in the region.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: region, Observed: observed}
}

var claims = []lab.Claim{
	exact(everyGradient, measure.AtMost(accepted),
		"every operation's gradient agrees with central differences in float64, along a random direction: a relative error of at most 1e-6",
		"largest relative error of a parameter's gradient, for each use of each operation"),
	exact(catchesTranspose, measure.AtLeast(1000),
		"of a wrong gradient that the plain sum accepts a random projection finds at least a thousand times the error",
		"relative error found by a random projection / by the plain sum or 1e-6, for three wrong gradients"),
	exact(accumulate, measure.Equal(0),
		"the gradient of a row that was used many times is the sum over all of its uses: 0 elements are otherwise",
		"elements unlike the sums of integers, for 200 random indices, gathered and scattered; then kinds of rows that never occurred"),
	// Zero would mean one program and not two; below 1e-20 no weight of this size can differ.
	exact(doublesAgree, measure.Within(1e-20, 1e-11),
		"after 1,000 AdamW steps in float64 two programs for one network differ, and in no weight by more than 1e-11",
		"largest difference of any weight between the network over a graph and its twin, which sums in reverse"),
	exact(singlesDrift, measure.AtLeast(1e5),
		"the same two programs end at least 100,000 times as far apart in float32 as in float64",
		"largest difference of any weight after 1,000 steps, float32 / float64"),
	exact(noRecursion, measure.Equal(1),
		"through 40,000 nodes in a row, and through as many that split and join, the gradient is exactly 1, and at the far end the stack is as deep as at the near one",
		"gradient of the chain; calls on the stack at its far end / at its near one; gradient of the ladder"),
	exact(itLearns, measure.AtMost(0.85),
		"a character model of one hidden layer, trained on the labs' documentation, is left with at most 0.85 of the bigram's loss on pieces that it has not seen",
		"loss of the model / of the bigram on held-out pieces, in nats a character"),
}

var controls = []lab.Control{
	{Name: heldConstant, Text: "the layer norm's way back takes mean and deviation for constants", Breaks: []string{everyGradient}},
	{Name: lastOne, Text: "an element that addition repeats gets the gradient of its last place alone", Breaks: []string{everyGradient}},
	{Name: plainSum, Text: "the random projection is the plain sum", Breaks: []string{catchesTranspose}},
	{Name: lastWrite, Text: "of the rows that meet in one place the last replaces the others", Breaks: []string{accumulate}},
	{Name: wrongBias, Text: "the twin's optimizer corrects neither mean for beginning at 0", Breaks: []string{doublesAgree}},
	{Name: oneTwice, Text: "the network over a graph stands for its twin too", Breaks: []string{doublesAgree}},
	{Name: sameBug, Text: "the twin's optimizer corrects no mean, in float32 and in float64", Breaks: []string{singlesDrift}},
	{Name: recursion, Text: "the way back is a recursion", Breaks: []string{noRecursion}},
	{Name: asFound, Text: "the way back takes each node when it is first found", Breaks: []string{noRecursion}},
	{Name: rateZero, Text: "the learning rate is 0", Breaks: []string{itLearns}},
}

// steps are the claims in the order in which they are measured, each with what
// observes it.
var steps = []lab.Part{
	{Claim: everyGradient, Observe: gradients},
	{Claim: catchesTranspose, Observe: projections},
	{Claim: accumulate, Observe: repeated},
	{Claim: doublesAgree, Observe: doubles},
	{Claim: singlesDrift, Observe: singles},
	{Claim: noRecursion, Observe: deep},
	{Claim: itLearns, Observe: learn},
}

// measureAll takes the claims one by one: an error in one leaves the others as
// they are.
func measureAll(ctx context.Context, r *lab.Run) error {
	return r.Each(ctx, steps)
}
