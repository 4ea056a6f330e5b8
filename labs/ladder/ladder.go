package ladder

import (
	"context"
	_ "embed"
	"errors"
	"sync"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims, controls and series that the measurement speaks of.
const (
	bufferDies       = "userspace-buffer-dies"
	cacheSurvives    = "page-cache-survives-the-process"
	mappedSurvives   = "mapped-page-survives-the-process"
	fsyncAddsNothing = "fsync-adds-nothing-here"
	ackedSurvive     = "acked-bytes-survive-sigkill"
	everywhere       = "kills-land-everywhere"

	flushed        = "flushed-before-the-kill"
	notFlushed     = "not-flushed"
	privateMapping = "private-mapping"
	ackBeforeWrite = "acknowledge-before-the-write"
	oneStep        = "kill-at-one-step"

	syncedSeries = "bytes-after-fsync"
)

// Lab kills processes that hold data at different rungs on its way to the
// medium, and looks at what is left.
var Lab = &lab.Lab{
	Name: "ladder", Title: "which rung is your data on?", Group: lab.Storage, Rule: 4, Doc: doc,
	Seconds: 2.5,
	Measure: measureAll,
	Children: map[string]func(args []string) int{
		"hold":    hold,
		"journal": journal,
	},
	Claims: []lab.Claim{
		{
			Name: bufferDies, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "B", Region: measure.Equal(0),
			Text:     "of 65,536 B in a buffer of a process that is killed with SIGKILL before any flush, 0 B are in the file",
			Observed: "size of the file after SIGKILL, read by another process",
		}, {
			Name: cacheSurvives, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "B", Region: measure.Equal(payloadSize),
			Text:     "of 65,536 B handed to write(2) and not synced, 65,536 B are in the file after SIGKILL",
			Observed: "bytes of the file equal to the random payload after SIGKILL, read by another process",
		}, {
			Name: mappedSurvives, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "B", Region: measure.Equal(payloadSize),
			Text:     "of 65,536 B stored through a shared mapping with no msync, 65,536 B are in the file after SIGKILL",
			Observed: "bytes of the file equal to the random payload after SIGKILL, read by another process",
		}, {
			Name: fsyncAddsNothing, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "B", Region: measure.Equal(0), Syncs: true,
			Text:     "an fsync behind the write adds 0 B to what SIGKILL leaves",
			Observed: "bytes equal to the payload after write, fsync and SIGKILL, less those after write and SIGKILL",
		}, {
			Name: ackedSurvive, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0),
			Text:     "a writer that acknowledges each record after its write loses 0 acknowledged records to SIGKILL, wherever it lands",
			Observed: "acknowledged records that the file does not hold whole and right, in each kill",
		}, {
			Name: everywhere, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.AtLeast(1),
			Text:     "at least one kill landed at each step: before the write, inside a record, after the write, after the acknowledgement",
			Observed: "kills at each step of the writer, known where it had stopped, deduced from file and acknowledgements where it ran",
		},
	},
	Controls: []lab.Control{
		{Name: flushed, Breaks: []string{bufferDies}, Text: "the buffer is flushed before the kill"},
		{Name: notFlushed, Breaks: []string{cacheSurvives, fsyncAddsNothing},
			Text: "what should have been written without an fsync is left in the process's buffer"},
		{Name: privateMapping, Breaks: []string{mappedSurvives}, Text: "the mapping is MAP_PRIVATE"},
		{Name: ackBeforeWrite, Breaks: []string{ackedSurvive}, Text: "each record is acknowledged before it is written"},
		{Name: oneStep, Breaks: []string{everywhere}, Text: "every kill waits until the record is acknowledged"},
	},
	Questions: []lab.Question{
		question("after-buffering", lab.Answer{Claim: bufferDies}, 0, "the process: a buffer is its own memory",
			"A process puts 65,536 bytes into a buffered writer whose buffer is larger than that, and is killed with SIGKILL. "+
				"How many bytes are in the file?"),
		question("after-write", lab.Answer{Claim: cacheSurvives}, payloadSize, "the kernel: write(2) has copied them out of the process",
			"A process hands 65,536 bytes to write(2), calls no fsync, and is killed with SIGKILL. "+
				"How many bytes of the payload are in the file?"),
		question("after-fsync", lab.Answer{Series: syncedSeries}, payloadSize, "the drive: a rung below the kernel, which was enough",
			"The same 65,536 bytes, with an fsync after the write and before the SIGKILL. How many bytes of the payload are in the file?"),
		question("after-mapping", lab.Answer{Claim: mappedSurvives}, payloadSize, "the kernel: the mapped pages are the page cache's own",
			"A process stores 65,536 bytes into a shared mapping of a file, calls no msync, and is killed with SIGKILL. "+
				"How many bytes of the payload are in the file?"),
	},
}

// question is one about how many bytes of the payload survive SIGKILL. Its
// derivation takes no number: what is given is who owns the bytes.
func question(name string, answer lab.Answer, survive float64, owner, text string) lab.Question {
	return lab.Question{
		Name: name, Unit: "B", Text: text, Answer: answer,
		Candidates: []lab.Candidate{
			{Text: "none: they were the process's own", Value: axioms.Bytes(0)},
			{Text: "some: what was on its way when the signal came, half of it say", Value: axioms.Bytes(payloadSize / 2)},
			{Text: "all: they were somebody else's", Value: axioms.Bytes(payloadSize)},
		},
		Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{
				Value: axioms.Bytes(survive),
				Steps: "SIGKILL takes what the process owns; the owner is " + owner,
			}, nil
		},
	}
}

// killTrials is how many writers a default run kills, and a full one.
func killTrials(full bool) int {
	if full {
		return 10000
	}
	return defaultKills
}

// defaultKills fits into 2.5 s on two slow cores. Tests set it lower.
var defaultKills = 240

func measureAll(ctx context.Context, r *lab.Run) error {
	g, k := newRungs(r), &kills{}
	if r.Wants(ackedSurvive, everywhere) {
		k.aimed = aims(r, killTrials(r.Full))
	}
	done := &progress{step: r.Step, total: len(g.wanted()) + len(k.aimed)}
	// Two measurements: one that can't be made does not void the other.
	err := errors.Join(g.measure(ctx, r, done), k.measure(ctx, r, done))
	report(r, g, k)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// progress tells how many of the trials are done.
type progress struct {
	mu          sync.Mutex
	step        func(float64)
	done, total int
}

func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.step(float64(p.done) / float64(p.total))
}
