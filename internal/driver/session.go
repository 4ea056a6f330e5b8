package driver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"envelope/axioms"
	"envelope/internal/lab"
)

// Session is a directory under test on a machine whose axioms have been
// measured, with no lab run yet. It exists for who has to know the axioms before
// he decides what to run: a prediction is asked for beside them. All runs of a
// session stand on the same axioms.
type Session struct {
	options Options
	base    run // what the runs have in common
}

// Prepare takes the environment and measures the axioms. The session holds a
// scratch directory until it is closed. A context that ends meanwhile is no
// error here: the runs of such a session are interrupted ones.
func Prepare(ctx context.Context, o Options) (*Session, error) {
	if _, err := Labs(o.All, o.Select); err != nil {
		return nil, err
	}
	o, scratch, err := open(o)
	if err != nil {
		return nil, err
	}
	s := &Session{options: o}
	s.base = run{Options: &s.options, scratch: scratch, Result: &Result{Started: time.Now().UTC()}}
	if err := s.base.look(ctx); err != nil && ctx.Err() == nil {
		scratch.remove()
		return nil, err
	}
	return s, nil
}

// open fills in what the options leave to the driver, and makes the scratch
// directory. DIR becomes absolute, so that no message holds a path that can't be
// told for one.
func open(o Options) (Options, *scratch, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, nil, fmt.Errorf("directory to measure: %w", err)
	}
	if err := roomy(os.Geteuid() == 0, unix.Getrlimit); err != nil {
		return o, nil, err
	}
	s, err := newScratch(dir)
	if err != nil {
		return o, nil, err
	}
	o.Dir = dir
	if o.Watcher == nil {
		o.Watcher = silent{}
	}
	o.Machine = o.Machine.withDefaults()
	return o, s, nil
}

// Axioms returns the constants with this machine's measured axioms over them.
func (s *Session) Axioms() axioms.Set { return s.base.set }

// Questions returns a lab's questions with what the division gives on the
// session's axioms: the derivations that its runs will hold.
func (s *Session) Questions(l *lab.Lab) []Question { return questions(l, s.base.set) }

// Run runs the named labs and groups, and what they rest on. The environment is
// that of the session, its volatile part read again.
func (s *Session) Run(ctx context.Context, names []string) (*Result, error) {
	environment := s.base.Result.Environment
	environment.Load = s.options.Machine.Volatile()
	return s.start(ctx, names, Result{Started: time.Now().UTC(), Environment: environment})
}

// start runs labs on the session's axioms. The result comes with its beginning.
func (s *Session) start(ctx context.Context, names []string, result Result) (*Result, error) {
	o := s.options
	o.Select = names
	chosen, err := Labs(o.All, o.Select)
	if err != nil {
		return nil, err
	}
	result.Options, result.Axioms, result.Barrier = &o, s.base.Result.Axioms, s.base.Barrier
	r := &run{
		Options: &o, Result: &result, clock: s.base.clock, set: s.base.set, scratch: s.base.scratch,
		judged: map[string]*Claim{}, items: plan(o.All, chosen, o.Only),
	}
	for i, it := range r.items {
		r.Watcher.Begin(it.lab, i, len(r.items))
		l := r.one(ctx, it)
		r.Labs = append(r.Labs, l)
		r.retest(ctx, l, r.restedOn())
		r.settle()
		r.Watcher.End(l)
		runtime.GC()
	}
	for _, l := range r.Labs {
		r.retest(ctx, l, nil)
	}
	r.End = o.Machine.Volatile()
	r.checkClock()
	r.settle()
	r.Interrupted = ctx.Err() != nil
	r.Finished = time.Now().UTC()
	return r.Result, nil
}

// Close removes the session's scratch directory.
func (s *Session) Close() error { return s.base.scratch.remove() }

// questions derives the answers to a lab's questions from the axioms alone.
func questions(l *lab.Lab, set axioms.Set) []Question {
	var out []Question
	for i := range l.Questions {
		q := &l.Questions[i]
		d, err := q.Derive(set)
		out = append(out, Question{Question: q, Derivation: d, DeriveErr: err})
	}
	return out
}
