package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"envelope/internal/compare"
	"envelope/internal/measure"
	"envelope/internal/typeset"
)

// tilde is what is said of "~" under every comparison.
const tilde = "~: the 95 % intervals overlap. Where they don't, the figures of these runs differ, and why is not said: " +
	"of many claims a few do so from one run to the next on one machine (envelope compare --help)."

// printComparisonText prints a comparison for people.
func printComparisonText(w page, c compare.Comparison, names []string) {
	for i := range c.Runs {
		w.row(bold.Render(mark(i))+"  ", runText(c, i, names[i]))
	}
	for i := range c.Runs {
		if head, text := twin(c, i); text != "" {
			w.row(yellow.Render(head)+" ", text)
		}
	}
	if c.Same() {
		return
	}
	printDifferences(w, c)
	printVerdicts(w, c)
	printGaps(w, c)
	printFigures(w, c)
	fmt.Fprintln(w)
	w.row("", countText(c))
	w.say("", tilde)
	if n := len(c.Reversed); n > 0 { // said at the top too, which may be far above
		w.row(red.Render("FAILED")+" ", fmt.Sprintf("%s held in one run and failed in another: %s", plural(n, "claim"), strings.Join(c.Reversed, ", ")))
	} else {
		fmt.Fprintln(w, "no claim held in one run and failed in another")
	}
}

// twin says of a run which earlier one it is, or only has the id of, in a word and
// in a sentence.
func twin(c compare.Comparison, i int) (word, sentence string) {
	switch r := c.Runs[i]; {
	case r.SameAs != nil:
		return "same", fmt.Sprintf("%s and %s are the same run", mark(*r.SameAs), mark(i))
	case r.Altered != nil:
		return "altered", fmt.Sprintf("%s and %s have one id and are not the same: one of them was changed after it was written", mark(*r.Altered), mark(i))
	}
	return "", ""
}

func printDifferences(w page, c compare.Comparison) {
	fmt.Fprintf(w, "\n%s\n", bold.Render("What else differs"))
	var rows []entry
	for _, f := range factLines(c.Differences) {
		rows = append(rows, entry{mark: "  ", cells: []string{f.label}, text: brief(f.text)})
	}
	if len(rows) == 0 {
		w.row("  ", "nothing that is recorded, but the time")
	}
	w.entries(rows...)
}

// verdictLine is claims of whose verdicts the same is to be said.
type verdictLine struct {
	reversed bool
	names    []string
	text     string
}

// verdictLines are the changes of verdicts, those from held to failed or back first.
func verdictLines(c compare.Comparison) []verdictLine {
	var out []verdictLine
	for _, reversed := range []bool{true, false} {
		for _, l := range c.Labs {
			for _, cl := range l.Claims {
				if !cl.Changed || cl.Reversed != reversed {
					continue
				}
				text := byRun(verdictTexts(cl))
				i := slices.IndexFunc(out, func(v verdictLine) bool { return v.reversed == reversed && v.text == text })
				if i < 0 {
					i, out = len(out), append(out, verdictLine{reversed: reversed, text: text})
				}
				out[i].names = append(out[i].names, l.Name+"/"+cl.Name)
			}
		}
	}
	return out
}

// verdictTexts is what each run says of a claim's verdict.
func verdictTexts(cl compare.Claim) []string {
	var out []string
	for _, s := range cl.In {
		switch {
		case s == nil:
			out = append(out, "without it")
		case s.Verdict == measure.Void:
			out = append(out, fmt.Sprintf("void (%s: %s)", s.Reason, s.Detail))
		case s.Verdict == measure.Failed:
			out = append(out, fmt.Sprintf("failed (%s)", s.Detail))
		default:
			out = append(out, s.Verdict.String())
		}
	}
	return out
}

