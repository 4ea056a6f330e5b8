package driver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
)

// A result of every kind becomes an element that Append takes and reads back.
func TestManifest(t *testing.T) {
	share := lab.Claim{Name: "it-is-tried", Version: 1, Scope: lab.Program, Kind: measure.Binomial, Unit: "1", Region: measure.AtMost(0.5)}
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		r.Observe("it-is-counted", 0, 0, 0)
		r.Trials("it-is-tried", 1, 100)
		r.Note("a note about %d", 7)
		if err := ratio(ctx, r, "it-is-real", 1); err != nil {
			return err
		}
		return errors.New("out of paper")
	}, counted("it-is-counted"), compared("it-is-real"), share, counted("it-is-gone"))
	l.Controls = []lab.Control{{Name: "sabotage", Breaks: []string{"it-is-counted", "it-is-real"}}}
	res := mustRun(t, t.Context(), options(t, l))
	program := manifest.Program{Sources: map[string]manifest.Sources{"labs/first": {"a.go": "00"}}}
	m := res.Manifest(program, []string{"envelope", "run"})

	got := m.Labs[0]
	if m.Outcome != manifest.Complete || !m.Finished.After(m.Started) || got.Error != "out of paper" || got.Notes[0] != "a note about 7" ||
		got.Source != manifest.SourceHash(program.Sources["labs/first"]) || got.Barrier != 1e-3 {
		t.Errorf("got the outcome %v and the lab %+v", m.Outcome, got)
	}
	series := map[string]int{}
	for _, s := range got.Series {
		series[s.Name] = s.N
	}
	want := map[string]int{"it-is-counted": 3, "it-is-real/a": 16, "it-is-real/b": 16, "it-is-real/retest-a": 16, "it-is-real/retest-b": 16}
	if diff := cmp.Diff(want, series); diff != "" {
		t.Errorf("series (- want, + got):\n%s", diff)
	}
	counted, real, tried, gone := got.Claims[0], got.Claims[1], got.Claims[2], got.Claims[3]
	if counted.Evidence.Values != "it-is-counted" || counted.Controls[0] != "sabotage" || *counted.Estimate.Value != 0 {
		t.Errorf("an exact claim: got %+v", counted)
	}
	if real.Evidence.A != "it-is-real/a" || real.Retest.B != "it-is-real/retest-b" || real.Verdict != measure.Failed {
		t.Errorf("a claim that failed twice: got %+v", real)
	}
	if *tried.Evidence.Successes != 1 || *tried.Evidence.Trials != 100 || tried.Scope != "program" {
		t.Errorf("a binomial claim: got %+v", tried)
	}
	if gone.Evidence != nil || gone.Estimate != nil || gone.Reason != measure.Error || gone.Detail != "out of paper" {
		t.Errorf("a claim that was not reported: got %+v", gone)
	}

	path := filepath.Join(t.TempDir(), "results.json")
	if _, err := manifest.Append(path, m, manifest.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, sum, err := manifest.Verify(f, manifest.VerifyOptions{}); err != nil || sum.Runs != 1 {
		t.Errorf("reading it back: got %+v, %v", sum, err)
	}
}

// The summary of a lab's time has the retest in it.
func TestRetestCountsAsTime(t *testing.T) {
	res := mustRun(t, t.Context(), options(t, fake("first", inTurn("it-is-real", 1, 9), compared("it-is-real"))))
	l := res.Labs[0]
	if once := l.Record.Conditions[0].Wall; l.Wall <= once {
		t.Errorf("got %v, want more than the first measurement's %v", l.Wall, once)
	}
}
