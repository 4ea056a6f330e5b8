package writeahead

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"envelope/internal/child"
	"envelope/internal/lab"
)

// aim is where one trial kills: at a step of a group, and then at the same step
// of the recovery from it.
type aim struct {
	seed  uint64 // of the stream
	step  step
	group int // from 1: before the first there would be nothing to recover
}

// killTrials is how many trials a run makes: the same number at each step, as
// many as the disk's barriers leave time for. Each takes two processes and
// about seven barriers, which on a slow disk may well wait for each other.
func killTrials(r *lab.Run) int {
	if r.Full {
		return 200 * int(steps)
	}
	each := 8*time.Millisecond + 7*r.Barrier
	return int(steps) * min(max(int(killTime/each)/int(steps), 1), killsPerStep)
}

// killTime is what a default run has for its trials. Tests make fewer.
const killTime = 2500 * time.Millisecond

var killsPerStep = 10

func aims(r *lab.Run) []aim {
	rng := r.Rand("kills")
	out := make([]aim, killTrials(r))
	for i := range out {
		out[i] = aim{seed: rng.Uint64(), step: step(i % int(steps)), group: 1 + rng.IntN(5)}
	}
	return out
}

// outcome is what a trial left.
type outcome struct {
	promised  int  // groups that were acknowledged before the first kill
	recovered int  // groups that the recovery promised before the second; -1 for none
	off       int  // bytes in which the state is no allowed one
	ahead     bool // the state holds a group that nobody had promised
}

// stateAtEveryStep kills stores and compares what their recovery finds with the
// model.
func stateAtEveryStep(ctx context.Context, r *lab.Run) error {
	todo := aims(r)
	out := make([]outcome, len(todo))
	tick := ticker(r, len(todo))
	err := child.Pool(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		dir := filepath.Join(r.Dir, fmt.Sprintf("store-%d", i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return child.Bare(err)
		}
		defer tick()
		defer os.RemoveAll(dir)
		out[i], err = todo[i].fire(ctx, r, dir)
		return err
	})
	if err != nil {
		return err
	}
	landed := lab.Table{Title: "Killed at each step, and again there in the recovery",
		Header: []string{"step", "trials", "last promise kept", "and the one in flight", "neither"}}
	for s := range steps {
		var n [3]int
		for i, o := range out {
			switch {
			case todo[i].step != s:
			case o.off > 0:
				n[2]++
			case o.ahead:
				n[1]++
			default:
				n[0]++
			}
		}
		landed.Rows = append(landed.Rows, []string{s.String(), strconv.Itoa(n[0] + n[1] + n[2]),
			strconv.Itoa(n[0]), strconv.Itoa(n[1]), strconv.Itoa(n[2])})
	}
	for _, o := range out {
		r.Observe(exactState, float64(o.off))
	}
	r.AddTable(landed)
	return nil
}

// ticker returns what is called after each of n trials: the user is shown that
// they go on, from what was done before them to the end.
func ticker(r *lab.Run, n int) func() {
	var mu sync.Mutex
	const before = 0.2
	done := 0.0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		r.Step(before + (1-before)*done/float64(n))
	}
}

// fire kills a store at the step, its recovery at the same one, and looks at
// what the next recovery makes of it.
func (a aim) fire(ctx context.Context, r *lab.Run, dir string) (outcome, error) {
	o := outcome{recovered: -1}
	if err := a.kill(ctx, r, dir, a.group, &o.promised); err != nil {
		return o, err
	}
	if err := a.kill(ctx, r, dir, inRecovery, &o.recovered); err != nil {
		return o, err
	}
	quiet := hooks{ack: func(int) error { return nil }, at: func(step) error { return nil }}
	s, err := openStore(dir, quiet)
	if err != nil {
		return o, child.Bare(err)
	}
	defer s.close()
	state := make([]byte, stateSize)
	// Pages behind the file's end were never changed.
	if _, err := s.pages.ReadAt(state, 0); err != nil && err != io.EOF {
		return o, fmt.Errorf("reading the recovered pages: %w", child.Bare(err))
	}
	o.compare(a.seed, state)
	return o, nil
}

// compare holds a state against the model. A recovery that has said what it
// found has promised it, and leaves no choice to the next one.
func (o *outcome) compare(seed uint64, state []byte) {
	if o.recovered >= 0 {
		o.off = differing(state, model(seed, o.recovered))
		o.ahead = o.recovered > o.promised
		// To promise less than the store had is a loss, whatever it holds; nor
		// can it have found more than was in flight.
		if o.recovered < o.promised || o.recovered > o.promised+1 {
			o.off = max(o.off, differing(state, model(seed, o.promised)))
		}
		return
	}
	o.off = differing(state, model(seed, o.promised))
	if o.off == 0 {
		return
	}
	if more := differing(state, model(seed, o.promised+1)); more < o.off {
		o.off, o.ahead = more, true
	}
}

// kill starts a store's process and kills it where it stops. What it promised
// last until then goes to promised.
func (a aim) kill(ctx context.Context, r *lab.Run, dir string, group int, last *int) error {
	order := logFirst
	if r.Sabotaged(ackBeforeLog) {
		order = ackFirst
	}
	cmd := r.Child("store", dir, strconv.FormatUint(a.seed, 16), order, a.step.String(), strconv.Itoa(group))
	p, err := child.Start(ctx, cmd, child.Options{})
	if err != nil {
		return err
	}
	defer p.Close()
	for {
		line, err := p.Line()
		if err != nil {
			return err
		}
		if line == stopped(a.step) {
			_, err := p.Kill()
			return err
		}
		text, ok := strings.CutPrefix(line, "promised ")
		n, err := strconv.Atoi(text)
		if !ok || err != nil || n < 0 || group != inRecovery && n != *last+1 {
			return p.Nonsense(line, promised(*last+1))
		}
		*last = n
	}
}
