package barrier

import (
	_ "embed"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	eightBytes  = "eight-bytes-miss-the-bandwidth-floor"
	samePrice   = "small-payloads-cost-the-same"
	notBytes    = "cost-is-not-bandwidth-bound"
	oneBarrier  = "one-barrier-for-a-thousand"
	reaches     = "barrier-reaches-the-device"
	noDearer    = "overwrite-is-no-dearer-than-append"
	fullFlush   = "full-flush-costs-more"
	realStorage = "buffered/measuring-real-storage"
)

const (
	tiny   = 8
	page   = 4 << 10
	large  = 8 << 20
	record = 100  // B
	group  = 1000 // records behind one barrier
)

// Lab finds out what an fsync charges for.
var Lab = &lab.Lab{
	Name: "barrier", Title: "what does fsync charge for?", Group: lab.Storage, Rule: 5, Doc: doc,
	Axioms:  []string{"fsync-plp", "fsync-flash", "fsync-disk", "nvme-write", "disk-write"},
	Seconds: 2.5, Barriers: 400,
	Measure: measureAll,
	Claims: []lab.Claim{
		timing(eightBytes, measure.AtLeast(1000), measure.Excess,
			"what an fsync adds to a write of 8 B is at least 1000 times what 8 B cost at the disk's bandwidth",
			"(time of write and fsync of 8 B - time of the write) / (8 B / measured sequential write)"),
		timing(samePrice, measure.Within(0.5, 2), measure.Ratio,
			"syncing an overwritten block of 4 KiB costs what syncing 8 B of it does, within a factor of two",
			"time of overwriting 4 KiB and fdatasync / the same with 8 B"),
		timing(notBytes, measure.AtMost(1049), measure.Ratio,
			"write and fsync of 8 MiB cost at most a thousandth of the 1,048,576-fold that the bytes would",
			"time of write and fsync of 8 MiB / the same with 8 B"),
		timing(oneBarrier, measure.AtLeast(20), measure.Ratio,
			"a record synced alone costs at least 20 times what it costs among a thousand behind one fsync",
			"time of a record and fsync / a thousandth of the time of 1000 records in one write and fsync"),
		timing(reaches, measure.AtLeast(0.5), measure.Excess,
			"at least every second fsync makes the disk flush its cache",
			"(flushes of the whole disks during N fsyncs - during an equally long idle window) / N"),
		timing(noDearer, measure.AtMost(1.5), measure.Ratio,
			"overwriting a written block and fdatasync cost at most 1.5 times an append and fsync",
			"time of overwriting 4 KiB and fdatasync / time of appending 4 KiB and fsync"),
		macAlone(timing(fullFlush, measure.AtLeast(3), measure.Ratio,
			"on macOS F_FULLFSYNC costs at least three times what fsync does",
			"time of write and F_FULLFSYNC / time of write and fsync")),
	},
	Controls: []lab.Control{
		{Name: "noop-fsync", Breaks: []string{eightBytes, reaches}, Text: "fsync does nothing"},
		{Name: "delay-per-byte", Breaks: []string{samePrice, notBytes},
			Text: "every byte is charged for, added to the sample instead of slept",
			Dose: &lab.Dose{Default: 1.0 / 256, Unit: "1", Text: "of one barrier's time, for each byte"}},
		// A hundred parts would come to half of the bound, too near for a control.
		{Name: "four-at-a-time", Breaks: []string{oneBarrier}, Text: "the records go four at a time, each four synced"},
		{Name: "barriers-per-overwrite", Breaks: []string{noDearer}, Text: "the overwrite goes in several pieces, each synced",
			Dose: &lab.Dose{Default: 24, Unit: "1", Text: "pieces; the claim's ratio is down to 0.14 on some disks, so three are not enough everywhere"}},
		{Name: "both-fsync", Breaks: []string{fullFlush}, Text: "both arms call fsync"},
	},
	Questions: questions,
}