func printVerdicts(w page, c compare.Comparison) {
	lines := verdictLines(c)
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", bold.Render("Verdicts that changed"))
	}
	for _, v := range lines {
		head := yellow.Render("changed")
		if v.reversed {
			head = red.Render("FAILED")
		}
		w.row("  "+head+" ", strings.Join(v.names, ", ")+": "+v.text)
	}
}

// printGaps names the claims that can't be held against each other.
func printGaps(w page, c compare.Comparison) {
	lines := append(gapLines(c), methodLines(c)...)
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n%s\n", bold.Render("Not compared"))
	}
	for _, line := range lines {
		w.row("  ", line)
	}
}

// gapLines are the claims that not all runs have: by the runs that lack them.
func gapLines(c compare.Comparison) []string {
	names := map[string][]string{}
	var order []string
	add := func(missing, name string) {
		if names[missing] == nil {
			order = append(order, missing)
		}
		names[missing] = append(names[missing], name)
	}
	for _, l := range c.Labs {
		by := map[string][]string{}
		for _, cl := range l.Claims {
			if missing := lacking(cl); missing != "" {
				by[missing] = append(by[missing], l.Name+"/"+cl.Name)
			}
		}
		for _, cl := range l.Claims {
			missing := lacking(cl)
			switch {
			case missing == "" || by[missing] == nil:
			case len(by[missing]) == len(l.Claims):
				add(missing, fmt.Sprintf("lab %s (%s)", l.Name, plural(len(l.Claims), "claim")))
			default:
				for _, name := range by[missing] {
					add(missing, name)
				}
			}
			delete(by, missing)
		}
	}
	var out []string
	for _, missing := range order {
		out = append(out, "not in "+missing+": "+strings.Join(names[missing], ", "))
	}
	return out
}

// lacking names the runs that have not a claim.
func lacking(cl compare.Claim) string {
	var marks []string
	for i, s := range cl.In {
		if s == nil {
			marks = append(marks, mark(i))
		}
	}
	return strings.Join(marks, " and ")
}

// methodLines are the claims and axioms that were measured in more than one way.
func methodLines(c compare.Comparison) []string {
	var out []string
	for _, l := range c.Labs {
		for _, cl := range l.Claims {
			if cl.Relation != compare.Method {
				continue
			}
			var versions []string
			for _, s := range cl.In {
				version := "without it"
				if s != nil {
					version = fmt.Sprintf("version %d", s.Version)
				}
				versions = append(versions, version)
			}
			out = append(out, fmt.Sprintf("%s/%s, by another method: %s", l.Name, cl.Name, byRun(versions)))
		}
	}
	for _, x := range c.Axioms {
		if x.Relation == compare.Method {
			out = append(out, "axiom "+x.Name+": it was measured in another way")
		}
	}
	return out
}

// countText is how the figures came out, all together.
func countText(c compare.Comparison) string {
	text := "claims: " + relations(c.Counts.Claims)
	if n := c.Counts.Missing; n > 0 {
		text += fmt.Sprintf("; %d not in all runs", n)
	}
	if len(c.Counts.Axioms) > 0 {
		text += "; axioms: " + relations(c.Counts.Axioms)
	}
	return text
}

func relations(n map[compare.Relation]int) string {
	var parts []string
	for _, r := range []struct {
		relation compare.Relation
		text     string
	}{
		{compare.Apart, "apart"}, {compare.Overlap, "with intervals that overlap (~)"}, {compare.Differs, "exact and different"},
		{compare.Equal, "exact and equal"}, {compare.None, "without an estimate to compare"}, {compare.Method, "by another method"},
	} {
		if n[r.relation] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[r.relation], r.text))
		}
	}
	if len(parts) == 0 {
		return "none to compare"
	}
	return strings.Join(parts, ", ")
}

// figure is a row of figures: a claim or an axiom, with a cell for each run and,
// behind all but the first, one for how it stands to the first that has it.
type figure struct {
	name  string
	cells []string
}

// figures are a lab's claims, or the axioms, under their title.
type figures struct {
	title, about string
	rows         []figure
}

