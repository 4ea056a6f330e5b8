package ledger

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"time"

	"envelope/axioms"
	"envelope/manifest"
)

// kind says what an event is.
type kind string

const (
	register kind = "register"
	reveal   kind = "reveal"
	because  kind = "why"
)

// event is what one line of the file tells.
type event struct {
	Kind        kind                  `json:"kind"`
	Time        time.Time             `json:"time"`
	Session     string                `json:"session,omitempty"`     // register: what the user was shown
	Predictions []manifest.Prediction `json:"predictions,omitempty"` // register
	Outcomes    []revealed            `json:"outcomes,omitempty"`    // reveal
	Of          string                `json:"of,omitempty"`          // why: the prediction's sha256
	Why         string                `json:"text,omitempty"`        // why
}

// revealed is an outcome with the registration that it belongs to.
type revealed struct {
	Of string `json:"of"` // the prediction's sha256
	Outcome
}

// TextHash identifies a question as it was worded: SHA-256, in hex, of the
// text, a zero byte and the unit of its answer. Runs write the same hash of
// the questions that they measured.
func TextHash(text, unit string) string {
	sum := sha256.Sum256([]byte(text + "\x00" + unit))
	return hex.EncodeToString(sum[:])
}

// Seal returns the hash that stands for a whole registration: SHA-256, in hex,
// over the predictions' own hashes, each in hex with a newline behind it.
func Seal(preds []manifest.Prediction) string {
	h := sha256.New()
	for _, p := range preds {
		h.Write([]byte(p.SHA256 + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// prediction is the answer as it is registered, but for attempt and hash.
func (a *Answer) prediction(now time.Time) manifest.Prediction {
	p := manifest.Prediction{
		Question: a.Question, TextHash: TextHash(a.Text, a.Value.Dim.String()),
		Time: now.UTC().Round(0), Value: a.Value.Value, Unit: a.Value.Dim.String(),
		Derivation: a.Derivation,
		// Without it, whoever knows the question could find the number by
		// trying some.
		Nonce: nonce(),
	}
	if a.Low != nil {
		low, high := a.Low.Value, a.High.Value
		p.Low, p.High = &low, &high
	}
	return p
}

// book is the file's events put together.
type book struct {
	entries  []Entry
	at       map[string]int // index of the entry with that sha256
	attempts map[string]int // so far, by question and text hash
	foreign  int            // whole lines of a kind that this version does not know
	altered  int            // predictions that are not what was registered
}

func newBook(events []event) book {
	b := book{at: map[string]int{}, attempts: map[string]int{}}
	for _, e := range events {
		b.apply(e)
	}
	return b
}

func (b *book) apply(e event) {
	switch e.Kind {
	case register:
		// Whoever changed a prediction may have made its hash again, but the
		// session's stands for all of them.
		whole := e.Session == Seal(e.Predictions)
		for _, p := range e.Predictions {
			b.enter(e.Session, p, whole)
		}
	case reveal:
		for _, r := range e.Outcomes {
			if i, ok := b.at[r.Of]; ok && b.entries[i].Outcome == nil {
				b.entries[i].Outcome = &r.Outcome
			}
		}
	case because:
		if i, ok := b.at[e.Of]; ok {
			b.entries[i].Prediction.Why = e.Why
		}
	default:
		b.foreign++
	}
}

func (b *book) enter(session string, p manifest.Prediction, whole bool) {
	if _, twice := b.at[p.SHA256]; twice {
		return // the same line, copied
	}
	key := p.Question + " " + p.TextHash
	b.attempts[key] = max(b.attempts[key], p.Attempt)
	b.at[p.SHA256] = len(b.entries)
	altered := !whole || p.Digest() != p.SHA256
	if altered {
		b.altered++
	}
	b.entries = append(b.entries, Entry{Prediction: p, Session: session, Registered: p.Attempt == 1, Altered: altered})
}

// outcome checks what a run made of a prediction and puts it into base units.
// It reports whether the book has it already.
func (b *book) outcome(p manifest.Prediction, o *Outcome) (known bool, err error) {
	i, ok := b.at[p.SHA256]
	if !ok {
		return false, errors.New("its prediction is not in this record")
	}
	switch o.Verdict {
	case "", "held", "failed", "void":
	default:
		return false, fmt.Errorf("unknown verdict %q: want held, failed or void", o.Verdict)
	}
	if o.Measured != nil {
		if math.IsNaN(*o.Measured) || math.IsInf(*o.Measured, 0) {
			return false, errors.New("the measurement is not a finite number: nil stands for none")
		}
		q, err := quantity(*o.Measured, o.Unit)
		if err != nil {
			return false, fmt.Errorf("the measurement: %w", err)
		}
		if unit := q.Dim.String(); unit != p.Unit {
			return false, fmt.Errorf("the prediction is in %s, and the measurement in %s", p.Unit, unit)
		}
		o.Measured, o.Unit = &q.Value, q.Dim.String()
	}
	old := b.entries[i].Outcome
	if old == nil {
		return false, nil
	}
	if !old.equal(*o) {
		return false, errors.New("its prediction has been revealed before, with another outcome")
	}
	return true, nil
}

func (o Outcome) equal(p Outcome) bool {
	same := (o.Measured == nil) == (p.Measured == nil)
	if same && o.Measured != nil {
		same = *o.Measured == *p.Measured
	}
	o.Measured, p.Measured = nil, nil
	return same && o == p
}

// quantity returns v of the given unit, which may be scaled ("ms"), in base
// units.
func quantity(v float64, unit string) (axioms.Quantity, error) {
	if dim, err := axioms.ParseUnit(unit); err == nil {
		return axioms.Quantity{Value: v, Dim: dim}, nil
	}
	one, err := axioms.Parse("1 " + unit)
	if err != nil {
		return axioms.Quantity{}, err
	}
	q := axioms.Quantity{Value: v * one.Value, Dim: one.Dim}
	if !q.Finite() {
		return q, fmt.Errorf("%g %s is out of range", v, unit)
	}
	return q, nil
}

// nonce returns 128 random bits in hex: nobody can try all of them to find out a
// prediction from its hash.
func nonce() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
