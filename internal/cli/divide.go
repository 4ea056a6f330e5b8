package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"envelope/internal/typeset"
)

func (a *app) divideCommand() *cobra.Command {
	var state, dir string
	cmd := &cobra.Command{
		Use: "divide EXPR", Short: "arithmetic with units, in which bytes are never added to seconds",
		Example: "  envelope divide '8 B / 2 GB/s'\n  envelope divide 'ceil(350 / 16) * 16 - 350'\n  envelope divide '1 MiB / dram-copy'",
		Args:    some("an expression", "envelope divide '8 B / 2 GB/s'"),
		RunE: func(_ *cobra.Command, args []string) error {
			set, _ := a.known(state, dir)
			r, err := set.Eval(strings.Join(args, " "))
			if err != nil {
				return err
			}
			for _, w := range r.Warnings {
				fmt.Fprintf(a.err, "envelope: warning: %s\n", typeset.Clean(w))
			}
			fmt.Fprintf(a.out, "%s\n", r.Quantity)
			fmt.Fprintf(a.out, "%s\n", faint.Render("understood as "+typeset.Clean(r.Text)))
			for _, g := range r.Used {
				fmt.Fprintf(a.out, "%s\n", faint.Render(fmt.Sprintf("%s = %s, %s: %s", g.Name, g.Quantity, g.Kind(), typeset.Clean(g.Source))))
			}
			return nil
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	return cmd
}
