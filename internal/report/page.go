package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// page is all that a page shows, in words and drawings.
type page struct {
	Run         *manifest.Run
	Started     string
	Took        string
	Outcome     string
	Exit        exit
	Verdict     string // the class of the whole: held, failed or void
	Machine     tally
	Program     tally
	Failed      []*claim
	Void        []voids
	Labs        []*lab
	Calibration *figure
	Axioms      []axiomRow
	Environment []facts
	Unfit       string
	Warnings    []string
	Conditions  []condition
	Settings    []setting
	Sources     []sourced
	Commit      string
	Dirty       string
	Guest       string
	Command     string
	Where       string // the processor and the file system, as far as they are known

	drawings int
	claims   int
}

// exit is an exit code with what it means.
type exit struct {
	Code    int
	Meaning string
}

// tally is a tally of one scope, of which a lab may have no claims.
type tally struct{ measure.Tally }

// String writes it as the summary of a run does, or "none".
func (t tally) String() string {
	if t == (tally{}) {
		return "none"
	}
	return t.Tally.String()
}

// lab is one lab's section.
type lab struct {
	ID            string
	Name          string
	Seconds       string
	CPU           string
	Full          bool
	Seed          string
	Error         string
	Machine       tally
	Program       tally
	Claims        []*claim
	Questions     []*question
	Survival      *survival
	Pictures      []*figure
	Distributions []*figure
	Notes         []string
}

// claim is one claim's entry.
type claim struct {
	ID, Lab, Name, Text   string
	Verdict, Class, Glyph string
	Reason, Detail        string
	Estimate, Want, Scope string
	Controls, RestsOn     string
	Retested              string
	Ruler                 *drawing
	reason                measure.Reason
}

// voids are claims of which the same is to be said.
type voids struct {
	Reason, Meaning, Detail string
	Claims                  []*claim
}

// meanings say what a reason is.
var meanings = map[measure.Reason]string{
	measure.Unreachable:  "this machine lacks what the claim needs",
	measure.Precondition: "a claim that it rests on failed or is void",
	measure.Noisy:        "the interval still straddled the bound when the time was over, or the second measurement disagreed",
	measure.Instrument:   "the clock or the sample can't carry the quantity",
	measure.Unfit:        "the directory is known not to sync",
	measure.Error:        "the measurement could not be made",
	measure.Interrupted:  "the run was stopped before it was measured",
}

// exits say what an exit code is.
var exits = map[int]string{
	manifest.ExitHeld:        "every claim that this machine can reach held, machine claims among them",
	manifest.ExitFailed:      "a claim failed",
	manifest.ExitError:       "a measurement could not be made",
	manifest.ExitUnjudged:    "nothing failed, but a reachable or a required claim could not be judged, or no claim about the machine was judged at all",
	manifest.ExitInterrupted: "interrupted",
}

// letPass is what exit 0 is of a run that was called with --allow-noisy and needed it.
const letPass = "every claim that this machine can reach held, but for those that are void for noise, which the run was told to let pass"

// exitOf is a run's exit code with what it means.
func exitOf(run *manifest.Run) exit {
	if run.ExitCode == manifest.ExitHeld && manifest.ExitCode(*run, nil, false) != manifest.ExitHeld {
		return exit{run.ExitCode, letPass}
	}
	return exit{run.ExitCode, cmp.Or(exits[run.ExitCode], "no meaning is known to this version")}
}

// newPage makes the page of a run whose texts are fit to be shown.
func newPage(run manifest.Run) *page {
	p := &page{
		Run: &run, Started: run.Started.UTC().Format("2 January 2006, 15:04:05 UTC"), Took: took(run.Finished.Sub(run.Started)),
		Outcome: string(run.Outcome), Exit: exitOf(&run),
		Command: strings.Join(run.Command, " "), Axioms: axiomRows(&run), Environment: environment(&run.Environment, &run.EnvironmentEnd),
		Warnings: run.Environment.Target.Warnings(), Conditions: conditions(run.Labs), Sources: sources(run.Program.Sources),
		Commit: run.Program.Commit.String(), Dirty: dirty(&run),
	}
	var where []string
	if model, ok := run.Environment.CPU.Model.Get(); ok {
		where = append(where, model)
	}
	if n, ok := run.Environment.CPU.Logical.Get(); ok {
		where = append(where, fmt.Sprintf("%d CPUs", n))
	}
	if kind, ok := run.Environment.Target.Filesystem.Get(); ok {
		where = append(where, "file system "+kind)
	}
	p.Where = strings.Join(where, ", ")
	if reason, unfit := run.Environment.Target.Unfit(); unfit {
		p.Unfit = reason
	}
	if kind, ok := run.Environment.Virtual.Machine.Get(); ok && kind != "none" {
		p.Guest = kind
	}
	for _, name := range slices.Sorted(maps.Keys(run.Program.Settings)) {
		p.Settings = append(p.Settings, setting{name, run.Program.Settings[name]})
	}
	var asked []*question
	for i := range run.Labs {
		l := p.lab(&run, &run.Labs[i], i)
		asked = append(asked, l.Questions...)
		p.Labs = append(p.Labs, l)
	}
	p.Verdict = "void"
	switch {
	case p.Machine.Failed+p.Program.Failed > 0 || run.ExitCode == manifest.ExitFailed:
		p.Verdict = "failed"
	case run.ExitCode == manifest.ExitHeld:
		p.Verdict = "held"
	}
	p.Calibration = p.put(calibration(asked))
	return p
}

