package pipelining

import (
	"os"
	"runtime"
	"testing"
	"time"

	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

// TestMain also runs the children, and one that only a test starts.
func TestMain(m *testing.M) {
	defaultKills = 12
	Lab.Children["orphans"] = orphans
	labtest.Main(m, Lab)
}

// newBench is a run without the driver, which measures the machine first.
func newBench(t *testing.T, control string, wanted ...string) *bench {
	t.Helper()
	c := lab.Config{Lab: Lab, Dir: t.TempDir(), Seed: 1, Control: control, Start: driver.Start, Clock: measure.NewClock(), Budget: time.Second}
	if len(wanted) > 0 {
		c.Wanted = map[string]bool{}
		for _, w := range wanted {
			c.Wanted[w] = true
		}
	}
	return &bench{Run: lab.NewRun(c), part: 1 / float64(len(parts))}
}

func TestValid(t *testing.T) {
	// What a claim rests on belongs to another lab: a stand-in is enough.
	probe := *Lab
	probe.Name = "buffered"
	probe.Claims = append([]lab.Claim(nil), Lab.Claims...)
	for i := range probe.Claims {
		probe.Claims[i].RestsOn = nil
	}
	probe.Claims[0].Name = "measuring-real-storage"
	probe.Controls = append([]lab.Control(nil), Lab.Controls...)
	probe.Controls[0].Breaks = []string{"measuring-real-storage"}
	if err := lab.Validate([]*lab.Lab{&probe, Lab}); err != nil {
		t.Error(err)
	}
	labtest.Doc(t, Lab)
	machine := map[string]bool{callsFall: true, multiplies: true, littlesLaw: true, oneSync: true}
	for _, c := range Lab.Claims {
		if (c.Scope == lab.Machine) != machine[c.Name] || c.Syncs != (c.Name == oneSync) || (len(c.RestsOn) > 0) != c.Syncs {
			t.Errorf("%s: scope %s, syncs %v, rests on %v", c.Name, c.Scope, c.Syncs, c.RestsOn)
		}
	}
}

// needRedis skips what takes a real Redis, but not where one must be had.
func needRedis(t *testing.T, j measure.Judgement) {
	t.Helper()
	if j.Reason != measure.Unreachable {
		return
	}
	if runtime.GOOS == "linux" && os.Getenv("CI") == "true" {
		t.Fatalf("CI has to provide a Redis: %s", j.Detail)
	}
	t.Skip(j.Detail)
}

// patient leaves the timing claims time for a few blocks on the busiest machine;
// on any other they are decided long before. Of them a test says nothing but their
// shape.
func patient(o *driver.Options) { o.Budget = 30 * time.Second }

// What is counted comes out the same on every machine.
func TestHolds(t *testing.T) {
	res := labtest.Shape(t, Lab, patient)
	t.Run("redis", func(t *testing.T) { needRedis(t, res.By[sameReplies]) })
	want := map[string]int{callsFall: len(depths), ackedSurvive: defaultKills, deadBounded: 4, pausedServed: 3}
	for _, c := range res.Claims {
		if c.Kind != measure.Exact || c.Name == sameReplies && c.Reason == measure.Unreachable {
			continue
		}
		if c.Verdict != measure.Held || want[c.Name] > 0 && c.Estimate.N != want[c.Name] {
			t.Errorf("%s: got %v (%s) %s, %+v, want held by %d", c.Name, c.Verdict, c.Reason, c.Detail, c.Estimate, want[c.Name])
		}
	}
	for _, q := range res.Questions {
		if q.DeriveErr != nil || q.Derivation.Steps == "" || q.Derivation.Value.Dim.String() != q.Unit {
			t.Errorf("question %s: derived %v by %q, %v", q.Name, q.Derivation.Value, q.Derivation.Steps, q.DeriveErr)
		}
		if q.Measured == nil && q.Answer.Series != "" {
			t.Errorf("question %s: nothing was measured", q.Name)
		}
	}
}

func TestControls(t *testing.T) {
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			l := *Lab
			l.Seconds = 1
			labtest.Breaks(t, &l, c.Name)
		})
	}
}

// What a control leaves is known, so that it fails for its own reason.
func TestControlledNumbers(t *testing.T) {
	check := func(control, claim string, want ...float64) {
		t.Helper()
		b := newBench(t, control, claim)
		if err := measureAll(t.Context(), b.Run); err != nil {
			t.Fatal(err)
		}
		got := b.Record().Evidence[claim].Values
		if len(got) < len(want) {
			t.Fatalf("%s: got %v of %s, want %v", control, got, claim, want)
		}
		for i, w := range want {
			if got[i] != w {
				t.Errorf("%s: got %v of %s, want %v", control, got, claim, want)
				break
			}
		}
	}
	check("", callsFall, 1, 1, 1, 1, 1, 1, 1, 1)
	check(flushEach, callsFall, 1, 1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64.5) // a read for P, a write for each: (1 + P) / 2
	check("", oneSync, 0, 0, 0, 0)
	check(syncEach, oneSync, 49, 0, 49, 0)
	check(activeOff, deadBounded, 0.5, 0.5)
}

// Every claim is measured by exactly one part.
func TestParts(t *testing.T) {
	times := map[string]int{}
	for _, p := range parts {
		for _, c := range p.claims {
			times[c]++
		}
	}
	for _, c := range Lab.Claims {
		if times[c.Name] != 1 {
			t.Errorf("%s is measured by %d parts, want 1", c.Name, times[c.Name])
		}
	}
}

// The division's numbers, with the axioms as they are assumed.
func TestDivision(t *testing.T) {
	check := func(name string, low, high float64) {
		t.Helper()
		for _, q := range questions {
			if q.Name != name {
				continue
			}
			d, err := q.Derive(assumed(t))
			if v := d.Value.Value; err != nil || v < low || v > high {
				t.Errorf("%s: got %v, %v, want %v to %v", name, v, err, low, high)
			}
			return
		}
		t.Errorf("there is no question %s", name)
	}
	check("calls-at-16", 0.125, 0.125)
	check("depth-128-over-depth-1", 29, 31)
	check("latency-of-128-in-flight", 1.6e-3, 1.7e-3)
	check("one-client-synced", 1.014e-3, 1.016e-3)
	check("fifty-sets-wait", 1, 1)
}
