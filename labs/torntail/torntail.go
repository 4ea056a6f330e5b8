package torntail

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Lab asks where the truth of a log stops after a crash, and what finds it.
var Lab = &lab.Lab{
	Name:      "torntail",
	Title:     "where does the truth stop?",
	Group:     lab.Storage,
	Rule:      8,
	Doc:       doc,
	Axioms:    []string{"crc16-miss", "crc32-miss"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   0.1, // it times nothing
	Measure:   measureAll,
}

// deviations is the claim of an enumeration: every observation counts what went
// otherwise than the text says.
func deviations(name, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact,
		Unit: "1", Region: measure.Equal(0), Observed: observed}
}

var claims = []lab.Claim{
	deviations("checksum-known-answers",
		"the log's checksums give the published values, and agree with a division by hand bit by bit: 0 bits differ",
		"bits in which two computations differ: a library's against published values and against a bitwise one, for every length from 0 to 1,024"),
	deviations("every-cut-is-caught",
		"with the last record cut at any byte, whatever follows, recovery keeps exactly the records before it: 0 too many or too few",
		"records kept, against the records whose bytes are all as written, for every cut and four kinds of tail"),
	{
		Name: "stale-tail-fools-framing", Version: 1, Scope: lab.Program, Kind: measure.Binomial,
		Text:     "of payloads cut short over an older record, at least 99 % pass for whole by their framing, and none by CRC-32C",
		Unit:     "1",
		Region:   measure.AtLeast(0.99),
		Observed: "share of stale tails that framing accepts; 0 as soon as CRC-32C accepts a single one",
	},
	deviations("zero-seed-accepts-zeros",
		"a checksum seeded with zero accepts zeros of every length as a record, one with the standard seed accepts none: 0 exceptions",
		"acceptances by the standard seed and refusals by the zero seed, over blocks of 1 to 2,048 zero bytes"),
	deviations("empty-record-still-passes",
		"the CRC of nothing is 0, so 16 zero bytes pass for an empty record where the checksum leaves the length out, and not in this log: 0 exceptions",
		"the CRC of no bytes; then records found in 1 to 2,048 zero bytes with the length covered, and none found without"),
	deviations("damage-before-good-records-is-not-a-tear",
		"any byte changed to any other value, with good records behind it, is reported as corruption and nothing is truncated: 0 of 255 changes of each byte go otherwise",
		"changes of one byte, out of 255, after which the reason, the records kept or the length of the log is wrong"),
	deviations("crc-match-after-a-hole-proves-nothing",
		"a record behind a torn one is not replayed although its checksum is right, nor is one of an earlier use of the file: 0 replayed",
		"records replayed beyond the whole ones at the front, for every cut of records in the middle"),
	deviations("second-crash-is-as-good-as-the-first",
		"recover, append, cut again, recover: what was whole is still the prefix that comes back: 0 records lost, added or changed",
		"records recovered after the second crash, against those whose bytes are as written, for every pair of cuts and tails"),
	{
		Name: "sixteen-bits-is-not-enough", Version: 1, Scope: lab.Program, Kind: measure.Binomial,
		Text: "of 2^25 random alterations a 16-bit checksum accepts about 512 (within 0.8 to 1.25 times), CRC-32C at most one",
		Unit: "1",
		// Counted per 2^25 alterations, so that a full run can make more of them.
		Scale:    perAlterations,
		Region:   measure.Within(0.8*512, 1.25*512),
		Observed: "alterations that the 16-bit check accepts and CRC-32C refuses; 0 as soon as CRC-32C accepts a second one",
	},
}

var controls = []lab.Control{
	{Name: "zero-seed", Text: "the checksum's register starts at zero", Breaks: []string{"checksum-known-answers"}},
	{Name: "framing-only", Text: "recovery takes a record whose length fits, and compares no checksum", Breaks: []string{"every-cut-is-caught"}},
	{Name: "crc-off", Text: "the checksum of a stale tail is not compared", Breaks: []string{"stale-tail-fools-framing"}},
	{Name: "seeds-exchanged", Text: "the standard seed stands for the zero seed, and the zero seed for it", Breaks: []string{"zero-seed-accepts-zeros"}},
	{Name: "length-uncovered", Text: "the log's checksum covers the payload alone", Breaks: []string{"empty-record-still-passes"}},
	{Name: "treated-as-a-tear", Text: "recovery truncates wherever it stops", Breaks: []string{"damage-before-good-records-is-not-a-tear"}},
	{Name: "sequence-unchecked", Text: "recovery accepts any sequence number", Breaks: []string{"crc-match-after-a-hole-proves-nothing"}},
	{Name: "append-after-garbage", Text: "the torn tail stays, and new records go behind it", Breaks: []string{"second-crash-is-as-good-as-the-first"}},
	{Name: "sixteen-for-thirty-two", Text: "CRC-32C is replaced by the 16-bit check", Breaks: []string{"sixteen-bits-is-not-enough"}},
}

// steps are the claims in the order in which they are measured, each with what
// observes it.
var steps = []struct {
	claim   string
	observe func(context.Context, *lab.Run) error
}{
	{"checksum-known-answers", knownAnswers},
	{"every-cut-is-caught", everyCut},
	{"stale-tail-fools-framing", staleTails},
	{"zero-seed-accepts-zeros", zeroSeeds},
	{"empty-record-still-passes", emptyRecords},
	{"damage-before-good-records-is-not-a-tear", damage},
	{"crc-match-after-a-hole-proves-nothing", holes},
	{"second-crash-is-as-good-as-the-first", secondCrashes},
	{"sixteen-bits-is-not-enough", sixteenBits},
}

// measureAll takes the claims one by one: where a file of one cannot be written,
// the others stand.
func measureAll(ctx context.Context, r *lab.Run) error {
	var parts []lab.Part
	for _, s := range steps {
		parts = append(parts, lab.Part{Claim: s.claim, Observe: func(ctx context.Context, r *lab.Run) error {
			return withoutPath(s.observe(ctx, r))
		}})
	}
	return r.Each(ctx, parts)
}

// withoutPath leaves the directory under test out of what is recorded.
func withoutPath(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("%s a log of the lab: %w", path.Op, path.Err)
	}
	return err
}
