package prereg

import (
	"context"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
)

// parts are the claims in the order in which they are measured, each with what
// observes it.
var parts = []lab.Part{
	{Claim: looksSkilled, Observe: luckiest},
	{Claim: restores, Observe: deflation},
	{Claim: fakes, Observe: autocorrelation},
	{Claim: canLose, Observe: rightAndLosing},
	{Claim: invisible, Observe: future},
	{Claim: once, Observe: oneLook},
}

// measureAll takes the claims one by one: an error in one leaves the others as
// they are.
func measureAll(ctx context.Context, r *lab.Run) error { return r.Each(ctx, parts) }

// scaled is n, or more of it in a full run.
func scaled(r *lab.Run, n int) int {
	if r.Full {
		return 16 * n
	}
	return max(1, n/fewer)
}

// fewer divides the draws. Tests that ask for no more than a failure raise it.
var fewer = 1

// grouped writes a count for people.
func grouped(n int) string { return humanize.Comma(int64(n)) }
