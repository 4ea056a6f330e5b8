package manifest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"envelope/internal/measure"
)

var (
	hexHash   = regexp.MustCompile("^[0-9a-f]{64}$")
	hexCommit = regexp.MustCompile("^([0-9a-f]{40}|[0-9a-f]{64})$") // SHA-1 or SHA-256
)

// checker checks one run whose form is right. Paths begin behind "runs[N]".
type checker struct {
	*Run
	methods  Methods
	verdicts map[string]*Claim // "lab/claim"
	problems []Problem
}

func (c *checker) add(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{path, fmt.Sprintf(format, args...)})
}

func (c *checker) check() {
	c.times()
	c.program()
	c.predictions()
	c.verdicts = map[string]*Claim{}
	for i := range c.Labs {
		l := &c.Labs[i]
		for j := range l.Claims {
			c.verdicts[l.Name+"/"+l.Claims[j].Name] = &l.Claims[j]
		}
	}
	labs := map[string]bool{}
	for i := range c.Labs {
		l := &c.Labs[i]
		path := fmt.Sprintf(".labs[%d]", i)
		if labs[l.Name] {
			c.add(path+".name", "the run has two labs %q", l.Name)
		}
		labs[l.Name] = true
		(&labChecker{checker: c, lab: l, path: path}).check()
	}
	c.complete()
	require, allowNoisy := RequiredOf(c.Command)
	if want := ExitCode(*c.Run, require, allowNoisy); c.Run.ExitCode != want {
		c.add(".exit_code", "%d in the file, %d by its verdicts", c.Run.ExitCode, want)
	}
}

// times checks the run's id and its times against each other, and that each axiom is there once.
func (c *checker) times() {
	// The id is made when the run starts, from another reading of the clock.
	if d := timeOfID(c.ID).Sub(c.Started); d.Abs() > time.Minute {
		c.add(".id", "was made at %s, but the run started at %s", timeOfID(c.ID).UTC().Format(time.RFC3339), c.Started.Format(time.RFC3339))
	}
	if c.Finished.Before(c.Started) {
		c.add(".finished", "lies before started")
	}
	seen := map[string]bool{}
	for i, m := range c.Axioms {
		path := fmt.Sprintf(".axioms[%d]", i)
		if m.Taken.After(c.Started) {
			c.add(path+".taken", "lies behind the run's start: what was measured in a run has no such field")
		}
		if seen[m.Name] {
			c.add(path+".name", "the run has two axioms %q", m.Name)
		}
		seen[m.Name] = true
	}
}

// program checks the hashes of the sources, and that each lab's is made of
// them.
func (c *checker) program() {
	for _, dir := range slices.Sorted(maps.Keys(c.Program.Sources)) {
		files := c.Program.Sources[dir]
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !hexHash.MatchString(files[name]) {
				c.add(fmt.Sprintf(".program.sources.%s.%s", printable(dir), printable(name)), "not a SHA-256 in hex")
			}
		}
	}
	for i, l := range c.Labs {
		path := fmt.Sprintf(".labs[%d].source", i)
		files := c.Program.Sources["labs/"+l.Name]
		if len(files) == 0 {
			c.add(path, "program.sources has no package labs/%s", l.Name)
		} else if want := SourceHash(files); l.Source != want {
			c.add(path, "%s in the file, %s by program.sources", l.Source, want)
		}
	}
	if commit, ok := c.Program.Commit.Get(); ok && !hexCommit.MatchString(commit) {
		c.add(".program.commit.value", "%q is no commit", printable(commit))
	}
}

