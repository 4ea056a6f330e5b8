package kvcache

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "bytes-a-token", Unit: "B",
		Text: "A model of 7 billion parameters has 32 layers, 4096 wide. Each layer keeps a key and a value for every token, of 16 bits a number. " +
			"How much memory does a token take?",
		Candidates: []lab.Candidate{
			{Text: "a row of the width", Value: axioms.Bytes(8 << 10)},
			{Text: "that in a few layers", Value: axioms.Bytes(64 << 10)},
			{Text: "as much as a photograph", Value: axioms.Bytes(4 << 20)},
			{Text: "a square of the width", Value: axioms.Bytes(32 << 20)},
		},
		Axioms: []string{"model-layers", "model-width"},
		Answer: lab.Answer{Series: aToken},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			m, err := modelOf(set)
			if err != nil {
				return lab.Derivation{}, err
			}
			return lab.Derivation{Value: axioms.Bytes(m.token), Steps: fmt.Sprintf("2 (K and V) x %.0f layers x %.0f numbers x 2 B = %s B",
				m.layers, m.width, comma(m.token))}, nil
		},
	}, {
		Name: "sequences-beside-the-weights", Unit: "1",
		Text: "A card of 80 GB keeps that model's weights, 14 GB. Sequences are 2048 tokens long. How many have room for their keys and values beside the weights?",
		Candidates: []lab.Candidate{
			{Text: "a handful", Value: axioms.Count(6)},
			{Text: "as many as an A100 needs at its ridge", Value: axioms.Count(156)},
			{Text: "a thousand", Value: axioms.Count(1000)},
			{Text: "as many as the weights are larger than a token", Value: axioms.Count(27000)},
		},
		Axioms: []string{"a100-memory", "model-weights", "model-layers", "model-width", "model-context"},
		Answer: lab.Answer{Series: fitIn},
		Derive: func(set axioms.Set) (lab.Derivation, error) { return deriveFit(set, 2) },
	}, {
		Name: "one-byte-over-two", Unit: "1",
		Text: "The numbers are kept in 8 bits instead, with nothing beside them, and the weights stay as they are. How many times as many sequences have room on the same card?",
		Candidates: []lab.Candidate{
			{Text: "as many: it is the weights that take the room", Value: axioms.Count(1)},
			{Text: "a little more: keys shrink, values do not", Value: axioms.Count(1.3)},
			{Text: "four times as many", Value: axioms.Count(4)},
			{Text: "as many times as a number has bits less", Value: axioms.Count(8)},
		},
		Axioms: []string{"a100-memory", "model-weights", "model-layers", "model-width", "model-context"},
		Answer: lab.Answer{Series: ofByte},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			two, err := deriveFit(set, 2)
			if err != nil {
				return lab.Derivation{}, err
			}
			one, err := deriveFit(set, 1)
			if err != nil {
				return lab.Derivation{}, err
			}
			r, err := one.Value.Div(two.Value)
			return lab.Derivation{Value: r, Steps: fmt.Sprintf("%v sequences / %v: half of the bytes, and each division is rounded down by itself", one.Value, two.Value)}, err
		},
	}, {
		Name: "grouped-over-alone", Unit: "1",
		Text: "In one model each of 32 heads keeps keys and values of its own. In another that is otherwise the same, the 32 ask 4 that they share. " +
			"How many times the second one's cache does the first one's take?",
		Candidates: []lab.Candidate{
			{Text: "the same: as many heads ask", Value: axioms.Count(1)},
			{Text: "twice: keys are shared, values are not", Value: axioms.Count(2)},
			{Text: "half of the heads' number", Value: axioms.Count(16)},
			{Text: "as many times as there are heads", Value: axioms.Count(32)},
		},
		Answer: lab.Answer{Claim: divides},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(float64(queries) / float64(queries/shared)), Steps: "32 heads / 4 heads; layers, width, bytes and tokens cancel"}, nil
		},
	},
}

// model is what the axioms say of the question's model.
type model struct {
	layers, width, context float64
	token                  float64 // bytes, in 16 bits
}

func modelOf(set axioms.Set) (m model, err error) {
	for name, into := range map[string]*float64{"model-layers": &m.layers, "model-width": &m.width, "model-context": &m.context} {
		g, err := set.Get(name)
		if err != nil {
			return m, err
		}
		*into = g.Quantity.Value
	}
	m.token = 2 * m.layers * m.width * 2
	return m, nil
}

// free is what the weights leave of the card, in bytes.
func free(set axioms.Set) (memory axioms.Given, left float64, err error) {
	if memory, err = set.Get("a100-memory"); err != nil {
		return memory, 0, err
	}
	weights, err := set.Get("model-weights")
	if err != nil {
		return memory, 0, err
	}
	q, err := memory.Quantity.Sub(weights.Quantity)
	return memory, q.Value, err
}

// deriveFit divides what the weights leave by a sequence, with values of so many
// bytes. The unit is half of the lesson: 1 GiB is 7 % more than 1 GB, and a card
// of "80 GB" may report 80 GiB.
func deriveFit(set axioms.Set, width float64) (lab.Derivation, error) {
	m, err := modelOf(set)
	if err != nil {
		return lab.Derivation{}, err
	}
	memory, left, err := free(set)
	if err != nil {
		return lab.Derivation{}, err
	}
	sequence := m.token * m.context * width / 2
	more := left + memory.High.Value - memory.Quantity.Value
	return lab.Derivation{Value: axioms.Count(math.Floor(left / sequence)), Steps: fmt.Sprintf(
		"%v - %v = %s B; 2 x %.0f x %.0f x %.0f B x %.0f tokens = %s B, which is 1 GiB and not 1 GB; floor(%.2f). By a GB it would be %.0f, of a card that reports %v %.2f",
		memory.Quantity, axioms.Bytes(memory.Quantity.Value-left), comma(left), m.layers, m.width, width, m.context, comma(sequence),
		left/sequence, left/1e9, memory.High, more/sequence)}, nil
}

func comma(v float64) string { return humanize.Comma(int64(v)) }
