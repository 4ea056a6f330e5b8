package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/labs"
	"envelope/manifest"
)

func TestGitHubEscapes(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(data("50 % of a:b, c"), "50 %25 of a:b, c")
	check(data("one\ntwo\r\nthree"), "one two three")
	check(property("lab/claim: 50 %, or so"), "lab/claim%3A 50 %25%2C or so")
	check(data("::error::x"), "::error::x") // in the middle of a line it commands nothing
}

// Whatever a manifest says, each line of the annotations is one of ours.
func TestAnnotationsStayInTheirLines(t *testing.T) {
	evil := "x\n::error title=a::b\r\n::set-output name=c::d\u2028e"
	run := manifest.Run{Labs: []manifest.Lab{{Name: evil, Claims: []manifest.Claim{
		{Name: evil, Text: evil, Scope: "machine", Verdict: measure.Failed}, {Name: evil, Text: evil, Reason: measure.Error, Detail: evil},
	}}}}
	var out bytes.Buffer
	if err := writeGitHub(&out, run, gate{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "::error title=x ") || !strings.HasPrefix(lines[2], "envelope: 0 held, 1 failed, 1 void") {
		t.Errorf("got %q, want two annotations and the end", lines)
	}
	for _, line := range lines[:2] {
		title, _, _ := strings.Cut(strings.TrimPrefix(line, "::error title="), "::")
		if strings.ContainsAny(title, ":,") {
			t.Errorf("got the title %q, want it escaped", title)
		}
	}
}

// show prints every lab of the registry: its doc's headings, its questions, and
// each claim with all that belongs to it.
func TestShowOfTheRegistry(t *testing.T) {
	for _, l := range labs.All {
		var out bytes.Buffer
		if err := printShow(off(&out), l); err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		text := out.String()
		at := 0
		for _, heading := range []string{"Question", "Axioms", "Division", "Measurement", "Axioms assumed", "Questions", "Claims", "Limits"} {
			i := strings.Index(text[at:], bold.Render(heading)+"\n")
			if i < 0 {
				t.Errorf("%s: the heading %s is missing or out of order", l.Name, heading)
				continue
			}
			at += i
		}
		if limits := text[at:]; strings.TrimSpace(strings.TrimPrefix(limits, bold.Render("Limits"))) == "" {
			t.Errorf("%s: no limits are told", l.Name)
		}
		want := []string{l.Title}
		for _, c := range l.Claims {
			want = append(append(want, c.Name, c.Text, c.Observed, typeset.Region(c.Region, c.Unit)), c.RestsOn...)
		}
		for _, c := range l.Controls {
			want = append(want, "("+c.Name+")", c.Text)
		}
		for _, q := range l.Questions {
			want = append(want, l.Name+"/"+q.Name, q.Text, q.Candidates[0].Text)
		}
		for _, w := range append(want, l.Axioms...) {
			if !strings.Contains(unwrapped(text), unwrapped(w)) {
				t.Errorf("%s: %q is not shown", l.Name, w)
			}
		}
	}
}

// unwrapped is a text in one line.
func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestListOfTheRegistry(t *testing.T) {
	var text, js bytes.Buffer
	if err := printList(off(&text), labs.All); err != nil {
		t.Fatal(err)
	}
	if err := printListJSON(&js, labs.All); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), "\n"); got != len(labs.All) {
		t.Errorf("got %d lines, want %d", got, len(labs.All))
	}
	for _, l := range labs.All {
		if !strings.Contains(text.String(), l.Title) || !strings.Contains(js.String(), `"name": "`+l.Name+`"`) {
			t.Errorf("%s is not listed", l.Name)
		}
	}
}

func TestLoud(t *testing.T) {
	check := func(v host.Volatile, cpus int, want string) {
		t.Helper()
		if got := loud(v, cpus); got != want {
			t.Errorf("%+v on %d: got %q, want %q", v.Load1, cpus, got, want)
		}
	}
	load := func(v float64) host.Volatile { return host.Volatile{Load1: host.Known(v, "1", "test")} }
	pressure := func(v float64) host.Pressure { return host.Pressure{Avg10: host.Known(v, "1", "test")} }
	check(host.Volatile{}, 2, "") // what is unknown counts as quiet
	check(load(0.5), 2, "")
	check(load(0.51), 2, "load 0.51 on 2 processors")
	check(load(0.51), 16, "")
	check(host.Volatile{PressureCPU: pressure(0.05)}, 2, "")
	check(host.Volatile{PressureCPU: pressure(0.06)}, 2, "processor pressure 6 %")
	check(host.Volatile{PressureIO: pressure(0.5)}, 2, "disk pressure 50 %")
	check(host.Volatile{PressureMemory: pressure(1)}, 2, "memory pressure 100 %")
}

// A stopped wait is an interruption; one that has no time left measures anyway.
func TestWaitForQuietEnds(t *testing.T) {
	loud := func() host.Volatile { return host.Volatile{Load1: host.Known(1e6, "1", "test")} }
	var said bytes.Buffer
	if err := waitForQuiet(t.Context(), time.Nanosecond, loud, &said); err != nil || !strings.Contains(said.String(), "measuring all the same") {
		t.Errorf("got %v, %q; want no error", err, &said)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := waitForQuiet(ctx, time.Hour, loud, &said); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the wait stopped", err)
	}
}

func TestTally(t *testing.T) {
	claim := func(s lab.Scope, v measure.Verdict) *driver.Claim {
		return &driver.Claim{Claim: &lab.Claim{Scope: s}, Judgement: measure.Judgement{Verdict: v}}
	}
	n := tally([]*driver.Lab{
		{Claims: []*driver.Claim{claim(lab.Machine, measure.Held), claim(lab.Machine, measure.Failed), claim(lab.Program, measure.Void)}},
		{Claims: []*driver.Claim{claim(lab.Machine, measure.Held), claim(lab.Machine, measure.Void)}},
	})
	if got, want := n[lab.Machine].String(), "2 held, 1 failed, 1 void"; got != want {
		t.Errorf("machine: got %q, want %q", got, want)
	}
	if got, want := n[lab.Program].String(), "0 held, 1 void"; got != want {
		t.Errorf("program: got %q, want %q", got, want)
	}
}

// What was measured is held against what is assumed: against the nearer end of a
// range, and against nothing where the range holds it.
func TestOverAssumed(t *testing.T) {
	check := func(name string, q axioms.Quantity, want string) {
		t.Helper()
		if got := overAssumed(axioms.Given{Name: name, Quantity: q, Measured: true}); got != want {
			t.Errorf("%s of %s: got %q, want %q", name, q, got, want)
		}
	}
	check("mutex", axioms.Seconds(40e-9), "2")
	check("branch-miss", axioms.Seconds(2e-9), "within") // 2 to 10 ns
	check("branch-miss", axioms.Seconds(10e-9), "within")
	check("branch-miss", axioms.Seconds(30e-9), "3")
	check("branch-miss", axioms.Seconds(0.5e-9), "0.25")
	check("no-such-constant", axioms.Seconds(1), "")
}
