package paging

import (
	"fmt"
	"math"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "reserved-and-unused", Unit: "1",
		Text: "A server reserves place for 2048 tokens when a sequence comes. It ends after 350. What share of the reservation was never used?",
		Candidates: []lab.Candidate{
			{Text: "a sixth", Value: axioms.Count(0.17)},
			{Text: "half", Value: axioms.Count(0.5)},
			{Text: "five sixths", Value: axioms.Count(0.83)},
		},
		Axioms: []string{"model-context"},
		Answer: lab.Answer{Series: "share-of-2048-unused"},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			context, err := set.Get("model-context")
			if err != nil {
				return lab.Derivation{}, err
			}
			used, err := axioms.Count(average).Ratio(context.Quantity)
			value := axioms.Count(1 - used)
			return lab.Derivation{Value: value, Steps: fmt.Sprintf("1 - 350 / model-context = %v", value)}, err
		},
	}, {
		Name: "unused-in-blocks-of-16", Unit: "1",
		Text: "The same sequence gets blocks of 16 tokens as it grows. It holds place for how many tokens more than its 350?",
		Candidates: []lab.Candidate{
			{Text: "none", Value: axioms.Count(0)},
			{Text: "a few", Value: axioms.Count(2)},
			{Text: "half a block, as on average", Value: axioms.Count(8)},
			{Text: "a block but one token", Value: axioms.Count(15)},
		},
		Axioms: []string{"block-tokens"},
		Answer: lab.Answer{Series: "unused-in-blocks-of-16"},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			held, size, err := paged(set)
			value := axioms.Count(held - average)
			return lab.Derivation{Value: value,
				Steps: fmt.Sprintf("ceil(350 / block-tokens) = %.0f blocks; %.0f x %.0f - 350 = %v", held/size, held/size, size, value)}, err
		},
	}, {
		Name: "sequences-in-66-gb", Unit: "1",
		Text: "A card of 80 GB keeps 14 GB of weights. The cache of 2048 tokens takes 1 GB, so 66 sequences fit if that is reserved for each. " +
			"They end after 350 tokens. How many fit in blocks of 16?",
		Candidates: []lab.Candidate{
			{Text: "as many", Value: axioms.Count(slots)},
			{Text: "twice as many", Value: axioms.Count(2 * slots)},
			{Text: "six times as many", Value: axioms.Count(6 * slots)},
			{Text: "one for each two tokens of a reservation", Value: axioms.Count(longest / 2)},
		},
		Axioms: []string{"a100-memory", "model-weights", "model-context", "block-tokens"},
		Answer: lab.Answer{Series: "fit-in-blocks-of-16"},
		Derive: deriveFit,
	}, {
		Name: "price-of-the-table", Unit: "1",
		Text: "Attention finds its keys and values through a table, in blocks of 256 KiB that lie anywhere, instead of in one piece. " +
			"How many times as long does it take?",
		Candidates: []lab.Candidate{
			{Text: "as long", Value: axioms.Count(1)},
			{Text: "half as long again", Value: axioms.Count(1.5)},
			{Text: "three times", Value: axioms.Count(3)},
			{Text: "ten times", Value: axioms.Count(10)},
		},
		Axioms: []string{"dram-copy"},
		Answer: lab.Answer{Claim: nearlyFree},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			const block, miss = 256 << 10, 100e-9 // a miss: see Axioms in doc.go
			rate, err := set.Get("dram-copy")
			if err != nil {
				return lab.Derivation{}, err
			}
			read, err := axioms.Bytes(block).Div(rate.Quantity)
			if err != nil {
				return lab.Derivation{}, err
			}
			extra, err := axioms.Seconds(miss).Ratio(read)
			value := axioms.Count(1 + extra)
			return lab.Derivation{Value: value, Steps: "1 + 100 ns / (256 KiB / dram-copy)"}, err
		},
	},
}

// paged returns how many tokens a sequence of 350 holds place for in blocks of
// the usual size, and that size.
func paged(set axioms.Set) (held, size float64, err error) {
	block, err := set.Get("block-tokens")
	if err != nil {
		return 0, 0, err
	}
	size = block.Quantity.Value
	return math.Ceil(average/size) * size, size, nil
}

func deriveFit(set axioms.Set) (lab.Derivation, error) {
	held, _, err := paged(set)
	if err != nil {
		return lab.Derivation{}, err
	}
	var got []axioms.Quantity
	for _, name := range []string{"a100-memory", "model-weights", "model-context"} {
		v, err := set.Get(name)
		if err != nil {
			return lab.Derivation{}, err
		}
		got = append(got, v.Quantity)
	}
	free, err := got[0].Sub(got[1])
	if err != nil {
		return lab.Derivation{}, err
	}
	reserved, err := free.Ratio(axioms.Bytes(1e9))
	if err != nil {
		return lab.Derivation{}, err
	}
	fit := math.Floor(reserved * got[2].Value / held)
	return lab.Derivation{Value: axioms.Count(fit),
		Steps: fmt.Sprintf("(a100-memory - model-weights) / 1 GB = %.0f reservations; x model-context / %.0f tokens = %.0f", reserved, held, fit)}, nil
}
