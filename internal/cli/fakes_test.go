package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

const fakeDoc = `// Package fake asks nothing of this machine.
//
// # Question
//
// How many angels dance on the head of a pin?
//
// # Axioms
//
// An angel takes no room.
//
// # Division
//
// The head of a pin over nothing.
//
// # Measurement
//
// They are counted.
//
// # Claims
//
// All of them.
//
// # Limits
//
// None that is known.
package fake
`

// counted is an exact claim that holds where only 0 was observed.
func counted(name string, scope lab.Scope) lab.Claim {
	return lab.Claim{
		Name: name, Version: 1, Scope: scope, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0),
		Text: "none is counted", Observed: "a count",
	}
}

// elsewhere marks a claim that another system alone can tell.
func elsewhere(c lab.Claim) lab.Claim {
	c.System = "darwin"
	if runtime.GOOS == "darwin" {
		c.System = "linux"
	}
	return c
}

// compared is a claim on the ratio of two arms that holds from 3 up.
func compared(name string, restsOn ...string) lab.Claim {
	return lab.Claim{
		Name: name, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(3),
		Text: "one is at least three times the other", Observed: "one / the other", RestsOn: restsOn,
	}
}

// fake is a lab that Validate accepts: each claim has a control, sabotage, that
// the work may or may not heed.
func fake(name string, work func(ctx context.Context, r *lab.Run) error, claims ...lab.Claim) *lab.Lab {
	l := &lab.Lab{
		Name: name, Title: "how many " + name + "?", Group: lab.Studies, Doc: fakeDoc, Seconds: 100,
		Axioms: []string{"system-call"}, Claims: claims, Measure: work,
		Questions: []lab.Question{{
			Name: "how-many", Text: "How many are there?", Unit: "1", Axioms: []string{"mutex"}, Answer: lab.Answer{Claim: claims[0].Name},
			Candidates: []lab.Candidate{{Text: "none", Value: axioms.Count(0)}, {Text: "a dozen", Value: axioms.Count(12)}},
			Derive: func(axioms.Set) (lab.Derivation, error) {
				return lab.Derivation{Value: axioms.Count(2), Steps: "6 / 3"}, nil
			},
		}},
	}
	sabotage := lab.Control{Name: "sabotage", Text: "it is counted wrong", Dose: &lab.Dose{Default: 2, Unit: "1", Text: "too many"}}
	for _, c := range claims {
		sabotage.Breaks = append(sabotage.Breaks, c.Name)
	}
	l.Controls = []lab.Control{sabotage}
	return l
}

// ratios takes blocks for a claim, whose arms stand in one ratio after another,
// round and round.
func ratios(ctx context.Context, r *lab.Run, claim string, values ...float64) error {
	n := 0
	a := measure.Arm{Name: "one", Unit: "1", Count: func() (float64, error) { n++; return values[n%len(values)], nil }}
	b := measure.Arm{Name: "the other", Unit: "1", Count: func() (float64, error) { return 1, nil }}
	return r.Compare(ctx, []lab.Pair{{Claim: claim, Episode: true, A: a, B: b}})
}

