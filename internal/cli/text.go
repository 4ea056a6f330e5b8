package cli

import (
	"fmt"
	"io"
	"math"

	"charm.land/lipgloss/v2"
	"github.com/dustin/go-humanize"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
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
func printLab(w io.Writer, l *driver.Lab) {
	title := l.Lab.Title
	if l.Probe {
		title = "only what the labs asked for rest on"
	}
	fmt.Fprintf(w, "\n%s  %s\n", bold.Render(l.Lab.Name), title)
	width := 0
	for _, c := range l.Claims {
		width = max(width, len(c.Name))
	}
	for _, c := range l.Claims {
		fmt.Fprintf(w, "  %s  %s  %s\n", word(c.Verdict), typeset.Pad(c.Name, width), claimLine(c))
	}
	if !l.Probe {
		printDivisions(w, l)
	}
	for _, t := range l.Record.Tables {
		printTable(w, t)
	}
	for _, n := range l.Record.Notes {
		fmt.Fprintf(w, "  %s\n", faint.Render(typeset.Clean(n)))
	}
}

// printDivisions holds what the arithmetic gave, before anything was measured,
// against what was measured. It is no claim: its misses are there to learn from.
func printDivisions(w io.Writer, l *driver.Lab) {
	t := lab.Table{Title: "what the division gave, and what was measured", Header: []string{"question", "division", "measured", "", "by"}}
	for i := range l.Questions {
		q := &l.Questions[i]
		if q.DeriveErr != nil || q.Measured == nil {
			continue
		}
		measured := axioms.Quantity{Value: *q.Measured, Dim: q.Derivation.Value.Dim}
		t.Rows = append(t.Rows, []string{q.Name, q.Derivation.Value.String(), measured.String(), offBy(q.Derivation.Value.Value, *q.Measured), q.Derivation.Steps})
	}
	if len(t.Rows) > 0 {
		printTable(w, t)
	}
}

// offBy says how far a reckoned value was from the measured one.
func offBy(reckoned, measured float64) string {
	switch {
	case reckoned == measured:
		return "right"
	case reckoned <= 0 || measured <= 0:
		return "off by " + typeset.Number(math.Abs(reckoned-measured))
	case reckoned > measured:
		return typeset.Number(reckoned/measured) + "x too much"
	}
	return typeset.Number(measured/reckoned) + "x too little"
}

// claimLine is what stands behind a claim's name.
func claimLine(c *driver.Claim) string {
	if c.Verdict == measure.Void {
		return typeset.Clean(fmt.Sprintf("%s: %s", c.Reason, c.Detail))
	}
	s := estimateText(c.Estimate, c.Kind) + "  want " + c.Region.String()
	if c.Verdict == measure.Failed && c.Kind == measure.Exact {
		s += "  (" + typeset.Clean(c.Detail) + ")"
	}
	return s
}

// estimateText is the quantity with its interval and the number of observations.
func estimateText(e *measure.Estimate, k measure.Kind) string {
	if e == nil {
		return "no estimate"
	}
	if k == measure.Exact {
		if e.Low == e.High {
			return fmt.Sprintf("%s in all of %s", typeset.Number(e.Value), humanize.Comma(int64(e.N)))
		}
		return fmt.Sprintf("%s to %s, n %s", typeset.Number(e.Low), typeset.Number(e.High), humanize.Comma(int64(e.N)))
	}
	return fmt.Sprintf("%s (%s to %s), n %s", typeset.Number(e.Value), typeset.Number(e.Low), typeset.Number(e.High), humanize.Comma(int64(e.N)))
}

func printTable(w io.Writer, t lab.Table) {
	if t.Title != "" {
		fmt.Fprintf(w, "  %s\n", typeset.Clean(t.Title))
	}
	for i, line := range typeset.Table(t.Header, t.Rows) {
		if i == 0 && len(t.Header) > 0 {
			line = faint.Render(line)
		}
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// counts is how many claims of a scope came out how.
type counts struct{ held, failed, void int }

func (c counts) String() string {
	s := fmt.Sprintf("%d held", c.held)
	if c.failed > 0 {
		s += fmt.Sprintf(", %d failed", c.failed)
	}
	if c.void > 0 {
		s += fmt.Sprintf(", %d void", c.void)
	}
	return s
}

// tally counts claims by scope.
func tally(labs []*driver.Lab) map[lab.Scope]counts {
	out := map[lab.Scope]counts{}
	for _, l := range labs {
		for _, c := range l.Claims {
			n := out[c.Scope]
			switch c.Verdict {
			case measure.Held:
				n.held++
			case measure.Failed:
				n.failed++
			default:
				n.void++
			}
			out[c.Scope] = n
		}
	}
	return out
}

// printSummary ends a run's text: what changed in a retest, what failed, what
// could not be judged, and the counts.
func printSummary(w io.Writer, res *driver.Result) {
	fmt.Fprintln(w)
	for _, l := range res.Labs {
		for _, c := range l.Claims {
			switch {
			case c.Verdict == measure.Failed:
				fmt.Fprintf(w, "%s %s/%s: %s; %s\n", red.Render("FAILED"), l.Lab.Name, c.Name, c.Text, claimLine(c))
			case c.Retest != nil:
				fmt.Fprintf(w, "%s %s/%s: %s\n", yellow.Render("void"), l.Lab.Name, c.Name, claimLine(c))
			}
		}
	}
	n := tally(res.Labs)
	fmt.Fprintf(w, "machine %s; program %s\n", n[lab.Machine], n[lab.Program])
}
