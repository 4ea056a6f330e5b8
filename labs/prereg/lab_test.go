package prereg

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

func TestMain(m *testing.M) {
	killsPerStep = 1
	labtest.Main(m, Lab)
}

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestGolden holds the run of seed 1 to its counts.
func TestGolden(t *testing.T) {
	if raceDetector {
		t.Skip("it takes many times the draws of TestControls, which runs the same code")
	}
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		j := res.By[c.Name]
		if j.Estimate == nil {
			t.Fatalf("%s: got %v (%s) %s, want an estimate", c.Name, j.Verdict, j.Reason, j.Detail)
		}
		got = append(got, fmt.Sprintf("%s %v: %.4f to %.4f of %d", c.Name, j.Verdict, j.Estimate.Low, j.Estimate.High, j.Estimate.N))
	}
	want := []string{
		"luckiest-of-n-looks-skilled held: 0.9706 to 1.0128 of 10",
		"deflation-restores-the-error-rate held: 0.0486 to 0.5722 of 6",
		"autocorrelation-fakes-confidence held: 0.6931 to 0.8609 of 2",
		"ranks-can-be-right-and-lose held: 0.0000 to 0.0000 of 6",
		"the-future-is-invisible held: 0.0000 to 0.0000 of 278",
		"the-lock-allows-one-look held: 0.0000 to 0.0000 of 40",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	checkQuestions(t, res)
	checkTrials(t, res.Record.Tables)
}

// A division is scored against what the run measured, so it must lie near it; and
// no candidate may give it away.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := map[string]float64{"best-of-ten": 1.575, "found-in-the-best-of-20": 0.6415, "rejected-as-if-independent": 0.1504,
		"fees-a-year": 0.73, "registered-after-half-a-look": 0}
	if len(res.Questions) != len(want) {
		t.Errorf("got %d questions, want %d", len(res.Questions), len(want))
	}
	for _, q := range res.Questions {
		w := want[q.Name]
		if q.DeriveErr != nil || q.Derivation.Steps == "" || q.Measured == nil {
			t.Fatalf("%s: %q, %v, measured %v", q.Name, q.Derivation.Steps, q.DeriveErr, q.Measured)
		}
		for _, c := range q.Candidates {
			if v := c.Value.Value; w != 0 && v > w*0.95 && v < w*1.05 {
				t.Errorf("%s: the candidate %q, %v, gives the answer away", q.Name, c.Text, v)
			}
		}
		if got := q.Derivation.Value.Value; got < w*0.999 || got > w*1.001 {
			t.Errorf("%s: derived %v, want %v", q.Name, got, w)
		}
		if got := *q.Measured; got < w*0.95 || got > w*1.05 {
			t.Errorf("%s: measured %v, want %v", q.Name, got, w)
		}
	}
}

// Every step was killed at, and what is in the record then follows from the step:
// no look is without an entry, and a registered result is there only where the
// first study came to reveal it or had not begun to look.
func checkTrials(t *testing.T, tables []lab.Table) {
	t.Helper()
	want := map[string]string{
		"nowhere": "1 2 2 2 1 0", "register create": "1 1 1 1 1 0", "register write": "1 1 1 1 1 0",
		"register sync": "1 1 2 1 0 0", "register sync directory": "1 1 2 1 0 0", "register end": "1 1 2 1 0 0",
		"registered": "1 1 2 1 0 0", "half seen": "1 2 2 1 0 0", "whole seen": "1 2 2 1 0 0",
		"reveal create": "1 2 2 1 0 0", "reveal write": "1 2 2 1 0 0", "reveal sync": "1 2 2 2 1 0", "reveal end": "1 2 2 2 1 0",
	}
	got := map[string]string{}
	for _, row := range tables[len(tables)-1].Rows {
		got[row[0]] = strings.Join(row[1:], " ")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("runs, looks, entries, results, registered ones, facts otherwise (-want +got):\n%s", d)
	}
}

// observe runs a claim without the driver, with a control or without.
func observe(t *testing.T, seed uint64, control, claim string) measure.Evidence {
	t.Helper()
	r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Control: control, Wanted: map[string]bool{claim: true}, Dir: t.TempDir(), Start: driver.Start})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if v, ok := r.Record().Voids[claim]; ok {
		t.Fatalf("%s: %v", claim, v)
	}
	return r.Record().Evidence[claim]
}

// Each control makes its claim fail, through the driver as a user would run it. A
// sabotage shows with a fraction of the draws that honesty needs.
func TestControls(t *testing.T) {
	defer func(was int) { fewer = was }(fewer)
	fewer = 8
	labtest.Controls(t, Lab)
}

var seeds = flag.Int("seeds", 1, "how many seeds TestSeeds goes through")

// room is what the observations of an honest run keep to: see the derivations
// beside the code that makes them. What the first leaves of its region is mostly
// the formula's own 2.5 %.
var room = map[string]measure.Region{
	looksSkilled: measure.Within(0.955, 1.03),
	restores:     measure.AtMost(0.65),
	fakes:        measure.AtMost(0.97),
	canLose:      measure.Equal(0),
	invisible:    measure.Equal(0),
}

// Other seeds: every claim that rests on drawing holds, and with room. The
// command for the error rate: go test ./labs/prereg -run TestSeeds -seeds 200 -v
func TestSeeds(t *testing.T) {
	if raceDetector {
		t.Skip("nothing runs beside it: the seeds are for a faster build")
	}
	n := *seeds
	worst := map[string][2]float64{}
	for seed := range uint64(n) {
		for claim, region := range room {
			e := observe(t, 100+seed, "", claim)
			if j := measure.Judge(Lab.Claim(claim).Terms(), e, 0); j.Verdict != measure.Held {
				t.Errorf("seed %d: %s %v: %s", seed, claim, j.Verdict, j.Detail)
			}
			for _, v := range e.Values {
				if !region.Contains(v) {
					t.Errorf("seed %d: %s observed %v, want it %v", seed, claim, v, region)
				}
				w, seen := worst[claim]
				if !seen {
					w = [2]float64{v, v}
				}
				worst[claim] = [2]float64{min(w[0], v), max(w[1], v)}
			}
		}
	}
	for claim, w := range worst {
		t.Logf("%s: %.4f to %.4f over %d seeds", claim, w[0], w[1], n)
	}
}

func TestCancelled(t *testing.T) {
	labtest.Cancelled(t, lab.Config{Lab: Lab, Dir: t.TempDir(), Start: driver.Start}, parts)
}

// Every claim is measured by exactly one part.
func TestParts(t *testing.T) { labtest.Parts(t, Lab, parts) }
