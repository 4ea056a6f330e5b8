package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/probe"
	"envelope/manifest"
	"envelope/predict"
)

// predictRunner measures for a sitting of predictions. It keeps the runs, for the
// exit code and for what is printed at the end.
type predictRunner struct {
	app     *app
	flags   predictFlags
	names   []string
	only    map[string]bool
	program manifest.Program
	kept    *probe.Taken
	live    bool // there is no screen: say it at once

	// mu guards what follows: labs report from their own goroutine, and a user
	// who will not wait leaves while one of them still runs.
	mu      sync.Mutex
	session *driver.Session
	at      predict.Progress
	i, n    int
	said    bytes.Buffer // what waits for the screen to be over
	runs    []manifest.Run
	results []*driver.Result
	working bool // the driver is at work
	over    bool // and must not begin anything
}

// newPredictRunner reads what Prepare needs: there may be a screen by then, and no
// place to say what stands in the way.
func newPredictRunner(a *app, f predictFlags, names []string, only map[string]bool) *predictRunner {
	return &predictRunner{app: a, flags: f, names: names, only: only, program: a.program(), kept: a.kept(f.state), n: 1}
}

// Prepare measures the axioms, on which all of the sitting's runs then stand.
func (r *predictRunner) Prepare(ctx context.Context) (axioms.Set, error) {
	if !r.begin() {
		return axioms.Set{}, predict.ErrStopped
	}
	r.set("axioms", 0, 1)
	s, err := driver.Prepare(ctx, driver.Options{
		All: r.app.Labs, Select: r.names, Only: r.only, Dir: r.flags.dir, Trace: r.flags.trace, Redis: r.flags.redis, Full: r.flags.full, Seed: r.flags.seed,
		Budget: r.flags.budget, Kept: r.kept, Watcher: predictWatcher{r}, Machine: r.app.machine,
	})
	r.end(s)
	if err != nil {
		return axioms.Set{}, err
	}
	return s.Axioms(), nil
}

// begin marks the driver as being at work, unless the sitting is over.
func (r *predictRunner) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.working = !r.over
	return r.working
}

func (r *predictRunner) end(s *driver.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session, r.working = s, false
}

// Divide returns the derivations that the lab's run will hold.
func (r *predictRunner) Divide(l *lab.Lab) []manifest.Derivation {
	var out []manifest.Derivation
	questions := r.session.Questions(l)
	for i := range questions {
		out = append(out, driver.Derived(&questions[i]))
	}
	return out
}

// Run measures one lab and what it rests on.
func (r *predictRunner) Run(ctx context.Context, l *lab.Lab) (predict.Measured, error) {
	if !r.begin() {
		return predict.Measured{}, predict.ErrStopped
	}
	res, err := r.session.Run(ctx, []string{l.Name})
	r.end(r.session)
	if err != nil {
		return predict.Measured{}, err
	}
	run := res.Manifest(r.program, r.app.command(r.flags.dir))
	run.ExitCode = manifest.ExitCode(run, r.flags.require, r.flags.allowNoisy)
	r.mu.Lock()
	r.results = append(r.results, res)
	r.mu.Unlock()
	m := predict.Measured{Run: run}
	for _, ran := range res.Labs {
		if ran.Lab == l {
			m.Tables = ran.Record.Tables
		}
	}
	return m, nil
}

// Keep appends the run, which now has its predictions.
func (r *predictRunner) Keep(run manifest.Run) error {
	run, err := manifest.Seal(run)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs = append(r.runs, run)
	if r.flags.results == "none" {
		return nil
	}
	path, err := filepath.Abs(r.flags.results)
	if err != nil {
		return fmt.Errorf("results file: %w", err)
	}
	written, err := manifest.Append(path, run, manifest.AppendOptions{Fallback: &r.said})
	if err != nil && !errors.Is(err, manifest.ErrNotSynced) {
		return err
	}
	if err != nil {
		fmt.Fprintf(&r.said, "envelope: %v\n", err)
	}
	fmt.Fprintf(&r.said, "run %s appended to %s\n", run.ID, written)
	return nil
}

// Progress says how far the measurement has come.
func (r *predictRunner) Progress() predict.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.at
	p.Done = (float64(r.i) + p.Done) / float64(r.n)
	return p
}

func (r *predictRunner) set(what string, i, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at, r.i, r.n = predict.Progress{What: what}, i, n
}

func (r *predictRunner) step(done float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at.Done = done
}

// sat is what a sitting has come to.
type sat struct {
	runs    []manifest.Run
	results []*driver.Result
	said    string
}

func (r *predictRunner) sat() sat {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sat{slices.Clone(r.runs), slices.Clone(r.results), r.said.String()}
}

// all is the sitting's runs as one: a claim that failed in any of them has
// failed.
func (s sat) all(f predictFlags) manifest.Run {
	all := manifest.Run{Outcome: manifest.Complete}
	for _, run := range s.runs {
		if run.Outcome == manifest.Interrupted {
			all.Outcome = manifest.Interrupted
		}
		all.Program = run.Program
		all.Labs = append(all.Labs, run.Labs...)
	}
	all.ExitCode = manifest.ExitCode(all, f.require, f.allowNoisy)
	return all
}

// close removes the scratch directory. Where the user has not waited for the
// driver, that one is left to itself: the program is about to end.
func (r *predictRunner) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	switch {
	case r.working:
		driver.Abandon()
	case r.session != nil:
		r.session.Close()
	}
}

// predictWatcher turns what the driver tells into progress.
type predictWatcher struct{ *predictRunner }

func (w predictWatcher) Environment(e *host.Environment) {
	if !w.live || w.flags.format != "text" {
		return
	}
	w.app.out.environment(e)
}

func (w predictWatcher) Axioms([]axioms.Measured, string) {}

func (w predictWatcher) Begin(l *lab.Lab, i, n int) {
	w.set(l.Name, i, n)
	if w.live {
		fmt.Fprintf(w.app.err, "%d/%d %s: %s\n", i+1, n, l.Name, l.Title)
	}
}

func (w predictWatcher) Step(done float64) { w.step(done) }

func (w predictWatcher) End(*driver.Lab) { w.step(1) }

func (w predictWatcher) Retest(l *lab.Lab, claims []string) {
	w.set(l.Name+", what came out failed again on fresh files", w.i, w.n)
	if w.live {
		for _, c := range claims {
			fmt.Fprintf(w.app.err, "%s/%s came out failed: measuring it again on fresh files\n", l.Name, c)
		}
	}
}
