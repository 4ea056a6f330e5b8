package driver

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// leastMemory is what the suite takes for itself and the storage labs, measured
// as peak resident set, with room to spare.
const leastMemory = 256 << 20

// slowest is how long a lab that syncs may go on for the sake of a slow disk.
const slowest = 8 * time.Second

// one runs one lab and judges its claims.
func (r *run) one(ctx context.Context, it item) *Lab {
	out := &Lab{Lab: it.lab, Probe: it.wanted != nil && r.Only == nil, Seed: r.Seed, budget: r.budgetOf(it.lab)}
	early := map[string]measure.Judgement{} // judged before anything is measured
	wanted := map[string]bool{}
	for i := range it.lab.Claims {
		c := &it.lab.Claims[i]
		if it.wanted != nil && !it.wanted[c.Name] {
			continue
		}
		out.Claims = append(out.Claims, &Claim{Claim: c})
		if why := r.tooLarge(it.lab); why != "" {
			early[c.Name] = measure.VoidFor(measure.Unreachable, "%s", why)
		} else if reason, unfit := r.Result.Environment.Target.Unfit(); unfit && c.Syncs {
			early[c.Name] = measure.VoidFor(measure.Unfit, "%s", reason)
		} else if j, ok := r.precondition(c); ok {
			early[c.Name] = j
		} else {
			wanted[c.Name] = true
		}
	}
	out.Questions = questions(it.lab, r.set)
	record, err := r.measure(ctx, out, wanted)
	out.Record, out.Err = record, err
	for _, c := range out.Claims {
		if j, ok := early[c.Name]; ok {
			c.Judgement = j
		} else {
			c.Evidence, c.Judgement = r.judge(ctx, c.Claim, record, err)
		}
		r.judged[it.lab.Name+"/"+c.Name] = c
	}
	return out
}

// tooLarge says why a lab does not fit the memory that this process may use, or
// nothing: the kernel would end the run without a word.
func (r *run) tooLarge(l *lab.Lab) string {
	limit, ok := r.Result.Environment.Memory.Limit.Get()
	if !ok || limit >= max(l.Memory, leastMemory) {
		return ""
	}
	return fmt.Sprintf("it takes up to %d MiB of memory, and %d MiB are allowed", max(l.Memory, leastMemory)>>20, limit>>20)
}

// judge turns what a lab observed into a judgement. The zero judgement is void:
// a claim that the lab did not report on has not held.
func (r *run) judge(ctx context.Context, c *lab.Claim, record *lab.Record, err error) (*measure.Evidence, measure.Judgement) {
	var evidence *measure.Evidence
	e, observed := record.Evidence[c.Name]
	if observed {
		evidence = &e
	}
	switch v, voided := record.Voids[c.Name]; {
	case voided:
		return nil, v // its series stay in the record, but no verdict rests on them
	case ctx.Err() != nil && (err != nil || !observed):
		return evidence, measure.VoidFor(measure.Interrupted, "the run was stopped before it was judged")
	case !observed && err != nil:
		return nil, measure.VoidFor(measure.Error, "%v", err)
	case !observed:
		return nil, measure.VoidFor(measure.Error, "the lab did not report on it")
	}
	return evidence, measure.Judge(c.Terms(), e, r.clock.Overhead().Seconds())
}

// budgetOf is how long the lab's timing claims may take: its own share, more on
// a disk so slow that its barriers alone need more.
func (r *run) budgetOf(l *lab.Lab) time.Duration {
	own := time.Duration(l.Seconds * float64(time.Second))
	if r.Full {
		own *= 10
	}
	if r.Options.Budget > 0 {
		var sum float64
		for _, it := range r.items {
			sum += it.lab.Seconds
		}
		own = time.Duration(float64(r.Options.Budget) * l.Seconds / sum)
	}
	return max(own, min(time.Duration(l.Barriers)*r.Barrier, slowest))
}

// notMeasuredAgain is what becomes of a timing claim that failed in a run that
// was stopped before its retest: one measurement is not enough to fail.
var notMeasuredAgain = measure.VoidFor(measure.Interrupted, "failed at first, and the run was stopped before it was measured again")

