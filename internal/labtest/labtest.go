// Package labtest holds what the tests of labs have in common: a lab is run
// through the driver, as a user would run it, in a temporary directory.
package labtest

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
)

// marks is the variable that names the directory in which started children
// leave a mark.
const marks = "ENVELOPE_TEST_CHILDREN"

// Main runs a test binary whose labs start children: this binary again. Call it
// from TestMain. It fails if a child's entry point was never used, unless only
// some of the tests were asked for.
func Main(m *testing.M, labs ...*lab.Lab) {
	os.Exit(run(m, labs))
}

func run(m *testing.M, labs []*lab.Lab) int {
	if dir := os.Getenv(marks); dir != "" {
		name := strings.ReplaceAll(os.Getenv(driver.ChildVariable), "/", "-")
		os.WriteFile(filepath.Join(dir, name), nil, 0o600)
	}
	if code, child := driver.Dispatch(labs, os.Args[1:]); child {
		return code
	}
	// Property tests take the same cases in every run, unless the command line says otherwise: it is read after this.
	if f := flag.Lookup("rapid.seed"); f != nil {
		f.Value.Set("1")
	}
	dir, err := os.MkdirTemp("", "children")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	os.Setenv(marks, dir)
	code := m.Run()
	if code != 0 || partial() {
		return code
	}
	for _, l := range labs {
		for child := range l.Children {
			if _, err := os.Stat(filepath.Join(dir, l.Name+"-"+child)); err != nil {
				fmt.Fprintf(os.Stderr, "FAIL: child %s/%s was never started by a test\n", l.Name, child)
				code = 1
			}
		}
	}
	return code
}

// partial reports whether the command line asked for some tests only.
func partial() bool {
	for _, arg := range os.Args[1:] {
		for _, flag := range []string{"-test.run=", "-test.fuzz", "-test.list=", "-test.bench=", "-test.skip="} {
			if strings.HasPrefix(arg, flag) && arg != "-test.run=" {
				return true
			}
		}
	}
	return testing.Short()
}

// Option changes a run.
type Option func(*driver.Options)

// Seed sets the run's seed; the default is 1.
func Seed(seed uint64) Option { return func(o *driver.Options) { o.Seed = seed } }

// Control switches a control on, with its default dose.
func Control(name string) Option {
	return func(o *driver.Options) { o.Control, o.ControlOf = name, o.Select[0] }
}

// Dir sets the directory that is measured.
func Dir(dir string) Option { return func(o *driver.Options) { o.Dir = dir } }

// Claims restricts the run to the named claims of the lab.
func Claims(names ...string) Option {
	return func(o *driver.Options) {
		o.Only = map[string]bool{}
		for _, n := range names {
			o.Only[o.Select[0]+"/"+n] = true
		}
	}
}

// Result is what became of a lab.
type Result struct {
	*driver.Lab
	// By maps a claim's name to its judgement.
	By map[string]measure.Judgement
}

// machine stands in for the real one in this package's own tests.
var machine driver.Machine

// Run runs a lab through the driver. Claims of other labs that it rests on are
// left out: what a lab's own test asserts can't depend on the machine's disk.
func Run(t testing.TB, l *lab.Lab, options ...Option) Result {
	t.Helper()
	alone := *l
	alone.Claims = append([]lab.Claim(nil), l.Claims...)
	for i := range alone.Claims {
		alone.Claims[i].RestsOn = nil
	}
	o := driver.Options{All: []*lab.Lab{&alone}, Select: []string{l.Name}, Dir: t.TempDir(), Seed: 1, Machine: machine}
	for _, opt := range options {
		opt(&o)
	}
	res, err := driver.Run(t.Context(), o)
	if err != nil {
		t.Fatalf("lab %s: %v", l.Name, err)
	}
	if n := len(res.Labs); n != 1 {
		t.Fatalf("lab %s: got %d labs in the result, want 1", l.Name, n)
	}
	out := Result{Lab: res.Labs[0], By: map[string]measure.Judgement{}}
	for _, c := range out.Claims {
		out.By[c.Name] = c.Judgement
	}
	if out.Err != nil {
		t.Errorf("lab %s: %v", l.Name, out.Err)
	}
	return out
}

// tries is how often a claim about the machine may come out otherwise than failed
// under its control. Both a clock and what is counted in a stretch of time depend
// on who else is at work, and a test may not.
const tries = 3

// Breaks switches a control on and demands that every claim it is said to break
// comes out failed, one about the machine in one of a few tries. A timing claim may
// also come out void for noise or for a load that could not be made. That each
// fails on a quiet machine is what the controls command demands. One that is out of
// reach here skips the test.
func Breaks(t testing.TB, l *lab.Lab, control string, options ...Option) {
	t.Helper()
	c := l.Control(control)
	if c == nil {
		t.Fatalf("lab %s has no control %q", l.Name, control)
	}
	for _, name := range c.Breaks {
		left := 1
		if l.Claim(name).Scope == lab.Machine {
			left = tries
		}
		for {
			j := Run(t, l, append(options[:len(options):len(options)], Control(control), Claims(name))...).By[name]
			if j.Verdict == measure.Failed {
				break
			}
			text := fmt.Sprintf("control %s: got %s %v (%s) %s, want failed", control, name, j.Verdict, j.Reason, j.Detail)
			if j.Reason == measure.Unreachable {
				t.Skipf("%s", text)
			}
			busy := j.Reason == measure.Noisy || j.Reason == measure.Instrument
			if busy && l.Claim(name).Kind == measure.Comparison {
				t.Logf("%s", text)
				break
			}
			if left--; left == 0 {
				t.Errorf("%s", text)
				break
			}
			t.Logf("%s", text)
		}
	}
}

