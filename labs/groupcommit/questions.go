package groupcommit

import (
	"fmt"

	"envelope/axioms"
	"envelope/internal/lab"
)

// Names of series that questions are scored by.
const (
	ratioOf64   = "fixed-64-over-adaptive"
	batchSeries = "mean-batch-at-high-load"
	fillSeries  = "fill-1000-at-10-over-100000"
)

const (
	large   = 64      // records of the fixed count
	crowd   = 50      // arrivals to an fsync at high load
	fastest = 200_000 // arrivals a second, the most that one goroutine keeps up with
)

var questions = []lab.Question{
	{
		Name: "fixed-over-adaptive", Unit: "1",
		Text: "A record of 64 bytes arrives every two fsync times. One log syncs whenever a page of 4 KiB is full of them, another whenever " +
			"the fsync in flight has returned. How many times later does the first acknowledge its median record?",
		Candidates: []lab.Candidate{
			{Text: "no later: both wait for an fsync", Value: axioms.Count(1)},
			{Text: "a few fsyncs later", Value: axioms.Count(4)},
			{Text: "some twenty fsyncs later", Value: axioms.Count(20)},
			{Text: "over a hundred", Value: axioms.Count(150)},
			{Text: "a thousand", Value: axioms.Count(1000)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk"},
		Answer: lab.Answer{Series: ratioOf64},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			f, err := set.Get("fsync-flash")
			if err != nil {
				return lab.Derivation{}, err
			}
			gap, err := axioms.Count(2).Mul(f.Quantity)
			if err != nil {
				return lab.Derivation{}, err
			}
			wait, err := axioms.Count(float64(large-1) / 2).Mul(gap)
			if err != nil {
				return lab.Derivation{}, err
			}
			all, err := wait.Add(f.Quantity)
			if err != nil {
				return lab.Derivation{}, err
			}
			ratio, err := all.Ratio(f.Quantity)
			return lab.Derivation{Value: axioms.Count(ratio),
				Steps: "a page has 4096 / 64 records; the median waits for half of the other 63, then one fsync F, against F alone: (63 / 2 x 2F + F) / F = 64"}, err
		},
	}, {
		Name: "adaptive-in-fsyncs", Unit: "1",
		Text: "The same load, one record in two fsync times, and the log that syncs when the fsync in flight has returned. " +
			"How many fsync times pass from a record's arrival to its acknowledgement, at the median?",
		Candidates: []lab.Candidate{
			{Text: "half of one: it shares", Value: axioms.Count(0.5)},
			{Text: "its own", Value: axioms.Count(1)},
			{Text: "the rest of the one in flight, and its own", Value: axioms.Count(1.5)},
			{Text: "the one in flight, its own, and a wait for company", Value: axioms.Count(4)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk", "thread-handover"},
		Answer: lab.Answer{Claim: onlyBarrier},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			f, err := set.Get("fsync-flash")
			if err != nil {
				return lab.Derivation{}, err
			}
			hand, err := set.Get("thread-handover")
			if err != nil {
				return lab.Derivation{}, err
			}
			all, err := f.Quantity.Add(hand.Quantity)
			if err != nil {
				return lab.Derivation{}, err
			}
			ratio, err := all.Ratio(f.Quantity)
			return lab.Derivation{Value: axioms.Count(ratio),
				Steps: "half of the time no fsync is in flight: (thread-handover + fsync-flash) / fsync-flash"}, err
		},
	}, {
		Name: "batch-at-high-load", Unit: "1",
		Text: "Now 50 records arrive in each fsync time of this directory, but no more than 200,000 a second. " +
			"How many does one fsync of the same log cover on average?",
		Candidates: []lab.Candidate{
			{Text: "one: each has its own", Value: axioms.Count(1)},
			{Text: "200,000/s for a drive with power-loss protection", Value: axioms.Count(20)},
			{Text: "as many as arrive during one", Value: axioms.Count(crowd)},
			{Text: "more and more: it never catches up", Value: axioms.Count(1000)},
		},
		Axioms: []string{"fsync-plp", "fsync-flash", "fsync-disk"},
		Answer: lab.Answer{Series: batchSeries},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			f, err := set.Get("fsync-flash")
			if err != nil {
				return lab.Derivation{}, err
			}
			atMost, err := axioms.PerSecond(fastest).Mul(f.Quantity)
			return lab.Derivation{Value: axioms.Count(formula(1, min(crowd, atMost.Value))),
				Steps: "max(1, rate x fsync-flash), rate = min(50 / fsync-flash, 200,000/s)"}, err
		},
	}, {
		Name: "one-constant-two-loads", Unit: "1",
		Text: "A log syncs at every 1000th record. Its setting was tried at 100,000 records a second; at night 10 a second come. " +
			"How many times longer is a batch open then?",
		Candidates: []lab.Candidate{
			{Text: "no longer: the setting is the same", Value: axioms.Count(1)},
			{Text: "a hundred times", Value: axioms.Count(100)},
			{Text: "as many times as the load is lower", Value: axioms.Count(10_000)},
		},
		Answer: lab.Answer{Series: fillSeries},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			slow, err := axioms.Count(1000).Div(axioms.PerSecond(10))
			if err != nil {
				return lab.Derivation{}, err
			}
			fast, err := axioms.Count(1000).Div(axioms.PerSecond(100_000))
			if err != nil {
				return lab.Derivation{}, err
			}
			ratio, err := slow.Ratio(fast)
			return lab.Derivation{Value: axioms.Count(ratio),
				Steps: fmt.Sprintf("1000 / 10/s = %v, 1000 / 100,000/s = %v: 10,000 times", slow, fast)}, err
		},
	},
}

// formula is the mean adaptive batch that the division gives.
func formula(fsync, perSecond float64) float64 { return max(1, perSecond*fsync) }
