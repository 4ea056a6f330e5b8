package driver

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
)

// interrupted demands that a run ended as one that was stopped.
func interrupted(t *testing.T, res *Result) {
	t.Helper()
	m := res.Manifest(manifest.Program{}, nil)
	if !res.Interrupted || m.Outcome != manifest.Interrupted || manifest.ExitCode(m, nil, false) != manifest.ExitInterrupted {
		t.Errorf("interrupted %v, outcome %v, exit code %d; want true, %v, %d",
			res.Interrupted, m.Outcome, manifest.ExitCode(m, nil, false), manifest.Interrupted, manifest.ExitInterrupted)
	}
}

// What earlier labs found stands. The lab that was stopped may have counted half
// of what it had to, so all of it is void, and so are the labs that come later.
func TestStoppedInALab(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	done := fake("done", observing(map[string]float64{"it-is-old": 0}), counted("it-is-old"))
	first := fake("first", func(ctx context.Context, r *lab.Run) error {
		r.Observe("it-is-seen", 0)
		if err := os.WriteFile(filepath.Join(r.Dir, "file"), nil, 0o600); err != nil {
			return err
		}
		stop()
		return ratio(ctx, r, "it-is-late", 9)
	}, counted("it-is-seen"), compared("it-is-late"), counted("it-is-later", "first/it-is-seen"))
	called := false
	second := fake("second", func(context.Context, *lab.Run) error { called = true; return nil }, counted("it-is-next"))
	res := mustRun(t, ctx, options(t, done, first, second))
	interrupted(t, res)
	same(t, res, map[string]string{
		"done/it-is-old": "held", "first/it-is-seen": "void (interrupted)", "first/it-is-late": "void (interrupted)", "first/it-is-later": "void (interrupted)",
		"second/it-is-next": "void (interrupted)",
	})
	if called {
		t.Error("the second lab was run")
	}
}

// Conditions that a lab records when it is stopped, or falls over, have an end:
// without one the manifest would not verify.
func TestStoppedInConditions(t *testing.T) {
	check := func(name string, leave func(stop func(), ctx context.Context) error) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		l := fake("first", func(ctx context.Context, r *lab.Run) error {
			r.Watch()
			return leave(stop, ctx)
		}, counted("it-is-seen"))
		o := options(t, l)
		o.Machine.Volatile = func() host.Volatile { return host.Volatile{Load1: host.Known(1.0, "1", "t")} }
		conditions := mustRun(t, ctx, o).Manifest(manifest.Program{}, nil).Labs[0].Conditions
		if len(conditions) != 2 {
			t.Fatalf("%s: got %d stretches of conditions, want 2", name, len(conditions))
		}
		for i, c := range conditions {
			if _, ok := c.After.Load1.Get(); !ok || c.Wall <= 0 {
				t.Errorf("%s: stretch %d has no end: it took %v s, then the load was %v", name, i, c.Wall, c.After.Load1)
			}
		}
	}
	check("stopped", func(stop func(), ctx context.Context) error { stop(); return ctx.Err() })
	check("fallen over", func(func(), context.Context) error { panic("the test's own") })
}

func TestStoppedBeforeTheFirstLab(t *testing.T) {
	l := fake("first", observing(map[string]float64{"it-is-seen": 0}), counted("it-is-seen"))
	want := map[string]string{"first/it-is-seen": "void (interrupted)"}

	ctx, stop := context.WithCancel(t.Context())
	stop()
	res := mustRun(t, ctx, options(t, l))
	interrupted(t, res)
	same(t, res, want)

	ctx, stop = context.WithCancel(t.Context())
	o := options(t, l)
	o.Machine.Axioms = func(ctx context.Context, _ *measure.Clock, _ string, _ *rand.Rand, _ time.Duration) ([]axioms.Measured, error) {
		stop()
		return nil, ctx.Err()
	}
	res = mustRun(t, ctx, o)
	interrupted(t, res)
	same(t, res, want)
}

// A claim that failed once has not failed before its retest: one measurement
// does not accuse anybody.
func TestStoppedBeforeTheRetest(t *testing.T) {
	check := func(name string, retest func(stop func(), ctx context.Context, r *lab.Run) error, stopAtOnce bool) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		calls := 0
		first := fake("first", func(ctx context.Context, r *lab.Run) error {
			if calls++; calls > 1 {
				return retest(stop, ctx, r)
			}
			return ratio(ctx, r, "it-is-real", 1)
		}, compared("it-is-real"))
		second := fake("second", func(_ context.Context, r *lab.Run) error {
			r.Observe("it-is-counted", 1)
			if stopAtOnce {
				stop()
			}
			return nil
		}, counted("it-is-counted"))
		res := mustRun(t, ctx, options(t, first, second))
		interrupted(t, res)
		same(t, res, map[string]string{"first/it-is-real": "void (interrupted)", "second/it-is-counted": "failed"})
		says(t, res, "first/it-is-real", "failed at first, and the run was stopped")
		if c := detail(t, res, "first/it-is-real"); c.Estimate != nil || c.Evidence == nil {
			t.Errorf("%s: got estimate %v, evidence %v; want the evidence alone", name, c.Estimate, c.Evidence)
		}
	}
	check("before it", nil, true)
	check("in it, nothing observed", func(stop func(), ctx context.Context, r *lab.Run) error {
		stop()
		return ctx.Err()
	}, false)
	check("in it, half observed", func(stop func(), ctx context.Context, r *lab.Run) error {
		n := 0
		arm := measure.Arm{Name: "a", Unit: "1", Count: func() (float64, error) {
			if n++; n == 5 {
				stop()
			}
			return 1, nil
		}}
		return r.Compare(ctx, []lab.Pair{{Claim: "it-is-real", Episode: true, A: arm, B: arm}})
	}, false)
}

// A retest that had come to its end before the run was stopped counts.
func TestStoppedAfterTheRetest(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	calls := 0
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		calls++
		err := ratio(ctx, r, "it-is-real", 1)
		if calls > 1 {
			stop()
		}
		return err
	}, compared("it-is-real"))
	res := mustRun(t, ctx, options(t, l))
	interrupted(t, res)
	same(t, res, map[string]string{"first/it-is-real": "failed"})
}

// That the axioms can't be measured is no verdict on anything: the run fails.
func TestAxiomsThatCannotBeMeasured(t *testing.T) {
	l := fake("first", observing(map[string]float64{"it-is-seen": 0}), counted("it-is-seen"))
	broken := errors.New("out of paper")
	check := func(o Options, want string) {
		t.Helper()
		_, err := Run(t.Context(), o)
		if !errors.Is(err, broken) || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
		left(t, o.Dir)
	}
	o := options(t, l)
	o.Machine.Barrier = func(*measure.Clock, string, *rand.Rand) (time.Duration, error) { return 0, broken }
	check(o, "trying the directory: out of paper")
	o = options(t, l)
	o.Machine.Axioms = func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
		return nil, broken
	}
	check(o, "measuring the axioms: out of paper")
}
