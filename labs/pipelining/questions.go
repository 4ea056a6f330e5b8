package pipelining

import (
	"envelope/axioms"
	"envelope/internal/lab"
)

var questions = []lab.Question{
	{
		Name: "calls-at-16", Unit: "1",
		Text: "A server on one thread waits for many connections at once, carries out what has come, and answers. Fifty clients send it commands " +
			"in bundles of 16 and wait for the replies to a bundle. How many reads and writes does the server make on its connections for each command?",
		Candidates: []lab.Candidate{
			{Text: "one read and one write for each", Value: axioms.Count(2)},
			{Text: "one read for a bundle, one write for each", Value: axioms.Count(17.0 / 16)},
			{Text: "one read and one write for a bundle", Value: axioms.Count(2.0 / 16)},
			{Text: "one of each for all that wait", Value: axioms.Count(2.0 / (16 * clients))},
		},
		Answer: lab.Answer{Series: callsAt16},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(2.0 / 16), Steps: "a read returns all that a connection has, a write takes all that it is owed: 2 calls / 16 commands"}, nil
		},
	}, {
		Name: "depth-128-over-depth-1", Unit: "1",
		Text: "Fifty clients of that server send one small command, wait for its reply, and send the next. Then they send 128 before they wait. " +
			"How many times more commands does the server carry out in a second?",
		Candidates: []lab.Candidate{
			{Text: "no more: the commands are the work", Value: axioms.Count(1)},
			{Text: "twice: half of the work was talk", Value: axioms.Count(2)},
			{Text: "some twenty times", Value: axioms.Count(20)},
			{Text: "as many times as commands share a call", Value: axioms.Count(128)},
		},
		Axioms: []string{"unix-round-trip", "memory-load"},
		Answer: lab.Answer{Claim: multiplies},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			one, err := timeAt(set, 1)
			if err != nil {
				return lab.Derivation{}, err
			}
			many, err := timeAt(set, 128)
			if err != nil {
				return lab.Derivation{}, err
			}
			ratio, err := one.Ratio(many)
			return lab.Derivation{Value: axioms.Count(ratio),
				Steps: "half of unix-round-trip is the server's, and two loads from memory find key and value: (h + 2 x memory-load) / (h / 128 + 2 x memory-load)"}, err
		},
	}, {
		Name: "latency-of-128-in-flight", Unit: "s",
		Text: "Fifty clients with 128 commands each in flight. How long does a command take there, from its send to its reply, in the mean?",
		Candidates: []lab.Candidate{
			{Text: "what the server works on it", Value: axioms.Seconds(0.3e-6)},
			{Text: "a round trip", Value: axioms.Seconds(15e-6)},
			{Text: "the work on its own bundle", Value: axioms.Seconds(33e-6)},
			{Text: "the work on all that is in flight", Value: axioms.Seconds(1.7e-3)},
			{Text: "a round trip for each that is in flight", Value: axioms.Seconds(96e-3)},
		},
		Axioms: []string{"unix-round-trip", "memory-load"},
		Answer: lab.Answer{Series: latencyAt128},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			each, err := timeAt(set, 128)
			if err != nil {
				return lab.Derivation{}, err
			}
			all, err := axioms.Count(clients * 128).Mul(each)
			return lab.Derivation{Value: all,
				Steps: "in flight / throughput: 50 x 128 x (unix-round-trip / 2 / 128 + 2 x memory-load)"}, err
		},
	}, {
		Name: "one-client-synced", Unit: "s",
		Text: "The server's log is now synced before each reply. A single client sends a SET, waits for the OK, and sends the next. How long does each take?",
		Candidates: []lab.Candidate{
			{Text: "a round trip: the log is in memory", Value: axioms.Seconds(15e-6)},
			{Text: "an fsync of a drive with power-loss protection", Value: axioms.Seconds(100e-6)},
			{Text: "an fsync of consumer flash", Value: axioms.Seconds(1e-3)},
			{Text: "an fsync of a spinning disk", Value: axioms.Seconds(10e-3)},
		},
		Axioms: []string{"unix-round-trip", "fsync-flash"},
		Answer: lab.Answer{Series: aloneSeries},
		Derive: func(set axioms.Set) (lab.Derivation, error) {
			trip, err := set.Get("unix-round-trip")
			if err != nil {
				return lab.Derivation{}, err
			}
			sync, err := set.Get("fsync-flash")
			if err != nil {
				return lab.Derivation{}, err
			}
			all, err := trip.Quantity.Add(sync.Quantity)
			return lab.Derivation{Value: all, Steps: "unix-round-trip + fsync-flash: nobody is there to share it"}, err
		},
	}, {
		Name: "fifty-sets-wait", Unit: "1",
		Text: "Fifty connections have one SET each waiting when that server wakes, and none of them may be answered before it is synced. " +
			"How many fsyncs does the server make until all are answered?",
		Candidates: []lab.Candidate{
			{Text: "one: they are written together", Value: axioms.Count(1)},
			{Text: "two: those that came first, and the rest", Value: axioms.Count(2)},
			{Text: "one for each", Value: axioms.Count(clients)},
			{Text: "two for each, of data and of the file's size", Value: axioms.Count(2 * clients)},
		},
		Answer: lab.Answer{Series: syncsOf50},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(1), Steps: "an fsync covers all that was written before it; a loop that answers last writes once a turn: 50 / 50"}, nil
		},
	},
}

// timeAt is what the division gives for a command: the server's half of a round
// trip, shared by as many as come together, and two places in memory to be found.
func timeAt(set axioms.Set, depth float64) (axioms.Quantity, error) {
	trip, err := set.Get("unix-round-trip")
	if err != nil {
		return axioms.Quantity{}, err
	}
	load, err := set.Get("memory-load")
	if err != nil {
		return axioms.Quantity{}, err
	}
	share, err := axioms.Count(1 / (2 * depth)).Mul(trip.Quantity)
	if err != nil {
		return axioms.Quantity{}, err
	}
	find, err := axioms.Count(2).Mul(load.Quantity)
	if err != nil {
		return axioms.Quantity{}, err
	}
	return share.Add(find)
}
