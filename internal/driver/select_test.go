package driver

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
)

// registry has labs in two groups; the third is empty.
func registry() []*lab.Lab {
	all := []*lab.Lab{
		fake("first", nil, counted("it-is-real"), counted("it-is-free")), fake("second", nil, counted("it-is-based")),
		fake("third", nil, counted("it-is-third")),
	}
	all[2].Group = lab.Studies
	return all
}

func TestSelect(t *testing.T) {
	check := func(want string, names ...string) {
		t.Helper()
		labs, err := Labs(registry(), names)
		got := []string{}
		for _, l := range labs {
			got = append(got, l.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, %v; want %s", names, got, err, want)
		}
	}
	check("first second")
	check("first second third", "all")
	check("third", "studies")
	check("first third", "third", "first") // the registry's order, not the user's
	check("first second", "storage", "second", "first", "first")
	check("first second", "storage", "serving") // one of the groups is empty

	fails := func(want string, names ...string) {
		t.Helper()
		labs, err := Labs(registry(), names)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, %v; want %q", names, labs, err, want)
		}
		_, runErr := Run(t.Context(), Options{All: registry(), Select: names, Dir: t.TempDir(), Machine: machine()})
		if runErr == nil || runErr.Error() != err.Error() {
			t.Errorf("%q: got %v from Run, want %v", names, runErr, err)
		}
	}
	const there = "; there are first, second, third, storage, studies, all"
	const first = ": did you mean first? there are first, second, third, storage, studies, all"
	fails(`no lab or group is called "fist"`+first, "fist")
	fails(`no lab or group is called "first "`+first, "second", "first ")
	fails(`no lab or group is called "nowhere-near"`+there, "nowhere-near")
	fails(`no lab or group is called ""`+there, "")
	fails(`no lab or group is called "first/it-is-real"`+there, "first/it-is-real")
	fails("no lab is in serving yet"+there, "serving")
}

// A typo in a gate must not open it.
func TestCheckRequire(t *testing.T) {
	check := func(want string, require ...string) {
		t.Helper()
		err := CheckRequire(registry(), require)
		if got := errorText(err); got != want {
			t.Errorf("%q: got %q, want %q", require, got, want)
		}
	}
	check("")
	check("", "first", "second/it-is-based")
	check(`--require: no lab, claim or device is called "fist": did you mean first?`, "first", "fist")
	check(`--require: no lab, claim or device is called "first/it-is-based": did you mean first/it-is-free or first/it-is-real or second/it-is-based?`, "first/it-is-based")
	check(`--require: no lab, claim or device is called "first/"`, "first/")
	check(`--require: no lab, claim or device is called "storage"`, "storage")
	check(`--require: no lab, claim or device is called ""`, "")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestBudget(t *testing.T) {
	got := map[string]time.Duration{}
	work := func(_ context.Context, r *lab.Run) error { got[r.Lab.Name] = r.Budget; return nil }
	first, second, third := fake("first", work, counted("it-is-1")), fake("second", work, counted("it-is-2")), fake("third", work, counted("it-is-3"))
	first.Seconds, second.Seconds, third.Seconds = 1, 3, 96
	check := func(want map[string]time.Duration, change func(o *Options)) {
		t.Helper()
		o := options(t, first, second, third)
		o.Select = []string{"first", "second"}
		clear(got)
		change(&o)
		mustRun(t, t.Context(), o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("budgets (- want, + got):\n%s", diff)
		}
	}
	barrier := func(d time.Duration) func(*measure.Clock, string, *rand.Rand) (time.Duration, error) {
		return func(*measure.Clock, string, *rand.Rand) (time.Duration, error) { return d, nil }
	}
	s := time.Second
	check(map[string]time.Duration{"first": s, "second": 3 * s}, func(*Options) {})
	check(map[string]time.Duration{"first": 10 * s, "second": 30 * s}, func(o *Options) { o.Full = true })
	// Labs that are not run get nothing of it.
	check(map[string]time.Duration{"first": 2 * s, "second": 6 * s}, func(o *Options) { o.Budget = 8 * s })
	second.Barriers = 100
	check(map[string]time.Duration{"first": s, "second": 5 * s}, func(o *Options) { o.Machine.Barrier = barrier(50 * time.Millisecond) })
	check(map[string]time.Duration{"first": s, "second": slowest}, func(o *Options) { o.Machine.Barrier = barrier(s) })
}

// The same seed gives the same payloads, orders and random numbers, and each
// part of a run its own.
func TestSeeds(t *testing.T) {
	record := func(seed uint64) map[string]string {
		out := map[string]string{}
		work := func(_ context.Context, r *lab.Run) error {
			out[r.Lab.Name+" payload"] = string(r.Payload("payload", 64))
			out[r.Lab.Name+" order"] = string(r.Payload("order", 64))
			return nil
		}
		o := options(t, fake("first", work, counted("it-is-1")), fake("second", work, counted("it-is-2")))
		o.Seed = seed
		res := mustRun(t, t.Context(), o)
		if got := res.Manifest(manifest.Program{}, nil).Labs[1].Seed; got != seed {
			t.Errorf("the manifest has the seed %d, want %d", got, seed)
		}
		return out
	}
	one, again, two := record(1), record(1), record(2)
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("the same seed twice (- once, + again):\n%s", diff)
	}
	seen := map[string]bool{}
	for name := range one {
		if one[name] == two[name] {
			t.Errorf("%s: the same with another seed", name)
		}
		seen[one[name]] = true
	}
	if len(seen) != len(one) {
		t.Errorf("%d of %d are the same as others", len(one)-len(seen), len(one))
	}
}

