package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/probe"
	"envelope/internal/typeset"
)

// takenLoud says what was in the way when the axioms were taken, or nothing.
func takenLoud(t *probe.Taken) string {
	cpus, ok := t.Environment.CPU.Logical.Get()
	if !ok {
		cpus = runtime.NumCPU()
	}
	if why := loud(t.Environment.Load, cpus); why != "" {
		return "taken while the machine was not quiet: " + why + "; envelope axioms --measure --when-quiet takes them anew"
	}
	return ""
}

// printAxioms prints a set, or what is known of some of its axioms. left says what
// of the measured ones is not in it.
func (a *app) printAxioms(set axioms.Set, taken *probe.Taken, left, format string, names []string) error {
	if left != "" {
		a.err.row("envelope: ", left)
	}
	list := set.All()
	if len(names) > 0 {
		list = nil
		for _, name := range names {
			g, err := set.Get(name)
			if err != nil && left != "" {
				return fmt.Errorf("%s is not known here, and nothing is assumed of it", name)
			}
			if err != nil && slices.Contains(probe.Names(), name) {
				return fmt.Errorf("%s was not measured here yet, and nothing is assumed of it: envelope axioms --measure", name)
			}
			if err != nil {
				return err
			}
			list = append(list, g)
		}
	}
	alone := format == "json" || format == "text" && len(names) > 0
	if taken != nil && alone {
		if why := takenLoud(taken); why != "" {
			a.err.row("envelope: warning: ", why)
		}
	}
	switch {
	case format == "json":
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		return e.Encode(axiomList(list))
	case format == "text" && len(names) > 0:
		for _, g := range list {
			a.printAxiom(g)
		}
		return nil
	}
	switch {
	case taken != nil:
		a.out.row("", fmt.Sprintf("measured %s on %s, %s", taken.Time.Format(time.DateOnly), taken.Environment.CPU.Model, taken.Environment.Target.Filesystem))
		if why := takenLoud(taken); why != "" {
			a.out.row(yellow.Render("warning")+": ", why)
		}
		fmt.Fprintln(a.out)
	case left != "":
		fmt.Fprint(a.out, "nothing of what was measured is used here: envelope axioms --measure takes it anew\n\n")
	default:
		fmt.Fprint(a.out, "nothing was measured here yet: envelope axioms --measure\n\n")
	}
	t := lab.Table{Header: []string{"axiom", "assumed", "measured here", "interval", "n", "measured / assumed"}}
	if format == "markdown" {
		t.Header = append(t.Header, "how", "bounds")
	}
	for _, g := range list {
		row := axiomRow(g)
		if format == "markdown" {
			row = append(row, g.Source, g.Bounds)
		}
		t.Rows = append(t.Rows, row)
	}
	if format == "markdown" {
		return writeMarkdown(a.out, t)
	}
	for _, line := range typeset.Table(t.Header, t.Rows) {
		if typeset.Width(line)+4 > a.out.columns() { // with names it tells all of them
			t = without(t, 3, 4)
			break
		}
	}
	printTable(a.out, t)
	return nil
}

// without returns a table that lacks the columns from i to j.
func without(t lab.Table, i, j int) lab.Table {
	cut := func(row []string) []string { return slices.Delete(slices.Clone(row), i, j+1) }
	out := lab.Table{Title: t.Title, Header: cut(t.Header)}
	for _, row := range t.Rows {
		out.Rows = append(out.Rows, cut(row))
	}
	return out
}

// axiomRow is an axiom with its assumed and its measured value, and the factor
// between them: a factor of ten there is a lesson or a fault.
func axiomRow(g axioms.Given) []string {
	row := []string{g.Name, "", "", "", "", ""}
	if c, err := axioms.Lookup(g.Name); err == nil {
		row[1] = assumed(c)
	}
	if g.Measured {
		row[2], row[3], row[4], row[5] = g.Quantity.String(), g.Low.String()+" to "+g.High.String(), fmt.Sprint(g.N), overAssumed(g)
	}
	return row
}

func assumed(c axioms.Constant) string {
	if c.Ranged() {
		return c.Low.String() + " to " + c.High.String()
	}
	return c.Quantity.String()
}

// overAssumed is the factor between the two, or "" where one is missing.
func overAssumed(g axioms.Given) string {
	c, err := axioms.Lookup(g.Name)
	if err != nil || !g.Measured {
		return ""
	}
	return typeset.OverAssumed(g.Quantity, c)
}

// printAxiom tells all that is known of an axiom.
func (a *app) printAxiom(g axioms.Given) {
	fmt.Fprintf(a.out, "%s\n", bold.Render(g.Name))
	line := func(name, format string, args ...any) {
		a.out.say(fmt.Sprintf("  %-9s ", name), fmt.Sprintf(format, args...))
	}
	if g.Measured {
		line("measured", "%s (%s to %s), n %d, on %s", g.Quantity, g.Low, g.High, g.N, g.Taken.Format(time.DateOnly))
		line("how", "%s", g.Source)
		line("bounds", "%s", g.Bounds)
	}
	c, err := axioms.Lookup(g.Name)
	if err != nil {
		return
	}
	line("assumed", "%s: %s", assumed(c), c.Class)
	line("source", "%s", c.Source)
	switch f := overAssumed(g); {
	case f == typeset.Within:
		line("factor", "within the assumed range")
	case f != "" && c.Ranged():
		line("factor", "%s, measured / the nearer end of the assumed range", f)
	case f != "":
		line("factor", "%s, measured / assumed", f)
	}
}

// writeMarkdown writes a table as Markdown.
func writeMarkdown(w io.Writer, t lab.Table) error {
	line := func(cells []string) error {
		_, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		return err
	}
	rule := make([]string, len(t.Header))
	for i := range rule {
		rule[i] = "---"
	}
	for _, row := range append([][]string{t.Header, rule}, t.Rows...) {
		for i := range row {
			row[i] = strings.ReplaceAll(typeset.Clean(row[i]), "|", "\\|")
		}
		if err := line(row); err != nil {
			return err
		}
	}
	return nil
}

// listedAxiom is one row of axioms --format json.
type listedAxiom struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // measured or assumed
	Unit    string   `json:"unit"`
	Value   float64  `json:"value"`
	Low     float64  `json:"low"`
	High    float64  `json:"high"`
	Source  string   `json:"source"`
	Assumed *float64 `json:"assumed"` // null where no constant has the name

	// Of a measured axiom only.
	N      int        `json:"n,omitempty"`
	Bounds string     `json:"bounds,omitempty"`
	Taken  *time.Time `json:"taken,omitempty"`
}

func axiomList(list []axioms.Given) []listedAxiom {
	out := []listedAxiom{}
	for _, g := range list {
		l := listedAxiom{Name: g.Name, Kind: g.Kind(), Unit: g.Quantity.Dim.String(), Value: g.Quantity.Value,
			Low: g.Low.Value, High: g.High.Value, Source: g.Source, N: g.N, Bounds: g.Bounds}
		if g.Measured {
			l.Taken = &g.Taken
		}
		if c, err := axioms.Lookup(g.Name); err == nil {
			l.Assumed = &c.Quantity.Value
		}
		out = append(out, l)
	}
	return out
}