// retest measures again what came out failed, on fresh files, by the same rule.
// With among set it looks at those claims only, without it at all that were not
// measured again yet.
func (r *run) retest(ctx context.Context, l *Lab, among map[string]bool) {
	wanted, names := map[string]bool{}, []string(nil)
	for _, c := range l.Claims {
		rested := among == nil || among[l.Lab.Name+"/"+c.Name]
		if c.Verdict == measure.Failed && c.Kind == measure.Comparison && c.Retest == nil && rested {
			wanted[c.Name] = true
			names = append(names, c.Name)
		}
	}
	if len(wanted) == 0 {
		return
	}
	if ctx.Err() != nil {
		for _, c := range l.Claims {
			if wanted[c.Name] {
				c.Judgement = notMeasuredAgain
			}
		}
		return
	}
	r.Watcher.Retest(l.Lab, names)
	again := &Lab{Lab: l.Lab, Seed: l.Seed + 1, budget: l.budget}
	record, err := r.measure(ctx, again, wanted)
	l.Wall, l.CPU = l.Wall+again.Wall, l.CPU+again.CPU
	shift := len(l.Record.Conditions)
	l.Record.Conditions = append(l.Record.Conditions, record.Conditions...)
	for _, c := range l.Claims {
		if !wanted[c.Name] {
			continue
		}
		evidence, second := r.judge(ctx, c.Claim, record, err)
		c.Retest, c.Judgement = evidence, measure.Retest(c.Judgement, second)
		if second.Reason == measure.Interrupted {
			c.Judgement = notMeasuredAgain
		}
		for _, s := range record.Series {
			if arm, ok := strings.CutPrefix(s.Name, c.Name+"/"); ok {
				s.Name = c.Name + "/retest-" + arm
				s.Conditions += shift
				l.Record.Series = append(l.Record.Series, s)
			}
		}
	}
}

// measure calls the lab on a thread of its own, in a directory of its own.
func (r *run) measure(ctx context.Context, l *Lab, wanted map[string]bool) (*lab.Record, error) {
	config := lab.Config{
		Lab: l.Lab, Seed: l.Seed, Full: r.Full, Trace: r.Trace, Redis: r.Redis, Wanted: wanted, Budget: l.budget,
		Clock: r.clock, Axioms: r.set, Target: r.Result.Environment.Target, Environment: &r.Result.Environment, Barrier: r.Barrier,
		Progress: r.Watcher.Step, Start: Start,
		Volatile: r.Machine.Volatile,
	}
	for _, other := range r.All {
		config.Documents = append(config.Documents, other.Doc)
	}
	if c := l.Lab.Control(r.Control); c != nil && l.Lab.Name == r.ControlOf {
		config.Control, config.Dose = c.Name, r.Dose
		if c.Dose != nil && r.Dose == 0 {
			config.Dose = c.Dose.Default
		}
	}
	run := lab.NewRun(config)
	if len(wanted) == 0 {
		return run.Record(), nil
	}
	if err := ctx.Err(); err != nil {
		return run.Record(), err
	}
	dir, err := r.scratch.sub(l.Lab.Name)
	if err != nil {
		return run.Record(), err
	}
	defer os.RemoveAll(dir) // after the last timed call: an unlink makes the next fsync dearer
	run.Dir = dir
	start := time.Now()
	run.Watch()
	err = quiet(func() error { return l.Lab.Measure(ctx, run) })
	run.EndWatch()
	l.Wall, l.CPU = time.Since(start), run.Record().Conditions[0].CPU
	return run.Record(), err
}

// quiet calls f on a locked thread, with the garbage collector off unless
// memory grows: a collection inside a timed span costs more than the span. A
// panic of a lab is an error, so that its files are still removed.
func quiet(f func() error) error {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	limit := debug.SetMemoryLimit(384 << 20)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer func() {
			if p := recover(); p != nil {
				result <- fmt.Errorf("fault in the lab's code: %v\n%s", p, debug.Stack())
			}
		}()
		result <- f()
	}()
	return <-result
}

// ChildVariable is the environment variable that makes this binary a lab's
// child: "lab/child".
const ChildVariable = "ENVELOPE_CHILD"

// Start returns a command that runs a lab's child: this binary again.
func Start(labName, child string, args []string) *exec.Cmd {
	self := "/proc/self/exe" // the file that runs, even if another took its name
	if runtime.GOOS != "linux" {
		self, _ = os.Executable()
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), ChildVariable+"="+labName+"/"+child)
	return cmd
}

// Dispatch runs the child that the environment names and returns its exit code,
// or false where this process is no child.
func Dispatch(labs []*lab.Lab, args []string) (code int, child bool) {
	name, ok := os.LookupEnv(ChildVariable)
	if !ok {
		return 0, false
	}
	labName, childName, _ := strings.Cut(name, "/")
	for _, l := range labs {
		if entry := l.Children[childName]; l.Name == labName && entry != nil {
			return entry(args), true
		}
	}
	fmt.Fprintf(os.Stderr, "%s=%q names no child of any lab\n", ChildVariable, name)
	return 2, true
}

// answer fills in what the questions were measured to be.
func (l *Lab) answer() {
	for i := range l.Questions {
		q := &l.Questions[i]
		q.Measured = nil
		if q.Answer.Series != "" {
			for _, s := range l.Record.Series {
				if s.Name == q.Answer.Series && len(s.Samples) > 0 {
					mid := measure.Summarize(s.Samples).P50
					q.Measured = &mid
				}
			}
			continue
		}
		for _, c := range l.Claims {
			if c.Name == q.Answer.Claim && c.Estimate != nil && c.Verdict != measure.Void {
				q.Measured = &c.Estimate.Value
			}
		}
	}
}
