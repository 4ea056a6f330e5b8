package lab

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"envelope/internal/measure"
)

var (
	labName   = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	claimName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*(@[a-z0-9]+(-[a-z0-9]+)*)?$`)
)

// Validate checks the labs against each other and returns all that is wrong
// with them: duplicate names, a claim without a control, a region that nothing
// can fail, a precondition that does not exist, a question that nothing scores.
func Validate(labs []*Lab) error {
	var errs []error
	known := map[string]bool{}
	for _, l := range labs {
		if known[l.Name] {
			errs = append(errs, fmt.Errorf("lab %s: there are two of that name", l.Name))
		}
		known[l.Name] = true
		for _, c := range l.Claims {
			known[l.Name+"/"+c.Name] = true
		}
	}
	for _, l := range labs {
		for _, err := range l.problems(known) {
			errs = append(errs, fmt.Errorf("lab %s: %w", l.Name, err))
		}
	}
	errs = append(errs, cycles(labs)...)
	return errors.Join(errs...)
}

// cycles finds claims that rest on themselves by way of others: one of them
// that failed would make the others void, and they it in turn, so that nothing
// would have failed.
func cycles(labs []*Lab) (errs []error) {
	restsOn := map[string][]string{}
	for _, l := range labs {
		for _, c := range l.Claims {
			restsOn[l.Name+"/"+c.Name] = c.RestsOn
		}
	}
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(name string)
	visit = func(name string) {
		state[name] = open
		for _, p := range restsOn[name] {
			switch {
			case state[p] == open && p != name:
				errs = append(errs, fmt.Errorf("claim %s: rests on %s, which rests on it", name, p))
			case state[p] == 0:
				visit(p)
			}
		}
		state[name] = done
	}
	for _, l := range labs {
		for _, c := range l.Claims {
			if name := l.Name + "/" + c.Name; state[name] == 0 {
				visit(name)
			}
		}
	}
	return errs
}

func (l *Lab) problems(known map[string]bool) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !labName.MatchString(l.Name) {
		add("name %q is not one lower-case word", l.Name)
	}
	if !slices.Contains([]Group{Storage, Serving, Studies}, l.Group) {
		add("unknown group %q", l.Group)
	}
	if l.Title == "" || l.Doc == "" || l.Measure == nil || len(l.Claims) == 0 || len(l.Questions) == 0 || l.Seconds <= 0 {
		add("want a title, a doc, claims, questions, a share of time and Measure")
	}
	seen := map[string]bool{}
	for i := range l.Claims {
		c := &l.Claims[i]
		if seen[c.Name] {
			add("claim %s: there are two of that name", c.Name)
		}
		seen[c.Name] = true
		for _, err := range c.problems(l, known) {
			add("claim %s: %w", c.Name, err)
		}
	}
	seen = map[string]bool{}
	for _, c := range l.Controls {
		if seen[c.Name] || !claimName.MatchString(c.Name) {
			add("control %q: its name is taken or malformed", c.Name)
		}
		seen[c.Name] = true
		if c.Text == "" || len(c.Breaks) == 0 {
			add("control %s: want a text and the claims that it breaks", c.Name)
		}
		for _, b := range c.Breaks {
			if l.Claim(b) == nil {
				add("control %s: breaks %q, which is no claim of this lab", c.Name, b)
			}
		}
	}
	seen = map[string]bool{}
	for i := range l.Questions {
		q := &l.Questions[i]
		if seen[q.Name] || !claimName.MatchString(q.Name) {
			add("question %q: its name is taken or malformed", q.Name)
		}
		seen[q.Name] = true
		for _, err := range q.problems(l) {
			add("question %s: %w", q.Name, err)
		}
	}
	return errs
}

func (c *Claim) problems(l *Lab, known map[string]bool) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !claimName.MatchString(c.Name) {
		add("the name is not a sentence with hyphens")
	}
	if c.Text == "" || c.Unit == "" || c.Observed == "" || c.Version < 1 {
		add("want a text, a unit, who observes it and a version from 1 up")
	}
	if c.Scope != Machine && c.Scope != Program {
		add("unknown scope %q", c.Scope)
	}
	if !slices.Contains([]measure.Kind{measure.Exact, measure.Comparison, measure.Binomial}, c.Kind) {
		add("unknown kind %q", c.Kind)
	}
	if !slices.Contains([]string{"", "linux", "darwin"}, c.System) {
		add("unknown system %q", c.System)
	}
	if c.Kind == measure.Comparison && c.Region.Min == c.Region.Max {
		add("a median of blocks never equals one value")
	}
	if c.Guard != nil && c.Kind != measure.Comparison {
		add("only a comparison of arms can have a guard")
	}
	if err := c.Region.Valid(); err != nil {
		errs = append(errs, err)
	}
	if c.Guard != nil {
		if err := c.Guard.Region.Valid(); err != nil {
			add("guard: %w", err)
		}
	}
	if len(l.ControlsOf(c.Name)) == 0 {
		add("no control breaks it, so it is no claim")
	}
	for _, p := range c.RestsOn {
		if !known[p] || p == l.Name+"/"+c.Name || !strings.Contains(p, "/") {
			add("rests on %q, which does not exist or is itself", p)
		}
	}
	return errs
}

func (q *Question) problems(l *Lab) (errs []error) {
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if q.Text == "" || q.Unit == "" || len(q.Candidates) < 2 || q.Derive == nil {
		add("want a text, a unit, at least two candidates and a derivation")
	}
	if (q.Answer.Series == "") == (q.Answer.Claim == "") {
		add("want exactly one of a series and a claim to score it by")
	}
	if c := l.Claim(q.Answer.Claim); q.Answer.Claim != "" && c == nil {
		add("is scored by %q, which is no claim of this lab", q.Answer.Claim)
	} else if c != nil && c.Unit != q.Unit {
		add("is answered in %s and scored by a claim in %s", q.Unit, c.Unit)
	}
	for _, c := range q.Candidates {
		if c.Value.Dim.String() != q.Unit {
			add("candidate %q is in %s, not in %s", c.Text, c.Value.Dim, q.Unit)
		}
	}
	return errs
}

// form returns the claim's form, Ratio where none is given.
func (c *Claim) form() measure.Form {
	if c.Form == "" {
		return measure.Ratio
	}
	return c.Form
}
