package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
)

// inTurn is the work of a lab whose arms stand in one ratio the first time it is
// called and in the next one after that.
func inTurn(claim string, ratios ...float64) func(context.Context, *lab.Run) error {
	calls := 0
	return func(ctx context.Context, r *lab.Run) error {
		calls++
		return ratio(ctx, r, claim, ratios[calls-1])
	}
}

func TestRetest(t *testing.T) {
	check := func(want, why string, ratios ...float64) {
		t.Helper()
		res := mustRun(t, t.Context(), options(t, fake("first", inTurn("it-is-real", ratios...), compared("it-is-real"))))
		same(t, res, map[string]string{"first/it-is-real": want})
		says(t, res, "first/it-is-real", why)
		c := detail(t, res, "first/it-is-real")
		if (c.Retest != nil) != (len(ratios) > 1) || c.Evidence == nil {
			t.Errorf("ratios %v: got evidence %v, retest %v", ratios, c.Evidence != nil, c.Retest != nil)
		}
		if c.Retest == nil {
			return
		}
		for i, series := range []string{"it-is-real/a", "it-is-real/retest-a"} {
			if got := seriesNamed(res, series); len(got) == 0 || got[0] != ratios[i] {
				t.Errorf("series %s: got %v, want samples of %v", series, got, ratios[i])
			}
		}
	}
	check("held", "", 9)
	check("failed", "(and 1 in the first measurement)", 1, 2)
	check("void (noisy)", "failed at first, held in the retest", 1, 9)
}

func seriesNamed(res *Result, name string) []float64 {
	for _, l := range res.Labs {
		for _, s := range l.Record.Series {
			if s.Name == name {
				return s.Samples
			}
		}
	}
	return nil
}

// A retest that comes to nothing is no confirmation.
func TestRetestThatBreaks(t *testing.T) {
	calls := 0
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		if calls++; calls > 1 {
			return errors.New("out of paper")
		}
		return ratio(ctx, r, "it-is-real", 1)
	}, compared("it-is-real"))
	res := mustRun(t, t.Context(), options(t, l))
	same(t, res, map[string]string{"first/it-is-real": "void (noisy)"})
	says(t, res, "first/it-is-real", "failed at first, void (error) in the retest")
	if calls != 2 {
		t.Errorf("measured %d times, want 2", calls)
	}
}

// What was counted is what it is: only comparisons are taken again.
func TestCountsAreNotRetested(t *testing.T) {
	calls := 0
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		calls++
		r.Observe("it-is-counted", 1)
		return nil
	}, counted("it-is-counted"))
	same(t, mustRun(t, t.Context(), options(t, l)), map[string]string{"first/it-is-counted": "failed"})
	if calls != 1 {
		t.Errorf("measured %d times, want once", calls)
	}
}

// The retest is of the failed claim alone, in a fresh directory, with the next
// seed; the files of the first measurement are gone by then.
func TestRetestIsFresh(t *testing.T) {
	var dirs []string
	var seeds []uint64
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		if entries, err := os.ReadDir(r.Dir); err != nil || len(entries) > 0 {
			t.Errorf("got %v and %v, want an empty directory", entries, err)
		}
		if err := os.WriteFile(filepath.Join(r.Dir, "file"), []byte("x"), 0o600); err != nil {
			return err
		}
		dirs, seeds = append(dirs, r.Dir), append(seeds, r.Seed)
		if len(dirs) > 1 {
			if _, err := os.Stat(dirs[0]); !os.IsNotExist(err) {
				t.Errorf("%s is still there: %v", dirs[0], err)
			}
			if r.Wants("it-is-fine") || !r.Wants("it-is-real") {
				t.Error("want the failed claim measured again, and no other")
			}
		}
		return errors.Join(ratio(ctx, r, "it-is-real", 1), ratio(ctx, r, "it-is-fine", 9))
	}, compared("it-is-real"), compared("it-is-fine"))
	same(t, mustRun(t, t.Context(), options(t, l)), map[string]string{"first/it-is-real": "failed", "first/it-is-fine": "held"})
	if len(dirs) != 2 || dirs[0] == dirs[1] || !slices.Equal(seeds, []uint64{1, 2}) {
		t.Errorf("got directories %v and seeds %v, want two of each", dirs, seeds)
	}
}

// log is a watcher that writes down what it is told.
type log []string

func (l *log) add(format string, args ...any)   { *l = append(*l, fmt.Sprintf(format, args...)) }
func (l *log) Environment(*host.Environment)    { l.add("environment") }
func (l *log) Axioms([]axioms.Measured, string) { l.add("axioms") }
func (l *log) Begin(lb *lab.Lab, i, n int)      { l.add("begin %s %d/%d", lb.Name, i, n) }
func (l *log) Step(float64)                     {}
func (l *log) End(lb *Lab)                      { l.add("end %s", lb.Lab.Name) }
func (l *log) Retest(lb *lab.Lab, names []string) {
	l.add("retest %s %s", lb.Name, strings.Join(names, " "))
}

// What others rest on is measured again before they are: they must not be run
// in vain, nor left out for a false alarm. All else waits for the end.
func TestRestedOnIsRetestedFirst(t *testing.T) {
	check := func(second float64, verdict, based string, ran bool) {
		t.Helper()
		var got log
		called := false
		o := options(t,
			fake("first", func(ctx context.Context, r *lab.Run) error {
				v := 1.0
				if r.Seed > 1 {
					v = second
				}
				return errors.Join(ratio(ctx, r, "it-is-real", v), ratio(ctx, r, "it-is-aside", v))
			}, compared("it-is-real"), compared("it-is-aside")),
			fake("second", func(_ context.Context, r *lab.Run) error {
				called = true
				r.Observe("it-is-based", 0)
				return nil
			}, counted("it-is-based", "first/it-is-real")))
		o.Watcher = &got
		res := mustRun(t, t.Context(), o)
		same(t, res, map[string]string{"first/it-is-real": verdict, "first/it-is-aside": verdict, "second/it-is-based": based})
		want := []string{
			"environment", "axioms", "begin first 0/2", "retest first it-is-real", "end first",
			"begin second 1/2", "end second", "retest first it-is-aside",
		}
		if !slices.Equal(got, want) || called != ran {
			t.Errorf("got %v, second lab run: %v; want %v, %v", got, called, want, ran)
		}
	}
	check(1, "failed", "void (precondition)", false)
	check(9, "void (noisy)", "void (precondition)", false)
}

// The conditions of a retest's samples are those of the retest.
func TestRetestKeepsItsConditions(t *testing.T) {
	res := mustRun(t, t.Context(), options(t, fake("first", inTurn("it-is-real", 1, 1), compared("it-is-real"))))
	at := map[string]int{}
	for _, s := range res.Labs[0].Record.Series {
		at[s.Name] = s.Conditions
	}
	n := len(res.Labs[0].Record.Conditions)
	if n != 4 || at["it-is-real/a"] != 1 || at["it-is-real/retest-a"] != 3 {
		t.Errorf("got %d conditions, series at %v; want 4, the retest's at 3", n, at)
	}
	for _, c := range detail(t, res, "first/it-is-real").Retest.Blocks.A {
		if c != 1 {
			t.Errorf("got the sample %v, want 1", c)
		}
	}
}
