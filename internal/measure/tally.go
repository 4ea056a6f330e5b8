package measure

import "fmt"

// Tally is how many claims came out how.
type Tally struct{ Held, Failed, Void int }

// Add counts a verdict. What is neither held nor failed is void.
func (t *Tally) Add(v Verdict) {
	switch v {
	case Held:
		t.Held++
	case Failed:
		t.Failed++
	default:
		t.Void++
	}
}

// String writes a tally as a run's summary does: "38 held, 1 void".
func (t Tally) String() string {
	s := fmt.Sprintf("%d held", t.Held)
	if t.Failed > 0 {
		s += fmt.Sprintf(", %d failed", t.Failed)
	}
	if t.Void > 0 {
		s += fmt.Sprintf(", %d void", t.Void)
	}
	return s
}
