package prereg

import (
	"fmt"
	"math"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "best-of-ten", Unit: "1",
		Text: "Ten trading strategies are worth nothing: their daily returns have a mean of zero. Each is tried on a year of 252 days, and the best is shown. " +
			"What is its Sharpe ratio of the year on average? (that of one worthless strategy is 0 on average and spreads by 1)",
		Candidates: []lab.Candidate{
			{Text: "nothing, as that of each", Value: axioms.Count(0)},
			{Text: "hardly more than it spreads", Value: axioms.Count(1.1)},
			{Text: "what one in twenty exceeds on either side", Value: axioms.Count(1.96)},
			{Text: "its spread, times the root of ten", Value: axioms.Count(math.Sqrt(10))},
		},
		Answer: lab.Answer{Series: bestOf(10)},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(expectedBest(10)),
				Steps: "(1 - 0.577) z(1 - 1/10) + 0.577 z(1 - 1/(10 e)), z the quantile of the normal distribution: 0.423 x 1.282 + 0.577 x 1.789"}, nil
		},
	}, {
		Name: "found-in-the-best-of-20", Unit: "1",
		Text: "A study tries 20 worthless strategies, keeps the best and tests whether its Sharpe ratio is above zero, at an error of 5 %. " +
			"What share of such studies finds skill? (0.05 is one in twenty)",
		Candidates: []lab.Candidate{
			{Text: "one in twenty: it is one test", Value: axioms.Count(nominal)},
			{Text: "three times as many", Value: axioms.Count(0.15)},
			{Text: "every third", Value: axioms.Count(1.0 / 3)},
			{Text: "all: one of twenty is always the one in twenty", Value: axioms.Count(1)},
		},
		Answer: lab.Answer{Series: "share-found-in-the-best-of-20"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(1 - math.Pow(1-nominal, chosenFrom)),
				Steps: "1 - 0.95^20: the best passes unless all 20 fail"}, nil
		},
	}, {
		Name: "rejected-as-if-independent", Unit: "1",
		Text: "The returns of a strategy have a mean of zero, and each day correlates with the one before by 0.3. " +
			"A test at 5 % takes the days for independent. How often does it find a mean? (0.05 is one time in twenty)",
		Candidates: []lab.Candidate{
			{Text: "one time in twenty: the mean is zero all the same", Value: axioms.Count(nominal)},
			{Text: "1.3 times that", Value: axioms.Count(1.3 * nominal)},
			{Text: "half of the time", Value: axioms.Count(0.5)},
		},
		Answer: lab.Answer{Series: "rejected-as-if-independent"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			ratio := (1 + coefficient) / (1 - coefficient)
			return lab.Derivation{Value: axioms.Count(rejected(takenAs(coefficient, 0))),
				Steps: fmt.Sprintf("the mean has (1 + 0.3) / (1 - 0.3) = %.2f times the variance; 2 x P(z > 1.96 / sqrt(%.2f))", ratio, ratio)}, nil
		},
	}, {
		Name: "fees-a-year", Unit: "1",
		Text: "A strategy spreads its capital over the ranks of 100 assets, in a straight line from short to long. Its signal knows nothing of its own of the day before, " +
			"so it trades every day, all 365 of a year, and pays 15 bps of what it buys or sells. What share of its capital do the fees of a year take?",
		Candidates: []lab.Candidate{
			{Text: "15 bps", Value: axioms.Count(fee)},
			{Text: "15 bps a week", Value: axioms.Count(0.078)},
			{Text: "a third", Value: axioms.Count(1.0 / 3)},
			{Text: "all positions closed and all opened, every day", Value: axioms.Count(2 * fee * 365)},
		},
		Answer: lab.Answer{Series: "fees-a-year"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			// Two independent places on a line from -1 to 1 are 2/3 apart on
			// average, and each is 1/2 from the middle.
			const turnover = (2.0 / 3) / (1.0 / 2)
			return lab.Derivation{Value: axioms.Count(turnover * fee * 365),
				Steps: "the mean way between two places on a line / the mean way of one to its middle = (2/3) / (1/2) = 1.333 of the capital a day; x 15 bps x 365"}, nil
		},
	}, {
		Name: "registered-after-half-a-look", Unit: "1",
		Text: "A study registers what it expects of a holdout, begins to read it, and is killed half way. Another one, with a better idea, registers too, reads the whole and comes to a result. " +
			"How many registered results are there of this holdout?",
		Candidates: []lab.Candidate{
			{Text: "none", Value: axioms.Count(0)},
			{Text: "the one that was finished", Value: axioms.Count(1)},
			{Text: "both: they were registered", Value: axioms.Count(2)},
		},
		Answer: lab.Answer{Series: "registered-after-half-a-look"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const counts, begun = 1.0, 1.0
			return lab.Derivation{Value: axioms.Count(counts - begun),
				Steps: "1 look that counts - 1 that was begun: what was read of the holdout can't be unread"}, nil
		},
	},
}
