package kvcache

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
	"envelope/internal/typeset"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) {
	repeat.products, repeat.groups, repeat.limits = 1, 1, 1
	labtest.Main(m, Lab)
}

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestRun holds a run to what any machine that can be asked must show.
func TestRun(t *testing.T) {
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		j := res.By[c.Name]
		if j.Reason == measure.Unreachable {
			t.Skipf("%s is out of reach here: %s", c.Name, j.Detail)
		}
		got = append(got, fmt.Sprintf("%s %v of %d", c.Name, j.Verdict, j.Estimate.N))
	}
	want := []string{costs + " held of 3", divides + " held of 1", ceiling + " held of 4", doubles + " held of 2"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	// The kernel compares two counts, and nothing in it is rounded.
	if e := res.By[ceiling].Estimate; e.Low != 0 || e.High != 0 {
		t.Errorf("admitted less the quotient is %v to %v, want 0: something else takes part of what is limited", e.Low, e.High)
	}
	for name, want := range map[string]float64{fitIn: 61, ofByte: 2} {
		for _, s := range res.Record.Series {
			if s.Name == name && (len(s.Samples) != 1 || s.Samples[0] != want) {
				t.Errorf("%s: got %v, want %v", name, s.Samples, want)
			}
		}
	}
	if len(res.Record.Tables) != 1 || len(res.Record.Tables[0].Rows) != len(families) {
		t.Fatalf("got the tables %v, want every shape in one", res.Record.Tables)
	}
	for _, line := range typeset.Table(res.Record.Tables[0].Header, res.Record.Tables[0].Rows) {
		if w := 4 + typeset.Width(line); w > 80 {
			t.Errorf("a line of %d columns: %q", w, line)
		}
	}
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab) }

// observe runs claims without the driver, with a control or without, and with
// children that start may replace.
func observe(t *testing.T, seed uint64, control string, start func(lab, child string, args []string) *exec.Cmd, claims ...string) *lab.Record {
	t.Helper()
	wanted := map[string]bool{}
	for _, c := range claims {
		wanted[c] = true
	}
	r := lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Control: control, Wanted: wanted, Start: start})
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r.Record()
}

// What a control leaves is known, so that it fails for its own reason.
func TestControlledNumbers(t *testing.T) {
	check := func(control, claim string, low, high float64) {
		t.Helper()
		rec := observe(t, 1, control, driver.Start, claim)
		if v, void := rec.Voids[claim]; void {
			t.Skipf("%s is out of reach here: %s", claim, v.Detail)
		}
		values := rec.Evidence[claim].Values
		if len(values) == 0 {
			t.Errorf("%s: nothing observed for %s", control, claim)
		}
		for _, v := range values {
			if v < low || v > high {
				t.Errorf("%s: got %v for %s, want %v to %v", control, v, claim, low, high)
			}
		}
	}
	check(valuesMissing, costs, 0.49, 0.52)
	check(notShared, divides, 0.97, 1.03)
	check(limitOff, ceiling, 12, 140) // the quotient and 2
	check(sixteenBoth, doubles, -64, -10)
}

// says is a child that says one line, whatever it is asked.
func says(line string) func(lab, child string, args []string) *exec.Cmd {
	return func(string, string, []string) *exec.Cmd { return exec.Command("echo", line) }
}

// A system that does not allow a trial leaves its claims out of reach, a
// disturbed trial is made again and never counts, and nonsense is an error.
func TestOtherAnswers(t *testing.T) {
	if outOfReach != "" {
		t.Skip(outOfReach)
	}
	check := func(line string, reason measure.Reason, detail string, claims ...string) {
		t.Helper()
		rec := observe(t, 1, "", says(line), claims...)
		for _, c := range claims {
			v, ok := rec.Voids[c]
			if !ok || v.Reason != reason || !strings.Contains(v.Detail, detail) {
				t.Errorf("%q: got %s %v %s (%s), want void (%s) with %q", line, c, v.Verdict, v.Reason, v.Detail, reason, detail)
			}
		}
	}
	all := []string{costs, divides, ceiling, doubles}
	check("refused: no such limit here", measure.Unreachable, "no such limit here", all...)
	check("hello", measure.Error, "child", all...)
	check("held 5", measure.Error, "child occupy", costs)
	check("admitted 52 true 8388608 0 RLIMIT_DATA", measure.Instrument, "in 5 tries", ceiling, doubles)
	check("admitted 20 true 0 99999999 RLIMIT_DATA", measure.Instrument, "in 5 tries", ceiling, doubles)
	check("held 5000 5000", measure.Error, "did not show", divides)

	// What the process takes for itself counts only where it can make a difference.
	rec := observe(t, 1, "", says("admitted 61 true 135168 0 RLIMIT_DATA"), doubles)
	if v := rec.Evidence[doubles].Values; len(v) == 0 || v[0] != -61 {
		t.Errorf("got %v (%v), want the first trial to count", v, rec.Voids)
	}
	// A system on which the limit lets more through fails, and is not excused.
	rec = observe(t, 1, "", says("admitted 100 true 0 0 RLIMIT_DATA"), ceiling)
	if v := rec.Evidence[ceiling].Values; len(v) != 4 || v[0] != 39 {
		t.Errorf("got %v, want 39 sequences too many first", v)
	}
}

