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

// A count is not among its own candidates, and they lie apart.
func TestCandidatesOfACount(t *testing.T) {
	for _, q := range questions {
		if q.Name != "slot-steps-evicting-late" {
			continue
		}
		d, err := q.Derive(axioms.Set{})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range q.Candidates {
			if c.Value == d.Value {
				t.Errorf("%s: the candidate %q is the answer, %s", q.Name, c.Text, d.Value)
			}
			if i > 0 && c.Value.Value < 1.75*q.Candidates[i-1].Value.Value {
				t.Errorf("%s: %s and %s are hardly apart", q.Name, q.Candidates[i-1].Value, c.Value)
			}
		}
		return
	}
	t.Error("the question is not there any more")
}
