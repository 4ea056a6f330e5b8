package groupcommit

import (
	"math"
	"os"
	"strings"
	"testing"

	"envelope/axioms"
)

// The candidates lie apart, and none of them is the count that the answer is.
func TestCandidatesKeepTheAnswer(t *testing.T) {
	q := questions[0]
	d, err := q.Derive(axioms.Set{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range q.Candidates {
		if r := c.Value.Value / d.Value.Value; math.Abs(math.Log(r)) < math.Log(2) {
			t.Errorf("%s: %s is within a factor of two of %s", q.Name, c.Value, d.Value)
		}
		if i > 0 && c.Value.Value < 3*q.Candidates[i-1].Value.Value {
			t.Errorf("%s: %s and %s are hardly apart", q.Name, q.Candidates[i-1].Value, c.Value)
		}
	}
	// The page and the record are what the lab writes.
	if size*large != 4096 || !strings.Contains(q.Text, "64 bytes") {
		t.Errorf("a batch is %d records of %d bytes, and the question says %q", large, size, q.Text)
	}
}

// Nor does the Question of the doc tell the count that the first one asks for.
func TestDocKeepsTheAnswer(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "# Question")
	question, _, ok := strings.Cut(rest, "# Axioms")
	if !ok || strings.Contains(question, "64") {
		t.Errorf("got %q, want no count in it", question)
	}
}
