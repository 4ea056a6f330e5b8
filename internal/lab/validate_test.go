package lab

import (
	"context"
	"math"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/measure"
)

// valid returns labs that Validate accepts: "first" with a claim of each kind,
// and "second", whose claim rests on one of them.
func valid() []*Lab {
	first := &Lab{
		Name: "first", Title: "is it so?", Group: Storage, Doc: "// Package first.\n", Seconds: 1,
		Measure: func(context.Context, *Run) error { return nil },
		Claims: []Claim{
			{Name: "it-is-counted", Text: "it is", Version: 1, Scope: Machine, Kind: measure.Exact, Unit: "1",
				Region: measure.Equal(0), Observed: "a count"},
			{Name: "it-is-timed", Text: "it is", Version: 1, Scope: Machine, Kind: measure.Comparison, Unit: "1",
				Region: measure.AtLeast(3), Observed: "a ratio", Guard: &Guard{Text: "sound", Region: measure.AtMost(10)}},
			{Name: "it-is-tried", Text: "it is", Version: 2, Scope: Program, Kind: measure.Binomial, Unit: "1",
				Region: measure.AtMost(0.1), Observed: "a share", RestsOn: []string{"first/it-is-counted"}},
		},
		Controls: []Control{
			{Name: "sabotage", Text: "all is broken", Breaks: []string{"it-is-counted", "it-is-timed"}},
			{Name: "less-sabotage", Text: "some is", Breaks: []string{"it-is-tried"}},
		},
		Questions: []Question{{
			Name: "how-many", Text: "how many?", Unit: "1", Answer: Answer{Claim: "it-is-counted"},
			Candidates: []Candidate{{Text: "one", Value: axioms.Count(1)}, {Text: "two", Value: axioms.Count(2)}},
			Derive:     func(axioms.Set) (Derivation, error) { return Derivation{}, nil },
		}},
	}
	second := *first
	second.Name, second.Group = "second", Serving
	second.Claims = append([]Claim(nil), first.Claims...)
	second.Claims[0].RestsOn = []string{"first/it-is-timed"}
	second.Questions = append([]Question(nil), first.Questions...)
	second.Questions[0].Answer = Answer{Series: "it-is-timed/a"}
	return []*Lab{first, &second}
}

func TestValidLabsPass(t *testing.T) {
	if err := Validate(valid()); err != nil {
		t.Error(err)
	}
	if err := Validate(nil); err != nil {
		t.Errorf("no labs: got %v", err)
	}
}

// checkFault spoils the first of the valid labs and demands an error that names
// the lab and the fault.
func checkFault(t *testing.T, want string, spoil func(l *Lab)) {
	t.Helper()
	labs := valid()
	spoil(labs[0])
	err := Validate(labs)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}

func TestValidateLab(t *testing.T) {
	check := func(want string, spoil func(l *Lab)) { t.Helper(); checkFault(t, "lab first: "+want, spoil) }
	check("want a title", func(l *Lab) { l.Title = "" })
	check("want a title, a doc", func(l *Lab) { l.Doc = "" })
	check("want a title, a doc, claims", func(l *Lab) { l.Claims = nil })
	check("want a title, a doc, claims, questions", func(l *Lab) { l.Questions = nil })
	check("want a title, a doc, claims, questions, a share of time", func(l *Lab) { l.Seconds = 0 })
	check("want a title, a doc, claims, questions, a share of time and Measure", func(l *Lab) { l.Measure = nil })
	check(`unknown group "games"`, func(l *Lab) { l.Group = "games" })

	checkFault(t, "lab second: there are two of that name", func(l *Lab) { l.Name = "second" })
	for _, name := range []string{"", "First", "two-words", "two words", "9lives", "a/b"} {
		checkFault(t, "is not one lower-case word", func(l *Lab) { l.Name = name })
	}
}

