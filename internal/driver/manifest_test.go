package driver

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// A claim over several pairs of arms names the series of each, and those of its
// retest, as the record has them.
func TestManifestOfParts(t *testing.T) {
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		arm := func(v float64) measure.Arm {
			return measure.Arm{Name: "arm", Unit: "1", Count: func() (float64, error) { return v, nil }}
		}
		return r.Compare(ctx, []lab.Pair{
			{Claim: "it-is-real", Part: "one", Episode: true, A: arm(9), B: arm(1)},
			{Claim: "it-is-real", Part: "two", Episode: true, A: arm(1), B: arm(1)},
		})
	}, compared("it-is-real"))
	res := mustRun(t, t.Context(), options(t, l))
	same(t, res, map[string]string{"first/it-is-real": "failed"})
	m := res.Manifest(manifest.Program{}, nil).Labs[0]
	there := map[string]bool{}
	for _, s := range m.Series {
		there[s.Name] = s.N == 16
	}
	for _, e := range []*manifest.Evidence{m.Claims[0].Evidence, m.Claims[0].Retest} {
		if len(e.Parts) != 2 {
			t.Fatalf("got %+v, want two parts", e)
		}
		for _, p := range e.Parts {
			if !there[p.A] || !there[p.B] {
				t.Errorf("part %s: its series %s and %s are not both in %v", p.Name, p.A, p.B, there)
			}
		}
	}
}

// What lies in somebody's directory is not told: an error names a file, not
// where it is.
func TestManifestHidesPaths(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	l := fake("first", func(_ context.Context, r *lab.Run) error {
		r.Note("in %s", r.Dir)
		_, err := os.Open(filepath.Join(r.Dir, "gone"))
		r.Void("it-is-kept", measure.Unreachable, "not in /home/somebody/x")
		return err
	}, counted("it-is-seen"), counted("it-is-kept"))
	o := options(t, l)
	m := mustRun(t, t.Context(), o).Manifest(manifest.Program{}, nil)
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{o.Dir, "/home/somebody"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the manifest tells %s: %s", secret, text)
		}
	}
	if got := m.Labs[0].Error; !strings.HasPrefix(got, "open DIR/.envelope-") {
		t.Errorf("got %q, want the role of the directory in it", got)
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
