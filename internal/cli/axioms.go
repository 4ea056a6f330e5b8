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

// known returns the constants with this machine's measured axioms laid over
// them, as far as they were measured before. What stands in the way is said,
// and no error: the constants alone will do.
func (a *app) known(state string) (axioms.Set, *probe.Taken) {
	dir, err := stateDir(state)
	if err != nil {
		return axioms.Set{}, nil
	}
	taken, ok, err := probe.Load(dir)
	if err != nil {
		fmt.Fprintf(a.err, "envelope: %s\n", clean(err.Error()))
	}
	if !ok {
		return axioms.Set{}, nil
	}
	set, err := axioms.NewSet(taken.Axioms...)
	if err != nil {
		fmt.Fprintf(a.err, "envelope: the axioms that were kept can't be used: %s\n", clean(err.Error()))
		return axioms.Set{}, nil
	}
	return set, &taken
}

func (a *app) axiomsCommand() *cobra.Command {
	var dir, state, format string
	var measure bool
	cmd := &cobra.Command{
		Use: "axioms", Short: "the constants, beside this machine's measured ones", Args: cobra.NoArgs,
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
					fmt.Fprintf(a.err, "not measured: %s\n", clean(why.Error()))
				}
				where, err := stateDir(state)
				if err != nil {
					return err
				}
				if err := probe.Save(where, probe.Taken{Time: res.Finished, Environment: res.Environment, Axioms: res.Axioms}); err != nil {
					return err
				}
			}
			return a.printAxioms(state, format)
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	cmd.Flags().BoolVar(&measure, "measure", false, "measure this machine's first, and keep them for floor and divide")
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return cmd
}

func (a *app) printAxioms(state, format string) error {
	set, taken := a.known(state)
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
			row[5] = number(r)
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
			row[i] = strings.ReplaceAll(clean(row[i]), "|", "\\|")
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

func (a *app) divideCommand() *cobra.Command {
	var state string
	cmd := &cobra.Command{
		Use: "divide EXPR", Short: "arithmetic with units, in which bytes are never added to seconds",
		Example: "  envelope divide '8 B / 2 GB/s'\n  envelope divide 'ceil(350 / 16) * 16 - 350'\n  envelope divide '1 MiB / dram-copy'",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, _ := a.known(state)
			r, err := set.Eval(strings.Join(args, " "))
			if err != nil {
				return err
			}
			for _, w := range r.Warnings {
				fmt.Fprintf(a.err, "envelope: warning: %s\n", clean(w))
			}
			fmt.Fprintf(a.out, "%s\n", r.Quantity)
			fmt.Fprintf(a.out, "%s\n", faint.Render("understood as "+clean(r.Text)))
			for _, g := range r.Used {
				fmt.Fprintf(a.out, "%s\n", faint.Render(fmt.Sprintf("%s = %s, %s: %s", g.Name, g.Quantity, g.Kind(), clean(g.Source))))
			}
			return nil
		},
	}
	a.stateFlag(cmd, &state)
	return cmd
}

func (a *app) floorCommand() *cobra.Command {
	var state, took string
	cmd := &cobra.Command{
		Use: "floor SIZE", Short: "what moving that much costs at every layer, and what a measured time can and cannot have been",
		Example: "  envelope floor 1MB\n  envelope floor 1MiB --took 25us",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			size, err := axioms.Parse(args[0])
			if err != nil {
				return err
			}
			set, taken := a.known(state)
			layers, err := axioms.Floor(size, set)
			if err != nil {
				return err
			}
			if taken == nil {
				fmt.Fprintln(a.err, "only assumed bandwidths: envelope axioms --measure takes this machine's own")
			}
			if !cmd.Flags().Changed("took") {
				return a.printFloors(size, layers)
			}
			t, err := axioms.Parse(took)
			if err != nil {
				return fmt.Errorf("--took: %w", err)
			}
			return a.printRulings(size, t, layers)
		},
	}
	cmd.Flags().StringVar(&took, "took", "", "a measured `TIME` to hold against the floors")
	a.stateFlag(cmd, &state)
	return cmd
}

func kindOf(l axioms.Layer) string {
	if l.Measured {
		return "measured"
	}
	return "assumed"
}

func (a *app) printFloors(size axioms.Quantity, layers []axioms.Layer) error {
	fmt.Fprintf(a.out, "the least time that %s can take\n", size)
	for _, l := range layers {
		fmt.Fprintf(a.out, "  %s  %s  at %s, %s\n", pad(l.Floor.String(), 9), pad(l.Text, 50), pad(l.Rate.String(), 9), kindOf(l))
	}
	return nil
}

func (a *app) printRulings(size, took axioms.Quantity, layers []axioms.Layer) error {
	rulings, err := axioms.RuledOut(took, layers)
	if err != nil {
		return fmt.Errorf("--took: %w", err)
	}
	rate, err := size.Div(took)
	if err != nil {
		return fmt.Errorf("--took: %w", err)
	}
	fmt.Fprintf(a.out, "%s in %s: %s\n", size, took, rate)
	out := 0
	for _, r := range rulings {
		style, verdict := faint, r.String()
		switch {
		case r.Factor >= ruledOut:
			style, out = red, out+1
		case r.Out:
			verdict = "at its floor: " + number(r.Factor) + "x under it, and a floor is itself a measurement"
		}
		fmt.Fprintf(a.out, "  %s  %s  %s (%s)\n", pad(r.Layer.Floor.String(), 9), pad(r.Layer.Text, 50), style.Render(verdict), kindOf(r.Layer))
	}
	fmt.Fprintln(a.out, explain(rulings, out))
	return nil
}

// ruledOut is how far under a floor a time must be to rule a layer out: the
// floors are medians of noisy measurements, or classes of hardware.
const ruledOut = 2

// explain says what a time can have been, from what it rules out.
func explain(rulings []axioms.Ruling, out int) string {
	switch {
	case out == len(rulings):
		return "Faster than any copy: the bytes did not move. Look for a pointer handed over, a call that only queued them, or work that was skipped."
	case out == 0:
		least := 0.0
		for i, r := range rulings {
			if r.Factor > 0 && (i == 0 || 1/r.Factor < least) {
				least = 1 / r.Factor
			}
		}
		if least > 10 {
			return "Over ten times every floor: bandwidth is not what took the time. Look for round trips, barriers, seeks, or many small calls."
		}
		return "No layer is ruled out: the bytes may have gone all the way down. A floor is only the least time, so this proves nothing by itself."
	}
	return "What is ruled out was not waited for: the call returned before those bytes can have been there. They may still get there later."
}
