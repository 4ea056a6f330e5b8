package groupcommit

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	collapses   = "fixed-count-collapses-at-low-load"
	onlyBarrier = "adaptive-pays-only-the-barrier"
	follows     = "batch-follows-the-load"
	neverLoses  = "adaptive-never-loses"
	holdCaps    = "hold-open-caps-the-barriers"
	everyAck    = "every-ack-follows-its-barrier"
	realStorage = "buffered/measuring-real-storage"
)

// Lab finds out who should choose how many records share an fsync.
var Lab = &lab.Lab{
	Name: "groupcommit", Title: "who should choose the batch size?", Group: lab.Storage, Rule: 7, Doc: doc,
	Axioms:  []string{"fsync-plp", "fsync-flash", "fsync-disk"},
	Seconds: 2.5, Barriers: 1600,
	Measure: measureAll,
	Claims: []lab.Claim{
		timing(collapses, measure.AtLeast(5),
			"one arrival to two fsync times: a batch that waits for a count acknowledges at least 5 times later than one that closes when the fsync in flight returns",
			"median latency with a fixed count of 64 (32 on a slow disk) / the same, adaptive"),
		timing(onlyBarrier, measure.AtMost(3),
			"at that load the adaptive batch acknowledges within 3 fsyncs of its own episode",
			"median latency, adaptive / median fsync of the same episode"),
		timing(follows, measure.AtLeast(3),
			"a high load makes adaptive batches at least 3 times as large as a low one",
			"records for each fsync, 50 arrivals to an fsync (at most 200,000 a second) / one arrival to two fsyncs; each arrival is a goroutine"),
		timing(neverLoses, measure.AtMost(1.25),
			"at high load the adaptive batch acknowledges at most 1.25 times as late as a fixed count of 64",
			"median latency, adaptive / fixed count"),
		{
			Name: holdCaps, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.AtMost(1),
			Text:     "batches held open for H make no more than one fsync for each H that passes, and one",
			Observed: "fsyncs of an episode / (elapsed / H + 1), H = 4 fsync times, one arrival to an fsync time",
			RestsOn:  []string{realStorage}, Syncs: true,
		}, {
			Name: everyAck, Version: 1, Scope: lab.Program, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0),
			Text:     "no record is acknowledged before an fsync that began after its write has returned",
			Observed: "records of an episode acknowledged too soon, by the order of calls at the file",
		},
	},
	Controls: []lab.Control{
		{Name: "both-adaptive", Breaks: []string{collapses}, Text: "the fixed count is adaptive too"},
		{Name: "fixed", Breaks: []string{onlyBarrier}, Text: "the adaptive batch waits until all arrivals of the episode have come"},
		{Name: "lock-across-fsync", Breaks: []string{follows}, Text: "an arrival writes and syncs under a lock that the next one needs"},
		{Name: "delay-before-close", Breaks: []string{neverLoses}, Text: "the adaptive committer waits before it closes a batch",
			Dose: &lab.Dose{Default: 4, Unit: "1", Text: "of the median latency that the fixed count had in the same round"}},
		{Name: "no-hold", Breaks: []string{holdCaps}, Text: "batches close when the fsync in flight returns"},
		{Name: "ack-at-the-start", Breaks: []string{everyAck}, Text: "records are acknowledged before they are written"},
	},
	Questions: questions,
}

// timing is a claim on blocks of two arms that rests on real storage.
//
// Two of them compare how long records wait, and say something about batches only
// where waiting for the fsync is what takes the time. On a machine whose
// processors are busy with something else a record waits for a processor, under
// every policy alike: then onlyBarrier does not hold, and they mean nothing.
func timing(name string, region measure.Region, text, observed string) lab.Claim {
	c := lab.Claim{
		Name: name, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: region,
		Text: text, Observed: observed, RestsOn: []string{realStorage}, Syncs: true,
	}
	if name == collapses || name == neverLoses {
		c.RestsOn = append(c.RestsOn, "groupcommit/"+onlyBarrier)
	}
	return c
}
