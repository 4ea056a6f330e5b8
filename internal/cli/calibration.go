package cli

import (
	"fmt"
	"io"
	"math"
	"strings"

	"envelope/axioms"
	"envelope/internal/typeset"
	"envelope/predict/ledger"
)

// plotWidth is the columns of the plot to either side of a right prediction.
const plotWidth = 20

// printCalibration prints the record: all together, by lab, by dimension, and a
// plot of the registered predictions in their order.
func printCalibration(w page, c ledger.Calibration, history []ledger.Entry) error {
	if c.Total.N == 0 {
		_, err := fmt.Fprintln(w, "no prediction was made yet: envelope predict")
		return err
	}
	rows := [][]string{groupRow("all", c.Total)}
	for _, g := range c.Labs {
		rows = append(rows, groupRow(g.Name, g))
	}
	for _, g := range c.Dimensions {
		rows = append(rows, groupRow(dimension(g.Name), g))
	}
	for i, line := range typeset.Table([]string{"", "n", "off by", "mostly", "in 2x", "in 10x", "intervals", "exact", "division"}, rows) {
		if i == 0 {
			line = faint.Render(line)
		}
		fmt.Fprintln(w, line)
	}
	w.say("", "In 2x: the share within a factor of two. Intervals: how many of yours held what was measured; 80 % is meant. "+
		"Exact: counts that were right. Division: how far off the arithmetic was.")
	if t := c.Total.User.Trend; t != nil {
		change := "which chance alone may do"
		if t.Clear {
			change = "more than chance does"
		}
		w.say("", fmt.Sprintf("trend: off by %sx in the first half, %sx in the second, %s", typeset.Number(t.First), typeset.Number(t.Second), change))
	}
	if c.Total.Unscored > 0 {
		fmt.Fprintf(w, "%d without a score: never measured, or the claim came out void\n", c.Total.Unscored)
	}
	return printPlot(w, history, c.All)
}

func groupRow(name string, g ledger.Group) []string {
	u := g.User
	exact := "-"
	if u.Exact > 0 {
		exact = fmt.Sprintf("%d of %d", u.Right, u.Exact)
	}
	return []string{name, fmt.Sprint(g.N), times(u.Factor), direction(u.Bias), share(u.Within2), share(u.Within10), coverage(u), exact,
		times(g.Division.Factor)}
}

// dimension names what a unit measures.
func dimension(unit string) string {
	dim, err := axioms.ParseUnit(unit)
	switch {
	case err != nil:
	case dim == axioms.DimOne:
		return "numbers"
	case dim == axioms.DimSecond:
		return "times"
	case dim == axioms.DimByte:
		return "sizes"
	case dim == axioms.DimBytePerSecond:
		return "bandwidths"
	case dim == axioms.DimPerSecond:
		return "rates"
	}
	return "in " + unit
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
		return "over"
	case *bias < 0.98:
		return "under"
	}
	return "even"
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
	fmt.Fprintf(w, "\no you, d the division; ten columns are a factor of ten\n%s\n",
		faint.Render(typeset.Pad("too little", plotWidth)+"|"+typeset.PadLeft("too much", plotWidth)))
	_, err := fmt.Fprintln(w, strings.Join(rows, "\n"))
	return err
}

// column is where a log factor stands in the plot; what is further off stands
// at the edge.
func column(log float64) int {
	return plotWidth + int(math.Max(-plotWidth, math.Min(plotWidth, math.Round(log*10))))
}
