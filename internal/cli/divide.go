package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/typeset"
)

func (a *app) divideCommand() *cobra.Command {
	var state, dir string
	cmd := &cobra.Command{
		Use: "divide EXPR", Short: "arithmetic with units, in which bytes are never added to seconds",
		Long: "Reckons an expression of numbers, units and the names of axioms (envelope axioms lists them). Bytes are never added\n" +
			"to seconds, and GB and GiB are never confused." + topics(),
		Example: "  envelope divide '8 B / 2 GB/s'\n  envelope divide 'ceil(350 / 16) * 16 - 350'\n  envelope divide '1 MiB / dram-copy'",
		Args:    some("an expression", "envelope divide '8 B / 2 GB/s'"),
		RunE: func(_ *cobra.Command, args []string) error {
			set, _ := a.known(state, dir)
			r, err := set.Eval(strings.Join(args, " "))
			if err != nil {
				return err
			}
			for _, w := range r.Warnings {
				a.err.row("envelope: warning: ", w)
			}
			fmt.Fprintln(a.out, typeset.Quantity(r.Quantity))
			a.out.entries(entry{text: "understood as " + r.Text, style: faint})
			for _, g := range r.Used {
				a.out.entries(entry{text: fmt.Sprintf("%s = %s, %s: %s", g.Name, typeset.Quantity(g.Quantity), g.Kind(), g.Source), style: faint})
			}
			return nil
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	minusHint(cmd)
	return cmd
}

// topics lists what an expression is made of.
func topics() string {
	var b strings.Builder
	for _, t := range axioms.Topics() {
		fmt.Fprintf(&b, "\n\n%s: %s", t.Name, strings.Join(t.Words, " "))
	}
	return b.String()
}