// A control is on in its own lab alone, with the dose that was asked for.
func TestControls(t *testing.T) {
	got := map[string]float64{}
	work := func(_ context.Context, r *lab.Run) error {
		if r.Sabotaged("sabotage") {
			got[r.Lab.Name] = r.Dose
		}
		return nil
	}
	first, second := fake("first", work, counted("it-is-1")), fake("second", work, counted("it-is-2"))
	first.Controls = []lab.Control{{Name: "sabotage", Dose: &lab.Dose{Default: 0.25}}}
	second.Controls = []lab.Control{{Name: "sabotage"}}
	check := func(want map[string]float64, control, of string, dose float64) {
		t.Helper()
		clear(got)
		o := options(t, first, second)
		o.Control, o.ControlOf, o.Dose = control, of, dose
		mustRun(t, t.Context(), o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s of %q (- want, + got):\n%s", control, of, diff)
		}
	}
	check(map[string]float64{}, "", "", 0)
	check(map[string]float64{"first": 0.25}, "sabotage", "first", 0)
	check(map[string]float64{"first": 4}, "sabotage", "first", 4)
	check(map[string]float64{"second": 0}, "sabotage", "second", 0)
}

// A lab reads the texts of all, those that are not run too.
func TestDocuments(t *testing.T) {
	var got []string
	reader := fake("reader", func(_ context.Context, r *lab.Run) error {
		got = r.Documents
		return observing(map[string]float64{"c": 0})(nil, r)
	}, counted("c"))
	other := fake("other", observing(nil), counted("c"))
	reader.Doc, other.Doc = "of the reader", "of the other"
	o := options(t, other, reader)
	o.Select = []string{"reader"}
	mustRun(t, t.Context(), o)
	if want := []string{"of the other", "of the reader"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAnswers(t *testing.T) {
	question := func(name string, a lab.Answer) lab.Question {
		return lab.Question{Name: name, Unit: "1", Answer: a, Derive: func(axioms.Set) (lab.Derivation, error) {
			return lab.Derivation{Value: axioms.Count(6), Steps: "2 x 3"}, nil
		}}
	}
	l := fake("first", func(ctx context.Context, r *lab.Run) error {
		r.Observe("it-is-wrong", 5)
		r.AddSeries(lab.Series{Name: "row", Unit: "1", Samples: []float64{9, 7, 8}})
		return ratio(ctx, r, "it-is-real", 4)
	}, counted("it-is-wrong"), compared("it-is-real"), counted("it-is-gone"))
	l.Questions = []lab.Question{
		question("by-claim", lab.Answer{Claim: "it-is-real"}), question("by-failed-claim", lab.Answer{Claim: "it-is-wrong"}),
		question("by-void-claim", lab.Answer{Claim: "it-is-gone"}), question("by-series", lab.Answer{Series: "row"}),
		question("by-no-series", lab.Answer{Series: "gone"}),
	}
	l.Questions[4].Derive = func(axioms.Set) (lab.Derivation, error) { return lab.Derivation{}, errors.New("no such axiom") }
	res := mustRun(t, t.Context(), options(t, l))
	got := res.Manifest(manifest.Program{}, nil).Labs[0].Questions
	num := manifest.Number
	six := manifest.Derivation{Value: num(6), Unit: "1", Steps: "2 x 3"}
	want := []manifest.Question{
		{Name: "by-claim", Unit: "1", Answer: "claim it-is-real", Measured: num(4), Derivation: six},
		{Name: "by-failed-claim", Unit: "1", Answer: "claim it-is-wrong", Measured: num(5), Derivation: six},
		{Name: "by-void-claim", Unit: "1", Answer: "claim it-is-gone", Derivation: six},
		{Name: "by-series", Unit: "1", Answer: "series row", Measured: num(8), Derivation: six},
		{Name: "by-no-series", Unit: "1", Answer: "series gone", Derivation: manifest.Derivation{Unit: "1", Error: "no such axiom"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(manifest.Question{}, "TextHash")); diff != "" {
		t.Errorf("questions (- want, + got):\n%s", diff)
	}
}

// An answer goes with its claim: what was void in the end has answered nothing.
func TestAnswersOfVoidClaims(t *testing.T) {
	check := func(l *lab.Lab) {
		t.Helper()
		l.Questions = []lab.Question{{
			Name: "how-many", Unit: "1", Answer: lab.Answer{Claim: "it-is-real"},
			Derive: func(axioms.Set) (lab.Derivation, error) { return lab.Derivation{}, nil },
		}}
		res := mustRun(t, t.Context(), options(t, l))
		if q := res.Labs[0].Questions[0]; q.Measured != nil || detail(t, res, "first/it-is-real").Verdict != measure.Void {
			t.Errorf("got the answer %v to a claim that is %v, want none", *q.Measured, detail(t, res, "first/it-is-real").Verdict)
		}
	}
	check(fake("first", inTurn("it-is-real", 1, 9), compared("it-is-real")))
	check(fake("first", observing(map[string]float64{"it-is-real": 0, "it-is-wrong": 1}),
		counted("it-is-real", "first/it-is-wrong"), counted("it-is-wrong")))
}

func TestTextHash(t *testing.T) {
	q := lab.Question{Text: "how long?", Unit: "s"}
	same, text, unit := q, q, q
	text.Text, unit.Unit = "how long is it?", "B"
	if a := TextHash(&q); a != TextHash(&same) || a == TextHash(&text) || a == TextHash(&unit) || len(a) != 64 {
		t.Errorf("got %s; want it to change with text and unit, and with nothing else", a)
	}
}

func TestDispatch(t *testing.T) {
	l := fake("first", nil)
	l.Children = map[string]func([]string) int{"helper": func(args []string) int { return 40 + len(args) }}
	check := func(name string, code int, child bool) {
		t.Helper()
		t.Setenv(ChildVariable, name)
		if c, ok := Dispatch([]*lab.Lab{l}, []string{"a", "b"}); c != code || ok != child {
			t.Errorf("%q: got %d, %v; want %d, %v", name, c, ok, code, child)
		}
	}
	check("first/helper", 42, true)
	check("first/typo", 2, true)
	check("second/helper", 2, true)
	check("", 2, true)
	os.Unsetenv(ChildVariable)
	if c, ok := Dispatch([]*lab.Lab{l}, nil); ok || c != 0 {
		t.Errorf("no child: got %d, %v; want 0, false", c, ok)
	}
	cmd := Start("first", "helper", []string{"a"})
	if !slices.Contains(cmd.Env, ChildVariable+"=first/helper") || !slices.Equal(cmd.Args[1:], []string{"a"}) {
		t.Errorf("got arguments %q and environment %q", cmd.Args, cmd.Env)
	}
}