// predictions recomputes every registration.
func (c *checker) predictions() {
	attempts, asked := map[string]bool{}, map[string][]string{}
	for _, l := range c.Labs {
		for _, q := range l.Questions {
			name := l.Name + "/" + q.Name
			asked[name] = append(asked[name], q.TextHash)
		}
	}
	for i, p := range c.Predictions {
		path := fmt.Sprintf(".predictions[%d]", i)
		if want := p.Digest(); p.SHA256 != want {
			c.add(path+".sha256", "%s in the file, %s by its fields: they are not what was registered", p.SHA256, want)
		}
		switch {
		case (p.Low == nil) != (p.High == nil):
			c.add(path+".low", "an interval has two ends or none")
		case p.Low != nil && (*p.Low > p.Value || p.Value > *p.High):
			c.add(path+".value", "%v lies outside its interval from %v to %v", p.Value, *p.Low, *p.High)
		}
		if p.Time.After(c.Finished) {
			c.add(path+".time", "lies after the end of the run")
		}
		key := fmt.Sprintf("%s %d", p.Question, p.Attempt)
		if attempts[key] {
			c.add(path+".attempt", "the run has two predictions of attempt %d for %s", p.Attempt, printable(p.Question))
		}
		attempts[key] = true
		if slices.ContainsFunc(asked[p.Question], func(hash string) bool { return hash != p.TextHash }) {
			c.add(path+".text_hash", "differs from that of the question %s: the text was another", printable(p.Question))
		}
	}
}

// labChecker checks one lab of a run.
type labChecker struct {
	*checker
	lab    *Lab
	path   string
	series map[string]*Series
}

func (c *labChecker) check() {
	c.series = map[string]*Series{}
	for i := range c.lab.Series {
		s := &c.lab.Series[i]
		path := fmt.Sprintf("%s.series[%d]", c.path, i)
		if c.series[s.Name] != nil {
			c.add(path+".name", "the lab has two series %q", printable(s.Name))
		}
		c.series[s.Name] = s
		c.describe(path, s)
	}
	seen := map[string]bool{}
	for i := range c.lab.Claims {
		cl := &c.lab.Claims[i]
		path := fmt.Sprintf("%s.claims[%d]", c.path, i)
		if seen[cl.Name] {
			c.add(path+".name", "the lab has two claims %q", cl.Name)
		}
		seen[cl.Name] = true
		(&claimChecker{labChecker: c, claim: cl, path: path}).check()
	}
	c.questions()
}

// describe recomputes what a series says of its samples. Percentiles are
// values that were observed, so they are compared bit by bit.
func (c *labChecker) describe(path string, s *Series) {
	want := *s
	want.Describe()
	if s.N != want.N {
		c.add(path+".n", "%d in the file, but there are %d samples", s.N, want.N)
	}
	for _, p := range []struct {
		name      string
		got, want *float64
	}{{"min", s.Min, want.Min}, {"p50", s.P50, want.P50}, {"p95", s.P95, want.P95}, {"p99", s.P99, want.P99}, {"max", s.Max, want.Max}} {
		if !equal(p.got, p.want, 0) {
			c.add(path+"."+p.name, "%s in the file, %s by its samples", number(p.got), number(p.want))
		}
	}
	if s.Conditions >= len(c.lab.Conditions) {
		c.add(path+".conditions", "%d, but the lab has %d", s.Conditions, len(c.lab.Conditions))
	}
}

// questions compares what a question was measured to be with where it says
// that the number comes from.
func (c *labChecker) questions() {
	seen := map[string]bool{}
	for i, q := range c.lab.Questions {
		path := fmt.Sprintf("%s.questions[%d]", c.path, i)
		if seen[q.Name] {
			c.add(path+".name", "the lab has two questions %q", q.Name)
		}
		seen[q.Name] = true
		kind, name, _ := strings.Cut(q.Answer, " ")
		var want *float64
		if s := c.series[name]; kind == "series" && s != nil {
			want = s.P50
		}
		if cl := c.verdicts[c.lab.Name+"/"+name]; kind == "claim" && cl != nil && cl.Estimate != nil && cl.Verdict != measure.Void {
			want = cl.Estimate.Value
		}
		if !equal(q.Measured, want, 0) {
			c.add(path+".measured", "%s in the file, %s by its %s", number(q.Measured), number(want), printable(q.Answer))
		}
	}
}

// number writes a number that may be null.
func number(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}

// equal reports whether two numbers that may be null agree within a relative
// tolerance.
func equal(a, b *float64, tolerance float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	d := *a - *b
	return d == 0 || max(d, -d) <= tolerance*max(*a, -*a, *b, -*b)
}

// known lists the versions of a claim for a message.
func known(versions map[int]Method) string {
	var out []string
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}
