package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/internal/host"
	"envelope/internal/measure"
)

// newRun is a run of the first of the valid labs. No names mean that all of its
// claims are wanted.
func newRun(wanted ...string) *Run {
	l := valid()[0]
	l.Children = map[string]func([]string) int{"helper": func([]string) int { return 0 }}
	c := Config{Lab: l, Seed: 7, Clock: measure.NewClock(), Control: "sabotage"}
	if len(wanted) > 0 {
		c.Wanted = map[string]bool{}
		for _, name := range wanted {
			c.Wanted[name] = true
		}
	}
	return NewRun(c)
}

// A name that the lab does not have is a fault of its code, found at once.
func TestUnknownNamesPanic(t *testing.T) {
	check := func(want string, call func(r *Run)) {
		t.Helper()
		defer func() {
			t.Helper()
			if p := fmt.Sprint(recover()); !strings.Contains(p, want) {
				t.Errorf("got the panic %q, want one with %q", p, want)
			}
		}()
		call(newRun())
	}
	const noClaim = `lab first has no claim "typo"; it has it-is-counted, it-is-timed, it-is-tried`
	check(noClaim, func(r *Run) { r.Observe("typo", 1) })
	check(noClaim, func(r *Run) { r.Trials("typo", 1, 2) })
	check(noClaim, func(r *Run) { r.Void("typo", measure.Error, "why") })
	check(noClaim, func(r *Run) { r.Wants("typo") })
	check(noClaim, func(r *Run) { r.Wants("it-is-timed", "typo") })
	check(noClaim, func(r *Run) { r.Compare(t.Context(), []Pair{{Claim: "typo"}}) })
	check(`lab first has no control "typo"`, func(r *Run) { r.Sabotaged("typo") })
	check(`lab first has no child "typo"`, func(r *Run) { r.Child("typo") })
	check("claim it-is-timed is not exact", func(r *Run) { r.Observe("it-is-timed", 1) })
	check("claim it-is-timed is not binomial", func(r *Run) { r.Trials("it-is-timed", 1, 2) })
}

func TestSabotaged(t *testing.T) {
	r := newRun()
	if !r.Sabotaged("sabotage") || r.Sabotaged("less-sabotage") {
		t.Errorf("got %v and %v, want true for the control that is on and false for the other",
			r.Sabotaged("sabotage"), r.Sabotaged("less-sabotage"))
	}
}

func TestChild(t *testing.T) {
	r := newRun()
	var got []string
	r.Start = func(lab, child string, args []string) *exec.Cmd {
		got = append([]string{lab, child}, args...)
		return &exec.Cmd{Path: "started"}
	}
	cmd := r.Child("helper", "a", "b")
	if want := []string{"first", "helper", "a", "b"}; cmd.Path != "started" || !slices.Equal(got, want) {
		t.Errorf("got %q started with %q, want %q", cmd.Path, got, want)
	}
}

func TestReportsOfWantedClaimsOnly(t *testing.T) {
	check := func(wanted []string, evidence, voids, series int) {
		t.Helper()
		r := newRun(wanted...)
		r.Observe("it-is-counted", 0, 1)
		r.Observe("it-is-counted", 2)
		r.Trials("it-is-tried", 3, 100)
		r.Void("it-is-timed", measure.Unreachable, "no %s here", "clock")
		got := r.Record()
		if len(got.Evidence) != evidence || len(got.Voids) != voids || len(got.Series) != series {
			t.Errorf("wanted %v: got %d with evidence, %d void, %d series; want %d, %d, %d",
				wanted, len(got.Evidence), len(got.Voids), len(got.Series), evidence, voids, series)
		}
	}
	check(nil, 2, 1, 1)
	check([]string{"it-is-counted"}, 1, 0, 1)
	check([]string{"it-is-tried"}, 1, 0, 0)
	check([]string{"it-is-timed"}, 0, 1, 0)
}

func TestObservationsAddUp(t *testing.T) {
	r := newRun()
	r.Observe("it-is-counted", 0, 1)
	r.Trials("it-is-tried", 3, 100)
	r.Observe("it-is-counted", 2)
	r.Void("it-is-timed", measure.Unreachable, "no %s here", "clock")
	want := []float64{0, 1, 2}
	if got := r.Record().Evidence["it-is-counted"].Values; !slices.Equal(got, want) {
		t.Errorf("evidence: got %v, want %v", got, want)
	}
	if got := r.SeriesNamed("it-is-counted"); !slices.Equal(got, want) {
		t.Errorf("series: got %v, want %v", got, want)
	}
	if got, want := r.Record().Evidence["it-is-tried"].Trials, (measure.Trials{Successes: 3, N: 100}); got != want {
		t.Errorf("trials: got %v, want %v", got, want)
	}
	if got, want := r.Record().Voids["it-is-timed"], measure.VoidFor(measure.Unreachable, "no clock here"); got != want {
		t.Errorf("void: got %v, want %v", got, want)
	}
	if got := r.SeriesNamed("no-such"); got != nil {
		t.Errorf("a series that does not exist: got %v, want nil", got)
	}
}