// setting is a build setting.
type setting struct{ Name, Value string }

// sourced is a package with the hashes of its files.
type sourced struct {
	Package string
	Files   []setting
}

func sources(all map[string]manifest.Sources) []sourced {
	var out []sourced
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := sourced{Package: name}
		for _, file := range slices.Sorted(maps.Keys(all[name])) {
			s.Files = append(s.Files, setting{file, all[name][file]})
		}
		out = append(out, s)
	}
	return out
}

func took(d time.Duration) string {
	if d < 0 {
		return "unknown"
	}
	return value(d.Seconds(), "s")
}

// dirty says whether there were changes that no commit has.
func dirty(run *manifest.Run) string {
	d, ok := run.Program.Dirty.Get()
	switch {
	case !ok:
		return run.Program.Dirty.String()
	case d:
		return "yes: there were changes that no commit has"
	}
	return "no"
}

// lab makes one lab's section and adds its claims to the summary.
func (p *page) lab(run *manifest.Run, m *manifest.Lab, i int) *lab {
	r := newRecords(run, m)
	l := &lab{ID: fmt.Sprintf("lab%d", i+1), Name: m.Name, Seconds: value(m.Seconds, "s"), CPU: value(m.CPUSeconds, "s"), Full: m.Full,
		Seed: strconv.FormatUint(m.Seed, 10), Error: m.Error, Notes: m.Notes, Survival: r.survivors()}
	for j := range m.Claims {
		c := p.claim(l, &m.Claims[j])
		l.Claims = append(l.Claims, c)
		total, own := &p.Machine, &l.Machine
		if m.Claims[j].Scope == "program" {
			total, own = &p.Program, &l.Program
		}
		total.Add(m.Claims[j].Verdict)
		own.Add(m.Claims[j].Verdict)
		switch m.Claims[j].Verdict {
		case measure.Held:
		case measure.Failed:
			p.Failed = append(p.Failed, c)
		default:
			p.void(c)
		}
	}
	l.Questions = r.questions()
	for _, q := range l.Questions {
		p.number(q.Ruler)
	}
	for _, draw := range pictures[m.Name] {
		if f := p.put(draw(r)); f != nil {
			l.Pictures = append(l.Pictures, f)
		}
	}
	for _, f := range r.distributions() {
		l.Distributions = append(l.Distributions, p.put(f))
	}
	return l
}

func (p *page) claim(l *lab, m *manifest.Claim) *claim {
	v, known := verdicts[m.Verdict]
	if !known {
		v = verdicts[measure.Void]
	}
	p.claims++
	c := &claim{ID: fmt.Sprintf("c%d", p.claims), Lab: l.Name, Name: m.Name, Text: m.Text, Verdict: m.Verdict.String(), Class: v.class, Glyph: v.glyph,
		Detail: m.Detail, Estimate: estimateText(m), Want: typeset.Region(m.Terms.Region, m.Unit), Scope: m.Scope,
		Controls: strings.Join(m.Controls, ", "), RestsOn: strings.Join(m.RestsOn, ", "), Ruler: claimRuler(m), reason: m.Reason}
	if m.Verdict == measure.Void {
		c.Reason = string(m.Reason)
	}
	if m.Retest != nil {
		c.Retested = "It failed at first, and was measured again."
	}
	p.number(c.Ruler)
	return c
}

// void adds a claim to those of which the same is to be said.
func (p *page) void(c *claim) {
	for i := range p.Void {
		if p.Void[i].Reason == c.Reason && p.Void[i].Detail == c.Detail {
			p.Void[i].Claims = append(p.Void[i].Claims, c)
			return
		}
	}
	p.Void = append(p.Void, voids{c.Reason, cmp.Or(meanings[c.reason], "no meaning is known to this version"), c.Detail, []*claim{c}})
}

// put numbers the drawing of a figure.
func (p *page) put(f *figure) *figure {
	if f != nil {
		p.number(f.Drawing)
	}
	return f
}

// number gives a drawing the id that its title and description are found by.
func (p *page) number(d *drawing) {
	if d != nil {
		p.drawings++
		d.ID = fmt.Sprintf("d%d", p.drawings)
	}
}
