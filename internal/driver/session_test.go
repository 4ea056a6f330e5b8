package driver

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// A session measures the axioms once. Its runs stand on them, in one scratch
// directory, and know nothing of each other's verdicts.
func TestSession(t *testing.T) {
	measured, wrong := 0, 1.0
	first := fake("first", func(_ context.Context, r *lab.Run) error { r.Observe("it-is-real", wrong); return nil }, counted("it-is-real"))
	second := fake("second", observing(map[string]float64{"it-is-based": 0}), counted("it-is-based", "first/it-is-real"))
	second.Questions = []lab.Question{{Name: "how-long", Unit: "s", Answer: lab.Answer{Series: "none"},
		Derive: func(s axioms.Set) (lab.Derivation, error) {
			g, err := s.Get("clock")
			return lab.Derivation{Value: g.Quantity, Steps: "clock"}, err
		}}}
	o := options(t, first, second)
	o.Machine.Axioms = func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
		measured++
		q := axioms.Seconds(40e-9)
		return []axioms.Measured{{Name: "clock", Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}}, nil
	}
	s, err := Prepare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if q := s.Questions(second); len(q) != 1 || q[0].Derivation.Value != axioms.Seconds(40e-9) {
		t.Errorf("got %+v, want the division on the axiom", q)
	}
	check := func(want map[string]string) {
		t.Helper()
		res, err := s.Run(t.Context(), []string{"second"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, res, want)
		if len(res.Axioms) != 1 || res.Labs[1].Questions[0].Derivation.Value != axioms.Seconds(40e-9) {
			t.Errorf("got the axioms %v, want those of the session", res.Axioms)
		}
	}
	check(map[string]string{"first/it-is-real": "failed", "second/it-is-based": "void (precondition)"})
	wrong = 0
	check(map[string]string{"first/it-is-real": "held", "second/it-is-based": "held"})
	if _, err := s.Run(t.Context(), []string{"third"}); err == nil {
		t.Error("a lab that does not exist was run")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	left(t, o.Dir)
	if measured != 1 {
		t.Errorf("the axioms were measured %d times, want once", measured)
	}
}

// Axioms measures with no lab at all, and leaves the directory as it was.
func TestAxiomsFailEarly(t *testing.T) {
	o := options(t)
	o.Dir += "/nowhere"
	if _, _, err := Axioms(t.Context(), o); err == nil {
		t.Error("got no error for a directory that does not exist")
	}
	if _, err := Prepare(t.Context(), Options{Dir: t.TempDir(), Select: []string{"nosuch"}}); err == nil {
		t.Error("got no error for a lab that does not exist")
	}
}
