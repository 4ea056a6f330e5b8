package ladder

import (
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

// TestMain also runs the children, and one that only a test starts.
func TestMain(m *testing.M) {
	defaultKills = 16 // each step twice by handshake, and as many at a running writer
	Lab.Children["orphans"] = orphans
	labtest.Main(m, Lab)
}

// newRun is a run without the driver, which measures the machine first.
func newRun(t *testing.T, control string) *lab.Run {
	t.Helper()
	return lab.NewRun(lab.Config{Lab: Lab, Dir: t.TempDir(), Seed: 1, Control: control, Start: driver.Start})
}

func TestLab(t *testing.T) {
	if err := lab.Validate([]*lab.Lab{Lab}); err != nil {
		t.Error(err)
	}
	labtest.Doc(t, Lab)
}

// The verdicts are exact, so they must be the same on every machine that the
// tests run on; only a refused mapping may be void.
func TestHolds(t *testing.T) {
	t.Parallel()
	res := labtest.Shape(t, Lab)
	for name, j := range res.By {
		if j.Verdict != measure.Held && j.Reason != measure.Unreachable {
			t.Errorf("%s: got %v (%s) %s, want held", name, j.Verdict, j.Reason, j.Detail)
		}
	}
	for _, c := range res.Claims {
		want := map[string]int{ackedSurvive: defaultKills, everywhere: int(steps)}[c.Name]
		if want == 0 {
			want = rungTrials
		}
		if c.Verdict == measure.Held && c.Estimate.N != want {
			t.Errorf("%s: got %d observations, want %d", c.Name, c.Estimate.N, want)
		}
	}
	for _, q := range res.Questions {
		if q.DeriveErr != nil || q.Derivation.Value.Dim != axioms.DimByte || q.Derivation.Steps == "" {
			t.Errorf("question %s: derivation %+v, %v", q.Name, q.Derivation, q.DeriveErr)
		}
		if q.Measured != nil && *q.Measured != q.Derivation.Value.Value {
			t.Errorf("question %s: derived %v, measured %v", q.Name, q.Derivation.Value, *q.Measured)
		}
	}
}

func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			labtest.Breaks(t, Lab, c.Name)
		})
	}
}

// What a control leaves is known to the byte, so that it fails for its own
// reason and no other.
func TestControlledNumbers(t *testing.T) {
	check := func(control, claim string, want func(float64) bool) {
		t.Helper()
		r := newRun(t, control)
		r.Wanted = map[string]bool{claim: true}
		if err := Lab.Measure(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got := r.Record().Evidence[claim].Values
		if len(got) == 0 {
			t.Errorf("%s: nothing observed for %s", control, claim)
		}
		for _, v := range got {
			if !want(v) {
				t.Errorf("%s: got %s %v", control, claim, got)
				break
			}
		}
	}
	equal := func(want float64) func(float64) bool { return func(v float64) bool { return v == want } }
	check(flushed, bufferDies, equal(payloadSize))
	check(notFlushed, cacheSurvives, equal(0))
	check(notFlushed, fsyncAddsNothing, equal(payloadSize))
	// The file is all zeros: equal to the payload where that is zero, which is
	// 256 bytes in the mean, with a standard deviation of 16.
	check(privateMapping, mappedSurvives, func(v float64) bool { return v > 256-8*16 && v < 256+8*16 })
	check(oneStep, everywhere, func(v float64) bool { return v == 0 || v == float64(defaultKills) })
}

// A claim that nobody asked for costs no children.
func TestWanted(t *testing.T) {
	check := func(claim string, children int) {
		t.Helper()
		r, n := newRun(t, ""), 0
		r.Wanted = map[string]bool{claim: true}
		r.Progress = func(float64) { n++ }
		if err := Lab.Measure(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if n != children {
			t.Errorf("%s: got %d children, want %d", claim, n, children)
		}
	}
	check(bufferDies, rungTrials)
	check(fsyncAddsNothing, 2*rungTrials)
	check(everywhere, defaultKills)
}

func TestBound(t *testing.T) {
	check := func(trials, losing int, want string) {
		t.Helper()
		if got := bound(trials, losing); !strings.Contains(got, want) {
			t.Errorf("%d of %d: got %q, want it to contain %q", losing, trials, got, want)
		}
	}
	// The figures of the division in doc.go.
	check(10000, 0, "at most 1 in 3,339 does")
	check(1000000, 0, "at most 1 in 333,809 does")
	check(240, 3, "3 of 240 kills lost")
}

func TestGrid(t *testing.T) {
	g := &rungs{
		buffered: arm{bytes: []float64{0, 0}},
		written:  arm{bytes: []float64{0, payloadSize}},
		mapped:   arm{wanted: true, refused: "no such device"},
	}
	rows := grid(g, &kills{trials: make([]outcome, 7)}).Rows
	check := func(row, column int, want string) {
		t.Helper()
		if got := rows[row][column]; got != want {
			t.Errorf("row %d, column %d: got %q, want %q", row, column, got, want)
		}
	}
	check(0, 2, "0 of 65,536 B, n 2")
	check(1, 2, "0 to 65,536 of 65,536 B, n 2")
	check(2, 2, "refused here")
	check(3, 2, "lost in 0 of 7")
	check(4, 2, "not measured")
	for row := range rows {
		check(row, 3, "not reached")
		check(row, 4, "not reached")
	}
}
