package driver

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// Whatever a claim measured, it is void where one that it rests on has not held:
// on tmpfs no storage claim may pass.
func TestPreconditions(t *testing.T) {
	check := func(verdict, why string, base func(r *lab.Run) error) {
		t.Helper()
		called := false
		first := fake("first", func(_ context.Context, r *lab.Run) error { return base(r) }, counted("it-is-real"))
		second := fake("second", func(_ context.Context, r *lab.Run) error {
			called = called || r.Wants("it-is-based")
			r.Observe("it-is-based", 0)
			r.Observe("it-is-free", 0)
			return nil
		}, counted("it-is-based", "first/it-is-real"), counted("it-is-free"))
		third := fake("third", observing(map[string]float64{"it-is-far": 1}), counted("it-is-far", "second/it-is-based"))
		res := mustRun(t, t.Context(), options(t, first, second, third))
		based, far := "held", "failed"
		if verdict != "held" {
			based, far = "void (precondition)", "void (precondition)"
			says(t, res, "second/it-is-based", why)
			says(t, res, "third/it-is-far", "rests on second/it-is-based, which is void (precondition)")
		}
		same(t, res, map[string]string{
			"first/it-is-real": verdict, "second/it-is-based": based, "second/it-is-free": "held", "third/it-is-far": far,
		})
		if called != (verdict == "held") {
			t.Errorf("%s: the claim that rests on it was asked for: %v", verdict, called)
		}
	}
	check("held", "", func(r *lab.Run) error { r.Observe("it-is-real", 0); return nil })
	check("failed", "rests on first/it-is-real, which failed", func(r *lab.Run) error { r.Observe("it-is-real", 1); return nil })
	check("void (error)", "rests on first/it-is-real, which is void (error)", func(*lab.Run) error { return errors.New("out of paper") })
	for _, reason := range []measure.Reason{measure.Unreachable, measure.Noisy, measure.Instrument} {
		check("void ("+string(reason)+")", "which is void ("+string(reason)+")", func(r *lab.Run) error {
			r.Void("it-is-real", reason, "so it goes")
			return nil
		})
	}
}

// Within a lab all is measured at once, and a claim may stand before the one
// that it rests on: chains are followed all the same.
func TestPreconditionsWithinALab(t *testing.T) {
	check := func(real float64, want string) {
		t.Helper()
		l := fake("first", observing(map[string]float64{"it-is-third": 0, "it-is-second": 0, "it-is-real": real, "it-is-free": 0}),
			counted("it-is-third", "first/it-is-second"), counted("it-is-second", "first/it-is-real"), counted("it-is-real"),
			counted("it-is-free"))
		res := mustRun(t, t.Context(), options(t, l))
		verdict := map[float64]string{0: "held", 1: "failed"}[real]
		same(t, res, map[string]string{
			"first/it-is-third": want, "first/it-is-second": want, "first/it-is-real": verdict, "first/it-is-free": "held",
		})
		if c := detail(t, res, "first/it-is-second"); want != "held" && c.Estimate != nil {
			t.Errorf("void for its precondition, and yet estimated: %+v", c.Estimate)
		}
	}
	check(0, "held")
	check(1, "void (precondition)")
}

// A lab that was not asked for is run for the claims that others rest on, and
// for those that these rest on, and for no others.
func TestProbes(t *testing.T) {
	asked := map[string][]string{}
	work := func(_ context.Context, r *lab.Run) error {
		for _, c := range r.Lab.Claims {
			if r.Wants(c.Name) {
				asked[r.Lab.Name] = append(asked[r.Lab.Name], c.Name)
			}
			r.Observe(c.Name, 0)
		}
		return nil
	}
	o := options(t,
		fake("first", work, counted("it-is-deep"), counted("it-is-aside")),
		fake("second", work, counted("it-is-real", "first/it-is-deep"), counted("it-is-beside")),
		fake("third", work, counted("it-is-based", "second/it-is-real"), counted("it-is-free")),
		fake("fourth", work, counted("it-is-elsewhere")))
	o.Select = []string{"third"}
	res := mustRun(t, t.Context(), o)
	same(t, res, map[string]string{
		"first/it-is-deep": "held", "second/it-is-real": "held", "third/it-is-based": "held", "third/it-is-free": "held",
	})
	want := map[string][]string{"first": {"it-is-deep"}, "second": {"it-is-real"}, "third": {"it-is-based", "it-is-free"}}
	if !maps.EqualFunc(asked, want, slices.Equal) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	for i, probe := range []bool{true, true, false} {
		if got := res.Labs[i].Probe; got != probe {
			t.Errorf("lab %s: probe is %v, want %v", res.Labs[i].Lab.Name, got, probe)
		}
	}
}

// Only restricts a run to claims, and keeps what they rest on.
func TestOnly(t *testing.T) {
	first := fake("first", observing(map[string]float64{"it-is-real": 1}), counted("it-is-real"), counted("it-is-aside"))
	second := fake("second", observing(map[string]float64{"it-is-based": 0}), counted("it-is-based", "first/it-is-real"), counted("it-is-free"))
	o := options(t, first, second)
	o.Only = map[string]bool{"second/it-is-based": true}
	same(t, mustRun(t, t.Context(), o), map[string]string{"first/it-is-real": "failed", "second/it-is-based": "void (precondition)"})
	o = options(t, first, second)
	o.Only = map[string]bool{"second/it-is-free": true}
	same(t, mustRun(t, t.Context(), o), map[string]string{"second/it-is-free": "void (error)"})
}

// ends is a watcher that keeps what it was shown of each lab.
type ends struct {
	silent
	shown map[string]string
}

func (e *ends) End(l *Lab) {
	for name, v := range verdicts(&Result{Labs: []*Lab{l}}) {
		e.shown[name] = v
	}
}

// A lab is shown when it is settled: what is void in the end is not shown held.
func TestShownVerdictsAreSettled(t *testing.T) {
	seen := ends{shown: map[string]string{}}
	o := options(t, fake("first", observing(map[string]float64{"it-is-fifth": 0, "it-is-fourth": 0, "it-is-third": 0, "it-is-based": 0, "it-is-real": 1}),
		counted("it-is-fifth", "first/it-is-fourth"), counted("it-is-fourth", "first/it-is-third"), counted("it-is-third", "first/it-is-based"),
		counted("it-is-based", "first/it-is-real"), counted("it-is-real")))
	o.Watcher = &seen
	res := mustRun(t, t.Context(), o)
	same(t, res, seen.shown)
	if got, want := seen.shown["first/it-is-fifth"], "void (precondition)"; got != want {
		t.Errorf("at the end of the chain: got %s, want %s", got, want)
	}
}
