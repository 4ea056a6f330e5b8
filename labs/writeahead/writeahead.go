package writeahead

import (
	"context"
	_ "embed"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims, controls and series that the measurement speaks of.
const (
	exactState    = "state-is-exact-at-every-step"
	idempotent    = "redo-is-idempotent"
	eioClaim      = "retry-after-eio-lies"
	circularClaim = "circular-reference-certifies-damage"

	ackBeforeLog = "acknowledge-before-the-log-write"
	addOne       = "add-one"
	healthyStore = "healthy-backing-store"
	exchanged    = "reference-exchanged"

	seriesStored = "bytes-stored-after-the-retry"
	seriesCached = "bytes-shown-after-the-retry"
	seriesImages = "torn-images"
	seriesReread = "torn-images-caught-by-reading-back"
	seriesPool   = "torn-images-caught-by-the-pool"
)

// Lab asks what a store may promise, and when, and breaks it at every step.
var Lab = &lab.Lab{
	Name: "writeahead", Title: "what may be promised, and when?", Group: lab.Storage, Rule: 6, Doc: doc,
	Axioms:    []string{"crc32-miss"},
	Questions: questions,
	Claims:    claims,
	Controls:  controls,
	Seconds:   1, // it times nothing; the kills take their time
	Measure:   measureAll,
	Children:  children(),
}

func children() map[string]func([]string) int {
	all := map[string]func([]string) int{"store": keep}
	addChildren(all)
	return all
}

// exact is a claim whose observations count what went otherwise than it says.
func exact(name, unit string, scope lab.Scope, text, observed string) lab.Claim {
	return lab.Claim{Name: name, Text: text, Version: 1, Scope: scope, Kind: measure.Exact,
		Unit: unit, Region: measure.Equal(0), Observed: observed}
}

// linuxAlone marks a claim that takes a mount which the lab makes on Linux only.
func linuxAlone(c lab.Claim) lab.Claim {
	c.System = "linux"
	return c
}

var claims = []lab.Claim{
	exact(exactState, "B", lab.Program,
		"a store killed with SIGKILL at any step, and its recovery killed at the same one, comes back with the last acknowledged state, or that and the group in flight: 0 B differ",
		"bytes of the recovered page file that differ from the nearer of the two states that the model allows, in each trial"),
	exact(idempotent, "B", lab.Program,
		"the log replayed twice over pages that were half written gives the state that it gives once: 0 B differ",
		"bytes in which either replay differs from the model, with the writing of the pages stopped at every sector"),
	linuxAlone(exact(eioClaim, "1", lab.Machine,
		"over a backing store that fails, the first fsync gives EIO, the second 0, and nothing of what was written is stored: 0 of these three facts are otherwise",
		"for each file: 1 if the first fsync is not EIO, 1 if the second is not 0 (both by the kernel), 1 if the backing file, read outside the mount, has a byte of the payload")),
	exact(circularClaim, "1", lab.Program,
		"of 254 torn images of a page, a checksum taken from the page as read back accepts all, one taken from the page in the pool rejects all: 0 exceptions",
		"for each image: rejections by the checksum of the page as read back, and acceptances by that of the page in the pool"),
}

var controls = []lab.Control{
	{Name: ackBeforeLog, Breaks: []string{exactState}, Text: "a group is acknowledged before its log record is written"},
	{Name: addOne, Breaks: []string{idempotent}, Text: "the log's records say \"add 1\" instead of what the bytes become"},
	{Name: healthyStore, Breaks: []string{eioClaim}, Text: "the backing store carries out every write"},
	{Name: exchanged, Breaks: []string{circularClaim}, Text: "the page as read back stands for the one in the pool, and the other way round"},
}

// parts are the claims in the order in which they are measured, each with what
// observes it. The longest comes last.
var parts = []struct {
	claim   string
	observe func(context.Context, *lab.Run) error
	done    float64 // how much of the lab is done after it
}{
	{circularClaim, tornImages, 0.05},
	{idempotent, redoTwice, 0.1},
	{eioClaim, retryLies, 0.2},
	{exactState, stateAtEveryStep, 1},
}

// measureAll takes the claims one by one: what cannot be made for one is no
// fault of the others.
func measureAll(ctx context.Context, r *lab.Run) error {
	for _, p := range parts {
		if !r.Wants(p.claim) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.observe(ctx, r); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			r.Void(p.claim, measure.Error, "%v", child.Bare(err))
		}
		r.Step(p.done)
	}
	return nil
}
