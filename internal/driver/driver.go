package driver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/probe"
)

// Options are what a user may choose of a run.
type Options struct {
	All    []*lab.Lab      // the registry
	Select []string        // names of labs and groups; none means storage and serving
	Only   map[string]bool // "lab/claim": judge these alone; nil means all
	Dir    string
	Trace  string // path of a user's trace of requests; "" for none
	Redis  string // address of a Redis that may be asked; "" for none
	Full   bool
	Seed   uint64
	// Budget replaces the labs' own time for timing claims, shared in
	// proportion; 0 keeps it.
	Budget    time.Duration
	Control   string  // a control to switch on
	ControlOf string  // the lab whose control it is
	Dose      float64 // 0 means the control's own
	// Kept are axioms that were measured before; those that a run does not measure are used where they hold for its machine
	// and directory. nil means none.
	Kept    *probe.Taken
	Watcher Watcher
	Machine Machine // tests: stands in for this one
}

// Watcher is told how a run goes on. All of it is called from one goroutine but
// Step, which the labs call.
type Watcher interface {
	Environment(e *host.Environment) // before anything is measured
	// Axioms are those of the run, before the first lab: what it measured, then what was kept. left says what of the kept ones
	// does not hold here, and why; "" where nothing is left out.
	Axioms(all []axioms.Measured, left string)
	Begin(l *lab.Lab, i, n int)         // lab i of n, from 0
	Step(done float64)                  // share of the lab, from 0 to 1
	End(l *Lab)                         // judged; a later retest may still change it
	Retest(l *lab.Lab, claims []string) // these came out failed
}

// Result is one run.
type Result struct {
	Options     *Options
	Started     time.Time
	Finished    time.Time
	Interrupted bool
	Environment host.Environment
	End         host.Volatile
	Axioms      []axioms.Measured
	Barrier     time.Duration
	Labs        []*Lab
}

// Lab is what became of one lab in a run.
type Lab struct {
	Lab       *lab.Lab
	Probe     bool // run only for the claims that others rest on
	Seed      uint64
	Wall, CPU time.Duration
	Record    *lab.Record
	Claims    []*Claim
	Questions []Question
	Err       error
	budget    time.Duration
}

// Claim is a claim with what it was judged by.
type Claim struct {
	*lab.Claim
	Evidence *measure.Evidence // nil where nothing was observed
	Retest   *measure.Evidence // nil where there was none
	measure.Judgement
}

// Question is a question with its registered derivation.
type Question struct {
	*lab.Question
	Derivation lab.Derivation
	DeriveErr  error
	Measured   *float64 // in the question's unit; nil where it came to nothing
}

// run is one Run in progress.
type run struct {
	*Options
	*Result
	clock   *measure.Clock
	set     axioms.Set
	scratch *scratch
	judged  map[string]*Claim // "lab/claim"
	items   []item
}

// Run measures. Its error says that the run could not be made at all; what
// could be made of it is in the result, interrupted or not.
func Run(ctx context.Context, o Options) (*Result, error) {
	s, err := Prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.start(ctx, o.Select, *s.base.Result)
}

// environment takes the environment and starts the clock.
func (r *run) environment() {
	r.clock = measure.NewClock()
	r.Result.Environment = r.Machine.Environment(r.Dir)
	c := &r.Result.Environment.Clock
	c.Overhead = host.Known(r.clock.Overhead().Seconds(), "s", "measured")
	c.Resolution = host.Known(r.clock.Resolution().Seconds(), "s", "measured")
	r.Watcher.Environment(&r.Result.Environment)
}

// look takes the environment and measures the axioms.
func (r *run) look(ctx context.Context) error {
	r.environment()
	if limit, ok := r.Result.Environment.Memory.Limit.Get(); ok && limit < leastMemory {
		return fmt.Errorf("this process may use %d MiB of memory, and measuring takes up to %d MiB: raise the limit", limit>>20, leastMemory>>20)
	}
	dir, err := r.scratch.sub("axioms")
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.Seed, 0))
	return quiet(func() error {
		if r.Barrier, err = r.Machine.Barrier(r.clock, dir, rng); err != nil {
			return fmt.Errorf("trying the directory: %w", err)
		}
		budget := max(time.Second, min(12*r.Barrier, 4*time.Second))
		if r.Result.Axioms, err = r.Machine.Axioms(ctx, r.clock, dir, rng, budget); err != nil {
			return fmt.Errorf("measuring the axioms: %w", err)
		}
		left := r.recall()
		if r.set, err = axioms.NewSet(r.Result.Axioms...); err != nil {
			return fmt.Errorf("measuring the axioms: %w", err)
		}
		r.Watcher.Axioms(r.Result.Axioms, left)
		return nil
	})
}

// recall adds the kept axioms that this run has not measured itself, and says what of them does not hold here.
func (r *run) recall() (left string) {
	if r.Kept == nil {
		return ""
	}
	kept, left := r.Kept.For(r.Result.Environment, r.Started)
	for _, k := range kept {
		if !slices.ContainsFunc(r.Result.Axioms, func(m axioms.Measured) bool { return m.Name == k.Name }) {
			r.Result.Axioms = append(r.Result.Axioms, k)
		}
	}
	return left
}

// restedOn returns the claims of this plan that other claims of it rest on:
// they are measured again at once, since what follows depends on them.
func (r *run) restedOn() map[string]bool {
	rest := map[string]bool{}
	for _, it := range r.items {
		for _, c := range it.lab.Claims {
			for _, p := range c.RestsOn {
				rest[p] = true
			}
		}
	}
	return rest
}

// settle makes void whatever rests on a claim that did not hold, again and
// again until nothing changes: a claim may stand before the one that it rests
// on, and that one may itself be made void here. What a claim answers goes with
// it.
func (r *run) settle() {
	for changed := true; changed; {
		changed = false
		for _, l := range r.Labs {
			for _, c := range l.Claims {
				v, ok := r.precondition(c.Claim)
				if ok && c.Reason != measure.Interrupted && c.Reason != measure.Precondition {
					c.Judgement, changed = v, true
				}
			}
		}
	}
	for _, l := range r.Labs {
		l.answer()
	}
}

// precondition returns the judgement of a claim one of whose preconditions has
// been judged and has not held.
func (r *run) precondition(c *lab.Claim) (measure.Judgement, bool) {
	for _, name := range c.RestsOn {
		p := r.judged[name]
		if p == nil || p.Verdict == measure.Held {
			continue
		}
		if p.Verdict == measure.Failed {
			return measure.VoidFor(measure.Precondition, "rests on %s, which failed", name), true
		}
		return measure.VoidFor(measure.Precondition, "rests on %s, which is void (%s)", name, p.Reason), true
	}
	return measure.Judgement{}, false
}

// checkClock voids timing claims if the kernel changed its clock source while
// they were measured.
func (r *run) checkClock() {
	before, ok1 := r.Result.Environment.Load.ClockSource.Get()
	after, ok2 := r.End.ClockSource.Get()
	if !ok1 || !ok2 || before == after {
		return
	}
	for _, c := range r.judged {
		if c.Evidence != nil && c.Evidence.Clocked() && c.Verdict != measure.Void {
			c.Judgement = measure.VoidFor(measure.Instrument, "the kernel's clock source changed from %s to %s during the run", before, after)
		}
	}
}

type silent struct{}

func (silent) Environment(*host.Environment)    {}
func (silent) Axioms([]axioms.Measured, string) {}
func (silent) Begin(*lab.Lab, int, int)         {}
func (silent) Step(float64)                     {}
func (silent) End(*Lab)                         {}
func (silent) Retest(*lab.Lab, []string)        {}
