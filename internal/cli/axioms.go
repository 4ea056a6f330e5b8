package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

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
	dir, err := stateDir(state)
	if err != nil {
		return nil
	}
	taken, ok, err := probe.Load(dir)
	if err != nil {
		fmt.Fprintf(a.err, "envelope: %s\n", typeset.Clean(err.Error()))
	}
	if !ok {
		return nil
	}
	if _, err := axioms.NewSet(taken.Axioms...); err != nil {
		fmt.Fprintf(a.err, "envelope: the axioms that were kept can't be used: %s\n", typeset.Clean(err.Error()))
		return nil
	}
	return &taken
}

// known returns the constants with the kept axioms laid over them, as far as
// those hold for this machine and the file system of dir. What does not is said.
func (a *app) known(state, dir string) (axioms.Set, *probe.Taken) {
	taken := a.kept(state)
	if taken == nil {
		return axioms.Set{}, nil
	}
	fit, left := taken.For(a.machine.Here(dir))
	if left != "" {
		fmt.Fprintf(a.err, "envelope: of the axioms that were kept, not used: %s\n", typeset.Clean(left))
	}
	set, err := axioms.NewSet(fit...)
	if err != nil || len(fit) == 0 {
		return axioms.Set{}, nil
	}
	return set, taken
}

func (a *app) axiomsCommand() *cobra.Command {
	var dir, state, format string
	var measure bool
	cmd := &cobra.Command{
		Use: "axioms", Short: "the constants, beside this machine's measured ones", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains([]string{"text", "markdown", "json"}, format) {
				return fmt.Errorf("--format %q is none of text, markdown, json", format)
			}
			if measure {
				a.busy.Store(true)
				res, skipped, err := driver.Axioms(cmd.Context(), driver.Options{Dir: dir, Seed: 1, Machine: a.machine})
				a.busy.Store(false)
				if cmd.Context().Err() != nil {
					return errInterrupted
				}
				if err != nil {
					return err
				}
				for _, why := range skipped {
					fmt.Fprintf(a.err, "not measured: %s\n", typeset.Clean(why.Error()))
				}
				where, err := stateDir(state)
				if err != nil {
					return err
				}
				if err := probe.Save(where, probe.Taken{Time: res.Finished, Environment: res.Environment, Axioms: res.Axioms}); err != nil {
					return err
				}
			}
			return a.printAxioms(state, dir, format)
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	cmd.Flags().BoolVar(&measure, "measure", false, "measure this machine's first, and keep them: floor, divide, run and predict use them")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return cmd
}

func (a *app) printAxioms(state, dir, format string) error {
	set, taken := a.known(state, dir)
	if format == "json" {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		return e.Encode(axiomList(set))
	}
	if taken != nil {
		fmt.Fprintf(a.out, "measured %s on %s, %s\n\n", taken.Time.Format("2006-01-02"), taken.Environment.CPU.Model, taken.Environment.Target.Filesystem)
	} else {
		fmt.Fprint(a.out, "nothing was measured here yet: envelope axioms --measure\n\n")
	}
	t := lab.Table{Header: []string{"axiom", "assumed", "measured here", "interval", "n", "measured / assumed"}}
	if format == "markdown" {
		t.Header = append(t.Header, "how")
	}
	for _, g := range set.All() {
		t.Rows = append(t.Rows, axiomRow(g, set, format))
	}
	if format == "markdown" {
		return writeMarkdown(a.out, t)
	}
	printTable(a.out, t)
	return nil
}

// axiomRow is an axiom with its assumed and its measured value, and the factor
// between them: a factor of ten there is a lesson or a fault.
func axiomRow(g axioms.Given, set axioms.Set, format string) []string {
	row := []string{g.Name, "", "", "", "", ""}
	c, err := axioms.Lookup(g.Name)
	if err == nil {
		row[1] = c.Quantity.String()
		if c.Ranged() {
			row[1] = c.Low.String() + " to " + c.High.String()
		}
	}
	if g.Measured {
		row[2], row[3] = g.Quantity.String(), g.Low.String()+" to "+g.High.String()
		for _, m := range set.Measured() {
			if m.Name == g.Name {
				row[4] = fmt.Sprint(m.N)
			}
		}
		if r, errRatio := g.Quantity.Ratio(c.Quantity); err == nil && errRatio == nil {
			row[5] = typeset.Number(r)
		}
	}
	if format == "markdown" {
		row = append(row, g.Source)
	}
	return row
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
}

func axiomList(set axioms.Set) []listedAxiom {
	out := []listedAxiom{}
	for _, g := range set.All() {
		l := listedAxiom{Name: g.Name, Kind: g.Kind(), Unit: g.Quantity.Dim.String(), Value: g.Quantity.Value,
			Low: g.Low.Value, High: g.High.Value, Source: g.Source}
		if c, err := axioms.Lookup(g.Name); err == nil {
			l.Assumed = &c.Quantity.Value
		}
		out = append(out, l)
	}
	return out
}
