package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/manifest"
)

// Format names the version of the JSON that a Comparison is written as.
const Format = "envelope-comparison/1"

// Comparison is two runs or more, side by side. Lists of values have one for each
// run, in the order of Runs. Numbers are in the base unit beside them; what there
// is none of is null.
type Comparison struct {
	Format      string       `json:"format"`
	Runs        []Run        `json:"runs"`
	Differences []Difference `json:"differences"` // that could explain the figures
	Reversed    []string     `json:"reversed"`    // LAB/CLAIM that held in one run and failed in another
	Changed     []string     `json:"changed"`     // LAB/CLAIM whose verdict or reason changed in another way
	Labs        []Lab        `json:"labs"`
	Axioms      []Axiom      `json:"axioms"` // that two runs or more have measured
	Counts      Counts       `json:"counts"`
}

// Run says which run it is, and where it was made.
type Run struct {
	ID         string            `json:"id"`
	Started    time.Time         `json:"started"`
	Finished   time.Time         `json:"finished"`
	Outcome    manifest.Outcome  `json:"outcome"`
	SameAs     *int              `json:"same_as"` // index of an earlier run that is this one
	Altered    *int              `json:"altered"` // index of an earlier run that has its id and another content
	Version    string            `json:"version"`
	Commit     host.Fact[string] `json:"commit"`
	Dirty      host.Fact[bool]   `json:"dirty"`
	Processor  host.Fact[string] `json:"processor"`
	Logical    host.Fact[int]    `json:"logical"`
	Memory     host.Fact[uint64] `json:"memory"` // B
	Machine    host.Fact[string] `json:"machine"`
	Filesystem host.Fact[string] `json:"filesystem"`
	digest     string
}

// Difference is a fact that is not the same in all runs.
type Difference struct {
	Name   string  `json:"name"` // where it stands in a run: "environment.cpu.model"
	Label  string  `json:"-"`    // in words
	Share  bool    `json:"-"`    // of time, from 0 to 1: told in hundredths
	Hash   bool    `json:"-"`    // of which the beginning is enough to tell two apart
	Unit   string  `json:"unit,omitempty"`
	Values []Value `json:"values"`
}

// Value is what one run says of a fact.
type Value struct {
	Value   any    `json:"value"`             // nil where it is not known
	Unknown string `json:"unknown,omitempty"` // why
}

// Lab is the claims of one lab.
type Lab struct {
	Name        string       `json:"name"`
	Differences []Difference `json:"differences"` // of its sources, where claims were compared
	Claims      []Claim      `json:"claims"`
}

// Claim is one claim in every run.
type Claim struct {
	Name     string       `json:"name"`
	Unit     string       `json:"unit"`
	Kind     measure.Kind `json:"kind"`
	Changed  bool         `json:"changed"`  // its verdict or reason is not the same in all runs
	Reversed bool         `json:"reversed"` // it held in one run and failed in another
	Relation Relation     `json:"relation"` // the strongest of those below
	In       []*Side      `json:"in"`       // null for a run without it
}

// Side is a claim in one run.
type Side struct {
	Version  int             `json:"version"` // of its method
	Verdict  measure.Verdict `json:"verdict"`
	Reason   measure.Reason  `json:"reason"`
	Detail   string          `json:"detail"`
	Estimate *Interval       `json:"estimate"`
	Relation Relation        `json:"relation"`
	Ratio    *float64        `json:"ratio"` // to the first run that has it
}

// Interval is an estimate. An end that there is none of is infinite, and null in
// JSON.
type Interval struct {
	Value      float64
	Low, High  float64
	Confidence float64 // 1 where it is the span of all observations
	N          int
}

// MarshalJSON writes value, low, high, confidence and n.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Value      *float64 `json:"value"`
		Low        *float64 `json:"low"`
		High       *float64 `json:"high"`
		Confidence float64  `json:"confidence"`
		N          int      `json:"n"`
	}{manifest.Number(i.Value), manifest.Number(i.Low), manifest.Number(i.High), i.Confidence, i.N})
}