// What is no number costs its claim, not the record that it could not be
// written in.
func TestNoNumbers(t *testing.T) {
	r := newRun()
	r.Observe("it-is-counted", 0, math.NaN())
	r.AddSeries(Series{Name: "row", Unit: "1", Samples: []float64{1, math.Inf(1), 2}})
	if got := r.Record().Voids["it-is-counted"]; got.Reason != measure.Error || !strings.Contains(got.Detail, "NaN") {
		t.Errorf("an exact claim: got %+v, want void (error)", got)
	}
	if got := r.SeriesNamed("row"); !slices.Equal(got, []float64{1, 2}) || len(r.Record().Notes) != 1 {
		t.Errorf("a series: got %v and notes %q, want 1, 2 and a note", got, r.Record().Notes)
	}
	calls := 0
	pairs := []Pair{{Claim: "it-is-timed", Episode: true, A: counting("a", math.NaN(), &calls), B: counting("b", 1, &calls)}}
	r.Budget = time.Hour
	if err := r.Compare(t.Context(), pairs); err != nil {
		t.Fatal(err)
	}
	if got := r.Record().Voids["it-is-timed"]; got.Reason != measure.Error || !strings.Contains(got.Detail, "no number") {
		t.Errorf("a comparison: got %+v, want void (error)", got)
	}
}

func TestPayload(t *testing.T) {
	const page = 4096
	p := newRun().Payload("data", 16*page+5)
	if len(p) != 16*page+5 {
		t.Fatalf("got %d bytes, want %d", len(p), 16*page+5)
	}
	for at := 0; at < len(p); at += page {
		part := p[at:min(at+page, len(p))]
		if bytes.Count(part, []byte{0}) == len(part) {
			t.Errorf("the page at %d is zero", at)
		}
	}
	check := func(what string, same bool, q []byte) {
		t.Helper()
		if bytes.Equal(p, q) != same {
			t.Errorf("%s: equal is %v, want %v", what, !same, same)
		}
	}
	check("the same seed", true, newRun().Payload("data", len(p)))
	check("another name", false, newRun().Payload("more", len(p)))
	other := newRun()
	other.Seed++
	check("another seed", false, other.Payload("data", len(p)))
	elsewhere := newRun()
	elsewhere.Lab = valid()[1]
	check("another lab", false, elsewhere.Payload("data", len(p)))
}

// counting returns an arm that counts n each time.
func counting(name string, n float64, calls *int) measure.Arm {
	return measure.Arm{Name: name, Unit: "1", Count: func() (float64, error) { *calls++; return n, nil }}
}

func TestCompareTakesWantedPairsOnly(t *testing.T) {
	check := func(want bool, wanted ...string) {
		t.Helper()
		calls, rows := 0, 0
		r := newRun(wanted...)
		pairs := []Pair{
			{Claim: "it-is-timed", Episode: true, A: counting("a", 8, &calls), B: counting("b", 2, &calls)},
			{Claim: "it-is-timed", Episode: true, Guard: true, A: counting("c", 1, &calls), B: counting("d", 1, &calls)},
		}
		if err := r.Compare(t.Context(), pairs, measure.Single{Arm: counting("row", 5, &rows), N: 3}); err != nil {
			t.Fatal(err)
		}
		e, observed := r.Record().Evidence["it-is-timed"]
		if observed != want || (calls > 0) != want {
			t.Fatalf("wanted %v: observed is %v after %d calls, want %v", wanted, observed, calls, want)
		}
		if rows != 4 || !slices.Equal(r.SeriesNamed("row"), []float64{5, 5, 5}) {
			t.Errorf("wanted %v: the row has %v after %d calls", wanted, r.SeriesNamed("row"), rows)
		}
		if !want {
			return
		}
		if e.Blocks == nil || e.Guard == nil || e.Blocks.Observations()[0] != 4 || e.Guard.Observations()[0] != 1 {
			t.Errorf("got %+v, want blocks of ratio 4 and a guard of ratio 1", e)
		}
		for _, name := range []string{"/a", "/b", "/guard-a", "/guard-b"} {
			if len(r.SeriesNamed("it-is-timed"+name)) < 16 {
				t.Errorf("series it-is-timed%s: got %v", name, r.SeriesNamed("it-is-timed"+name))
			}
		}
	}
	check(true)
	check(true, "it-is-timed")
	check(false, "it-is-counted")
}

