package pipelining

import (
	"context"
	"path/filepath"
	"strconv"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// bench is what the parts of a run have in common.
type bench struct {
	*lab.Run
	servers int     // that were started: each has a directory of its own
	done    float64 // share of the lab that is done, and the share that a part is
	part    float64
}

// parts are the claims in the order in which they are measured, those together
// that are observed together.
var parts = []struct {
	claims  []string
	observe func(*bench, context.Context) error
}{
	{[]string{callsFall}, (*bench).calls},
	{[]string{multiplies, littlesLaw}, (*bench).timing},
	{[]string{oneSync}, (*bench).syncs},
	{[]string{deadBounded}, (*bench).expiry},
	{[]string{pausedServed}, (*bench).paused},
	{[]string{sameReplies}, (*bench).replies},
	{[]string{onlyTorn}, (*bench).torn},
	{[]string{ackedSurvive}, (*bench).kills},
}

// measureAll takes the parts one by one: what can't be made for one is no fault
// of the others.
func measureAll(ctx context.Context, r *lab.Run) error {
	if why := reachable(r.Dir); why != "" {
		voidAll(r, why)
		return nil
	}
	b := &bench{Run: r, part: 1 / float64(len(parts))}
	for _, p := range parts {
		if !r.Wants(p.claims...) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.observe(b, ctx); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			for _, c := range p.claims {
				r.Void(c, measure.Error, "%v", child.Bare(err))
			}
		}
		b.done += b.part
		r.Step(b.done)
	}
	return nil
}

// directory names a new one for a server. Servers of one run may be started at
// once only where the caller has named theirs beforehand.
func (b *bench) directory() string {
	b.servers++
	return filepath.Join(b.Dir, "server-"+strconv.Itoa(b.servers))
}

// started is a server with its clients.
type started struct {
	*server
	*load
}

// serve starts a server and connects n clients to it.
func (b *bench) serve(ctx context.Context, u setup, n int) (started, error) {
	s, err := start(ctx, b.Run, b.directory(), u)
	if err != nil {
		return started{}, err
	}
	l, err := connect(s, n, b.Clock, b.Rand("instants"), b.Payload("values", n*valueSize))
	if err != nil {
		s.Close()
		return started{}, err
	}
	return started{s, l}, nil
}

// close leaves nothing of both behind.
func (s started) close() {
	s.load.close()
	s.server.Close()
}
