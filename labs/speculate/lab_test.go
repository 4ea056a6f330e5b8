package speculate

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestGolden holds the run of seed 1 to its counts. What is counted on the lab's
// own source changes with every line of it, and has a shape only.
func TestGolden(t *testing.T) {
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		if j := res.By[c.Name]; c.Name != predictable && j.Estimate != nil {
			got = append(got, fmt.Sprintf("%s %v: %.6f to %.6f of %d", c.Name, j.Verdict, j.Estimate.Low, j.Estimate.High, j.Estimate.N))
		}
	}
	want := []string{
		"output-is-distributed-as-p held: 0.002652 to 0.003206 of 6",
		"yield-follows-the-formula held: 0.997652 to 1.002355 of 12",
		"a-bad-proposer-costs-only-speed held: 1.011223 to 1.012059 of 3",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	if j := res.By[predictable]; j.Verdict != measure.Held || j.Estimate.N != shuffles {
		t.Errorf("%s: %+v", predictable, j)
	}
	checkTables(t, res.Record.Tables)
	checkQuestions(t, res)
}

func checkTables(t *testing.T, tables []lab.Table) {
	t.Helper()
	if len(tables) != 2 || len(tables[0].Rows) != 6 || len(tables[1].Rows) != 5 {
		t.Fatalf("got %d tables, want the distances and the yields", len(tables))
	}
	for _, table := range tables {
		for _, row := range table.Rows {
			if width := len(strings.Join(row, "  ")); len(row) != len(table.Header) || width > 76 {
				t.Errorf("%s: a row of %d columns, %d wide", table.Title, len(row), width)
			}
		}
	}
	if got := tables[1].Rows[2][2]; !strings.HasSuffix(got, "(2.773)") {
		t.Errorf("four proposals at 0.7: got %q, want the formula beside it", got)
	}
}

// A division is scored against what the run measured, so it must lie near it.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := map[string]float64{
		"tokens-a-pass": 2.7731, "token-on-the-card": 7e-3 / 2.7731,
		"tokens-from-a-useless-proposer": 1 + 1.0/88 + 1.0/88/88, "share-when-redrawn": 0.6875,
	}
	if len(res.Questions) != len(want) {
		t.Errorf("got %d questions, want %d", len(res.Questions), len(want))
	}
	for _, q := range res.Questions {
		w := want[q.Name]
		if q.DeriveErr != nil || q.Derivation.Steps == "" || q.Measured == nil {
			t.Fatalf("%s: %q, %v, measured %v", q.Name, q.Derivation.Steps, q.DeriveErr, q.Measured)
		}
		for _, c := range q.Candidates {
			if v := c.Value.Value; v > w*0.95 && v < w*1.05 {
				t.Errorf("%s: the candidate %q, %v, gives the answer away", q.Name, c.Text, v)
			}
		}
		for what, got := range map[string]float64{"derived": q.Derivation.Value.Value, "measured": *q.Measured} {
			if got < w*0.99 || got > w*1.01 {
				t.Errorf("%s: %s %v, want %v", q.Name, what, got, w)
			}
		}
	}
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab) }

// observe runs a claim without the driver, with a control or without.
func observe(t *testing.T, seed uint64, control, claim string) measure.Evidence {
	t.Helper()
	r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Control: control, Wanted: map[string]bool{claim: true}})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r.Record().Evidence[claim]
}

// A control misses the region by a factor of two and more, of what is allowed.
// For those that move the distribution TestControlsMoveTheDistribution shows it.
func TestControlsMissByFar(t *testing.T) {
	check := func(control, claim string, atLeast float64, off func(v float64) float64) {
		t.Helper()
		most := 0.0
		for _, v := range observe(t, 2, control, claim).Values {
			most = max(most, off(v))
		}
		if most < atLeast {
			t.Errorf("%s: %s is off by %.3g of what is allowed, want %v", control, claim, most, atLeast)
		}
	}
	check(oneOff, yields, 10, func(v float64) float64 { return (v - 1) / 0.01 })
	check(bothShuffled, predictable, 2, func(v float64) float64 { return 3 / v })
}

// Both halves of the claim about a useless proposer see that it is let through.
func TestForcedAcceptanceFailsTwice(t *testing.T) {
	v := observe(t, 1, forcedAcceptance, onlySpeed).Values
	if len(v) != 3 || v[0] < 4.9 || v[1] > 5.1 || v[2] < 5 {
		t.Errorf("got %v, want five tokens a pass and a distance near one", v)
	}
}

var seeds = flag.Uint64("seeds", 1, "how many seeds TestSeeds goes through")

// Other seeds: every claim holds, with room of a factor of two. For many of them:
// go test ./labs/speculate -run TestSeeds -seeds 20
func TestSeeds(t *testing.T) {
	room := map[string]measure.Region{distributed: measure.AtMost(0.005), yields: measure.Within(0.995, 1.005),
		onlySpeed: measure.Within(1.005, 1.025), predictable: measure.AtLeast(6)}
	for seed := range *seeds {
		for _, c := range Lab.Claims {
			e := observe(t, 100+seed, "", c.Name)
			if j := measure.Judge(c.Terms(), e, 0); j.Verdict != measure.Held {
				t.Errorf("seed %d: %s %v: %s", seed, c.Name, j.Verdict, j.Detail)
			}
			for _, v := range e.Values {
				if r := room[c.Name]; !r.Contains(v) {
					t.Errorf("seed %d: %s observed %v, want it %v", seed, c.Name, v, r)
				}
			}
		}
	}
}

// Counts don't depend on how many processors share the work.
func TestOneProcessor(t *testing.T) {
	all := observe(t, 1, "", onlySpeed)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if d := cmp.Diff(all, observe(t, 1, "", onlySpeed)); d != "" {
		t.Errorf("on one processor (-all +one):\n%s", d)
	}
}

func TestCancelled(t *testing.T) {
	labtest.Cancelled(t, lab.Config{Lab: Lab}, steps)
}

// Every claim is measured by exactly one step.
func TestSteps(t *testing.T) { labtest.Parts(t, Lab, steps) }
