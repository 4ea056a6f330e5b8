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

// batchesOf is how many batches of a depth each client sends in an episode: some
// 1,500 commands at least, and four batches, so that little of it is start and
// end.
func batchesOf(depth int) int { return max(4, 32/depth) }

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

// littleDepths are those at which Little's law is held against the machine, and
// multiplied's are the two that are compared.
var littleDepths = []int{1, 16, 128}

// timing compares depths, and holds Little's law against each, in blocks that
// take turns.
func (b *bench) timing(ctx context.Context) error {
	each := b.Sabotaged(callsEach)
	s, err := b.serve(ctx, setup{Faults: resp.Faults{FlushEach: each, ShortReads: each}}, clients)
	if err != nil {
		return err
	}
	defer s.close()
	pairs := []lab.Pair{{Claim: multiplies, Episode: true, A: s.arm(ctx, 1), B: s.arm(ctx, 128)}}
	var episodes []counting // at depth 128
	for _, depth := range littleDepths {
		pairs = append(pairs, b.little(ctx, s, depth, &episodes))
	}
	if err := b.Compare(ctx, pairs); err != nil {
		return err
	}
	var latencies []float64
	for _, e := range episodes {
		latencies = append(latencies, e.latency())
	}
	if len(latencies) > 0 {
		b.AddSeries(lab.Series{Name: latencyAt128, Text: "mean time from send to reply, 50 clients with 128 commands each", Unit: "s", Samples: latencies, Conditions: -1})
	}
	return nil
}

// arm plays an episode of a depth. Its sample is the time of a command.
func (s started) arm(ctx context.Context, depth int) measure.Arm {
	n := max(2, 32/depth) // half of the usual at most: under the control each command of them takes as long as one alone
	return measure.Arm{Name: fmt.Sprintf("time a command at depth %d", depth), Ops: clients * n * depth,
		Before: func() error { s.deepen(depth); return nil },
		Op:     func() error { return s.play(ctx, n) }}
}

// little is two figures of the same episodes, and neither is made of the other:
// what passed through times how long each took, and how many were there at
// random instants.
func (b *bench) little(ctx context.Context, s started, depth int, keep *[]counting) lab.Pair {
	var episodes []counting
	episode := func(i int) (*counting, error) {
		if i == len(episodes) {
			s.deepen(depth)
			if err := s.play(ctx, batchesOf(depth)); err != nil {
				return nil, err
			}
			episodes = append(episodes, s.count)
			if depth == littleDepths[len(littleDepths)-1] {
				*keep = episodes
			}
		}
		return &episodes[i], nil
	}
	figure := func(name string, of func(*counting) float64) measure.Arm {
		i := 0
		return measure.Arm{Name: name, Unit: "1", Count: func() (float64, error) {
			c, err := episode(i)
			if err != nil {
				return 0, err
			}
			i++
			return of(c), nil
		}}
	}
	through := func(c *counting) float64 {
		if b.Sabotaged(shareOfBatch) {
			return c.throughput() * c.latency() / float64(depth)
		}
		return c.throughput() * c.latency()
	}
	return lab.Pair{Claim: littlesLaw, Part: fmt.Sprintf("depth %d", depth), Episode: true,
		A: figure(fmt.Sprintf("throughput x mean latency at depth %d", depth), through),
		B: figure(fmt.Sprintf("commands in flight at depth %d", depth), (*counting).inFlight)}
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
