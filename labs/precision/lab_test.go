package precision

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// library are the documents of the suite's labs, as a run has them.
func library(t testing.TB) (documents []string) {
	t.Helper()
	files, err := filepath.Glob("../*/doc.go")
	if err != nil || len(files) < 13 {
		t.Fatalf("got %d documents, want one of each lab (%v)", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, string(text))
	}
	return documents
}

// beside puts the other labs' documents beside the lab under test, as labs of a
// claim that nobody asks for.
func beside(t testing.TB) labtest.Option {
	documents := library(t)
	return func(o *driver.Options) {
		for _, text := range documents {
			if !strings.Contains(text, "\npackage precision\n") {
				o.All = append(o.All, &lab.Lab{Doc: text, Claims: make([]lab.Claim, 1)})
			}
		}
	}
}

// A run of seed 1: every claim holds, as often observed as it should be.
func TestRun(t *testing.T) {
	res := labtest.Shape(t, Lab, beside(t))
	observed := map[string]int{}
	for _, c := range Lab.Claims {
		j := res.By[c.Name]
		if j.Verdict != measure.Held {
			t.Errorf("%s %v: %s", c.Name, j.Verdict, j.Detail)
		} else {
			observed[c.Name] = j.Estimate.N
		}
	}
	want := map[string]int{everyGradient: len(trials()), catchesTranspose: 3, accumulate: 403,
		doublesAgree: 1, singlesDrift: 1, noRecursion: 3, itLearns: 1}
	if d := cmp.Diff(want, observed); d != "" {
		t.Errorf("observations (-want +got):\n%s", d)
	}
	if n := len(res.Record.Tables); n != 3 {
		t.Errorf("got %d tables, want 3", n)
	}
	checkQuestions(t, res)
}

// A division is scored against what the run measured, so it must lie near it, and
// no candidate at it. What was timed may be anything, or nothing.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := map[string]struct{ derived, factor float64 }{
		"singles-over-doubles":   {1 << 29, 3},
		"difference-at-its-best": {2.4e-11, 4},
		"one-hot-over-loop":      {128, 0},
		"share-that-survives":    {0.0625, 1.01},
		"first-step-uncorrected": {3.1623, 1.01},
	}
	if len(res.Questions) != len(want) {
		t.Errorf("got %d questions, want %d", len(res.Questions), len(want))
	}
	within := func(v, w, factor float64) bool { return v > w/factor && v < w*factor }
	for _, q := range res.Questions {
		w := want[q.Name]
		if q.DeriveErr != nil || q.Derivation.Steps == "" || q.Measured == nil && w.factor > 0 {
			t.Fatalf("%s: %q, %v, measured %v", q.Name, q.Derivation.Steps, q.DeriveErr, q.Measured)
		}
		if got := q.Derivation.Value.Value; !within(got, w.derived, 1.01) {
			t.Errorf("%s: derived %v, want %v", q.Name, got, w.derived)
		}
		if w.factor > 0 && !within(*q.Measured, w.derived, w.factor) {
			t.Errorf("%s: measured %v, want %v within a factor of %v", q.Name, *q.Measured, w.derived, w.factor)
		}
		for _, c := range q.Candidates {
			if within(c.Value.Value, w.derived, 2) {
				t.Errorf("%s: the candidate %q, %v, gives the answer away", q.Name, c.Text, c.Value)
			}
		}
	}
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab, beside(t)) }

// observe runs a claim without the driver, with a control or without.
func observe(t *testing.T, seed uint64, control, claim string) []float64 {
	t.Helper()
	r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Control: control, Wanted: map[string]bool{claim: true}, Clock: measure.NewClock(), Documents: library(t)})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if v, void := r.Record().Voids[claim]; void {
		t.Fatalf("%s is void: %s", claim, v.Detail)
	}
	return r.Record().Evidence[claim].Values
}

// The truth lies far inside each region, and what a control makes far outside, for
// other seeds too.
func TestRoom(t *testing.T) {
	seeds := uint64(2)
	if raceDetector {
		seeds = 1
	}
	check := func(control, claim string, room measure.Region) {
		t.Helper()
		for seed := range seeds {
			var inside, outside int
			for _, v := range observe(t, 100+seed, control, claim) {
				if room.Contains(v) {
					inside++
				} else {
					outside++
				}
			}
			if control == "" && outside > 0 || control != "" && outside == 0 {
				t.Errorf("seed %d, control %q: %s has %d of %d in %v", seed, control, claim, inside, inside+outside, room)
			}
		}
	}
	check("", everyGradient, measure.AtMost(1e-8))
	check(heldConstant, everyGradient, measure.AtMost(0.1))
	check(lastOne, everyGradient, measure.AtMost(0.1))
	check("", catchesTranspose, measure.AtLeast(1e5))
	check(plainSum, catchesTranspose, measure.AtLeast(10))
	check("", doublesAgree, measure.Within(1e-16, 1e-13))
	check(wrongBias, doublesAgree, measure.Within(0, 1e-3))
	check("", singlesDrift, measure.AtLeast(1e7))
	check(sameBug, singlesDrift, measure.AtLeast(2))
	check(recursion, noRecursion, measure.Within(0, 100))
	check(asFound, noRecursion, measure.Within(0.1, 10))
}

// A lab without text says so, and learns nothing.
func TestNoText(t *testing.T) {
	r := lab.NewRun(lab.Config{Lab: Lab, Wanted: map[string]bool{itLearns: true}})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if v := r.Record().Voids[itLearns]; v.Reason != measure.Error || !strings.Contains(v.Detail, "too short") {
		t.Errorf("got %+v, want void by an error that says what is missing", v)
	}
}

func TestCancelled(t *testing.T) {
	labtest.Cancelled(t, lab.Config{Lab: Lab, Documents: library(t), Clock: measure.NewClock()}, steps)
}

// Every claim is measured by exactly one step.
func TestSteps(t *testing.T) { labtest.Parts(t, Lab, steps) }
