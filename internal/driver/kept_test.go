package driver

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/probe"
	"envelope/manifest"
)

// told keeps what a run says of its axioms.
type told struct {
	silent
	all  []axioms.Measured
	left string
}

func (w *told) Axioms(all []axioms.Measured, left string) { w.all, w.left = all, left }

// What was measured before serves where the run measures nothing itself, on the
// machine that it was measured on.
func TestKeptAxioms(t *testing.T) {
	taken := time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	axiom := func(name string, seconds float64) axioms.Measured {
		q := axioms.Seconds(seconds)
		return axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}
	}
	l := fake("l", observing(map[string]float64{"it-is-real": 0}), counted("it-is-real"))
	l.Questions = []lab.Question{{Name: "how-long", Unit: "s", Answer: lab.Answer{Series: "none"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			r, err := s.Eval("clock + mutex")
			return lab.Derivation{Value: r.Quantity, Steps: "clock + mutex"}, err
		}}}
	o := options(t, l)
	w := &told{}
	o.Watcher = w
	o.Machine.Axioms = func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
		return []axioms.Measured{axiom("clock", 2)}, nil
	}
	o.Kept = &probe.Taken{Time: taken, Axioms: []axioms.Measured{axiom("clock", 100), axiom("mutex", 40)}}
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Labs[0].Questions[0].Derivation.Value; got != axioms.Seconds(42) {
		t.Errorf("the division gave %v, want 42 s", got)
	}
	if len(w.all) != 2 || w.all[0].Quantity != axioms.Seconds(2) || !w.all[0].Taken.IsZero() || !w.all[1].Taken.Equal(taken) || w.left != "" {
		t.Errorf("told of %+v, left %q; want this run's clock and the kept mutex", w.all, w.left)
	}
	if m := res.Manifest(manifest.Program{}, nil).Axioms; len(m) != 2 || !m[1].Taken.Equal(taken) {
		t.Errorf("the manifest has %+v, want both", m)
	}

	o.Machine.Environment = func(string) host.Environment {
		var e host.Environment
		e.CPU.Model = host.Known("another", "", "a test")
		return e
	}
	if res, err = Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if len(res.Axioms) != 1 || !strings.Contains(w.left, "another machine: processor unknown then, another now") {
		t.Errorf("on another machine: axioms %+v, left %q", res.Axioms, w.left)
	}
}