// allFigures are those of a comparison that can be compared.
func allFigures(c compare.Comparison) []figures {
	var out []figures
	for _, l := range c.Labs {
		f := figures{title: l.Name}
		for _, d := range l.Differences {
			f.about = "sources differ, under the same method versions: " + byRun(factTexts(d))
		}
		for _, cl := range l.Claims {
			if row, ok := claimFigure(cl); ok {
				f.rows = append(f.rows, row)
			}
		}
		if len(f.rows) > 0 || f.about != "" {
			out = append(out, f)
		}
	}
	f := figures{title: "axioms"}
	for _, x := range c.Axioms {
		f.rows = append(f.rows, axiomFigure(x))
	}
	if len(f.rows) > 0 {
		out = append(out, f)
	}
	return out
}

// inTable cuts a name that a file gives. A column is as wide as its widest cell in
// every row, so that one name of a megabyte would take as much for each.
func inTable(name string) string { return middle(name, 120, 40) }

// claimFigure is a claim's row, and whether anything of it is compared.
func claimFigure(cl compare.Claim) (figure, bool) {
	f := figure{name: inTable(cl.Name)}
	compared := false
	for i, s := range cl.In {
		cell, against := "-", "-"
		if s != nil {
			cell, against = sideText(s, cl), relationText(s.Relation, s.Ratio, slices.IndexFunc(cl.In, isThere))
			compared = compared || s.Relation != compare.First && s.Relation != compare.Method
		}
		if f.cells = append(f.cells, cell); i > 0 {
			f.cells = append(f.cells, against)
		}
	}
	return f, compared
}

// sideText is an estimate with its interval, and the verdict where the claim has
// not held.
func sideText(s *compare.Side, cl compare.Claim) string {
	verdict := ""
	switch s.Verdict {
	case measure.Failed:
		verdict = "failed"
	case measure.Void:
		verdict = "void, " + string(s.Reason)
	}
	if s.Estimate == nil {
		return verdict
	}
	return strings.TrimSpace(intervalText(*s.Estimate, cl.Unit, cl.Kind == measure.Exact) + " " + verdict)
}

// intervalText is a value with its interval. Of an exact claim that is the span of
// all observations.
func intervalText(i compare.Interval, unit string, exact bool) string {
	value := func(v float64) string {
		if math.IsInf(v, 0) {
			return "no bound"
		}
		return typeset.Value(v, unit)
	}
	if exact && !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) {
		return typeset.Span(i.Low, i.High, unit)
	}
	return fmt.Sprintf("%s (%s to %s)", value(i.Value), value(i.Low), value(i.High))
}

// relationText is a ratio, with "~" where the intervals overlap. The columns are
// headed by A: where it is to another run, since A has nothing, that is said.
func relationText(r compare.Relation, ratio *float64, to int) string {
	text := ""
	if ratio != nil {
		text = typeset.Number(*ratio)
	}
	switch r {
	case compare.Overlap:
		text = strings.TrimSpace(text + " ~")
	case compare.Apart:
		text = cmp.Or(text, "apart")
	case compare.Equal, compare.Differs:
		text = string(r)
	case compare.Method:
		text = "not compared"
	default:
		return "-"
	}
	if to > 0 {
		text += " (to " + mark(to) + ")"
	}
	return text
}

// isThere reports whether a run has what is compared.
func isThere[T any](side *T) bool { return side != nil }

func axiomFigure(x compare.Axiom) figure {
	f := figure{name: inTable(x.Name)}
	for i, s := range x.In {
		cell, against := "-", "-"
		if s != nil {
			cell, against = intervalText(s.Estimate, x.Unit, false), relationText(s.Relation, s.Ratio, slices.IndexFunc(x.In, isThere))
		}
		if f.cells = append(f.cells, cell); i > 0 {
			f.cells = append(f.cells, against)
		}
	}
	return f
}