// Controls has every control of a lab break its claims, each in a test of its own.
func Controls(t *testing.T, l *lab.Lab, options ...Option) {
	for _, c := range l.Controls {
		t.Run(c.Name, func(t *testing.T) { Breaks(t, l, c.Name, options...) })
	}
}

// Parts demands that each claim of a lab is measured by exactly one part.
func Parts(t testing.TB, l *lab.Lab, parts []lab.Part) {
	t.Helper()
	times := map[string]int{}
	for _, p := range parts {
		times[p.Claim]++
	}
	for _, c := range l.Claims {
		if times[c.Name] != 1 || len(parts) != len(l.Claims) {
			t.Errorf("%s is measured by %d parts of %d, want 1 of %d", c.Name, times[c.Name], len(parts), len(l.Claims))
		}
	}
}

// Cancelled demands that a lab, and each of the parts by itself, ends with the
// context's own error where that has ended before, and has observed nothing.
func Cancelled(t testing.TB, c lab.Config, parts []lab.Part) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := lab.NewRun(c)
	if err := c.Lab.Measure(ctx, r); err != context.Canceled || len(r.Record().Evidence) != 0 {
		t.Errorf("got error %v and evidence for %d claims, want %v and none", err, len(r.Record().Evidence), context.Canceled)
	}
	for _, p := range parts {
		if err := p.Observe(ctx, r); err != context.Canceled {
			t.Errorf("%s: got error %v, want %v", p.Claim, err, context.Canceled)
		}
	}
}

// Shape demands what holds on any machine: each claim is reported once, with
// finite samples in the series that it names, and none is void by an error of
// the lab.
func Shape(t testing.TB, l *lab.Lab, options ...Option) Result {
	t.Helper()
	res := Run(t, l, options...)
	seen := map[string]bool{}
	for _, s := range res.Record.Series {
		if seen[s.Name] {
			t.Errorf("series %s: there are two of that name", s.Name)
		}
		seen[s.Name] = true
		if s.Unit == "" || len(s.Samples) == 0 {
			t.Errorf("series %s: %d samples, unit %q", s.Name, len(s.Samples), s.Unit)
		}
		for _, v := range s.Samples {
			if math.IsNaN(v) || math.IsInf(v, 0) || s.Unit == "s" && v < 0 {
				t.Errorf("series %s: sample %v", s.Name, v)
				break
			}
		}
	}
	for _, c := range res.Claims {
		if c.Verdict == measure.Void && c.Reason == measure.Error {
			t.Errorf("claim %s: void by an error: %s", c.Name, c.Detail)
		}
		if c.Evidence == nil && c.Verdict != measure.Void {
			t.Errorf("claim %s: %v with nothing observed", c.Name, c.Verdict)
		}
	}
	for _, text := range Unreadable(res.Record) {
		t.Error(text)
	}
	return res
}

// room is how wide a table may be: a terminal of 80 columns less its indent.
const room = 76

var (
	ungrouped  = regexp.MustCompile(`(^|[^0-9A-Za-z.,-])[0-9]{5,}([^0-9]|$)`)
	goDuration = regexp.MustCompile(`[0-9](ns|µs|ms|s|m[0-9.]+s)($|[^0-9A-Za-z-])`)
)

// Unreadable says what of a lab's tables and notes is not as all others are: a
// table that an ordinary terminal has no room for, digits that are not grouped, a
// time in Go's own spelling.
func Unreadable(r *lab.Record) (out []string) {
	check := func(text string) {
		if ungrouped.MatchString(text) {
			out = append(out, fmt.Sprintf("digits that are not grouped: %q", text))
		}
		if goDuration.MatchString(text) {
			out = append(out, fmt.Sprintf("a duration as Go spells it: %q", text))
		}
	}
	for _, table := range r.Tables {
		check(table.Title)
		for _, line := range typeset.Table(table.Header, table.Rows) {
			check(line)
			if w := typeset.Width(line); w > room {
				out = append(out, fmt.Sprintf("table %q: a line of %d columns, want at most %d: %q", table.Title, w, room, line))
			}
		}
	}
	for _, n := range r.Notes {
		check(n)
	}
	return out
}

// Doc demands that a lab's documentation has its headings in order, and that
// every claim is named in it.
func Doc(t testing.TB, l *lab.Lab) {
	t.Helper()
	at := 0
	for _, h := range []string{"Question", "Axioms", "Division", "Measurement", "Claims", "Limits"} {
		i := strings.Index(l.Doc[at:], "// # "+h+"\n")
		if i < 0 {
			t.Errorf("doc.go of %s: heading %q is missing or out of order", l.Name, h)
			continue
		}
		at += i
	}
	claims := l.Doc[max(0, strings.Index(l.Doc, "# Claims")):]
	for _, c := range l.Claims {
		if name, _, _ := strings.Cut(c.Name, "@"); !strings.Contains(claims, name) {
			t.Errorf("doc.go of %s does not name claim %s under Claims", l.Name, c.Name)
		}
	}
}
