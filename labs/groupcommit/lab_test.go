package groupcommit

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
	labtest.Main(m, Lab)
}

func TestValid(t *testing.T) {
	// What its claims rest on belongs to another lab: a stand-in is enough.
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
	for _, c := range Lab.Claims {
		rests := len(c.RestsOn) > 0 && c.RestsOn[0] == realStorage
		if machine := c.Scope == lab.Machine; c.Syncs != machine || rests != machine {
			t.Errorf("%s: scope %s, syncs %v, rests on %v", c.Name, c.Scope, c.Syncs, c.RestsOn)
		}
	}
}

func quick(o *driver.Options) { o.Budget = time.Second }

// TestShape says nothing of verdicts but for the two that no machine changes.
func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab, quick)
	for _, name := range []string{everyAck, holdCaps} {
		if j := res.By[name]; j.Verdict != measure.Held {
			t.Errorf("%s: got %v (%s) %s, want held", name, j.Verdict, j.Reason, j.Detail)
		}
	}
	for _, table := range res.Record.Tables {
		for _, row := range table.Rows {
			if line := strings.Join(row, "  "); len([]rune(line)) > 80 {
				t.Errorf("%s: a row of %d columns: %q", table.Title, len([]rune(line)), line)
			}
		}
	}
	for _, q := range res.Questions {
		if q.DeriveErr != nil || q.Derivation.Steps == "" {
			t.Errorf("%s: derived by %q, %v", q.Name, q.Derivation.Steps, q.DeriveErr)
		}
	}
	if got := res.Record.Series; len(got) == 0 {
		t.Error("no series")
	}
	for c, j := range res.By {
		t.Log(c, j.Verdict, j.Reason, j.Detail, j.Estimate)
	}
	t.Log(strings.Join(res.Record.Notes, "\n"))
}

// short leaves less time than the lab takes by default, and so smaller episodes:
// what a control does is far outside.
func short() *lab.Lab {
	l := *Lab
	l.Seconds = 1
	return &l
}

func TestControls(t *testing.T) {
	b := &bench{Run: lab.NewRun(lab.Config{Lab: Lab}), ctx: t.Context(), stage: *newStage(t)}
	if err := b.calibrate(); err != nil {
		t.Fatal(err)
	}
	b.fit()
	for _, c := range Lab.Controls {
		t.Run(c.Name, func(t *testing.T) {
			for _, claim := range c.Breaks {
				if j, void := b.Record().Voids[claim]; void {
					t.Skipf("%s: %s", claim, j.Detail)
				}
			}
			labtest.Breaks(t, short(), c.Name)
		})
	}
}

func TestQuestions(t *testing.T) {
	want := map[string]float64{
		"fixed-over-adaptive": 64, "adaptive-in-fsyncs": 1.005, "batch-at-high-load": 50, "one-constant-two-loads": 10_000,
	}
	set, err := axioms.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range Lab.Questions {
		d, err := q.Derive(set)
		if got := d.Value.Value; err != nil || math.Abs(got-want[q.Name]) > 1e-9*got || d.Value.Dim.String() != q.Unit {
			t.Errorf("%s: derived %v, error %v, want %g", q.Name, d.Value, err, want[q.Name])
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
		question, _, _ := strings.Cut(q.Text, "?")
		if strings.Contains(question, "64 times") {
			t.Errorf("%s: its text contains the answer", q.Name)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := lab.NewRun(lab.Config{Lab: Lab, Dir: t.TempDir(), Clock: measure.NewClock(), Barrier: time.Millisecond})
	if err := Lab.Measure(ctx, r); !errors.Is(err, context.Canceled) || len(r.Record().Evidence) != 0 {
		t.Errorf("got error %v and evidence for %d claims, want %v and none", err, len(r.Record().Evidence), context.Canceled)
	}
}

// A directory that refuses the file is named by nobody: results are shared.
func TestNoDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	r := lab.NewRun(lab.Config{Lab: Lab, Dir: dir, Clock: measure.NewClock()})
	err := Lab.Measure(t.Context(), r)
	if !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want that it does not exist, without the path", err)
	}
}
