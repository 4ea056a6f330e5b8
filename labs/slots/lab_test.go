package slots

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestGolden holds the run of seed 1 to its counts. The timed claim has a shape
// only.
func TestGolden(t *testing.T) {
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		if j := res.By[c.Name]; c.Name != clockAgrees && j.Estimate != nil {
			got = append(got, fmt.Sprintf("%s %v: %.4f to %.4f of %d", c.Name, j.Verdict, j.Estimate.Low, j.Estimate.High, j.Estimate.N))
		}
	}
	want := []string{
		"static-occupancy-is-the-mean-over-the-max held: 0.1792 to 0.1792 of 8",
		"continuous-needs-under-60-percent-of-the-passes held: 0.1997 to 0.2972 of 65",
		"every-token-is-the-same held: 0.0000 to 0.0000 of 512",
		"late-eviction-costs-one-step-each held: 1.0000 to 1.0000 of 512",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	if len(res.Record.Tables) != 3 {
		t.Fatalf("got %d tables, want the counts and two pictures", len(res.Record.Tables))
	}
	table := lab.Table{
		Title: "512 requests of 3,013 tokens in 8 slots", Header: []string{"scheduler", "passes", "slot-steps", "used"},
		Rows: [][]string{
			{"static", "1,856", "14,848", "20.3 %"},
			{"continuous", "475", "3,013", "100.0 %"},
			{"continuous, evicting a pass late", "526", "3,525", "85.5 %"},
		},
	}
	if d := cmp.Diff(table, res.Record.Tables[0]); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
	checkPictures(t, res.Record.Tables[1:])
	checkQuestions(t, res)
}

// A picture goes through the printer of tables, which sets it in by two columns
// and puts two more before each cell.
func checkPictures(t *testing.T, pictures []lab.Table) {
	t.Helper()
	for i, title := range []string{"static: the first 64 requests", "continuous: the first 64 requests"} {
		p := pictures[i]
		if !strings.HasPrefix(p.Title, title) || len(p.Header) != 0 || len(p.Rows) != batch+1 {
			t.Errorf("picture %d: got %q with %d lines", i, p.Title, len(p.Rows))
		}
		dead := 0
		for _, r := range p.Rows {
			if w := 2 + 2 + len("slot 1") + 2 + len(r[1]); w > 80 {
				t.Errorf("%s: a line of %d columns: %q", title, w, r[1])
			}
			dead += strings.Count(r[1], ".")
		}
		if (i == 0) != (dead > 100) || i == 1 && dead > 0 {
			t.Errorf("%s: %d columns are held for nothing", title, dead)
		}
	}
}

// A division is scored against what the run measured, so it must lie near it.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := []struct {
		name              string
		derived, measured float64 // measured 0: only the clock knows
	}{
		{"share-of-slot-steps", 172.0 / 960, 172.0 / 960},
		{"passes-continuous-over-static", 0.1995, 475.0 / 1856},
		{"slot-steps-evicting-late", 180, 180},
		{"tokens-per-second", 5.0125, 0},
		{"pass-of-eight-rows", 2.62e-6, 0},
	}
	if len(res.Questions) != len(want) {
		t.Fatalf("got %d questions, want %d", len(res.Questions), len(want))
	}
	for i, q := range res.Questions {
		w := want[i]
		if q.Name != w.name || q.DeriveErr != nil || q.Derivation.Steps == "" {
			t.Errorf("question %d: got %s by %q, %v; want %s", i, q.Name, q.Derivation.Steps, q.DeriveErr, w.name)
		}
		if got := q.Derivation.Value.Value; got < w.derived*0.999 || got > w.derived*1.001 {
			t.Errorf("%s: derived %v, want %v", q.Name, got, w.derived)
		}
		if w.measured != 0 && (q.Measured == nil || *q.Measured != w.measured) {
			t.Errorf("%s: measured %v, want %v", q.Name, q.Measured, w.measured)
		}
		if strings.Contains(q.Text, "172") && w.measured == 172.0/960 {
			t.Errorf("%s tells its answer", q.Name)
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
	}
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab) }

// observe runs claims without the driver, with a control or without.
func observe(t *testing.T, seed uint64, control string, claims ...string) map[string]measure.Evidence {
	t.Helper()
	wanted := map[string]bool{}
	for _, c := range claims {
		wanted[c] = true
	}
	r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Control: control, Wanted: wanted})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r.Record().Evidence
}

// What a control leaves is known, so that it fails for its own reason.
func TestControlledNumbers(t *testing.T) {
	check := func(control, claim string, n int, want float64) {
		t.Helper()
		got := observe(t, 1, control, claim)[claim].Values
		if len(got) == 0 {
			t.Errorf("%s: nothing observed for %s", control, claim)
		}
		for _, v := range got {
			if len(got) != n || v != want {
				t.Fatalf("%s: got %v and %d values of %s, want %v and %d", control, v, len(got), claim, want, n)
			}
		}
	}
	check(earlyEviction, meanOverMax, 8, 1)
	check(bothStatic, fewerPasses, 65, 1)
	check(evictBefore, oneStepEach, requests, 0)
}

// Other seeds: other weights, other prompts, another order.
func TestSeeds(t *testing.T) {
	for seed := range uint64(4) {
		exact := []string{meanOverMax, fewerPasses, sameTokens, oneStepEach}
		observed := observe(t, seed, "", exact...)
		for _, claim := range exact {
			if j := measure.Judge(Lab.Claim(claim).Terms(), observed[claim], 0); j.Verdict != measure.Held {
				t.Errorf("seed %d: %s %v: %s", seed, claim, j.Verdict, j.Detail)
			}
		}
		// What the slot remembers must reach most of those who use it later.
		changed := 0
		for _, v := range observe(t, seed, reusedDirty, sameTokens)[sameTokens].Values {
			if v > 0 {
				changed++
			}
		}
		if changed < requests/40 || changed > requests/2 {
			t.Errorf("seed %d: a slot that isn't cleared changes %d of %d requests", seed, changed, requests)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := lab.NewRun(lab.Config{Lab: Lab})
	if err := Lab.Measure(ctx, r); err != context.Canceled || len(r.Record().Evidence) != 0 {
		t.Errorf("got error %v and evidence for %d claims, want %v and none", err, len(r.Record().Evidence), context.Canceled)
	}
	b := newTestBench(t, r)
	for _, s := range steps {
		if s.claim == clockAgrees {
			continue // needs a clock, and measure owns its loop
		}
		if err := s.observe(b, ctx); err != context.Canceled {
			t.Errorf("%s: got error %v, want %v", s.claim, err, context.Canceled)
		}
	}
}

func newTestBench(t *testing.T, r *lab.Run) *bench {
	t.Helper()
	b := newBench(r)
	t.Cleanup(func() { b.engine.free() })
	return b
}

// Every claim is measured by exactly one step.
func TestSteps(t *testing.T) {
	times := map[string]int{}
	for _, s := range steps {
		times[s.claim]++
	}
	for _, c := range Lab.Claims {
		if times[c.Name] != 1 || len(steps) != len(Lab.Claims) {
			t.Errorf("%s is measured by %d steps of %d, want 1 of %d", c.Name, times[c.Name], len(steps), len(Lab.Claims))
		}
	}
}
