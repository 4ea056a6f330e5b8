package slots

import (
	"fmt"
	"slices"

	"envelope/axioms"
	"envelope/internal/lab"
)

const law = "Of 512 requests one in k generates k tokens or more, and none over 200; they come in random order and there are eight slots. "

var questions = []lab.Question{
	{
		Name: "share-of-slot-steps", Unit: "1",
		Text: "Eight requests share a batch until the last of them has ended. They generate 5, 8, 6, 120, 7, 9, 6 and 11 tokens, one in each pass. " +
			"What share of the slot-steps gives somebody a token? (0.5 is half)",
		Candidates: []lab.Candidate{
			{Text: "nearly all", Value: axioms.Count(0.9)},
			{Text: "half", Value: axioms.Count(0.5)},
			{Text: "a quarter", Value: axioms.Count(0.25)},
			{Text: "one slot of eight, as long as the longest runs", Value: axioms.Count(0.125)},
		},
		Answer: lab.Answer{Claim: meanOverMax},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			sum, most := total(asked), slices.Max(asked)
			return derived(float64(sum)/float64(batch*most), "(5 + 8 + 6 + 120 + 7 + 9 + 6 + 11) / (8 x 120) = %d / %d", sum, batch*most)
		},
	}, {
		Name: "passes-continuous-over-static", Unit: "1",
		Text: law + "A static scheduler takes the next eight when all of the last eight have ended; a continuous one fills each slot as soon as it is free. " +
			"How many passes does the second take, as a share of the first's? (0.5 is half)",
		Candidates: []lab.Candidate{
			{Text: "as many: the tokens are the same", Value: axioms.Count(1)},
			{Text: "half", Value: axioms.Count(0.5)},
			{Text: "a quarter", Value: axioms.Count(0.25)},
			{Text: "an eighth", Value: axioms.Count(0.125)},
		},
		Answer: lab.Answer{Series: "passes-continuous-over-static"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			mean, most := law512()
			return derived(mean/most, "%.3g tokens on average / %.3g for the longest of eight; the end, when nobody waits any more, left out", mean, most)
		},
	}, {
		Name: "slot-steps-evicting-late", Unit: "1",
		Text: "The eight requests of the first question, 172 tokens in all, get a slot each, and each slot is freed by itself. " +
			"But the scheduler looks who has ended only after the next pass. How many slot-steps are computed?",
		Candidates: []lab.Candidate{
			{Text: "as many as there are tokens", Value: axioms.Count(172)},
			{Text: "two for each token", Value: axioms.Count(344)},
			{Text: "eight for each pass", Value: axioms.Count(960)},
		},
		Answer: lab.Answer{Series: "late-slot-steps"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			sum := total(asked)
			return derived(float64(sum+len(asked)), "%d tokens + 1 x %d requests", sum, len(asked))
		},
	}, {
		Name: "tokens-per-second", Unit: "1",
		Text: law + "The engine keeps its small weights in a cache and computes every slot that is held. " +
			"How many times the static scheduler's tokens per second does the continuous one make, by the clock?",
		Candidates: []lab.Candidate{
			{Text: "as many: the arithmetic is the same", Value: axioms.Count(1)},
			{Text: "twice", Value: axioms.Count(2)},
			{Text: "five times", Value: axioms.Count(5)},
			{Text: "eight times: one for each slot", Value: axioms.Count(8)},
		},
		Answer: lab.Answer{Claim: clockAgrees},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			mean, most := law512()
			return derived(most/mean, "a row costs the same, dead or alive: %.3g rows of the longest of eight / %.3g tokens on average", most, mean)
		},
	}, {
		Name: "pass-of-eight-rows", Unit: "s",
		Text: "A pass multiplies eight rows of 128 float32 by 128 x 128 weights on one core, and takes the largest of each row for the next token. How long does it take?",
		Candidates: []lab.Candidate{
			{Text: "what reading 64 KiB from memory takes", Value: axioms.Seconds(4.4e-6)},
			{Text: "what the multiplications and additions take", Value: axioms.Seconds(2.6e-6)},
			{Text: "what one number after another takes, at a nanosecond each", Value: axioms.Seconds(130e-6)},
		},
		Axioms: []string{"core-peak", "dram-read"},
		Answer: lab.Answer{Series: "pass-of-eight-rows"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			peak, err := s.Get("core-peak")
			if err != nil {
				return lab.Derivation{}, err
			}
			took, err := axioms.FLOP(2 * batch * width * width).Div(peak.Quantity)
			return lab.Derivation{Value: took, Steps: "2 FLOP x 8 x 128 x 128 / core-peak"}, err
		},
	},
}

func total(outputs []int) (sum int) {
	for _, n := range outputs {
		sum += n
	}
	return sum
}

// law512 returns the mean output of the trace and the mean of the longest of a
// batch.
func law512() (mean, most float64) {
	all := lengths(requests)
	return float64(total(all)) / float64(len(all)), meanLongest(all, batch)
}

func derived(value float64, steps string, args ...any) (lab.Derivation, error) {
	return lab.Derivation{Value: axioms.Count(value), Steps: fmt.Sprintf(steps, args...)}, nil
}
