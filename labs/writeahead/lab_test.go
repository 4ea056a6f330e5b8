package writeahead

import (
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

// TestMain also runs the children.
func TestMain(m *testing.M) {
	killsPerStep = 1
	addTestChildren(Lab.Children)
	labtest.Main(m, Lab)
}

// newRun is a run without the driver, which measures the machine first.
func newRun(t *testing.T, control string) *lab.Run {
	t.Helper()
	return lab.NewRun(lab.Config{Lab: Lab, Dir: t.TempDir(), Seed: 1, Control: control, Start: driver.Start})
}

// observe measures one claim.
func observe(t *testing.T, control, claim string) *lab.Run {
	t.Helper()
	r := newRun(t, control)
	r.Wanted = map[string]bool{claim: true}
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestLab(t *testing.T) {
	if err := lab.Validate([]*lab.Lab{Lab}); err != nil {
		t.Error(err)
	}
	labtest.Doc(t, Lab)
}

// needMount skips what no mount can be had for, but not where it must be had.
func needMount(t *testing.T, j measure.Judgement) {
	t.Helper()
	if j.Reason != measure.Unreachable {
		return
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 && os.Getenv("CI") == "true" {
		t.Fatalf("CI has to provide FUSE: %s", j.Detail)
	}
	t.Skip(j.Detail)
}

func TestHolds(t *testing.T) {
	res := labtest.Shape(t, Lab)
	want := map[string]int{
		exactState:    killsPerStep * int(steps),
		idempotent:    redoLogs * (stateSize/sectorSize + 1),
		eioClaim:      3 * eioTrials,
		circularClaim: tornPages * 254,
	}
	t.Run("mount", func(t *testing.T) { needMount(t, res.By[eioClaim]) })
	for _, c := range res.Claims {
		if c.Verdict == measure.Void && c.Reason == measure.Unreachable {
			continue
		}
		if c.Verdict != measure.Held || c.Estimate.N != want[c.Name] {
			t.Errorf("%s: got %v (%s) %s, %+v, want held by %d", c.Name, c.Verdict, c.Reason, c.Detail, c.Estimate, want[c.Name])
		}
	}
	for _, q := range res.Questions {
		if q.DeriveErr != nil || q.Derivation.Steps == "" || q.Derivation.Value.Dim.String() != q.Unit {
			t.Errorf("question %s: derivation %+v, %v", q.Name, q.Derivation, q.DeriveErr)
		}
		if q.Measured != nil && *q.Measured != q.Derivation.Value.Value {
			t.Errorf("question %s: derived %v, measured %v", q.Name, q.Derivation.Value, *q.Measured)
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("question %s: %v", q.Name, err)
			}
		}
	}
}

func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			if c.Name != healthyStore {
				labtest.Breaks(t, Lab, c.Name)
				return
			}
			j := labtest.Run(t, Lab, labtest.Control(c.Name), labtest.Claims(eioClaim)).By[eioClaim]
			needMount(t, j)
			if j.Verdict != measure.Failed {
				t.Errorf("got %v (%s) %s, want failed", j.Verdict, j.Reason, j.Detail)
			}
		})
	}
}

// What a control leaves is known, so that it fails for its own reason. Those of
// the other two claims are in TestEveryStepIsWhereItSays and TestEachFactCounts.
func TestControlledNumbers(t *testing.T) {
	check := func(control, claim string, want func(i int, v float64) bool) {
		t.Helper()
		r := observe(t, control, claim)
		got := r.Record().Evidence[claim].Values
		if len(got) == 0 {
			t.Errorf("%s: nothing observed for %s", control, claim)
		}
		for i, v := range got {
			if !want(i, v) {
				t.Errorf("%s: got %v as observation %d of %s", control, v, i, claim)
				return
			}
		}
	}
	check(exchanged, circularClaim, func(_ int, v float64) bool { return v == 2 })
	check(addOne, idempotent, func(_ int, v float64) bool { return v >= redoGroups })

	got := map[string][]float64{}
	for _, s := range observe(t, "", circularClaim).Record().Series {
		got[s.Name] = s.Samples[:1]
	}
	want := map[string][]float64{circularClaim: {0}, seriesImages: {254}, seriesReread: {0}, seriesPool: {254}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("torn images (-want +got):\n%s", d)
	}
}
