package ledger

import (
	"math"
	"strings"
)

// CalibrateOptions say what counts. The zero value is the default.
type CalibrateOptions struct {
	All bool // later attempts too, not the registered ones alone
}

// Calibration says how well somebody predicts, beside the division.
type Calibration struct {
	All        bool    `json:"all_attempts"`
	Total      Group   `json:"total"`
	Labs       []Group `json:"labs"`       // in the order of their first prediction
	Dimensions []Group `json:"dimensions"` // likewise; the name is the base unit: "s", "B", "1"
}

// Group is the predictions of one lab, or of one dimension.
type Group struct {
	Name     string  `json:"name"`     // "" for all together
	N        int     `json:"n"`        // predictions
	Unscored int     `json:"unscored"` // of N: never measured, void, altered, or with nothing to compare
	User     Summary `json:"user"`
	Division Summary `json:"division"` // over the predictions that the user is scored by, where it gave a number
}

// Summary sums up scores. What there is too little for is nil; no number in it
// is ever NaN or infinite.
type Summary struct {
	N        int      `json:"n"`         // scored by factor
	Factor   *float64 `json:"factor"`    // geometric mean of the factors off, 1 or more
	Bias     *float64 `json:"bias"`      // geometric mean of predicted / measured: above 1 too much, below too little
	Within2  *float64 `json:"within_2"`  // share at most 2x off, either way
	Within10 *float64 `json:"within_10"` // share at most 10x off
	Exact    int      `json:"exact"`     // scored as right or off
	Right    int      `json:"right"`     // of Exact

	Intervals     int      `json:"intervals"`      // that were given
	Coverage      *float64 `json:"coverage"`       // share of them that hold the measurement; 0.8 is meant
	IntervalScore *float64 `json:"interval_score"` // mean in decades, of those that have a score

	Trend *Trend `json:"trend"` // nil under TrendMin scored by factor
}

// Calibrate sums up a history.
func Calibrate(history []Entry, o CalibrateOptions) Calibration {
	var total tally
	labs, dims := tallies{at: map[string]int{}}, tallies{at: map[string]int{}}
	for i := range history {
		e := &history[i]
		if !e.Registered && !o.All {
			continue
		}
		lab, _, _ := strings.Cut(e.Prediction.Question, "/")
		for _, t := range []*tally{&total, labs.named(lab), dims.named(e.Prediction.Unit)} {
			t.add(e)
		}
	}
	return Calibration{All: o.All, Total: total.group(), Labs: labs.groups(), Dimensions: dims.groups()}
}

// tally collects the scores of a group in the order of registration.
type tally struct {
	name           string
	n, unscored    int
	user, division []Score
}

func (t *tally) add(e *Entry) {
	t.n++
	s, err := e.Score()
	if err != nil {
		t.unscored++
		return
	}
	t.user = append(t.user, s)
	if d, err := e.DivisionScore(); err == nil {
		t.division = append(t.division, d)
	}
}

func (t *tally) group() Group {
	return Group{Name: t.name, N: t.n, Unscored: t.unscored, User: Summarize(t.user), Division: Summarize(t.division)}
}

// tallies are groups by name, in the order in which the names came up.
type tallies struct {
	list []*tally
	at   map[string]int
}

func (ts *tallies) named(name string) *tally {
	i, ok := ts.at[name]
	if !ok {
		i = len(ts.list)
		ts.at[name] = i
		ts.list = append(ts.list, &tally{name: name})
	}
	return ts.list[i]
}

func (ts *tallies) groups() []Group {
	groups := []Group{}
	for _, t := range ts.list {
		groups = append(groups, t.group())
	}
	return groups
}

// Summarize sums up scores, which stand in the order of their predictions.
func Summarize(scores []Score) Summary {
	var s Summary
	var logs, sizes []float64
	var within2, within10, covered, scored int
	var intervals float64
	for _, c := range scores {
		if c.Kind == Factor {
			logs, sizes = append(logs, c.Log), append(sizes, math.Abs(c.Log))
			within2 += count(atMost(c.Factor, 2))
			within10 += count(atMost(c.Factor, 10))
		} else {
			s.Exact++
			s.Right += count(c.Right)
		}
		if c.Covered != nil {
			s.Intervals++
			covered += count(*c.Covered)
		}
		if c.Interval != nil {
			scored++
			intervals += *c.Interval
		}
	}
	s.N = len(logs)
	if s.N > 0 {
		s.Factor, s.Bias = ref(power(mean(sizes))), ref(power(mean(logs)))
		s.Within2, s.Within10 = share(within2, s.N), share(within10, s.N)
	}
	s.Coverage = share(covered, s.Intervals)
	if scored > 0 {
		s.IntervalScore = ref(intervals / float64(scored))
	}
	s.Trend = trend(sizes)
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func ref(v float64) *float64 { return &v }

// share is k / n, nil where n is 0.
func share(k, n int) *float64 {
	if n == 0 {
		return nil
	}
	return ref(float64(k) / float64(n))
}

func mean(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