func TestValidateClaim(t *testing.T) {
	check := func(want string, spoil func(c *Claim)) {
		t.Helper()
		checkFault(t, "lab first: claim it-is-timed: "+want, func(l *Lab) { spoil(&l.Claims[1]) })
	}
	check("want a text", func(c *Claim) { c.Text = "" })
	check("want a text, a unit", func(c *Claim) { c.Unit = "" })
	check("want a text, a unit, who observes it", func(c *Claim) { c.Observed = "" })
	check("want a text, a unit, who observes it and a version", func(c *Claim) { c.Version = 0 })
	check(`unknown scope ""`, func(c *Claim) { c.Scope = "" })
	check(`unknown kind "guess"`, func(c *Claim) { c.Kind = "guess" })
	check("region has no bound: nothing can fail it", func(c *Claim) { c.Region = measure.Within(math.Inf(-1), math.Inf(1)) })
	check("region in [3, 2] is empty", func(c *Claim) { c.Region = measure.Within(3, 2) })
	check("region has a bound that is not a number", func(c *Claim) { c.Region = measure.AtLeast(math.NaN()) })
	check("a median of blocks never equals one value", func(c *Claim) { c.Region = measure.Equal(1) })
	check("guard: region has no bound", func(c *Claim) { c.Guard.Region = measure.AtLeast(math.Inf(-1)) })
	check("only a comparison of arms can have a guard", func(c *Claim) { c.Kind = measure.Exact })
	check(`rests on "first/it-is-timed", which does not exist or is itself`, func(c *Claim) { c.RestsOn = []string{"first/it-is-timed"} })
	check(`rests on "first/it-is-gone", which does not exist`, func(c *Claim) { c.RestsOn = []string{"first/it-is-gone"} })
	check(`rests on "first", which does not exist`, func(c *Claim) { c.RestsOn = []string{"first"} })

	checkFault(t, "claim it-is-timed: there are two of that name", func(l *Lab) { l.Claims[0].Name = "it-is-timed" })
	checkFault(t, "claim it-is-tried: no control breaks it, so it is no claim", func(l *Lab) { l.Controls = l.Controls[:1] })
	for _, name := range []string{"", "It-is", "it is", "it--is", "-it", "it/is"} {
		checkFault(t, "the name is not a sentence with hyphens", func(l *Lab) { l.Claims[1].Name = name })
	}
}

// Two claims that rest on each other would hide each other's failure.
func TestValidateCycle(t *testing.T) {
	checkFault(t, "claim second/it-is-counted: rests on first/it-is-timed, which rests on it", func(l *Lab) {
		l.Claims[1].RestsOn = []string{"second/it-is-counted"}
	})
	checkFault(t, "which rests on it", func(l *Lab) { l.Claims[0].RestsOn = []string{"first/it-is-tried"} })
}

func TestValidateControl(t *testing.T) {
	check := func(want string, spoil func(c *Control)) {
		t.Helper()
		checkFault(t, "lab first: control "+want, func(l *Lab) { spoil(&l.Controls[0]) })
	}
	check("sabotage: want a text", func(c *Control) { c.Text = "" })
	check("sabotage: want a text and the claims that it breaks", func(c *Control) { c.Breaks = nil })
	check(`sabotage: breaks "it-is-gone", which is no claim of this lab`, func(c *Control) { c.Breaks[1] = "it-is-gone" })
	check(`"less-sabotage": its name is taken or malformed`, func(c *Control) { c.Name = "less-sabotage" })
	check(`"Sabotage!": its name is taken or malformed`, func(c *Control) { c.Name = "Sabotage!" })
}

func TestValidateQuestion(t *testing.T) {
	check := func(want string, spoil func(q *Question)) {
		t.Helper()
		checkFault(t, "lab first: question how-many: "+want, func(l *Lab) { spoil(&l.Questions[0]) })
	}
	check("want a text", func(q *Question) { q.Text = "" })
	check("want a text, a unit", func(q *Question) { q.Unit = "" })
	check("want a text, a unit, at least two candidates", func(q *Question) { q.Candidates = q.Candidates[:1] })
	check("want a text, a unit, at least two candidates and a derivation", func(q *Question) { q.Derive = nil })
	check("want exactly one of a series and a claim to score it by", func(q *Question) { q.Answer = Answer{} })
	check("want exactly one of a series and a claim", func(q *Question) { q.Answer.Series = "it-is-timed/a" })
	check(`is scored by "it-is-gone", which is no claim`, func(q *Question) { q.Answer.Claim = "it-is-gone" })
	check(`candidate "two" is in s, not in 1`, func(q *Question) { q.Candidates[1].Value = axioms.Seconds(2) })
	checkFault(t, "is answered in B and scored by a claim in 1", func(l *Lab) { l.Questions[0].Unit = "B" })
	checkFault(t, `question "How many?": its name is taken or malformed`, func(l *Lab) { l.Questions[0].Name = "How many?" })
	checkFault(t, `question "how-many": its name is taken`, func(l *Lab) { l.Questions = append(l.Questions, l.Questions[0]) })
}

// All that is wrong is said at once.
func TestValidateReportsEveryFault(t *testing.T) {
	labs := valid()
	labs[0].Title, labs[0].Claims[0].Unit, labs[1].Group = "", "", "games"
	err := Validate(labs)
	for _, want := range []string{"want a title", "claim it-is-counted: want a text, a unit", `lab second: unknown group "games"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
