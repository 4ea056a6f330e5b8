package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/typeset"
)

func (a *app) floorCommand() *cobra.Command {
	var state, dir, took string
	cmd := &cobra.Command{
		Use: "floor SIZE", Short: "what moving so many bytes costs at least, layer by layer",
		Long:    "What moving that much costs at every layer at least and, with --took, what a measured time can and cannot have been.",
		Example: "  envelope floor 1MB\n  envelope floor 1MiB --took 25us",
		Args:    one("one size", "envelope floor 1MB --took 25us"),
		RunE: func(cmd *cobra.Command, args []string) error {
			size, err := axioms.Parse(args[0])
			if err != nil {
				return err
			}
			set, taken := a.known(state, dir)
			layers, err := axioms.Floor(size, set)
			if err != nil {
				return err
			}
			if taken == nil {
				a.err.row("", "only assumed bandwidths: envelope axioms --measure takes this machine's own")
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
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	minusHint(cmd)
	return cmd
}

// kindOf says where a layer's rate comes from.
func kindOf(l axioms.Layer) string {
	switch {
	case l.Measured && l.Upper:
		return "the upper end of the measured interval"
	case l.Measured:
		return "measured"
	case l.Upper:
		return "the upper end of the assumed range"
	}
	return "assumed"
}

func (a *app) printFloors(size axioms.Quantity, layers []axioms.Layer) error {
	fmt.Fprintf(a.out, "the least time that %s can take\n", size)
	var rows []entry
	for _, l := range layers {
		rows = append(rows, entry{mark: "  ", cells: []string{l.Floor.String(), l.Text}, text: fmt.Sprintf("at %s, %s", l.Rate, kindOf(l))})
	}
	a.out.entries(rows...)
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
	var rows []entry
	for _, r := range rulings {
		style, verdict := faint, r.String()
		switch {
		case r.Factor >= ruledOut:
			style, out = red, out+1
		case r.Out:
			verdict = fmt.Sprintf("too near to tell, %sx under its floor: it is ruled out from %dx on", typeset.Number(r.Factor), ruledOut)
		}
		text := fmt.Sprintf("%s (%s, %s)", verdict, r.Layer.Rate, kindOf(r.Layer))
		rows = append(rows, entry{mark: "  ", cells: []string{r.Layer.Floor.String(), r.Layer.Text}, text: text, style: style})
	}
	a.out.entries(rows...)
	a.out.say("", explain(rulings, out))
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
