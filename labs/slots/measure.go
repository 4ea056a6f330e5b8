package slots

import (
	"context"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// bench is what the claims share: an engine, the trace, and the schedules that
// have served it.
type bench struct {
	*lab.Run
	engine *engine
	trace  []request
	served map[policy]*schedule
}

func newBench(r *lab.Run) *bench {
	return &bench{Run: r, engine: newEngine(r.Rand("weights")), trace: trace(r.Rand("trace"), requests), served: map[policy]*schedule{}}
}

// steps are the claims in the order in which they are measured, each with what
// observes it.
var steps = []struct {
	claim   string
	observe func(*bench, context.Context) error
}{
	{meanOverMax, (*bench).occupancy},
	{fewerPasses, (*bench).passes},
	{sameTokens, (*bench).sameTokens},
	{oneStepEach, (*bench).lateness},
	{clockAgrees, (*bench).clock},
}

// measureAll measures without a trace of the user's.
func measureAll(ctx context.Context, r *lab.Run) error { return measureWith(ctx, r, r.Trace) }

// measureWith takes the claims one by one. A user's trace comes first: whoever
// gave one that can't be read wants to hear of that, and of nothing else. No
// claim rests on it, since a trace of equal lengths would be no fault of a
// scheduler.
func measureWith(ctx context.Context, r *lab.Run, path string) error {
	if path != "" {
		if err := userTrace(ctx, r, path); err != nil {
			return err
		}
	}
	b := newBench(r)
	defer b.engine.free()
	var parts []lab.Part
	for _, s := range steps {
		parts = append(parts, lab.Part{Claim: s.claim, Observe: func(ctx context.Context, _ *lab.Run) error { return s.observe(b, ctx) }})
	}
	if err := r.Each(ctx, parts); err != nil {
		return err
	}
	return b.show(ctx)
}

// userTrace simulates the requests of a file.
func userTrace(ctx context.Context, r *lab.Run, path string) error {
	f, err := openTrace(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := newSimulation()
	if err := readTrace(ctx, f, mostRequests, s.add); err != nil {
		return err
	}
	r.AddTable(s.table(fmt.Sprintf("the trace: %s requests, %s prompt tokens, the longest output %s, in %d slots",
		humanize.Comma(int64(s.requests)), humanize.Comma(int64(s.prompt)), humanize.Comma(int64(s.longest)), batch)))
	return nil
}

// serve lets a scheduler serve the lab's trace, once in a run.
func (b *bench) serve(ctx context.Context, p policy) (*schedule, error) {
	if s := b.served[p]; s != nil {
		return s, nil
	}
	s := newSchedule(b.engine, p, b.trace)
	if err := s.serve(ctx); err != nil {
		return nil, err
	}
	b.served[p] = s
	return s, nil
}

// occupancy serves the question's batch in eight orders: who comes first makes
// no difference where all leave together.
func (b *bench) occupancy(ctx context.Context) error {
	outputs := slices.Clone(asked)
	for range asked {
		s := newSchedule(b.engine, policy{static: !b.Sabotaged(earlyEviction)}, ofLengths(outputs))
		if err := s.serve(ctx); err != nil {
			return err
		}
		b.Observe(meanOverMax, s.used())
		outputs = append(outputs[1:], outputs[0])
	}
	late := newSchedule(b.engine, policy{late: true}, ofLengths(asked))
	if err := late.serve(ctx); err != nil {
		return err
	}
	b.AddSeries(lab.Series{Name: "late-slot-steps", Text: "rows computed for the question's eight requests, each slot freed a pass late",
		Unit: "1", Samples: []float64{float64(late.steps)}, Conditions: -1})
	return nil
}

// continuous is the policy under test, or what the control puts in its place.
func (b *bench) continuous() policy { return policy{static: b.Sabotaged(bothStatic)} }

// passes counts those of the engine, and of other orders of the same requests
// by simulation.
func (b *bench) passes(ctx context.Context) error {
	static, err := b.serve(ctx, policy{static: true})
	if err != nil {
		return err
	}
	continuous, err := b.serve(ctx, b.continuous())
	if err != nil {
		return err
	}
	b.Observe(fewerPasses, float64(continuous.passes)/float64(static.passes))
	orders := 64
	if b.Full {
		orders = 4096
	}
	rng := b.Rand("orders")
	for range orders {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := simulate(trace(rng, requests))
		c := s.continuous.counts
		if b.Sabotaged(bothStatic) {
			c = s.static.counts()
		}
		b.Observe(fewerPasses, float64(c.passes)/float64(s.static.counts().passes))
	}
	b.AddSeries(lab.Series{Name: "passes-continuous-over-static", Text: "passes of the engine for the run's own requests",
		Unit: "1", Samples: []float64{float64(continuous.passes) / float64(static.passes)}, Conditions: -1})
	return nil
}

// sameTokens compares what a request was given in three kinds of company.
func (b *bench) sameTokens(ctx context.Context) error {
	static, err := b.serve(ctx, policy{static: true})
	if err != nil {
		return err
	}
	continuous, err := b.serve(ctx, policy{unclear: b.Sabotaged(reusedDirty)})
	if err != nil {
		return err
	}
	single, err := alone(ctx, b.engine, b.trace)
	if err != nil {
		return err
	}
	for i, q := range b.trace {
		b.Observe(sameTokens, float64(differences(q.output, static.emitted[i], continuous.emitted[i], single[i])))
	}
	return nil
}

// differences counts the places at which answers of n tokens do not all agree.
// A token that is missing or one too many disagrees.
func differences(n int, answers ...[]token) (count int) {
	for _, a := range answers {
		n = max(n, len(a))
	}
	for i := range n {
		same := true
		for _, a := range answers {
			same = same && i < len(a) && i < len(answers[0]) && a[i] == answers[0][i]
		}
		if !same {
			count++
		}
	}
	return count
}

// lateness counts the rows that each request's slot was held for.
func (b *bench) lateness(ctx context.Context) error {
	s, err := b.serve(ctx, policy{late: !b.Sabotaged(evictBefore)})
	if err != nil {
		return err
	}
	for i, sp := range s.spans {
		b.Observe(oneStepEach, float64(sp.rows-len(s.emitted[i])))
	}
	return nil
}

// clock times whole episodes of both schedulers. They are short, so that a busy
// machine interrupts few of them; the end, when nobody waits any more, is more
// of a short one, and costs the continuous scheduler some of its advantage.
func (b *bench) clock(ctx context.Context) error {
	all := trace(b.Rand("episode"), episode)
	static, other := newSchedule(b.engine, policy{static: true}, all), newSchedule(b.engine, b.continuous(), all)
	err := b.Compare(ctx, []lab.Pair{{Claim: clockAgrees, Episode: true, A: episodeArm(ctx, static), B: episodeArm(ctx, other)}})
	if err != nil {
		return err
	}
	var passes []float64 // the batches are all full: eight rows in every pass
	for _, v := range b.SeriesNamed(clockAgrees + "/a") {
		passes = append(passes, v*float64(static.tokens)/float64(static.passes))
	}
	if len(passes) > 0 {
		b.AddSeries(lab.Series{Name: "pass-of-eight-rows", Text: "time of a static episode / its passes", Unit: "s", Samples: passes, Conditions: -1})
	}
	return nil
}

// episodeArm serves all of a schedule's requests. Its sample is the time of a
// token.
func episodeArm(ctx context.Context, s *schedule) measure.Arm {
	all := tokens(s.requests)
	return measure.Arm{Name: fmt.Sprintf("%d requests, %v, a token", len(s.requests), s.policy), Ops: all, Op: func() error {
		if err := s.serve(ctx); err != nil {
			return err
		}
		if s.tokens != all {
			return fmt.Errorf("%d tokens came out, want %d", s.tokens, all)
		}
		return nil
	}}
}
