package predict

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// Runner measures. It is told which lab, and never what was predicted.
type Runner interface {
	// Prepare measures this machine's axioms: once, before the first question.
	Prepare(ctx context.Context) (axioms.Set, error)
	// Divide returns what the division gives for each of the lab's questions,
	// in their order, on the prepared axioms.
	Divide(l *lab.Lab) []manifest.Derivation
	// Run measures the lab and what it rests on. Its error says that nothing
	// could be measured; a context that ends makes the run an interrupted one.
	Run(ctx context.Context, l *lab.Lab) (Measured, error)
	// Progress says how far Prepare or Run has come. It may be called at any
	// time from another goroutine.
	Progress() Progress
	// Keep appends a run, with the predictions that it now reveals.
	Keep(run manifest.Run) error
}

// Measured is one run of a lab, and the tables that it made for people.
type Measured struct {
	Run    manifest.Run
	Tables []lab.Table
}

// Progress is how far a measurement has come.
type Progress struct {
	What string  // the lab, or what else is being done
	Done float64 // share of all, from 0 to 1
}

// Options make a sitting.
type Options struct {
	Labs    []*lab.Lab // in their order
	Runner  Runner
	Ledger  *ledger.Ledger
	Rules   map[string][]string // by lab: what it teaches, a sentence each
	Answers map[string]string   // LAB/QUESTION: answers given beforehand, as they are written
	Now     func() time.Time    // of a registration; nil is time.Now
}

// ErrStopped is returned where the user stopped before all labs were measured.
var ErrStopped = errors.New("stopped by the user")

// Check refuses answers given beforehand that are to no question of the labs,
// or that can't be read.
func (o *Options) Check() error {
	known := map[string]*lab.Question{}
	var names []string
	for _, l := range o.Labs {
		for i := range l.Questions {
			name := l.Name + "/" + l.Questions[i].Name
			known[name] = &l.Questions[i]
			names = append(names, name)
		}
	}
	for name, text := range o.Answers {
		q := known[name]
		if q == nil {
			return fmt.Errorf("no question of these labs is called %q; nearest to it: %s; envelope show LAB lists a lab's questions",
				name, strings.Join(nearest(name, names), ", "))
		}
		if _, err := asks(q).read(text); err != nil {
			return fmt.Errorf("the answer to %s: %w", name, err)
		}
	}
	return nil
}

func (o *Options) now() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// dimOf is the dimension that a question is answered in.
func dimOf(q *lab.Question) axioms.Dim { return q.Candidates[0].Value.Dim }

// Commitment is a registration: what was committed to for one lab.
type Commitment struct {
	Predictions []manifest.Prediction // in the order of the lab's questions
	Hash        string                // stands for all of them
}

// commit registers the guesses to a lab's questions. When it has returned, they
// are on the disk.
func (o *Options) commit(l *lab.Lab, guesses []Guess) (Commitment, error) {
	divisions := o.Runner.Divide(l)
	var answers []ledger.Answer
	for i, g := range guesses {
		q := &l.Questions[i]
		a := ledger.Answer{Question: l.Name + "/" + q.Name, Text: q.Text, Value: g.Value, Low: g.Low, High: g.High}
		if i < len(divisions) {
			a.Derivation = divisions[i]
		}
		answers = append(answers, a)
	}
	preds, hash, err := o.Ledger.Register(o.now(), answers)
	return Commitment{preds, hash}, err
}

// Reveal is what became of the predictions for one lab.
type Reveal struct {
	Lab    *lab.Lab
	Commit Commitment
	Measured
	Rules []string // that the lab teaches
	// Answers are in the order of the lab's questions.
	Answers []Answer
	Err     error // what could not be kept; the rest stands
}

// Answer is one prediction beside what was measured.
type Answer struct {
	Question *lab.Question
	Entry    ledger.Entry
	Low      *float64 // of the measurement's interval; nil where it has none
	High     *float64
}