// fakes are labs that are quick and always come out the same: one for each way
// in which a run can end.
func fakes() []*lab.Lab {
	good := fake("good", goodWork, counted("counts-agree", lab.Machine), compared("arms-differ", "good/counts-agree"),
		counted("program-is-right", lab.Program))
	good.Group = lab.Storage
	good.Controls = append(good.Controls, lab.Control{Name: "equal-arms", Text: "both are the same", Breaks: []string{"arms-differ"}})
	good.Controls[0].Breaks = []string{"counts-agree", "program-is-right"}
	return []*lab.Lab{
		good,
		fake("bad", func(ctx context.Context, r *lab.Run) error {
			r.Observe("never-holds", 0, 7, 12)
			return ratios(ctx, r, "is-based", 9)
		}, counted("never-holds", lab.Machine), compared("is-based", "bad/never-holds")),
		fake("noisy", func(ctx context.Context, r *lab.Run) error {
			r.Observe("is-counted", 0)
			return ratios(ctx, r, "never-settles", 9, 1)
		}, compared("never-settles"), counted("is-counted", lab.Machine)),
		fake("fickle", func(ctx context.Context, r *lab.Run) error {
			v := 1.0
			if r.Seed > 1 {
				v = 9
			}
			return ratios(ctx, r, "changes-its-mind", v)
		}, compared("changes-its-mind")),
		fake("wild", func(context.Context, *lab.Run) error {
			return errors.New("100 % \x1b[31mred\x07\u202e,\nsecond: line\r\u009b2J")
		}, counted("never-measured", lab.Machine)),
		fake("tool", func(_ context.Context, r *lab.Run) error {
			r.Observe("program-works", 0)
			return nil
		}, counted("program-works", lab.Program)),
		fake("away", func(_ context.Context, r *lab.Run) error {
			r.Void("is-out-of-reach", measure.Unreachable, "there is none in this machine")
			return nil
		}, counted("is-out-of-reach", lab.Machine)),
		fake("mixed", func(_ context.Context, r *lab.Run) error {
			r.Observe("is-here", 0)
			r.Void("is-elsewhere", measure.Unreachable, "another system has it")
			return nil
		}, counted("is-here", lab.Machine), elsewhere(counted("is-elsewhere", lab.Machine))),
		fake("hang", waiting(true), counted("comes-late", lab.Machine)),
		fake("stuck", waiting(false), counted("never-comes", lab.Machine)),
	}
}

// laterFakes are the fakes of a later release: good has another method of one
// claim, mixed other sources, bad holds, fickle has twice the ratio, and there is
// no tool.
func laterFakes() []*lab.Lab {
	var out []*lab.Lab
	for _, l := range fakes() {
		switch l.Name {
		case "good":
			l.Claim("arms-differ").Version = 2
		case "mixed":
			l.Title += " And how many more?"
		case "bad":
			l.Measure = func(ctx context.Context, r *lab.Run) error {
				r.Observe("never-holds", 0)
				return ratios(ctx, r, "is-based", 9)
			}
		case "fickle":
			l.Measure = func(ctx context.Context, r *lab.Run) error { return ratios(ctx, r, "changes-its-mind", 18) }
		case "tool":
			continue
		}
		out = append(out, l)
	}
	return out
}

// goodWork heeds the control.
func goodWork(ctx context.Context, r *lab.Run) error {
	wrong, ratio := 0.0, 9.0
	if r.Sabotaged("sabotage") {
		wrong = r.Dose
	}
	if r.Sabotaged("equal-arms") {
		ratio = 1
	}
	r.Observe("counts-agree", 0, wrong, 0)
	r.Observe("program-is-right", wrong)
	r.AddTable(lab.Table{Title: "a table", Header: []string{"what", "how many"}, Rows: [][]string{{"angels", "12"}, {"pins", "1"}}})
	r.Note("a note")
	return ratios(ctx, r, "arms-differ", ratio)
}

// waiting is work that says that it has begun, and then waits for the end of its
// standard input or, if it heeds that, for the run to be stopped.
func waiting(heeds bool) func(context.Context, *lab.Run) error {
	return func(ctx context.Context, r *lab.Run) error {
		fmt.Fprintln(os.Stderr, "at work")
		ended := make(chan struct{})
		go func() { io.Copy(io.Discard, os.Stdin); close(ended) }()
		stopped := ctx.Done()
		if !heeds {
			stopped = nil
		}
		select {
		case <-stopped:
			return ctx.Err()
		case <-ended:
			r.Observe(r.Lab.Claims[0].Name, 0)
			return nil
		}
	}
}

// What the tests stand on is itself sound.
func TestFakesAreValid(t *testing.T) {
	if err := lab.Validate(fakes()); err != nil {
		t.Error(err)
	}
}