// timing is a claim on blocks of two arms that rests on real storage.
func timing(name string, region measure.Region, form measure.Form, text, observed string) lab.Claim {
	return lab.Claim{
		Name: name, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: region, Form: form,
		Text: text, Observed: observed, RestsOn: []string{realStorage}, Syncs: true,
	}
}

// macAlone marks a claim about a call that macOS alone has.
func macAlone(c lab.Claim) lab.Claim {
	c.System = "darwin"
	return c
}

var questions = []lab.Question{
	{
		Name: "fsync-8b", Unit: "s",
		Text: "A program appends 8 bytes to a file and calls fsync. How long do the two calls take together?",
		Candidates: []lab.Candidate{
			{Text: "8 bytes at the speed of an NVMe drive", Value: axioms.Seconds(4e-9)},
			{Text: "a drive with power-loss protection", Value: axioms.Seconds(100e-6)},
			{Text: "consumer flash", Value: axioms.Seconds(1e-3)},
			{Text: "a spinning disk", Value: axioms.Seconds(10e-3)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk", "nvme-write", "seq-write"},
		Answer: lab.Answer{Series: eightBytes + "/a"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			t, err := synced(s, tiny)
			return lab.Derivation{Value: t, Steps: "fsync-flash + 8 B / seq-write"}, err
		},
	}, {
		Name: "fsync-8mib-over-8b", Unit: "1",
		Text: "The same with 8 MiB, 1,048,576 times as many bytes. How many times dearer is it than with 8 bytes?",
		Candidates: []lab.Candidate{
			{Text: "no dearer: only the call counts", Value: axioms.Count(1)},
			{Text: "the bytes, some twenty times the barrier", Value: axioms.Count(20)},
			{Text: "a thousandth of the bytes", Value: axioms.Count(1049)},
			{Text: "as the bytes", Value: axioms.Count(large / tiny)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk", "seq-write"},
		Answer: lab.Answer{Claim: notBytes},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			return over(s, large, tiny, 1, "(fsync-flash + 8 MiB / seq-write) / (fsync-flash + 8 B / seq-write)")
		},
	}, {
		Name: "records-behind-a-barrier", Unit: "1",
		Text: "A record of 100 bytes is written and synced alone; then 1000 of them go in one write behind one fsync. " +
			"How many times cheaper is a record in company?",
		Candidates: []lab.Candidate{
			{Text: "no cheaper: bytes are bytes", Value: axioms.Count(1)},
			{Text: "ten times", Value: axioms.Count(10)},
			{Text: "a hundred times", Value: axioms.Count(100)},
			{Text: "a thousand times: the barrier is all", Value: axioms.Count(group)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk", "seq-write"},
		Answer: lab.Answer{Claim: oneBarrier},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			return over(s, record, record*group, group, "1000 x (fsync-flash + 100 B / seq-write) / (fsync-flash + 100 kB / seq-write)")
		},
	},
}

// synced is one barrier of consumer flash, the middle of the three classes,
// and the bytes at this disk's bandwidth.
func synced(s axioms.Set, bytes int) (axioms.Quantity, error) {
	barrier, err := s.Get("fsync-flash")
	if err != nil {
		return axioms.Quantity{}, err
	}
	rate, err := s.Get("seq-write")
	if err != nil {
		return axioms.Quantity{}, err
	}
	t, err := axioms.Bytes(bytes).Div(rate.Quantity)
	if err != nil {
		return axioms.Quantity{}, err
	}
	return t.Add(barrier.Quantity)
}

// over is times x synced(a) / synced(b).
func over(s axioms.Set, a, b, times int, steps string) (lab.Derivation, error) {
	ta, err := synced(s, a)
	if err != nil {
		return lab.Derivation{}, err
	}
	tb, err := synced(s, b)
	if err != nil {
		return lab.Derivation{}, err
	}
	ratio, err := ta.Ratio(tb)
	return lab.Derivation{Value: axioms.Count(float64(times) * ratio), Steps: steps}, err
}