// measure runs the lab, appends the run with its predictions revealed, and tells
// the record of predictions what became of them.
func (o *Options) measure(ctx context.Context, l *lab.Lab, c Commitment) (*Reveal, error) {
	m, err := o.Runner.Run(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("%w; the predictions for %s count as used", err, l.Name)
	}
	m.Run.Predictions = c.Predictions
	r := &Reveal{Lab: l, Commit: c, Measured: m, Rules: o.Rules[l.Name]}
	var outcomes []ledger.Outcome
	for i := range l.Questions {
		out := outcome(l, &l.Questions[i], &m.Run)
		outcomes = append(outcomes, out)
		a := Answer{Question: &l.Questions[i], Entry: ledger.Entry{Prediction: c.Predictions[i], Outcome: &out}}
		a.Low, a.High = interval(r.lab(), a.Question)
		r.Answers = append(r.Answers, a)
	}
	r.Err = errors.Join(o.Runner.Keep(m.Run), o.Ledger.Reveal(c.Predictions, outcomes))
	return r, nil
}

// lab is the lab's part of the run.
func (r *Reveal) lab() *manifest.Lab { return part(&r.Run, r.Lab.Name) }

func part(run *manifest.Run, name string) *manifest.Lab {
	for i := range run.Labs {
		if run.Labs[i].Name == name {
			return &run.Labs[i]
		}
	}
	return &manifest.Lab{Name: name}
}

// outcome is what a run made of a question.
func outcome(l *lab.Lab, q *lab.Question, run *manifest.Run) ledger.Outcome {
	o := ledger.Outcome{Question: l.Name + "/" + q.Name, Unit: q.Unit, RunID: run.ID, Exact: Counted(l, q, untimed(part(run, l.Name)))}
	m := part(run, l.Name)
	for _, mq := range m.Questions {
		if mq.Name == q.Name {
			o.Measured = mq.Measured
		}
	}
	for _, c := range m.Claims {
		if c.Name != claimOf(q) {
			continue
		}
		o.Verdict = c.Verdict.String()
		if c.Verdict == measure.Void {
			o.Measured, o.Why = nil, strings.TrimSuffix(string(c.Reason)+": "+c.Detail, ": ")
		}
	}
	if o.Measured == nil && o.Verdict == "" {
		o.Verdict, o.Why = measure.Void.String(), "nothing was measured"
		if run.Outcome == manifest.Interrupted {
			o.Why = "the run was stopped"
		}
	}
	return o
}

// claimOf names the claim that vouches for a question's measurement: that which
// answers it, or whose arm the answering series is. It may be no claim.
func claimOf(q *lab.Question) string {
	if q.Answer.Claim != "" {
		return q.Answer.Claim
	}
	claim, _, _ := strings.Cut(q.Answer.Series, "/")
	return claim
}

// Counted reports whether a question asks for an exact count, which is right or
// off by so much: its claim is exact, or its series was not timed and came out
// as the same whole number every time. The ends of a series that was not timed
// are asked for by its name.
func Counted(l *lab.Lab, q *lab.Question, untimed func(series string) (low, high float64, ok bool)) bool {
	if c := l.Claim(q.Answer.Claim); c != nil {
		return c.Kind == measure.Exact
	}
	low, high, ok := untimed(q.Answer.Series)
	return ok && low == high && low == math.Trunc(low)
}

// untimed finds the ends of a series that was not timed.
func untimed(m *manifest.Lab) func(string) (low, high float64, ok bool) {
	return func(name string) (low, high float64, ok bool) {
		for _, s := range m.Series {
			if s.Name == name && s.Calls == 0 && s.Min != nil && s.Max != nil {
				return *s.Min, *s.Max, true
			}
		}
		return 0, 0, false
	}
}

// interval is what is known of the measurement's interval.
func interval(m *manifest.Lab, q *lab.Question) (low, high *float64) {
	for _, c := range m.Claims {
		if c.Name == q.Answer.Claim && c.Estimate != nil {
			return c.Estimate.Low, c.Estimate.High
		}
	}
	return nil, nil
}
