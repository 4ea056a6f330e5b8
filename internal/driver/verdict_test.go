package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// The zero verdict is void: a claim that nobody reports on has not held, and
// one that was reported on without an observation neither.
func TestForgottenClaims(t *testing.T) {
	l := fake("first", func(_ context.Context, r *lab.Run) error {
		r.Observe("it-is-seen", 0)
		r.Observe("it-is-empty")
		return nil
	}, counted("it-is-seen"), counted("it-is-forgotten"), counted("it-is-empty"), compared("it-is-untimed"))
	res := mustRun(t, t.Context(), options(t, l))
	same(t, res, map[string]string{
		"first/it-is-seen": "held", "first/it-is-forgotten": "void (error)",
		"first/it-is-empty": "void (error)", "first/it-is-untimed": "void (error)",
	})
	says(t, res, "first/it-is-forgotten", "the lab did not report on it")
	says(t, res, "first/it-is-empty", "nothing was observed")
	if c := detail(t, res, "first/it-is-forgotten"); c.Evidence != nil || c.Estimate != nil {
		t.Errorf("got evidence %v and estimate %v, want none", c.Evidence, c.Estimate)
	}
}

// An error of Measure voids what was not reported yet, and nothing else; so does
// a panic. Other labs go on.
func TestLabThatBreaks(t *testing.T) {
	check := func(want string, breakIt func() error) {
		t.Helper()
		breaking := fake("first", func(_ context.Context, r *lab.Run) error {
			r.Observe("it-is-seen", 0)
			r.Observe("it-is-wrong", 1)
			r.Void("it-is-away", measure.Unreachable, "no such thing here")
			if err := os.WriteFile(filepath.Join(r.Dir, "file"), nil, 0o600); err != nil {
				return err
			}
			return breakIt()
		}, counted("it-is-seen"), counted("it-is-wrong"), counted("it-is-away"), counted("it-is-late"))
		next := fake("second", observing(map[string]float64{"it-is-next": 0}), counted("it-is-next"))
		res := mustRun(t, t.Context(), options(t, breaking, next))
		same(t, res, map[string]string{
			"first/it-is-seen": "held", "first/it-is-wrong": "failed", "first/it-is-away": "void (unreachable)",
			"first/it-is-late": "void (error)", "second/it-is-next": "held",
		})
		says(t, res, "first/it-is-late", want)
		if res.Labs[0].Err == nil || res.Labs[1].Err != nil {
			t.Errorf("errors of the labs: got %v and %v, want one of the first", res.Labs[0].Err, res.Labs[1].Err)
		}
	}
	check("out of paper", func() error { return errors.New("out of paper") })
	check("fault in the lab's code: nil map", func() error { panic("nil map") })
}

// Where the directory is known not to sync, storage claims are void and not
// even tried.
func TestUnfitDirectory(t *testing.T) {
	o := options(t)
	tried := false
	stored := counted("it-is-stored")
	stored.Syncs = true
	o.All = []*lab.Lab{fake("first", func(_ context.Context, r *lab.Run) error {
		tried = tried || r.Wants("it-is-stored")
		r.Observe("it-is-stored", 0)
		r.Observe("it-is-counted", 0)
		return nil
	}, stored, counted("it-is-counted"), counted("it-is-based", "first/it-is-stored"))}
	o.Machine.Environment = func(string) host.Environment {
		return host.Environment{Target: host.Target{Options: host.Known([]string{"rw", "volatile"}, "", "test")}}
	}
	res := mustRun(t, t.Context(), o)
	same(t, res, map[string]string{
		"first/it-is-stored": "void (unfit)", "first/it-is-counted": "held", "first/it-is-based": "void (precondition)",
	})
	says(t, res, "first/it-is-stored", "the overlay is mounted volatile")
	if tried {
		t.Error("the lab was asked for a claim that can't mean anything")
	}
}

// timedRatio gives a claim blocks of timed arms in that ratio.
func timedRatio(r *lab.Run, claim string, v float64) {
	b := measure.Blocks{Per: 2, Form: measure.Ratio, Clocked: true}
	for i := range 64 {
		s := 1e-3 * (1 + float64(i)/1000) // two equal times would look like a coarse clock
		b.A, b.B = append(b.A, v*s), append(b.B, s)
	}
	r.Record().Evidence[claim] = measure.Evidence{Blocks: &b, CallsA: 1, CallsB: 1}
}

// The kernel may change its clock source during a run: what was timed then
// means nothing, and neither does what rests on it.
func TestClockSourceChanges(t *testing.T) {
	work := func(ctx context.Context, r *lab.Run) error {
		timedRatio(r, "it-is-timed", 9)
		timedRatio(r, "it-is-slow", 1)
		r.Observe("it-is-counted", 0)
		r.Observe("it-is-based", 0)
		return ratio(ctx, r, "it-is-compared", 9)
	}
	l := fake("first", work, compared("it-is-timed"), compared("it-is-slow"), compared("it-is-compared"), counted("it-is-counted"),
		counted("it-is-based", "first/it-is-timed"))
	check := func(before, after host.Fact[string], want map[string]string) {
		t.Helper()
		o := options(t, l)
		o.Machine.Environment = func(string) host.Environment {
			return host.Environment{Load: host.Volatile{ClockSource: before}}
		}
		o.Machine.Volatile = func() host.Volatile { return host.Volatile{ClockSource: after} }
		res := mustRun(t, t.Context(), o)
		same(t, res, want)
		if c := detail(t, res, "first/it-is-timed"); c.Verdict == measure.Void && c.Estimate != nil {
			t.Errorf("void for its clock, and yet estimated: %+v", c.Estimate)
		}
	}
	tsc, hpet := host.Known("tsc", "", "test"), host.Known("hpet", "", "test")
	steady := map[string]string{
		"first/it-is-timed": "held", "first/it-is-slow": "failed", "first/it-is-compared": "held",
		"first/it-is-counted": "held", "first/it-is-based": "held",
	}
	check(tsc, tsc, steady)
	check(tsc, host.Missing[string]("no /sys"), steady)
	check(tsc, hpet, map[string]string{
		"first/it-is-timed": "void (instrument)", "first/it-is-slow": "void (instrument)", "first/it-is-compared": "held",
		"first/it-is-counted": "held", "first/it-is-based": "void (precondition)",
	})
}

// What is NaN is written nowhere: the claim is void and the estimate null.
func TestNothingToDivideBy(t *testing.T) {
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		none := measure.Arm{Name: "none", Unit: "1", Count: func() (float64, error) { return 0, nil }}
		return r.Compare(ctx, []lab.Pair{{Claim: "it-is-compared", Episode: true, A: none, B: none}})
	}, compared("it-is-compared"))
	res := mustRun(t, t.Context(), options(t, l))
	same(t, res, map[string]string{"first/it-is-compared": "void (instrument)"})
	if c := detail(t, res, "first/it-is-compared"); c.Estimate != nil {
		t.Errorf("got the estimate %+v, want none", c.Estimate)
	}
}