// Other seeds: other limits.
func TestSeeds(t *testing.T) {
	for seed := range uint64(2) {
		rec := observe(t, 10+seed, "", driver.Start, ceiling, doubles)
		for _, c := range []string{ceiling, doubles} {
			if v, void := rec.Voids[c]; void {
				t.Skipf("%s is out of reach here: %s", c, v.Detail)
			}
			if j := measure.Judge(Lab.Claim(c).Terms(), rec.Evidence[c], 0); j.Verdict != measure.Held {
				t.Errorf("seed %d: %s %v: %s", seed, c, j.Verdict, j.Detail)
			}
		}
	}
}

// Limits and sequences are whole pages of any size, and never more than the lab
// says that it takes.
func TestTrials(t *testing.T) {
	for _, full := range []bool{false, true} {
		for seed := range uint64(50) {
			for _, x := range trials(lab.NewRun(lab.Config{Lab: Lab, Seed: seed, Full: full})) {
				half := x.s
				half.width = 1
				if x.free%page != 0 || x.free > largestLimit || half.bytes()%page != 0 || x.free/x.s.bytes() < 10 {
					t.Errorf("%d B and sequences of %d and %d B", x.free, x.s.bytes(), half.bytes())
				}
				if most := 2*(x.free/half.bytes()) + 2; uint64(most*half.bytes())+128<<20 > Lab.Memory {
					t.Errorf("%d sequences of %d B do not leave this process enough of %d MiB", most, half.bytes(), Lab.Memory>>20)
				}
			}
		}
	}
	for _, s := range []shape{seven.times(32), seven.times(128), grouped.times(256), alone} {
		if s.tensor()%page != 0 || s.bytes() != 2*s.layers*s.tensor() || s.bytes() > largestLimit {
			t.Errorf("%v: tensors of %d B, %d B in all", s, s.tensor(), s.bytes())
		}
	}
	if alone.heads%shared != 0 || 2*seven.layers*seven.heads*seven.dim*seven.width != 524288 {
		t.Error("the shapes are not those of the questions")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := lab.NewRun(lab.Config{Lab: Lab, Start: driver.Start})
	if err := Lab.Measure(ctx, r); !errors.Is(err, context.Canceled) || len(r.Record().Evidence) != 0 {
		t.Errorf("got error %v and evidence for %d claims, want %v and none", err, len(r.Record().Evidence), context.Canceled)
	}
}

// A division is scored against what the run measures. The candidates lie apart,
// and none of them is the answer.
func TestQuestions(t *testing.T) {
	want := map[string]float64{"bytes-a-token": 524288, "sequences-beside-the-weights": 61, "one-byte-over-two": 2, "grouped-over-alone": 8}
	for _, q := range questions {
		d, err := q.Derive(axioms.Set{})
		if err != nil || d.Value.Value != want[q.Name] {
			t.Errorf("%s: derived %v, %v, want %v", q.Name, d.Value, err, want[q.Name])
		}
		for i, c := range q.Candidates {
			if math.Abs(math.Log(c.Value.Value/d.Value.Value)) < math.Log(1.5) {
				t.Errorf("%s: the candidate %v is hardly another answer than %v", q.Name, c.Value, d.Value)
			}
			if i > 0 && c.Value.Value < 1.25*q.Candidates[i-1].Value.Value {
				t.Errorf("%s: %v and %v are hardly apart", q.Name, q.Candidates[i-1].Value, c.Value)
			}
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
	}
	d, err := deriveFit(axioms.Set{}, 2)
	for _, part := range []string{"80 GB - 14 GB = 66,000,000,000 B", "1,073,741,824 B", "floor(61.47)", "by a GB it would be 66", "80 GiB 66.96"} {
		if err != nil || !strings.Contains(strings.ToLower(d.Steps), strings.ToLower(part)) {
			t.Errorf("got the steps %q, %v, want %q in them", d.Steps, err, part)
		}
	}
	text, err := binds(axioms.Set{})
	if err != nil || !strings.Contains(text, "61 sequences fit, and 156 rows are the ridge of the weights alone (the caches are read too), so the ceiling binds") {
		t.Errorf("got %q, %v", text, err)
	}
}
