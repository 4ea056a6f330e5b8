package report

import (
	"slices"
	"testing"

	"envelope/internal/measure"
	"envelope/manifest"
)

// asked is a lab with one question whose answer was measured, and the predictions
// that were made of it.
func asked(measured float64, unit string, predictions ...manifest.Prediction) *records {
	s := manifest.Series{Name: "answer", Unit: unit, Calls: 1, Samples: manifest.Samples{measured}}
	s.Describe()
	division := 3 * measured
	l := &manifest.Lab{Name: "lab", Series: []manifest.Series{s}, Questions: []manifest.Question{{
		Name: "q", Unit: unit, Answer: "series answer", Measured: &measured, Derivation: manifest.Derivation{Value: &division, Unit: unit, Steps: "a / b"},
	}}}
	for i := range predictions {
		predictions[i].Question = "lab/q"
	}
	return newRecords(&manifest.Run{Labs: []manifest.Lab{*l}, Predictions: predictions}, l)
}

func TestQuestions(t *testing.T) {
	check := func(r *records, scored bool, want ...string) {
		t.Helper()
		q := r.questions()[0]
		var got []string
		for _, g := range q.Guesses {
			got = append(got, g.Who+": "+g.Value+", "+g.Off)
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if (calibration([]*question{q}) != nil) != scored {
			t.Errorf("%q: got a calibration plot: %t, want %t", got, !scored, scored)
		}
	}
	low, high := 1e-3, 4e-3
	first := manifest.Prediction{Value: 2e-3, Unit: "s", Low: &low, High: &high, Attempt: 1}
	again := manifest.Prediction{Value: 1e-3, Unit: "s", Attempt: 2}
	const division = "the division: 3 ms, 3x too much"
	check(asked(1e-3, "s"), false, division)
	check(asked(1e-3, "s", first), true, "you: 2 ms (1 ms to 4 ms), 2x too much, measured within the interval", division)
	// Only the first attempt counts, whichever the file names first.
	check(asked(1e-3, "s", again, first), true, "you: 2 ms (1 ms to 4 ms), 2x too much, measured within the interval", "attempt 2: 1 ms, right", division)
	check(asked(1e-3, "s", again), false, "attempt 2: 1 ms, right", division)
	// Another unit, or another question, has no factor.
	check(asked(1e-3, "s", manifest.Prediction{Value: 5, Unit: "B", Attempt: 1}), false, "you: 5 B, not scored", division)
	check(asked(0, "B", manifest.Prediction{Value: 5, Unit: "B", Attempt: 1}), false, "you: 5 B, 5 B too much", "the division: 0 B, right")

	// A count is right, or off by so much.
	r := asked(4, "B", manifest.Prediction{Value: 5, Unit: "B", Attempt: 1})
	r.Series[0].Calls = 0
	check(r, false, "you: 5 B, 1 B too much", "the division: 12 B, 8 B too much")

	r = asked(1e-3, "s", first)
	r.Questions[0].Measured = nil
	check(r, false, "you: 2 ms (1 ms to 4 ms), not scored", "the division: 3 ms, not scored")
	if q := r.questions()[0]; q.Measured != "nothing was measured" {
		t.Errorf("got %q", q.Measured)
	}
}

func TestEstimateText(t *testing.T) {
	check := func(kind measure.Kind, want string, value, low, high *float64) {
		t.Helper()
		c := &manifest.Claim{Unit: "1", Terms: measure.Terms{Kind: kind}, Estimate: &manifest.Estimate{Value: value, Low: low, High: high, N: 1016}}
		if got := estimateText(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	v := func(x float64) *float64 { return &x }
	check(measure.Exact, "0 in all of 1,016", v(0), v(0), v(0))
	check(measure.Exact, "3 to 7, n 1,016", v(7), v(3), v(7))
	check(measure.Exact, "1 to 1.0002, n 1,016", v(1.0001), v(1), v(1.0002))
	check(measure.Comparison, "5 (4 to 6), n 1,016", v(5), v(4), v(6))
	check(measure.Comparison, "5, n 1,016", v(5), nil, nil)
	check(measure.Comparison, "no estimate", nil, nil, nil)
	if got := estimateText(&manifest.Claim{}); got != "no estimate" {
		t.Errorf("got %q of a claim without an estimate", got)
	}
}
