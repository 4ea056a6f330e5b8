package pipelining

import (
	_ "embed"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims and controls that the measurement speaks of.
const (
	callsFall     = "calls-per-command-fall-with-depth"
	multiplies    = "depth-multiplies-throughput"
	littlesLaw    = "littles-law-holds"
	oneSync       = "one-fsync-covers-everyone"
	ackedSurvive  = "acked-writes-survive-sigkill"
	onlyTorn      = "only-a-torn-tail-is-forgiven"
	deadBounded   = "dead-keys-are-bounded"
	pausedServed  = "a-paused-client-is-served"
	sameReplies   = "same-replies-as-the-real-one"
	realStorage   = "buffered/measuring-real-storage"
	flushEach     = "flush-per-command"
	callsEach     = "calls-per-command"
	shareOfBatch  = "latency-as-a-share"
	syncEach      = "fsync-per-command"
	replyFirst    = "reply-before-log"
	tearAnywhere  = "truncate-anywhere"
	activeOff     = "active-expiry-off"
	noReprocess   = "resume-without-reprocessing"
	oneReplyWrong = "one-reply-altered"
)

// Lab asks how many commands share a system call, and what else they share.
var Lab = &lab.Lab{
	Name: "pipelining", Title: "how many commands share a system call?", Group: lab.Studies, Doc: doc,
	Axioms:    []string{"unix-round-trip", "memory-load", "fsync-flash"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   2.5,
	Measure:   measureAll,
	Children:  map[string]func([]string) int{"serve": serve, "redis": warden},
}

// exact is a claim about the suite's own server of which every observation must
// lie in the region.
func exact(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Program, Kind: measure.Exact, Unit: "1", Region: region, Observed: observed}
}

// ofMachine makes a claim one about this machine.
func ofMachine(c lab.Claim) lab.Claim {
	c.Scope = lab.Machine
	return c
}

// timing is a claim about this machine on blocks of two arms.
func timing(name string, region measure.Region, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: region, Observed: observed}
}

func onStorage(c lab.Claim) lab.Claim {
	c.RestsOn, c.Syncs = []string{realStorage}, true
	return c
}

var claims = []lab.Claim{
	ofMachine(exact(callsFall, measure.Within(0.5, 2),
		"a server whose clients send P commands at a time makes 2/P reads and writes a command, within a factor of 2, for P from 1 to 128",
		"reads and writes of the server on its connections / commands x P / 2, for each P: its own count of the calls that it made")),
	timing(multiplies, measure.AtLeast(5),
		"50 clients that send 128 commands at a time get at least 5 times the commands per second of 50 that send one",
		"length of an episode / its commands, at depth 1 / the same at depth 128"),
	timing(littlesLaw, measure.Within(0.9, 1.1),
		"at every depth, commands per second x mean seconds from send to reply = commands in flight, within 10 %",
		"throughput x mean latency of an episode / commands in flight, counted at random instants of the same episode"),
	onStorage(ofMachine(exact(oneSync, measure.Equal(0),
		"with a log that is synced before each reply, 50 SETs that wait when the loop wakes cost 1 fsync together, and each of one connection's costs its own: 0 more or fewer",
		"fsyncs of the server less 1 for 50 SETs that waited together; less 1 for a single one"))),
	exact(ackedSurvive, measure.Equal(0),
		"a server that is killed with SIGKILL at any step of its loop has lost 0 acknowledged SETs",
		"acknowledged SETs that the log does not give back, in each kill"),
	exact(onlyTorn, measure.Equal(0),
		"a log whose last record is cut at any byte gives back all records before it, and one with a changed byte in front of that is refused: 0 exceptions",
		"for each cut: 1 if other than all records before it come back; for each changed byte: 1 if the log is accepted"),
	exact(deadBounded, measure.AtMost(0.25),
		"of 1,000 keys that live and 1,000 whose time is over, after 30 cycles of active expiry with no client at most a quarter of what is left is dead",
		"dead keys / all keys after 30 cycles"),
	exact(pausedServed, measure.Equal(0),
		"a client that sends 30,000 commands before it reads is paused, and then gets every reply, in order: 0 are missing or wrong",
		"replies that are missing or out of order, and 1 if reads were never paused, in each trial"),
	exact(sameReplies, measure.Equal(0),
		"a corpus of commands is answered as Redis answers it: 0 bytes differ",
		"bytes in which the replies to a scenario differ from those of a real Redis, for each scenario"),
}

var controls = []lab.Control{
	{Name: flushEach, Breaks: []string{callsFall}, Text: "the server sends each command's reply in a write of its own"},
	{Name: callsEach, Breaks: []string{multiplies}, Text: "the server reads no more at once than a command takes, and sends each reply in a write of its own"},
	{Name: shareOfBatch, Breaks: []string{littlesLaw}, Text: "a command's latency is taken for its batch's, divided by the commands in it"},
	{Name: syncEach, Breaks: []string{oneSync}, Text: "the server syncs the log once for each record"},
	{Name: replyFirst, Breaks: []string{ackedSurvive}, Text: "replies are sent before the log is written"},
	{Name: tearAnywhere, Breaks: []string{onlyTorn}, Text: "recovery takes whatever it stops at for a torn tail"},
	{Name: activeOff, Breaks: []string{deadBounded}, Text: "keys whose time is over are deleted only when a command meets them"},
	{Name: noReprocess, Breaks: []string{pausedServed}, Text: "after a pause the server waits for new input, and does not look at what it had read"},
	{Name: oneReplyWrong, Breaks: []string{sameReplies}, Text: "one byte of the server's replies is changed"},
}
