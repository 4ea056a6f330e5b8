package speculate

import (
	"fmt"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "tokens-a-pass", Unit: "1",
		Text: "A proposer puts forward four tokens, and the model verifies them in one pass. Each is accepted seven times in ten; " +
			"from the first that is rejected on all are thrown away, and the model adds one of its own. How many tokens does a pass give on average?",
		Candidates: []lab.Candidate{
			{Text: "hardly more than without", Value: axioms.Count(1.24)},
			{Text: "one, and every other guess", Value: axioms.Count(2.2)},
			{Text: "one, and seven in ten of four", Value: axioms.Count(3.8)},
			{Text: "all of them", Value: axioms.Count(5)},
		},
		Axioms: []string{"acceptance"},
		Answer: lab.Answer{Series: yieldPoint{4, 0.7}.name()},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			a, err := s.Get("acceptance")
			return lab.Derivation{
				Value: axioms.Count(expected(a.Quantity.Value, 4)),
				Steps: "1 + a + a^2 + a^3 + a^4: a guess counts only if all before it were right",
			}, err
		},
	}, {
		Name: "token-on-the-card", Unit: "s",
		Text: "An A100 generates with a 7B model in 16 bits, one sequence at a time. A proposer that costs nothing puts forward four tokens, " +
			"each accepted seven times in ten, and a pass of the model verifies all five positions. How long does a token take on average?",
		Candidates: []lab.Candidate{
			{Text: "what the arithmetic of five positions takes", Value: axioms.Seconds(0.22e-3)},
			{Text: "a fifth of a pass", Value: axioms.Seconds(1.4e-3)},
			{Text: "as long as without a proposer", Value: axioms.Seconds(7e-3)},
			{Text: "five positions cost five passes", Value: axioms.Seconds(12.6e-3)},
		},
		Axioms: []string{"model-weights", "a100-bandwidth", "model-work", "a100-peak", "acceptance"},
		Answer: lab.Answer{Series: "token-on-the-card"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			read, compute, err := passOnCard(s, 5)
			if err != nil {
				return lab.Derivation{}, err
			}
			a, err := s.Get("acceptance")
			tokens := expected(a.Quantity.Value, 4)
			return lab.Derivation{
				Value: axioms.Seconds(max(read.Value, compute.Value) / tokens),
				Steps: fmt.Sprintf("the longer of model-weights / a100-bandwidth = %v and 5 x model-work / a100-peak = %v, / %.4g tokens a pass", read, compute, tokens),
			}, err
		},
	}, {
		Name: "tokens-from-a-useless-proposer", Unit: "1",
		Text: "The proposer is broken: of eight tokens that the model may give it always names the one that is least likely, once in 88 times. " +
			"It puts four forward in each pass, and the rule of acceptance is kept. How many tokens does a pass give?",
		Candidates: []lab.Candidate{
			{Text: "a fifth of a token: four of five positions are lost", Value: axioms.Count(0.2)},
			{Text: "one in 88", Value: axioms.Count(1.0 / 88)},
			{Text: "one and a half", Value: axioms.Count(1.5)},
			{Text: "all of them: four and the model's own", Value: axioms.Count(5)},
		},
		Answer: lab.Answer{Series: "tokens-a-pass-useless"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(expected(1.0/88, 4)), Steps: "1 + a + a^2 + a^3 + a^4 for a = 1 / 88"}, nil
		},
	}, {
		Name: "share-when-redrawn", Unit: "1",
		Text: "A model gives A three times in four and B once in four; its proposer names either half of the time. " +
			"A decoder accepts with min(1, p/q), and replaces what it rejects by a fresh draw from the model. How often does A come out? (0.5 is half)",
		Candidates: []lab.Candidate{
			{Text: "as often as it is proposed", Value: axioms.Count(0.5)},
			{Text: "as often as the model gives it", Value: axioms.Count(0.75)},
			{Text: "more often: what is rejected is B", Value: axioms.Count(0.875)},
		},
		Answer: lab.Answer{Series: "share-when-redrawn"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const proposed, accepted, given = 0.5, 0.25 / 0.5, 0.75
			return lab.Derivation{
				Value: axioms.Count(proposed + (1-proposed)*(1-accepted)*given),
				Steps: "A is proposed and never rejected: 0.5; B is proposed and rejected: 0.5 x (1 - 0.25 / 0.5), and 0.75 of that are redrawn as A",
			}, nil
		},
	},
}
