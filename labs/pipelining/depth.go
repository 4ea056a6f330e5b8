package pipelining

import (
	"context"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/resp"
)

// Names of series that questions are scored by.
const (
	callsAt16    = "calls-a-command-at-depth-16"
	latencyAt128 = "latency-at-depth-128"
)

// batchesOf is how many batches of a depth each client sends in an episode: 800
// commands at least, and three batches, so that not most of it is start and end.
func batchesOf(depth int) int { return max(3, 16/depth) }

// calls counts what the server does for each command, depth by depth.
func (b *bench) calls(ctx context.Context) error {
	s, err := b.serve(ctx, setup{Faults: resp.Faults{FlushEach: b.Sabotaged(flushEach)}}, clients)
	if err != nil {
		return err
	}
	defer s.close()
	t := lab.Table{Title: fmt.Sprintf("%d clients, no log: reads and writes, waits and CPU of the server for each command", clients),
		Header: []string{"depth", "commands/s", "calls", "waits", "CPU", "latency", "in flight"}}
	for _, depth := range depths {
		s.deepen(depth)
		if err := s.play(ctx, batchesOf(depth)); err != nil { // what is new to a server costs more
			return err
		}
		before, err := s.tell("report")
		if err != nil {
			return err
		}
		if err := s.play(ctx, 2*batchesOf(depth)); err != nil {
			return err
		}
		after, err := s.tell("report")
		if err != nil {
			return err
		}
		commands := float64(after.Commands - before.Commands)
		if commands != float64(s.count.arrived) {
			return fmt.Errorf("the server has carried out %.0f commands of %d", commands, s.count.arrived)
		}
		calls := float64(after.Reads+after.Writes-before.Reads-before.Writes) / commands
		b.Observe(callsFall, calls*float64(depth)/2)
		if depth == 16 {
			b.AddSeries(lab.Series{Name: callsAt16, Text: "reads and writes of the server for each command, 16 sent at a time", Unit: "1", Samples: []float64{calls}, Conditions: -1})
		}
		t.Rows = append(t.Rows, []string{humanize.Comma(int64(depth)), humanize.Comma(int64(s.count.throughput())),
			fmt.Sprintf("%.3f", calls), fmt.Sprintf("%.4f", float64(after.Waits-before.Waits)/commands),
			timeOf((after.CPU - before.CPU).Seconds() / commands), timeOf(s.count.latency()), humanize.Comma(int64(s.count.inFlight()))})
	}
	b.AddTable(t)
	return nil
}

// littleDepths are those at which Little's law is held against the machine.
// Throughput is compared between the first and the last of them.
var littleDepths = []int{1, 16, 128}

// timing compares depths, and holds Little's law against each, by turns. One
// episode of each depth makes a round, and both claims look at the same rounds.
func (b *bench) timing(ctx context.Context) error {
	each := b.Sabotaged(callsEach)
	s, err := b.serve(ctx, setup{Faults: resp.Faults{FlushEach: each, ShortReads: each}}, clients)
	if err != nil {
		return err
	}
	defer s.close()
	e := &episodes{started: s, ctx: ctx, played: map[int][]counting{}}
	time := (*counting).timeEach
	pairs := []lab.Pair{{Claim: multiplies, Episode: true,
		A: e.figure("time a command at depth 1", "s", 1, time), B: e.figure("time a command at depth 128", "s", 128, time)}}
	for _, depth := range littleDepths {
		through := (*counting).product
		if b.Sabotaged(shareOfBatch) {
			through = func(c *counting) float64 { return c.product() / float64(depth) }
		}
		pairs = append(pairs, lab.Pair{Claim: littlesLaw, Part: fmt.Sprintf("depth %d", depth), Episode: true,
			A: e.figure(fmt.Sprintf("throughput x mean latency at depth %d", depth), "1", depth, through),
			B: e.figure(fmt.Sprintf("commands in flight at depth %d", depth), "1", depth, (*counting).inFlight)})
	}
	if err := b.Compare(ctx, pairs); err != nil {
		return err
	}
	var latencies []float64
	for _, c := range e.played[128] {
		latencies = append(latencies, c.latency())
	}
	if len(latencies) > 0 {
		b.AddSeries(lab.Series{Name: latencyAt128, Text: "mean time from send to reply, 50 clients with 128 commands each", Unit: "s", Samples: latencies, Conditions: -1})
	}
	return nil
}

// episodes are played when a figure of them is first asked for.
type episodes struct {
	started
	ctx    context.Context
	played map[int][]counting // by depth
}

// figure is one figure of a depth's episodes, round by round.
func (e *episodes) figure(name, unit string, depth int, of func(*counting) float64) measure.Arm {
	i := 0
	return measure.Arm{Name: name, Unit: unit, Count: func() (float64, error) {
		if i == len(e.played[depth]) {
			e.deepen(depth)
			if err := e.play(e.ctx, batchesOf(depth)); err != nil {
				return 0, err
			}
			e.played[depth] = append(e.played[depth], e.count)
		}
		i++
		return of(&e.played[depth][i-1]), nil
	}}
}

// timeOf is a time as people read it.
func timeOf(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.2f µs", seconds*1e6)
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	}
	return fmt.Sprintf("%.0f ms", seconds*1e3)
}
