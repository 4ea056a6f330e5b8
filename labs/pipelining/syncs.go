package pipelining

import (
	"context"
	"fmt"
	"time"

	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/resp"
)

// Names of series that questions are scored by.
const (
	syncsOf50   = "fsyncs-for-fifty"
	aloneSeries = "one-client-always"
)

// syncs counts the fsyncs of SETs that come together and of SETs that come alone.
func (b *bench) syncs(ctx context.Context) error {
	s, err := b.serve(ctx, setup{Log: true, Policy: resp.Always, Faults: resp.Faults{SyncEach: b.Sabotaged(syncEach)}}, clients)
	if err != nil {
		return err
	}
	defer s.close()
	s.setsOnly()
	trials := 10
	if b.Full {
		trials = 200
	} else if b.Barrier > 0 { // a trial takes two barriers, ten times 50 under the control
		trials = max(3, min(trials, int(200*time.Millisecond/b.Barrier)))
	}
	var together []float64
	one := s.only(0)
	for range trials {
		n, err := s.fsyncs(ctx, func() error { return s.together(ctx) })
		if err != nil {
			return err
		}
		together = append(together, n)
		b.Observe(oneSync, n-1)
		if n, err = s.fsyncs(ctx, func() error { return one.play(ctx, 1) }); err != nil {
			return err
		}
		b.Observe(oneSync, n-1)
	}
	b.AddSeries(lab.Series{Name: syncsOf50, Text: "fsyncs for 50 SETs that waited together", Unit: "1", Samples: together, Conditions: -1})
	if b.Sabotaged(syncEach) {
		return nil // nobody asks for the price of a fault
	}
	return b.prices(ctx, s, one)
}

// prices shows what a policy costs one client, and each of fifty.
func (b *bench) prices(ctx context.Context, always started, aloneAlways *load) error {
	never, err := b.serve(ctx, setup{Log: true, Policy: resp.Never}, clients)
	if err != nil {
		return err
	}
	defer never.close()
	never.setsOnly()
	aloneNever := never.only(0)
	n := 21
	if b.Barrier > 0 {
		n = max(3, min(n, int(200*time.Millisecond/b.Barrier)))
	}
	arm := func(name string, l *load) measure.Single {
		return measure.Single{N: n, Warm: true, Arm: measure.Arm{Name: name, Ops: len(l.order), Op: func() error { return l.play(ctx, 1) }}}
	}
	names := [2][2]string{{"a SET of one client, log not synced", aloneSeries},
		{"a SET of fifty clients, log not synced", "a SET of fifty clients, log always synced"}}
	err = b.Compare(ctx, nil, arm(names[0][0], aloneNever), arm(names[0][1], aloneAlways), arm(names[1][0], never.load), arm(names[1][1], always.load))
	if err != nil {
		return err
	}
	t := lab.Table{Title: "Time a SET, median", Header: []string{"clients", "log not synced", "synced before each reply"}}
	for i, who := range []string{"1", fmt.Sprint(clients)} {
		row := []string{who}
		for _, name := range names[i] {
			cell := "not measured"
			if v := b.SeriesNamed(name); len(v) > 0 {
				cell = timeOf(measure.Summarize(v).P50)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	b.AddTable(t)
	return nil
}

// fsyncs is how many the server made for the work.
func (s started) fsyncs(ctx context.Context, work func() error) (float64, error) {
	before, err := s.tell("report")
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	after, err := s.tell("report")
	return float64(after.Syncs - before.Syncs), err
}

// setsOnly gives every client one SET as its batch.
func (l *load) setsOnly() {
	for _, k := range l.order {
		k.turns, k.next = []batch{{}}, 0
		k.turns[0].add([][]byte{[]byte("SET"), k.key, k.value}, []byte("+OK\r\n"))
	}
}

// only is the load of one of the clients. It shares everything with the other
// loads and is not closed.
func (l *load) only(i int) *load {
	one := *l
	one.order = l.order[i : i+1]
	return &one
}

// together has all clients send while the server's loop rests, and waits for the
// replies.
func (s started) together(ctx context.Context) error {
	return s.playAround(ctx, 1, s.held)
}
