package driver

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/manifest"
)

// Manifest turns the result into an element of results.json. The exit code is
// set by the caller, who knows what was required.
func (res *Result) Manifest(program manifest.Program, command []string) manifest.Run {
	m := manifest.Run{
		ID: manifest.NewID(res.Started), Started: res.Started, Finished: res.Finished, Outcome: manifest.Complete,
		Command: command, Program: program, Environment: res.Environment, EnvironmentEnd: res.End,
		Axioms: append([]axioms.Measured{}, res.Axioms...), Predictions: []manifest.Prediction{}, Labs: []manifest.Lab{},
	}
	if res.Interrupted {
		m.Outcome = manifest.Interrupted
	}
	hide := res.hider()
	for _, l := range res.Labs {
		m.Labs = append(m.Labs, l.manifest(program, res, hide))
	}
	return m
}

// hider returns a function that takes the paths of this run out of a text: an
// error names the file that it met, and the file lies in somebody's directory.
func (res *Result) hider() func(string) string {
	var pairs []string
	add := func(path, role string) {
		if abs, err := filepath.Abs(path); err == nil && path != "" && abs != "/" {
			pairs = append(pairs, abs, role)
		}
	}
	add(res.Options.Dir, "DIR")
	if real, err := filepath.EvalSymlinks(res.Options.Dir); err == nil {
		add(real, "DIR")
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(home, "HOME")
	}
	return strings.NewReplacer(pairs...).Replace
}

func (l *Lab) manifest(program manifest.Program, res *Result, hide func(string) string) manifest.Lab {
	m := manifest.Lab{
		Name: l.Lab.Name, Source: manifest.SourceHash(program.Sources["labs/"+l.Lab.Name]),
		Seed: l.Seed, Full: res.Options.Full, Seconds: l.Wall.Seconds(), CPUSeconds: l.CPU.Seconds(), Barrier: res.Barrier.Seconds(),
		Questions: []manifest.Question{}, Conditions: []manifest.Conditions{}, Series: []manifest.Series{},
		Claims: []manifest.Claim{}, Notes: []string{},
	}
	if l.Err != nil {
		m.Error = hide(l.Err.Error())
	}
	for _, q := range l.Questions {
		m.Questions = append(m.Questions, q.manifest())
	}
	for _, c := range l.Record.Conditions {
		m.Conditions = append(m.Conditions, manifest.Conditions{
			Before: c.Before.Beside(res.Environment.Load), After: c.After.Beside(res.Environment.Load), Wall: c.Wall.Seconds(), CPU: c.CPU.Seconds(),
		})
	}
	for _, s := range l.Record.Series {
		m.Series = append(m.Series, series(s, len(m.Conditions)))
	}
	for _, n := range l.Record.Notes {
		m.Notes = append(m.Notes, hide(n))
	}
	for _, c := range l.Claims {
		claim := c.manifest(l.Lab)
		claim.Detail = hide(claim.Detail)
		m.Claims = append(m.Claims, claim)
	}
	return m
}

// TextHash identifies the wording of a question: a prediction answers that
// wording and no other.
func TextHash(q *lab.Question) string {
	sum := sha256.Sum256([]byte(q.Text + "\x00" + q.Unit))
	return hex.EncodeToString(sum[:])
}

func (q *Question) manifest() manifest.Question {
	m := manifest.Question{Name: q.Name, TextHash: TextHash(q.Question), Unit: q.Unit, Measured: q.Measured, Derivation: Derived(q)}
	m.Answer = "claim " + q.Answer.Claim
	if q.Answer.Series != "" {
		m.Answer = "series " + q.Answer.Series
	}
	return m
}

// Derived is a question's derivation as it is registered.
func Derived(q *Question) manifest.Derivation {
	d := manifest.Derivation{Unit: q.Unit, Steps: q.Derivation.Steps}
	if q.DeriveErr != nil {
		d.Error = q.DeriveErr.Error()
		return d
	}
	d.Value = manifest.Number(q.Derivation.Value.Value)
	return d
}

func series(s lab.Series, conditions int) manifest.Series {
	at := s.Conditions
	if at >= conditions {
		at = -1
	}
	m := manifest.Series{
		Name: s.Name, Text: s.Text, Unit: s.Unit, Calls: s.Calls, Conditions: at,
		Samples: append(manifest.Samples{}, s.Samples...),
	}
	m.Describe()
	return m
}

func (c *Claim) manifest(l *lab.Lab) manifest.Claim {
	return manifest.Claim{
		Name: c.Name, Text: c.Text, Version: c.Version, Scope: string(c.Scope), System: c.System, Unit: c.Unit, Terms: c.Terms(),
		RestsOn: append([]string{}, c.RestsOn...), Controls: append([]string{}, l.ControlsOf(c.Name)...),
		Evidence: manifest.NewEvidence(c.Name, c.Evidence, false), Retest: manifest.NewEvidence(c.Name, c.Retest, true),
		Estimate: manifest.NewEstimate(c.Estimate), Verdict: c.Verdict, Reason: c.Reason, Detail: c.Detail,
	}
}
