package torntail

import (
	"fmt"

	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "bytes-of-a-torn-record",
		Text: "The last record of a log says that it is 200 bytes long, and 71 of them are real. How many of its bytes does recovery keep?",
		Unit: "B",
		Candidates: []lab.Candidate{
			{Text: "none", Value: axioms.Bytes(0)},
			{Text: "those that are real", Value: axioms.Bytes(71)},
			{Text: "as many as it says", Value: axioms.Bytes(200)},
		},
		Axioms: []string{"crc32-miss"},
		Answer: lab.Answer{Series: "kept-of-the-last-record"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const real, claimed = 71, 200
			return lab.Derivation{
				Value: axioms.Bytes(real / claimed * claimed),
				Steps: "the check covers a record or nothing: 71 B / 200 B holds 0 whole records, x 200 B = 0 B",
			}, nil
		},
	},
	{
		Name: "crc-of-nothing",
		Text: "CRC-32 starts from a register full of ones and inverts it at the end. What is the CRC-32 of no bytes at all?",
		Unit: "1",
		Candidates: []lab.Candidate{
			{Text: "all zeros", Value: axioms.Count(0)},
			{Text: "all ones, 2^32 - 1", Value: axioms.Count(float64(1<<32 - 1))},
			{Text: "the generator, 04C11DB7", Value: axioms.Count(polyCRC32)},
		},
		Answer: lab.Answer{Series: "crc-of-nothing"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const seed, mask uint32 = 0xFFFFFFFF, 0xFFFFFFFF
			return lab.Derivation{
				Value: axioms.Count(seed ^ mask),
				Steps: "no byte moves the register: FFFFFFFF XOR FFFFFFFF = 0",
			}, nil
		},
	},
	{
		Name: "stale-tails-framed",
		Text: "A record's header arrived and its payload was cut; behind the cut stand bytes of an older record of the same block. " +
			"What share of such records does a reader accept that looks at length and sequence number alone?",
		Unit: "1",
		Candidates: []lab.Candidate{
			{Text: "all of them", Value: axioms.Count(1)},
			{Text: "every other one", Value: axioms.Count(0.5)},
			{Text: "one in 65,536", Value: axioms.Count(1.0 / (1 << 16))},
		},
		Axioms: []string{"crc16-miss", "crc32-miss"},
		Answer: lab.Answer{Series: "stale-tails-framed"},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			const bits = 0 // of redundancy between the header and the payload
			return lab.Derivation{
				Value: axioms.Count(1.0 / (1 << bits)),
				Steps: "framing holds 0 bits that depend on the payload: 1 / 2^0 = 1",
			}, nil
		},
	},
	{
		Name: "altered-past-16-bits",
		Text: "33,554,432 (2^25) messages are altered at random and put through a 16-bit checksum. How many pass for sound?",
		Unit: "1",
		Candidates: []lab.Candidate{
			{Text: "none", Value: axioms.Count(0)},
			{Text: "one in 2^21", Value: axioms.Count(16)},
			{Text: "one in 2^16", Value: axioms.Count(512)},
			{Text: "one in 2^8", Value: axioms.Count(131072)},
		},
		Axioms: []string{"crc16-miss", "crc32-miss"},
		Answer: lab.Answer{Claim: "sixteen-bits-is-not-enough"},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			miss, err := set.Get("crc16-miss")
			if err != nil {
				return lab.Derivation{}, err
			}
			value, err := axioms.Count(perAlterations).Mul(miss.Quantity)
			return lab.Derivation{
				Value: value,
				Steps: fmt.Sprintf("2^25 messages / 2^16 remainders = %v", value),
			}, err
		},
	},
}

// headline reports what became of the question's record, in files, under each
// kind of tail.
func headline(r *lab.Run, kept, framed []float64) {
	r.AddSeries(lab.Series{Name: "kept-of-the-last-record", Text: "bytes of a 200-byte record that recovery keeps of 71 real ones",
		Unit: "B", Samples: kept, Conditions: -1})
	r.AddSeries(lab.Series{Name: "framed-of-the-last-record", Text: "bytes of it that a reader of lengths alone keeps",
		Unit: "B", Samples: framed, Conditions: -1})
	t := lab.Table{Title: "71 of 200 bytes arrived", Header: []string{"what follows them", "length alone keeps", "this log keeps"}}
	for i := range kept {
		t.Rows = append(t.Rows, []string{tail(i).String(), axioms.Bytes(framed[i]).String(), axioms.Bytes(kept[i]).String()})
	}
	r.AddTable(t)
}
