package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"envelope/internal/typeset"
	"envelope/predict/ledger"
)

// plotWidth is the columns of the plot to either side of a right prediction.
const plotWidth = 24

// printCalibration prints the record: all together, by lab, by dimension, and a
// plot of the registered predictions in their order.
func printCalibration(w io.Writer, c ledger.Calibration, history []ledger.Entry) error {
	if c.Total.N == 0 {
		_, err := fmt.Fprintln(w, "no prediction was made yet: envelope predict")
		return err
	}
	header := typeset.Pad("", 14) + "   n  off by   too      within 2x  10x    intervals hold  division off by"
	fmt.Fprintln(w, faint.Render(header))
	fmt.Fprintln(w, groupLine("all", c.Total))
	for _, g := range c.Labs {
		fmt.Fprintln(w, groupLine(g.Name, g))
	}
	for _, g := range c.Dimensions {
		fmt.Fprintln(w, groupLine("in "+g.Name, g))
	}
	if t := c.Total.User.Trend; t != nil {
		change := "which chance alone may do"
		if t.Clear {
			change = "more than chance does"
		}
		fmt.Fprintf(w, "trend: off by %sx in the first half, %sx in the second, %s\n", typeset.Number(t.First), typeset.Number(t.Second), change)
	}
	if c.Total.Unscored > 0 {
		fmt.Fprintf(w, "%d without a score: never measured, or the claim came out void\n", c.Total.Unscored)
	}
	return printPlot(w, history, c.All)
}

func groupLine(name string, g ledger.Group) string {
	u := g.User
	s := fmt.Sprintf("%s%4d  %s  %s  %s  %s  %s  %s", typeset.Pad(name, 14), g.N,
		typeset.Pad(times(u.Factor), 7), typeset.Pad(direction(u.Bias), 7), typeset.Pad(share(u.Within2), 9), typeset.Pad(share(u.Within10), 5),
		typeset.Pad(coverage(u), 14), times(g.Division.Factor))
	if u.Exact > 0 {
		s += fmt.Sprintf("  (%d of %d exact counts right)", u.Right, u.Exact)
	}
	return strings.TrimRight(s, " ")
}

func times(v *float64) string {
	if v == nil {
		return "-"
	}
	return typeset.Number(*v) + "x"
}

func share(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 100**v)
}

// direction says which way a bias goes.
func direction(bias *float64) string {
	switch {
	case bias == nil:
		return "-"
	case *bias > 1.02:
		return "much"
	case *bias < 0.98:
		return "little"
	}
	return "neither"
}

func coverage(u ledger.Summary) string {
	if u.Intervals == 0 || u.Coverage == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %% of %d", 100**u.Coverage, u.Intervals)
}

// printPlot draws one line per scored prediction: left of the middle is too
// little, right is too much, a column is a tenth of a decade.
func printPlot(w io.Writer, history []ledger.Entry, all bool) error {
	var rows []string
	for i := range history {
		e := &history[i]
		s, err := e.Score()
		if err != nil || s.Kind != ledger.Factor || !all && !e.Registered {
			continue
		}
		line := []rune(strings.Repeat(" ", plotWidth) + "|" + strings.Repeat(" ", plotWidth))
		if d, err := e.DivisionScore(); err == nil && d.Kind == ledger.Factor {
			line[column(d.Log)] = 'd'
		}
		line[column(s.Log)] = 'o'
		rows = append(rows, string(line)+"  "+typeset.Clean(e.Prediction.Question))
	}
	if len(rows) == 0 {
		return nil
	}
	const shown = 30
	if len(rows) > shown {
		rows = rows[len(rows)-shown:]
	}
	fmt.Fprintf(w, "\n%s\n", faint.Render(typeset.Pad("too little", plotWidth)+"|"+strings.Repeat(" ", plotWidth-8)+"too much  o you, d the division; 10 columns are a factor of 10"))
	_, err := fmt.Fprintln(w, strings.Join(rows, "\n"))
	return err
}

// column is where a log factor stands in the plot; what is further off stands
// at the edge.
func column(log float64) int {
	return plotWidth + int(math.Max(-plotWidth, math.Min(plotWidth, math.Round(log*10))))
}
