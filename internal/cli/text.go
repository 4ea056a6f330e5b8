package cli

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/predict"
	"envelope/predict/ledger"
)

var (
	bold   = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	green  = lipgloss.NewStyle().Foreground(lipgloss.Green)
	red    = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	yellow = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
)

// word styles a verdict, in a column of its own.
func word(v measure.Verdict) string {
	switch v {
	case measure.Held:
		return green.Render("held  ")
	case measure.Failed:
		return red.Render("FAILED")
	}
	return yellow.Render("void  ")
}

// printLab prints a lab's verdicts, tables and notes.
func printLab(w page, l *driver.Lab) {
	title := l.Lab.Title
	if l.Probe {
		title = "not asked for itself: only the claims that other labs need"
	}
	fmt.Fprintf(w, "\n%s  %s\n", bold.Render(l.Lab.Name), title)
	var rows []entry
	for _, c := range l.Claims {
		rows = append(rows, entry{mark: "  " + word(c.Verdict) + "  ", cells: []string{c.Name}, text: claimLine(c)})
	}
	w.entries(rows...)
	if !l.Probe {
		printDivisions(w, l)
	}
	for _, t := range l.Record.Tables {
		printTable(w, t)
	}
	for _, n := range l.Record.Notes {
		w.entries(entry{mark: "  ", text: n, style: faint})
	}
}

// printDivisions holds what the arithmetic gave, before anything was measured,
// against what was measured. It is no claim: its misses are there to learn from.
func printDivisions(w page, l *driver.Lab) {
	var rows [][]string
	var steps []string
	for i := range l.Questions {
		q := &l.Questions[i]
		if q.DeriveErr != nil || q.Measured == nil {
			continue
		}
		measured := axioms.Quantity{Value: *q.Measured, Dim: q.Derivation.Value.Dim}
		off := ""
		if s, err := ledger.Rate(q.Derivation.Value, nil, nil, measured, predict.Counted(l.Lab, q.Question, untimed(l.Record))); err == nil {
			off = s.String()
		}
		rows = append(rows, []string{q.Name, typeset.Quantity(q.Derivation.Value), typeset.Beside(measured, q.Derivation.Value), off})
		steps = append(steps, q.Derivation.Steps)
	}
	if len(rows) == 0 {
		return
	}
	w.say("  ", "what the division gave, and what was measured")
	lines := typeset.Table([]string{"question", "division", "measured"}, rows)
	if slices.ContainsFunc(lines, func(line string) bool { return typeset.Width(line) > w.columns()-4 }) {
		// How far off it was goes to the steps, which are wrapped.
		for i, row := range rows {
			if off := row[3]; off != "" {
				rows[i], steps[i] = row[:3], off+": "+steps[i]
			}
		}
		lines = typeset.Table([]string{"question", "division", "measured"}, rows)
	}
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintln(w, "    "+faint.Render(line))
			continue
		}
		fmt.Fprintln(w, "    "+line)
		w.say("      ", steps[i-1])
	}
}

// untimed finds the ends of a series that was not timed.
func untimed(r *lab.Record) func(string) (low, high float64, ok bool) {
	return func(name string) (low, high float64, ok bool) {
		for _, s := range r.Series {
			if s.Name == name && s.Calls == 0 && len(s.Samples) > 0 {
				return slices.Min(s.Samples), slices.Max(s.Samples), true
			}
		}
		return 0, 0, false
	}
}

// claimLine is what stands behind a claim's name.
func claimLine(c *driver.Claim) string {
	if c.Verdict == measure.Void {
		return fmt.Sprintf("%s: %s", c.Reason, c.Detail)
	}
	s := estimateText(c.Estimate, c.Kind, c.Unit) + ", want " + typeset.Region(c.Region, c.Unit)
	if c.Verdict == measure.Failed && c.Kind == measure.Exact {
		s += " (" + c.Detail + ")"
	}
	return s
}

// estimateText is the quantity with its interval and the number of observations.
func estimateText(e *measure.Estimate, k measure.Kind, unit string) string {
	if e == nil {
		return "no estimate"
	}
	value := func(v float64) string { return typeset.Value(v, unit) }
	if k == measure.Exact {
		if e.Low == e.High {
			return fmt.Sprintf("%s in all of %s", value(e.Value), humanize.Comma(int64(e.N)))
		}
		return fmt.Sprintf("%s, n %s", typeset.Span(e.Low, e.High, unit), humanize.Comma(int64(e.N)))
	}
	return fmt.Sprintf("%s (%s to %s), n %s", value(e.Value), value(e.Low), value(e.High), humanize.Comma(int64(e.N)))
}

func printTable(w page, t lab.Table) {
	if t.Title != "" {
		w.row("  ", t.Title)
	}
	for i, line := range typeset.Table(t.Header, t.Rows) {
		if i == 0 && len(t.Header) > 0 {
			line = faint.Render(line)
		}
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// tally counts claims by scope.
func tally(labs []*driver.Lab) map[lab.Scope]measure.Tally {
	out := map[lab.Scope]measure.Tally{}
	for _, l := range labs {
		for _, c := range l.Claims {
			n := out[c.Scope]
			n.Add(c.Verdict)
			out[c.Scope] = n
		}
	}
	return out
}

// verdicts are those that a run's text has given so far.
type verdicts map[*driver.Claim]measure.Judgement

// changed reports whether the text has said something else of a claim.
func (v verdicts) changed(c *driver.Claim) bool {
	was, ok := v[c]
	return ok && (was.Verdict != c.Verdict || was.Reason != c.Reason)
}

// printSummary ends a run's text: what failed, what came out otherwise than it
// was shown or failed at first, and the counts. Claims of which the same is to be
// said share a row: a clock that changed may take most of them.
func printSummary(w page, res *driver.Result, seen verdicts) {
	fmt.Fprintln(w)
	names := map[string][]string{} // by what is said of them
	var said []string
	for _, l := range res.Labs {
		for _, c := range l.Claims {
			name := l.Lab.Name + "/" + c.Name
			if c.Verdict == measure.Failed {
				w.row(red.Render("FAILED")+" ", fmt.Sprintf("%s: %s; %s", name, c.Text, claimLine(c)))
				continue
			}
			text := ": " + claimLine(c)
			if seen.changed(c) {
				text = fmt.Sprintf(" (shown as %s)%s", seen[c].Verdict, text)
			} else if c.Retest == nil {
				continue
			}
			if names[text] == nil {
				said = append(said, text)
			}
			names[text] = append(names[text], name)
		}
	}
	for _, text := range said {
		w.row(yellow.Render("void")+" ", strings.Join(names[text], ", ")+text)
	}
	n := tally(res.Labs)
	fmt.Fprintf(w, "machine %s; program %s\n", n[lab.Machine], n[lab.Program])
}
