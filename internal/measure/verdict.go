package measure

import "fmt"

// Verdict is what became of a claim. The zero value is Void: a claim that was
// forgotten has not held.
type Verdict int

// The three verdicts.
const (
	Void Verdict = iota
	Held
	Failed
)

var verdictNames = [...]string{Void: "void", Held: "held", Failed: "failed"}

func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictNames) {
		return fmt.Sprintf("Verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// MarshalText writes "void", "held" or "failed".
func (v Verdict) MarshalText() ([]byte, error) {
	if v < 0 || int(v) >= len(verdictNames) {
		return nil, fmt.Errorf("no verdict has the number %d", int(v))
	}
	return []byte(verdictNames[v]), nil
}

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q: want void, held or failed", text)
}

// Reason says why a claim is void. It is empty exactly when the claim is not.
type Reason string

// The reasons for which a claim can be void.
const (
	Unreachable  Reason = "unreachable"  // this machine lacks what the claim needs
	Precondition Reason = "precondition" // a claim that it rests on failed or is void
	Noisy        Reason = "noisy"        // the interval straddles the bound, or a retest disagreed
	Instrument   Reason = "instrument"   // the clock, the sample or the load generator can't carry it
	Unfit        Reason = "unfit"        // the directory is known not to sync
	Error        Reason = "error"        // the measurement could not be made
	Interrupted  Reason = "interrupted"  // the user stopped the run
)

// Reasons lists every reason, in the order in which documents explain them.
var Reasons = []Reason{Unreachable, Precondition, Noisy, Instrument, Unfit, Error, Interrupted}

// Estimate is what is known about a claim's quantity: a point, the interval on
// which held rests and the wider one on which failed rests.
type Estimate struct {
	Value      float64 // median of blocks, share, or the value itself
	Low, High  float64 // interval for held
	Outer      Span    // interval for failed; equal to Low, High where the estimate is exact
	Confidence float64 // of [Low, High]; 1 where the estimate is exact
	N          int     // observations behind it
}

// Span is an interval.
type Span struct{ Low, High float64 }

// Judgement is a verdict with its reason, the sentence for people, and the
// estimate it rests on. Estimate is nil where there was nothing to estimate.
type Judgement struct {
	Verdict  Verdict
	Reason   Reason
	Detail   string
	Estimate *Estimate
}

// VoidFor returns a void judgement with the given reason and detail.
func VoidFor(reason Reason, format string, args ...any) Judgement {
	return Judgement{Verdict: Void, Reason: reason, Detail: fmt.Sprintf(format, args...)}
}
