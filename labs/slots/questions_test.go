package slots

import (
	"math"
	"testing"

	"envelope/axioms"
)

// The candidates for a share that can be reckoned lie apart, and none gives it
// away.
func TestCandidatesKeepTheAnswer(t *testing.T) {
	q := questions[0]
	d, err := q.Derive(axioms.Set{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range q.Candidates {
		if r := c.Value.Value / d.Value.Value; math.Abs(math.Log(r)) < math.Log(1.2) {
			t.Errorf("%s: %s is within 20 %% of %s", q.Name, c.Value, d.Value)
		}
		if i > 0 && q.Candidates[i-1].Value.Value < 1.75*c.Value.Value {
			t.Errorf("%s: %s and %s are hardly apart", q.Name, q.Candidates[i-1].Value, c.Value)
		}
	}
}
