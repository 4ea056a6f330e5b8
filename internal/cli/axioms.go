package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/probe"
	"envelope/internal/typeset"
	"envelope/predict/ledger"
)

// stateFlag is the user's state directory.
func (a *app) stateFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "state", "", "keep the record of predictions, drills and axioms in this `DIR` (default: $XDG_STATE_HOME/envelope, or ~/.local/state/envelope)")
	cmd.MarkFlagDirname("state")
}

func stateDir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return ledger.DefaultDir()
}

// kept returns the axioms that were measured before, or nil. What stands in the
// way is said, and no error: the constants alone will do.
func (a *app) kept(state string) *probe.Taken {
	taken, err := keptIn(state)
	if err != nil {
		a.err.row("envelope: ", err.Error())
	}
	return taken
}

func keptIn(state string) (*probe.Taken, error) {
	dir, err := stateDir(state)
	if err != nil {
		return nil, fmt.Errorf("axioms that were measured before can't be looked up: %w", err)
	}
	taken, ok, err := probe.Load(dir)
	if err != nil || !ok {
		return nil, err
	}
	return &taken, nil
}

// known returns the constants with the kept axioms laid over them, as far as
// those hold for this machine and the file system of dir. What does not is said.
func (a *app) known(state, dir string) (axioms.Set, *probe.Taken) {
	set, taken, left := a.look(state, dir)
	if left != "" {
		a.err.row("envelope: ", left)
	}
	return set, taken
}

// look is known without a word: left says what of the kept axioms is not used.
func (a *app) look(state, dir string) (set axioms.Set, taken *probe.Taken, left string) {
	taken, err := keptIn(state)
	if err != nil {
		return set, nil, err.Error()
	}
	if taken == nil {
		return set, nil, ""
	}
	set, left = a.fit(taken, dir)
	if len(set.Measured()) == 0 {
		taken = nil
	}
	return set, taken, left
}

// fit lays over the constants what of taken holds here and now.
func (a *app) fit(taken *probe.Taken, dir string) (axioms.Set, string) {
	fit, left := taken.For(a.machine.Here(dir), time.Now())
	if left != "" {
		left = "of the axioms that were kept, not used: " + left
	}
	set, err := axioms.NewSet(fit...)
	if err != nil {
		return axioms.Set{}, "the axioms that were kept can't be used: " + err.Error()
	}
	return set, left
}

func (a *app) axiomsCommand() *cobra.Command {
	var dir, state, format string
	var measure bool
	var whenQuiet time.Duration
	cmd := &cobra.Command{
		Use: "axioms [NAME...]", Short: "the constants, beside this machine's measured ones",
		Long: "Lists the numbers that are taken as given: what is assumed of a class of hardware, and what was measured here. With\n" +
			"names, tells all of those: how each was measured, from how many observations, what it bounds, where the assumed\n" +
			"value comes from.",
		Example: "  envelope axioms --measure\n  envelope axioms mutex write-fsync\n  envelope axioms --format markdown",
		RunE: func(cmd *cobra.Command, names []string) error {
			if !slices.Contains([]string{"text", "markdown", "json"}, format) {
				return fmt.Errorf("--format %q is none of text, markdown, json", format)
			}
			if whenQuiet != 0 && !measure {
				return errors.New("--when-quiet waits before something is measured: it goes with --measure")
			}
			for _, name := range names {
				if _, err := (axioms.Set{}).Get(name); err != nil && !slices.Contains(probe.Names(), name) {
					return err
				}
			}
			if !measure {
				set, taken, left := a.look(state, dir)
				return a.printAxioms(set, taken, left, format, names)
			}
			taken, err := a.measureAxioms(cmd.Context(), dir, state, whenQuiet)
			if taken == nil {
				return err
			}
			set, left := a.fit(taken, dir)
			return errors.Join(a.printAxioms(set, taken, left, format, names), err)
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	cmd.Flags().BoolVar(&measure, "measure", false, "measure this machine's first, and keep them: floor, divide, run and predict use them")
	a.whenQuietFlag(cmd, &whenQuiet)
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return cmd
}

// measureAxioms measures this machine's axioms and keeps them. On a machine that
// is not quiet it says so: they stand in for it until they are measured again.
// What it returns is what is kept now, with what was kept before; if that failed,
// what was measured, beside the error.
func (a *app) measureAxioms(ctx context.Context, dir, state string, whenQuiet time.Duration) (*probe.Taken, error) {
	where, err := stateDir(state)
	if err == nil {
		err = probe.CanSave(where)
	}
	if err != nil {
		return nil, err
	}
	if err := a.waitIfAsked(ctx, dir, whenQuiet); err != nil {
		return nil, err
	}
	if why := loud(a.machine.Load(), runtime.NumCPU()); why != "" {
		a.err.row("envelope: warning: ", "the machine is not quiet: "+why)
	}
	a.busy.Store(true)
	res, skipped, err := driver.Axioms(ctx, driver.Options{Dir: dir, Seed: 1, Machine: a.machine})
	a.busy.Store(false)
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	for _, why := range skipped {
		a.err.row("", "not measured: "+why.Error())
	}
	taken := &probe.Taken{Time: res.Finished, Environment: res.Environment, Axioms: res.Axioms}
	aside, err := probe.Save(where, *taken)
	if aside != "" {
		a.err.row("envelope: ", "the axioms kept before could not be read, and lie in "+aside+" now")
	}
	if err != nil {
		return taken, err
	}
	return keptIn(state)
}

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

// overAssumed is the factor between the two, or "" where one is missing. Inside an
// assumed range it is "within", outside the factor to the nearer end: what lies
// between the ends is no number that anything can be held against.
func overAssumed(g axioms.Given) string {
	c, err := axioms.Lookup(g.Name)
	if err != nil || !g.Measured {
		return ""
	}
	against := c.Quantity
	switch {
	case c.Ranged() && g.Quantity.Value > c.High.Value:
		against = c.High
	case c.Ranged() && g.Quantity.Value < c.Low.Value:
		against = c.Low
	case c.Ranged():
		return within
	}
	r, err := g.Quantity.Ratio(against)
	if err != nil {
		return ""
	}
	return typeset.Number(r)
}

// within stands for a factor where a range was assumed and holds what was measured.
const within = "within"

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
	case f == within:
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