// Axiom is an axiom in every run.
type Axiom struct {
	Name     string       `json:"name"`
	Unit     string       `json:"unit"`
	Relation Relation     `json:"relation"`
	In       []*AxiomSide `json:"in"` // null for a run that did not measure it
}

// AxiomSide is an axiom as one run measured it.
type AxiomSide struct {
	Estimate Interval `json:"estimate"`
	Relation Relation `json:"relation"`
	Ratio    *float64 `json:"ratio"`
}

// Counts is how many claims, and of the axioms how many, stand in which relation;
// First counts the claims that one run alone has.
type Counts struct {
	Claims  map[Relation]int `json:"claims"`
	Axioms  map[Relation]int `json:"axioms"`
	Missing int              `json:"missing"` // claims that not all runs have
}

// Of compares runs with the first of them. It wants two at least.
func Of(runs ...manifest.Run) (Comparison, error) {
	if len(runs) < 2 {
		return Comparison{}, fmt.Errorf("a comparison takes two runs or more, got %d", len(runs))
	}
	all := make([]*manifest.Run, len(runs))
	for i := range runs {
		all[i] = &runs[i]
	}
	c := Comparison{
		Format: Format, Runs: identities(all), Differences: differences(all), Reversed: []string{}, Changed: []string{},
		Labs: labs(all), Axioms: measured(all),
	}
	c.count()
	return c, nil
}

// identities says which runs there are, and which of them are one.
func identities(runs []*manifest.Run) []Run {
	var out []Run
	for _, r := range runs {
		id := Run{
			ID: r.ID, Started: r.Started, Finished: r.Finished, Outcome: r.Outcome, digest: r.Digest,
			Version: r.Program.Version, Commit: r.Program.Commit, Dirty: r.Program.Dirty,
			Processor: r.Environment.CPU.Model, Logical: r.Environment.CPU.Logical, Memory: r.Environment.Memory.Total,
			Machine: r.Environment.Virtual.Machine, Filesystem: r.Environment.Target.Filesystem,
		}
		if same := slices.IndexFunc(out, func(o Run) bool { return o.ID == r.ID && o.digest == r.Digest }); same >= 0 {
			id.SameAs = &same
		} else if first := slices.IndexFunc(out, func(o Run) bool { return o.ID == r.ID }); first >= 0 {
			id.Altered = &first
		}
		out = append(out, id)
	}
	return out
}

// Same reports whether all runs are one and the same.
func (c *Comparison) Same() bool {
	return !slices.ContainsFunc(c.Runs[1:], func(r Run) bool { return r.SameAs == nil || *r.SameAs != 0 })
}

// count fills in what is told of all claims together.
func (c *Comparison) count() {
	c.Counts = Counts{Claims: map[Relation]int{}, Axioms: map[Relation]int{}}
	for _, l := range c.Labs {
		for _, cl := range l.Claims {
			c.Counts.Claims[cl.Relation]++
			if slices.Contains(cl.In, nil) {
				c.Counts.Missing++
			}
			switch name := l.Name + "/" + cl.Name; {
			case cl.Reversed:
				c.Reversed = append(c.Reversed, name)
			case cl.Changed:
				c.Changed = append(c.Changed, name)
			}
		}
	}
	for _, a := range c.Axioms {
		c.Counts.Axioms[a.Relation]++
	}
}

// OnlyChanges returns the comparison without what came out alike: claims whose
// intervals overlap, or which are equal, with one verdict, and such axioms.
func (c Comparison) OnlyChanges() Comparison {
	var kept []Lab
	for _, l := range c.Labs {
		l.Claims = slices.DeleteFunc(slices.Clone(l.Claims), func(cl Claim) bool { return !cl.news() })
		if len(l.Claims)+len(l.Differences) > 0 {
			kept = append(kept, l)
		}
	}
	c.Labs = append([]Lab{}, kept...)
	c.Axioms = slices.DeleteFunc(slices.Clone(c.Axioms), func(a Axiom) bool { return !a.Relation.news() })
	return c
}

// news reports whether there is something to be said of the claim.
func (c *Claim) news() bool {
	return c.Changed || c.Relation.news() || slices.Contains(c.In, nil)
}
