package precision

import (
	"fmt"
	"math"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "singles-over-doubles", Unit: "1",
		Text: "Two programs for one network, written independently, train from the same weights on the same data for 1,000 steps. " +
			"In float64 their weights end a little apart. Nothing is changed but the type, to float32: how many times as far apart do they end?",
		Candidates: []lab.Candidate{
			{Text: "as far: the programs differ, not the numbers", Value: axioms.Count(1)},
			{Text: "twice: half as many bits", Value: axioms.Count(2)},
			{Text: "by the steps that were taken", Value: axioms.Count(1000)},
			{Text: "by the square of that", Value: axioms.Count(1e6)},
		},
		Axioms: []string{"float32-roundoff", "float64-roundoff"},
		Answer: lab.Answer{Claim: singlesDrift},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			single, double, err := two(s, "float32-roundoff", "float64-roundoff")
			return lab.Derivation{
				Value: axioms.Count(single / double),
				Steps: fmt.Sprintf("what is rounded off grows by the same factor in both: %.3g / %.3g", single, double),
			}, err
		},
	}, {
		Name: "difference-at-its-best", Unit: "1",
		Text: "The slope of exp is found in float64 as (f(x + h) - f(x - h)) / 2h, with the best h that there is. How large is its relative error?",
		Candidates: []lab.Candidate{
			{Text: "the roundoff: all digits are right", Value: axioms.Count(1.1e-16)},
			{Text: "its square root: half of the digits", Value: axioms.Count(1.1e-8)},
			{Text: "a thousandth", Value: axioms.Count(1e-3)},
		},
		Axioms: []string{"float64-roundoff"},
		Answer: lab.Answer{Series: "difference-at-its-best"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			u, err := s.Get("float64-roundoff")
			h := math.Cbrt(3 * u.Quantity.Value)
			return lab.Derivation{
				Value: axioms.Count(h*h/6 + u.Quantity.Value/h),
				Steps: fmt.Sprintf("h^2 / 6 is cut off, float64-roundoff / h rounded off; their sum is least at h = (3 x float64-roundoff)^(1/3) = %.2g", h),
			}, err
		},
	}, {
		Name: "one-hot-over-loop", Unit: "1",
		Text: "256 tokens have used rows of a table of 128. The table's gradient is found by a loop that adds each token's row where it belongs, " +
			"or as the product of a matrix of zeros and ones with all of the tokens' rows. How many times as long does the product take?",
		Candidates: []lab.Candidate{
			{Text: "a seventeenth: products are what machines are good at", Value: axioms.Count(1.0 / 17)},
			{Text: "as long: the zeros are free", Value: axioms.Count(1)},
			{Text: "as many times as there are tokens to a row", Value: axioms.Count(2)},
			{Text: "by the tokens times the rows", Value: axioms.Count(32768)},
		},
		Answer: lab.Answer{Series: "one-hot-over-loop"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const tokens, rows = 256, 128
			return lab.Derivation{
				Value: axioms.Count(tokens * rows / tokens),
				Steps: "the loop adds 256 rows, the product 256 x 128: all but one of 128 times nothing",
			}, nil
		},
	}, {
		Name: "share-that-survives", Unit: "1",
		Text: "1,024 tokens use rows of a table of 64 at random. The loop that finds the table's gradient sets each row in place of adding to it. " +
			"What share of the gradient is left? (0.5 is half)",
		Candidates: []lab.Candidate{
			{Text: "all: each row gets its gradient", Value: axioms.Count(1)},
			{Text: "half", Value: axioms.Count(0.5)},
			{Text: "one of all tokens", Value: axioms.Count(1.0 / 1024)},
		},
		Answer: lab.Answer{Series: "share-that-survives"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const tokens, rows = 1024, 64
			return lab.Derivation{
				Value: axioms.Count(rows * (1 - math.Pow(1-1.0/rows, tokens)) / tokens),
				Steps: "64 x (1 - (63/64)^1024) rows are used at all, and one token of 1,024 is left in each",
			}, nil
		},
	}, {
		Name: "first-step-uncorrected", Unit: "1",
		Text: "AdamW keeps 0.9 of its mean of the gradient and 0.999 of its mean of the square, and both begin at 0. Somebody forgets to correct them for that. " +
			"How many times as far does the first step move a weight as it should?",
		Candidates: []lab.Candidate{
			{Text: "a thousandth", Value: axioms.Count(1e-3)},
			{Text: "a tenth: the mean has seen a tenth", Value: axioms.Count(0.1)},
			{Text: "as far: one divides the other", Value: axioms.Count(1)},
			{Text: "a hundred times", Value: axioms.Count(100)},
		},
		Axioms: []string{"adam-first", "adam-second"},
		Answer: lab.Answer{Series: "first-step-uncorrected"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			first, second, err := two(s, "adam-first", "adam-second")
			return lab.Derivation{
				Value: axioms.Count((1 - first) / math.Sqrt(1-second)),
				Steps: "the mean holds 1 - 0.9 of the gradient, the root of the other the root of 1 - 0.999 of it; corrected, both hold all",
			}, err
		},
	},
}

// two returns the values of two axioms that are plain numbers.
func two(s axioms.Set, a, b string) (x, y float64, err error) {
	first, err := s.Get(a)
	if err != nil {
		return 0, 0, err
	}
	second, err := s.Get(b)
	return first.Quantity.Value, second.Quantity.Value, err
}
