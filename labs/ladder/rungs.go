package ladder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// rungTrials is how many children are killed at each rung. The outcome is the
// same each time or the claim has failed, so a few show as much as many.
const rungTrials = 5

// arm is one rung: how far the payload had come when the child was killed, and
// how many of its bytes the file held afterwards, trial by trial.
type arm struct {
	mode    mode
	wanted  bool
	size    bool // count the file's bytes, whatever they are
	bytes   []float64
	refused string // why the file system would not do it
}

// rungs are the arms of the survival claims.
type rungs struct {
	buffered, written, synced, mapped arm
}

// newRungs chooses the arms. A control puts another mode in an arm's place.
func newRungs(r *lab.Run) *rungs {
	g := &rungs{
		buffered: arm{mode: buffered, size: true, wanted: r.Wants(bufferDies)},
		written:  arm{mode: written, wanted: r.Wants(cacheSurvives, fsyncAddsNothing)},
		synced:   arm{mode: synced, wanted: r.Wants(fsyncAddsNothing)},
		mapped:   arm{mode: shared, wanted: r.Wants(mappedSurvives)},
	}
	switch {
	case r.Sabotaged(flushed):
		g.buffered.mode = written
	case r.Sabotaged(notFlushed):
		g.written.mode = buffered
	case r.Sabotaged(privateMapping):
		g.mapped.mode = private
	}
	return g
}

// wanted lists the arms, each as often as it is tried, dealt in turn.
func (g *rungs) wanted() []*arm {
	var todo []*arm
	for range rungTrials {
		for _, a := range []*arm{&g.buffered, &g.written, &g.synced, &g.mapped} {
			if a.wanted {
				todo = append(todo, a)
			}
		}
	}
	return todo
}

// measure runs the trials of all arms and reports on their claims.
func (g *rungs) measure(ctx context.Context, r *lab.Run, done *progress) error {
	payload, todo := r.Payload("payload", payloadSize), g.wanted()
	left := make([]leftover, len(todo))
	err := child.Pool(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		defer done.tick()
		path := filepath.Join(r.Dir, fmt.Sprintf("rung-%d", i))
		left[i], err = leave(ctx, r, todo[i].mode, payload, path)
		return err
	})
	if err != nil {
		return err
	}
	for i, a := range todo {
		if left[i].refused != "" {
			a.refused = left[i].refused
			continue
		}
		a.bytes = append(a.bytes, float64(a.count(left[i].file, payload)))
	}
	g.report(r)
	return nil
}

// count returns how many bytes of the file are the payload's, each in its
// place. Of a file of zeros about one in 256 is.
func (a *arm) count(file, payload []byte) int {
	if a.size {
		return len(file)
	}
	n := 0
	for i := range min(len(file), len(payload)) {
		if file[i] == payload[i] {
			n++
		}
	}
	return n
}

func (g *rungs) report(r *lab.Run) {
	r.Observe(bufferDies, g.buffered.bytes...)
	r.Observe(cacheSurvives, g.written.bytes...)
	if g.mapped.refused != "" {
		r.Void(mappedSurvives, measure.Unreachable, "this file system refuses a shared mapping: %s", g.mapped.refused)
	} else {
		r.Observe(mappedSurvives, g.mapped.bytes...)
	}
	for i, with := range g.synced.bytes {
		r.Observe(fsyncAddsNothing, with-g.written.bytes[i])
	}
	if g.synced.wanted {
		r.AddSeries(lab.Series{Name: syncedSeries, Text: "bytes in the file after write, fsync and SIGKILL", Unit: "B", Samples: g.synced.bytes})
	}
}

// leftover is what a killed child left in its file, or why it could not try.
type leftover struct {
	file    []byte
	refused string
}

// leave has a child take the payload to a rung, kills it there, and looks at
// its file.
func leave(ctx context.Context, r *lab.Run, m mode, payload []byte, path string) (leftover, error) {
	p, err := child.Start(ctx, r.Child("hold", string(m), path), child.Options{})
	if err != nil {
		return leftover{}, err
	}
	defer os.Remove(path)
	defer p.Close()
	if err := p.Send(payload); err != nil {
		return leftover{}, err
	}
	line, err := p.Line()
	if err != nil {
		return leftover{}, err
	}
	why, no := strings.CutPrefix(line, refused)
	if no {
		return leftover{refused: why}, nil
	}
	if line != ready {
		return leftover{}, p.Nonsense(line, ready)
	}
	if _, err := p.Kill(); err != nil {
		return leftover{}, err
	}
	file, err := os.ReadFile(path)
	return leftover{file: file}, child.Bare(err)
}
