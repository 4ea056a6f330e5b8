package prereg

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"envelope/internal/child"
	"envelope/internal/lab"
	"envelope/predict/ledger"
)

// aim is where a trial kills the first of its two studies.
type aim struct {
	step string
	half int // bytes of the holdout that it has seen at half seen
}

// perStep is how many trials a run makes at each step. On a disk with slow
// barriers, of which a trial takes about six, one is enough.
func perStep(r *lab.Run) int {
	switch {
	case r.Full:
		return 50
	case r.Barrier > 5*time.Millisecond:
		return 1
	}
	return killsPerStep
}

// killsPerStep is perStep on an ordinary disk. Tests make fewer.
var killsPerStep = 2

func aims(r *lab.Run) []aim {
	rng := r.Rand("kills")
	var all []aim
	for range perStep(r) {
		for _, s := range append([]string{nowhere}, steps...) {
			all = append(all, aim{step: s, half: 1 + rng.IntN(8*holdoutDays-1)})
		}
	}
	return all
}

// heard is what the keeper of the holdout heard from one study.
type heard struct {
	seal   string
	looked bool
	blind  bool // it asked for the holdout before it had said a seal
}

// outcome is what a trial left.
type outcome struct {
	sittings  [2]heard
	entries   []ledger.Entry // of the record, about the holdout
	otherwise int            // facts of the claim that are otherwise
}

// oneLook kills studies, has another one follow, and holds the record against
// what the keeper of the holdout heard; then it edits records.
func oneLook(ctx context.Context, r *lab.Run) error {
	holdout := newHoldout(r.Rand("holdout"))
	todo := aims(r)
	out := make([]outcome, len(todo))
	err := child.Pool(ctx, len(todo), func(ctx context.Context, i int) (err error) {
		dir := filepath.Join(r.Dir, fmt.Sprintf("record-%d", i))
		defer os.RemoveAll(dir)
		out[i], err = todo[i].fire(ctx, r, dir, holdout)
		return err
	})
	if err != nil {
		return err
	}
	for _, o := range out {
		r.Observe(once, float64(o.otherwise))
	}
	report(r, todo, out)
	return edits(ctx, r, holdout)
}

// fire has a study killed at the step, and another one, with another idea, run to
// its end.
func (a aim) fire(ctx context.Context, r *lab.Run, dir string, holdout []byte) (o outcome, err error) {
	for i, stop := range []string{a.step, nowhere} {
		if o.sittings[i], err = a.sitting(ctx, r, dir, fmt.Sprint(i+1), stop, holdout); err != nil {
			return o, err
		}
	}
	record, _, err := ledger.Open(dir)
	if err != nil {
		return o, child.Bare(err)
	}
	o.entries = record.History()
	o.otherwise = o.count()
	return o, nil
}

// sitting starts a study and serves it the holdout, until it stops to be killed
// or has finished.
func (a aim) sitting(ctx context.Context, r *lab.Run, dir, number, stop string, holdout []byte) (h heard, err error) {
	first := lockFirst
	if r.Sabotaged(lockLast) {
		first = lookFirst
	}
	told := order{dir: dir, first: first, sitting: number, stop: stop, holdoutHash: hashOf(holdout), half: a.half}
	p, err := child.Start(ctx, r.Child("study", told.args()...), child.Options{})
	if err != nil {
		return h, err
	}
	defer p.Close()
	for {
		line, err := p.Line()
		if err != nil {
			return h, err
		}
		seal, isSeal := strings.CutPrefix(line, sealed(""))
		switch {
		case line == asksForHoldout && !h.looked:
			h.looked, h.blind = true, h.seal == ""
			if err := p.Send(holdout); err != nil {
				return h, err
			}
		case isSeal && h.seal == "":
			h.seal = seal
		case line == stopped(stop):
			_, err := p.Kill()
			return h, err
		case line == finished && stop == nowhere:
			return h, nil
		default:
			return h, p.Nonsense(line, "what comes next of: "+sealed("HASH")+", "+asksForHoldout+", "+stopped(stop)+", "+finished)
		}
	}
}

// count returns how many of these facts are otherwise: no study looks before its
// seal is known; a seal that was said stands in the record; no look is missing
// from it; no more than one entry is registered; none is altered; and the result of
// a registered one comes from the first study that looked.
func (o *outcome) count() (otherwise int) {
	looks, first := 0, ""
	for i, h := range o.sittings {
		known := slices.ContainsFunc(o.entries, func(e ledger.Entry) bool { return e.Session == h.seal })
		if h.seal != "" && !known {
			otherwise++
		}
		if !h.looked {
			continue
		}
		if h.blind {
			otherwise++
		}
		if looks++; looks == 1 {
			first = fmt.Sprint(i + 1)
		}
	}
	otherwise += max(0, looks-len(o.entries))
	registered := 0
	for _, e := range o.entries {
		if e.Altered {
			otherwise++
		}
		if !e.Registered {
			continue
		}
		registered++
		if e.Outcome != nil && e.Outcome.RunID != first {
			otherwise++
		}
	}
	return otherwise + max(0, registered-1)
}

// results returns how many results the record has, and how many of them are
// registered ones.
func (o *outcome) results() (all, registered int) {
	for _, e := range o.entries {
		if e.Outcome != nil {
			all++
			if e.Registered {
				registered++
			}
		}
	}
	return all, registered
}

// report adds the table of trials and the answer to the question about half a
// look.
func report(r *lab.Run, todo []aim, out []outcome) {
	t := lab.Table{Title: "A study killed at each step, and a second one with another idea",
		Header: []string{"killed at", "runs", "looks", "entries", "results", "registered", "wrong"}}
	var half []float64
	for _, s := range append([]string{nowhere}, steps...) {
		var n, looks, entries, results, registered, otherwise int
		for i, o := range out {
			if todo[i].step != s {
				continue
			}
			n++
			for _, h := range o.sittings {
				if h.looked {
					looks++
				}
			}
			all, counted := o.results()
			entries, results, registered, otherwise = entries+len(o.entries), results+all, registered+counted, otherwise+o.otherwise
			if s == halfSeen {
				half = append(half, float64(counted))
			}
		}
		t.Rows = append(t.Rows, row(s, n, looks, entries, results, registered, otherwise))
	}
	r.AddTable(t)
	r.AddSeries(lab.Series{Name: "registered-after-half-a-look", Unit: "1", Samples: half, Conditions: -1,
		Text: "registered results in the record of a study that was killed with half of its holdout read, and one that followed"})
}

func row(name string, counts ...int) []string {
	cells := []string{name}
	for _, n := range counts {
		cells = append(cells, fmt.Sprint(n))
	}
	return cells
}
