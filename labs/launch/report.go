package launch

import (
	"fmt"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// sizes are the rows of the table.
var sizes = []int{0, small, large}

// singles are the rows' arms. The two of a row follow each other, so that a busy moment finds both.
func (o *opened) singles() []measure.Single {
	var out []measure.Single
	for _, size := range o.rows() {
		for _, a := range []measure.Arm{o.alone(size), o.together(size)} {
			a.Name += ", " + o.name
			out = append(out, measure.Single{Arm: a, N: 9, Group: fmt.Sprint(o.name, size)})
		}
	}
	return out
}

// rows are the sizes that can be measured.
func (o *opened) rows() []int {
	if o.reads {
		return sizes
	}
	return sizes[:1]
}

// report makes the table of a device, and the series that answer questions. It counts in dispatches as the claims' own arms had
// them: the survey may have met a processor that had just slept, or a busier machine.
func (b *bench) report(o *opened) {
	dispatches := b.SeriesNamed(beats + "@" + o.name + "/a")
	if len(dispatches) == 0 {
		dispatches = b.SeriesNamed(surveyName(o.device))
	}
	if len(dispatches) == 0 {
		return
	}
	b.AddSeries(lab.Series{Name: dispatchName(o.device), Text: "one of 280 empty operations, one by one", Unit: "s", Samples: dispatches, Conditions: -1})
	dispatch := measure.Summarize(dispatches).P50
	seconds := func(v float64) string { return axioms.Seconds(v).String() }
	t := lab.Table{
		Title:  fmt.Sprintf("%s: one dispatch takes %s", o.name, seconds(dispatch)),
		Header: []string{"operation", "one by one", "together", "gap", "in dispatches", "gap of 280"},
	}
	for _, size := range o.rows() {
		alone := b.SeriesNamed(o.alone(size).Name + ", " + o.name)
		together := b.SeriesNamed(o.together(size).Name + ", " + o.name)
		n := min(len(alone), len(together))
		if n == 0 {
			continue
		}
		tokens, gaps, ratios := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			tokens[i], gaps[i], ratios[i] = operations*alone[i], operations*(alone[i]-together[i]), alone[i]/together[i]
		}
		gap := measure.Summarize(gaps).P50
		name := "empty"
		if size > 0 {
			name = fmt.Sprintf("read of %d KiB", size>>10)
		}
		t.Rows = append(t.Rows, []string{name, seconds(measure.Summarize(alone).P50), seconds(measure.Summarize(together).P50),
			seconds(gap / operations), fmt.Sprintf("%.2f", gap/operations/dispatch), seconds(gap)})
		if size == large {
			b.AddSeries(lab.Series{Name: tokenName(o.device), Text: what(size) + ", time one by one, all of them", Unit: "s", Samples: tokens, Conditions: -1})
			b.AddSeries(lab.Series{Name: ratioName(o.device), Text: what(size) + ", time one by one / time in one submission", Unit: "1", Samples: ratios, Conditions: -1})
		}
	}
	if len(t.Rows) > 0 {
		b.AddTable(t)
	}
}

func dispatchName(d device) string { return "one dispatch, " + d.name }
func tokenName(d device) string    { return "280 reads one by one, " + d.name }
func ratioName(d device) string    { return "one by one over together, " + d.name }
