package paging

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.steps", "300"); err != nil {
		panic(err)
	}
	labtest.Main(m, Lab)
}

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestGolden holds the run of seed 1 to its counts. The timed claim has a shape
// only, and the last digits of a float32 differ between processors.
func TestGolden(t *testing.T) {
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		j := res.By[c.Name]
		switch {
		case c.Name == nearlyFree:
			continue
		case j.Estimate == nil:
			t.Fatalf("%s: got %v (%s) %s, want an estimate", c.Name, j.Verdict, j.Reason, j.Detail)
		case c.Name == sameAnswer:
			got = append(got, fmt.Sprintf("%s %v of %d", c.Name, j.Verdict, j.Estimate.N))
		default:
			got = append(got, fmt.Sprintf("%s %v: %.4f to %.4f of %d", c.Name, j.Verdict, j.Estimate.Low, j.Estimate.High, j.Estimate.N))
		}
	}
	want := []string{
		"waste-is-under-one-block held: 0.0000 to 0.9961 of 2400",
		"six-times-as-many-fit held: 5.8134 to 5.8220 of 5",
		"allocator-agrees-with-a-model held: 0.0000 to 0.0000 of 1001",
		"shared-prefix-is-stored-once held: 0.0000 to 0.0000 of 360",
		"prefix-identity-is-the-whole-prefix held: 0.0000 to 0.0000 of 576",
		"same-answer-through-the-table held of 99",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	notes := []string{
		"Of 1,000,000 operations on 144 blocks, among them 127,045 blocks found by their prefix, 3,412 blocks merged when full, " +
			"24,889 copies on write, 92,027 evictions, 2,729 prompts refused, 16,412 appends refused, none came out otherwise than in the reference.",
	}
	if d := cmp.Diff(notes, res.Record.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	tables := []lab.Table{{
		Title:  "sequences of 350 tokens in the place of 66 x 2048",
		Header: []string{"block", "blocks each", "unused tokens each", "sequences that fit"},
		Rows:   [][]string{{"1", "350", "0", "386"}, {"16", "22", "2", "384"}, {"256", "2", "162", "264"}, {"2,048", "1", "1,698", "66"}},
	}}
	if d := cmp.Diff(tables, res.Record.Tables); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	checkQuestions(t, res)
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab) }

// A division is scored against what the run measured, so it must lie near it.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := []struct {
		name     string
		value    float64
		measured bool // exactly that, too
	}{
		{"reserved-and-unused", 1 - 350.0/2048, true},
		{"unused-in-blocks-of-16", 2, true},
		{"sequences-in-66-gb", 384, true},
		{"price-of-the-table", 1.0038, false},
	}
	if len(res.Questions) != len(want) {
		t.Fatalf("got %d questions, want %d", len(res.Questions), len(want))
	}
	for i, q := range res.Questions {
		w := want[i]
		if q.Name != w.name || q.DeriveErr != nil || q.Derivation.Steps == "" {
			t.Errorf("question %d: got %s by %q, %v; want %s", i, q.Name, q.Derivation.Steps, q.DeriveErr, w.name)
		}
		if got := q.Derivation.Value.Value; w.measured && got != w.value || got < w.value*0.95 || got > w.value*1.05 {
			t.Errorf("%s: derived %v, want %v", q.Name, got, w.value)
		}
		if w.measured && (q.Measured == nil || *q.Measured != w.value) {
			t.Errorf("%s: measured %v, want %v", q.Name, q.Measured, w.value)
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
	}
}

// Other seeds: the division must not depend on which lengths are drawn.
func TestSeeds(t *testing.T) {
	if raceDetector {
		t.Skip("nothing runs beside it: the seeds are for a faster build")
	}
	for seed := range uint64(10) {
		r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Wanted: map[string]bool{sixTimes: true, underBlock: true, once: true, whole: true}})
		if err := Lab.Measure(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		for name := range r.Wanted {
			e := r.Record().Evidence[name]
			if j := measure.Judge(Lab.Claim(name).Terms(), e, 0); j.Verdict != measure.Held {
				t.Errorf("seed %d: %s %v: %s", seed, name, j.Verdict, j.Detail)
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range steps {
		r := lab.NewRun(lab.Config{Lab: Lab})
		if s.Claim == nearlyFree {
			continue // needs a clock, and measure owns its loop
		}
		if err := s.Observe(ctx, r); err != context.Canceled {
			t.Errorf("%s: got error %v, want %v", s.Claim, err, context.Canceled)
		}
	}
	r := lab.NewRun(lab.Config{Lab: Lab})
	if err := Lab.Measure(ctx, r); err != context.Canceled || len(r.Record().Evidence) != 0 {
		t.Errorf("got error %v and evidence for %d claims, want %v and none", err, len(r.Record().Evidence), context.Canceled)
	}
}

// Every claim is measured by exactly one step.
func TestSteps(t *testing.T) { labtest.Parts(t, Lab, steps) }
