package ladder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"envelope/internal/child"
	"envelope/internal/lab"
)

// records are the ones among which a kill is aimed. Each is written in two
// pieces, so a stream of them has 32 writes and 16 acknowledgements.
const records = 16

// hurryAfter is when kills are aimed at the first two records only: on a mount
// where every write waits for the disk a whole stream takes a second.
const hurryAfter = 4 * time.Second

// aim is where one kill is meant to land: at a step of a record, by handshake,
// or anywhere after a number of acknowledgements.
type aim struct {
	seed   uint64 // of the stream
	step   step
	record int // at which the writer stops, or is killed as it runs
}

// aims draws the kills of a run: half by handshake, each step in turn, and half
// at a writer that runs.
func aims(r *lab.Run, n int) []aim {
	rng := r.Rand("kills")
	out := make([]aim, n)
	for i := range out {
		out[i] = aim{seed: rng.Uint64(), step: anywhere, record: rng.IntN(records)}
		switch {
		case r.Sabotaged(oneStep):
			out[i].step = afterAck
		case i%2 == 0:
			out[i].step = step(i / 2 % int(steps))
		}
	}
	return out
}

// outcome is what one kill left.
type outcome struct {
	acked int  // records acknowledged
	whole int  // records whole and right from the start of the file
	lost  int  // acknowledged records that are not
	rest  int  // bytes behind the whole ones
	step  step // where the kill landed
}

// kills are the trials of the two claims about acknowledged records.
type kills struct {
	trials []outcome
	aimed  []aim
}

// measure runs the trials and reports on their claims.
func (k *kills) measure(ctx context.Context, r *lab.Run, done *progress) error {
	k.trials = make([]outcome, len(k.aimed))
	began := time.Now()
	err := child.Pool(ctx, len(k.aimed), func(ctx context.Context, i int) (err error) {
		defer done.tick()
		a := k.aimed[i]
		if time.Since(began) > hurryAfter {
			a.record %= 2
		}
		path := filepath.Join(r.Dir, fmt.Sprintf("journal-%d", i))
		k.trials[i], err = a.fire(ctx, r, path)
		return err
	})
	if err != nil {
		k.trials = nil
		return err
	}
	for _, o := range k.trials {
		r.Observe(ackedSurvive, float64(o.lost))
	}
	stopped, running := k.landed()
	for s := range steps {
		r.Observe(everywhere, float64(stopped[s]+running[s]))
	}
	return nil
}

// landed counts the kills by the step where they landed: of writers that had
// stopped there, which is known, and of writers that ran, which is deduced.
func (k *kills) landed() (stopped, running [steps]int) {
	for i, o := range k.trials {
		if k.aimed[i].step == anywhere {
			running[o.step]++
		} else {
			stopped[o.step]++
		}
	}
	return stopped, running
}

// fire starts a writer, kills it where it is aimed at, and looks at its file.
func (a aim) fire(ctx context.Context, r *lab.Run, path string) (outcome, error) {
	order := writeFirst
	if r.Sabotaged(ackBeforeWrite) {
		order = ackFirst
	}
	p, err := child.Start(ctx, r.Child("journal", path, strconv.FormatUint(a.seed, 16), order, a.step.String(), strconv.Itoa(a.record)), child.Options{})
	if err != nil {
		return outcome{}, err
	}
	defer os.Remove(path)
	defer p.Close()
	var o outcome
	if err := o.follow(p, a); err != nil {
		return o, err
	}
	rest, err := p.Kill()
	if err != nil {
		return o, err
	}
	// A writer that runs says more between the last line that was read and its
	// death. All of it reached the pipe, so all of it was promised.
	for _, line := range rest {
		if a.step != anywhere || line != streamEnded && !o.ack(line) {
			return o, p.Nonsense(line, acknowledged(o.acked))
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		return o, child.Bare(err)
	}
	o.inspect(file, a.seed)
	o.step = a.step
	if a.step == anywhere {
		o.step = o.deduced()
	}
	return o, nil
}

// follow reads acknowledgements until the writer is where it is to be killed.
func (o *outcome) follow(p *child.Process, a aim) error {
	for a.step != anywhere || o.acked <= a.record {
		line, err := p.Line()
		if err != nil {
			return err
		}
		if a.step != anywhere && line == stopped(a.step, a.record) {
			return nil
		}
		if !o.ack(line) {
			return p.Nonsense(line, acknowledged(o.acked))
		}
	}
	return nil
}

// ack takes a line for the next acknowledgement, and reports whether it is.
func (o *outcome) ack(line string) bool {
	if line != acknowledged(o.acked) {
		return false
	}
	o.acked++
	return true
}

// inspect compares the file with the stream, byte by byte.
func (o *outcome) inspect(file []byte, seed uint64) {
	var record []byte
	o.rest = len(file)
	for seq := range streamEnd {
		record, _ = frame(record, seed, seq)
		right := bytes.HasPrefix(file, record)
		file = file[min(len(file), len(record)):]
		switch {
		case right && seq == o.whole:
			o.whole++
			o.rest -= len(record)
		case !right && seq < o.acked:
			o.lost++
		case !right:
			return
		}
	}
}

// deduced is the step that a running writer was killed at, as its file and its
// acknowledgements tell. Behind an acknowledgement and ahead of the next write
// look the same, and count as the first.
func (o *outcome) deduced() step {
	switch {
	case o.rest > 0:
		return insideRecord
	case o.whole > o.acked:
		return afterWrite
	case o.whole < o.acked || o.acked == 0:
		return beforeWrite // acknowledged first: the control
	}
	return afterAck
}
