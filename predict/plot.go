package predict

import (
	"fmt"
	"math"
	"strings"

	"envelope/internal/typeset"
	"envelope/predict/ledger"
)

// plotLabels is the width of the plot's labels.
const plotLabels = 17

// factorPlot draws how far off the registered predictions were, in their order
// from left to right: above the line too much, below it too little. It has the
// last ones that fit, and nil where none was scored by factor.
func factorPlot(history []ledger.Entry, width, height int) []string {
	type point struct{ you, division *float64 }
	var points []point
	for i := range history {
		e := &history[i]
		s, err := e.Score()
		if err != nil || !e.Registered || s.Kind != ledger.Factor {
			continue
		}
		p := point{you: &s.Log}
		if d, err := e.DivisionScore(); err == nil && d.Kind == ledger.Factor {
			p.division = &d.Log
		}
		points = append(points, p)
	}
	if len(points) == 0 {
		return nil
	}
	step := 3
	fit := max((width-plotLabels-1)/step, 1)
	if len(points) > fit {
		points = points[len(points)-fit:]
	}
	half := max((height-1)/2, 2)
	rows := make([][]string, 2*half+1)
	for i := range rows {
		rows[i] = cells(len(points)*step+1, " ")
	}
	for i := range rows[half] {
		rows[half][i] = "─"
	}
	decades := 1.0
	for _, p := range points {
		decades = math.Max(decades, math.Min(3, math.Ceil(math.Abs(*p.you))))
	}
	row := func(log float64) int {
		return half - int(math.Round(math.Max(-1, math.Min(1, log/decades))*float64(half)))
	}
	for i, p := range points {
		at := i*step + 1
		if p.division != nil {
			rows[row(*p.division)][at+1] = divisionGlyph
		}
		rows[row(*p.you)][at] = youGlyph
	}
	var out []string
	for i, cells := range rows {
		label := ""
		switch i {
		case 0:
			label = fmt.Sprintf("%s too much", factor(math.Pow(10, decades)))
		case half:
			label = "right"
		case 2 * half:
			label = fmt.Sprintf("%s too little", factor(math.Pow(10, decades)))
		}
		out = append(out, strings.TrimRight(typeset.PadLeft(label, plotLabels)+" "+strings.Join(cells, ""), " "))
	}
	return out
}

// recordLines sum up the record of predictions, the user beside the division.
func recordLines(history []ledger.Entry) []string {
	t := ledger.Calibrate(history, ledger.CalibrateOptions{}).Total
	if t.N == 0 {
		return []string{"no prediction is registered yet"}
	}
	out := []string{
		fmt.Sprintf("first predictions: %d, with a score: %d", t.N, t.N-t.Unscored),
		"",
	}
	out = append(out, typeset.Table([]string{"", "off by", "bias", "within 2x", "within 10x", "exact counts right"},
		[][]string{summaryRow("you", t.User), summaryRow("division", t.Division)})...)
	if u := t.User; u.Intervals > 0 && u.Coverage != nil {
		out = append(out, "", fmt.Sprintf("intervals that held the measurement: %.0f %% of %d; 80 %% is meant", 100**u.Coverage, u.Intervals))
	}
	if tr := t.User.Trend; tr != nil {
		out = append(out, fmt.Sprintf("off by %s in the first half, %s in the second", factor(tr.First), factor(tr.Second)))
	}
	return out
}

func summaryRow(name string, s ledger.Summary) []string {
	times := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return factor(*v)
	}
	share := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.0f %%", 100**v)
	}
	right := "-"
	if s.Exact > 0 {
		right = fmt.Sprintf("%d of %d", s.Right, s.Exact)
	}
	return []string{name, times(s.Factor), times(s.Bias), share(s.Within2), share(s.Within10), right}
}