func TestCompareLeavesOutWhatIsVoid(t *testing.T) {
	r, calls := newRun(), 0
	r.Void("it-is-timed", measure.Unreachable, "there is none here")
	pairs := []Pair{{Claim: "it-is-timed", Episode: true, A: counting("a", 8, &calls), B: counting("b", 2, &calls)}}
	if err := r.Compare(t.Context(), pairs); err != nil || calls > 0 {
		t.Errorf("got %v after %d calls, want none", err, calls)
	}
}

// An arm that fails is the fault of its own claim; a row that fails is a note.
func TestCompareKeepsFaultsApart(t *testing.T) {
	r, calls := newRun(), 0
	broken := measure.Arm{Name: "broken", Unit: "1", Count: func() (float64, error) { return 0, errors.New("out of paper") }}
	pairs := []Pair{{Claim: "it-is-timed", Episode: true, A: broken, B: counting("b", 2, &calls)}}
	if err := r.Compare(t.Context(), pairs, measure.Single{Arm: broken, N: 3}); err != nil {
		t.Fatal(err)
	}
	if got := r.Record().Voids["it-is-timed"]; got.Reason != measure.Error || got.Detail != "broken: out of paper" {
		t.Errorf("got %v, want void (error) with the arm's error", got)
	}
	if got := r.Record().Notes; len(got) != 1 || got[0] != "broken could not be measured: broken: out of paper" {
		t.Errorf("notes: got %q", got)
	}
}

func TestCompareStopsWithItsContext(t *testing.T) {
	r, calls := newRun(), 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	pairs := []Pair{{Claim: "it-is-timed", Episode: true, A: counting("a", 8, &calls), B: counting("b", 2, &calls)}}
	if err := r.Compare(ctx, pairs); !errors.Is(err, context.Canceled) || calls > 0 {
		t.Errorf("got %v after %d calls, want %v after none", err, calls, context.Canceled)
	}
}

func TestWatchNests(t *testing.T) {
	r, readings := newRun(), 0
	r.Volatile = func() host.Volatile {
		readings++
		return host.Volatile{Load1: host.Known(float64(readings), "1", "test")}
	}
	outer := r.Watch()
	inner := r.Watch()
	inner()
	outer()
	load := func(v host.Volatile) float64 { l, _ := v.Load1.Get(); return l }
	got := [][2]float64{}
	for _, c := range r.Record().Conditions {
		got = append(got, [2]float64{load(c.Before), load(c.After)})
	}
	if want := [][2]float64{{1, 4}, {2, 3}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTermsOfAComparison(t *testing.T) {
	l := valid()[0]
	if got := l.Claim("it-is-timed").Terms(); got.Form != measure.Ratio || got.Guard == nil || got.Guard.Max != 10 {
		t.Errorf("got %+v, want a ratio with its guard", got)
	}
	if got := l.Claim("it-is-counted").Terms(); got.Form != "" || got.Guard != nil {
		t.Errorf("got %+v, want neither form nor guard", got)
	}
	if got, want := l.ControlsOf("it-is-timed"), []string{"sabotage"}; !slices.Equal(got, want) {
		t.Errorf("controls: got %v, want %v", got, want)
	}
	if l.Claim("it-is-gone") != nil || l.Control("gone") != nil {
		t.Error("what does not exist was found")
	}
}

// Parts are made in turn for what is wanted; what fails for one is no fault of the others, and a run that is stopped says so.
func TestEach(t *testing.T) {
	var made []string
	part := func(claim string, err error) Part {
		return Part{claim, func(context.Context, *Run) error { made = append(made, claim); return err }}
	}
	parts := []Part{part("it-is-counted", errors.New("no paper")), part("it-is-timed", nil), part("it-is-tried", nil)}
	r := newRun("it-is-counted", "it-is-tried")
	var progress []float64
	r.Progress = func(done float64) { progress = append(progress, done) }
	if err := r.Each(t.Context(), parts); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made, []string{"it-is-counted", "it-is-tried"}) || len(progress) != 2 || progress[1] != 1 {
		t.Errorf("made %v with progress %v, want the two that are wanted", made, progress)
	}
	if v := r.Record().Voids; len(v) != 1 || v["it-is-counted"].Reason != measure.Error || v["it-is-counted"].Detail != "no paper" {
		t.Errorf("void: %v, want the one that failed, with its reason", v)
	}

	ctx, stop := context.WithCancel(t.Context())
	made = nil
	stopping := Part{"it-is-counted", func(context.Context, *Run) error { stop(); return errors.New("stopped") }}
	r = newRun()
	if err := r.Each(ctx, append([]Part{stopping}, parts...)); !errors.Is(err, context.Canceled) || len(made) > 0 || len(r.Record().Voids) > 0 {
		t.Errorf("got %v, made %v, void %v; want that the run was stopped, and no more", err, made, r.Record().Voids)
	}
}
