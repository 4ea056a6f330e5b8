package ledger

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"envelope/axioms"
	"envelope/manifest"
)

// Name is the ledger's file in the state directory.
const Name = "predictions.jsonl"

// Ledger is the record of predictions in one state directory. Several
// goroutines and several processes may use it at once.
type Ledger struct {
	mu      sync.Mutex
	path    string
	book    book
	notices []string

	at func(step string) // see Watch
}

// Answer is what a user commits to for one question, before anything is
// measured.
type Answer struct {
	Question string           // LAB/NAME
	Text     string           // the question as it was asked; its hash is registered
	Value    axioms.Quantity  // in the question's dimension, zero or more
	Low      *axioms.Quantity // the ends of an 80 % interval around Value;
	High     *axioms.Quantity // both nil where none was given
	// Derivation is what the division gives. It is part of the registration.
	Derivation manifest.Derivation
}

// Outcome is what a run made of one prediction.
type Outcome struct {
	Question string   `json:"question"` // LAB/NAME
	Measured *float64 `json:"measured"` // nil where there is nothing to score by
	Unit     string   `json:"unit"`     // of Measured; Reveal converts it to base units
	Verdict  string   `json:"verdict"`  // of the claim behind the question: held, failed or void; "" where a series is behind it
	RunID    string   `json:"run_id"`
	Why      string   `json:"why,omitempty"`   // the reason for void, in words
	Exact    bool     `json:"exact,omitempty"` // an exact count: right, or off by so much
}

// Entry is one prediction with all that became of it.
type Entry struct {
	// Prediction holds the derivation and the attempt; its Why is the
	// user's line on why he was off.
	Prediction manifest.Prediction `json:"prediction"`
	Session    string              `json:"session"`    // the hash that the user was shown
	Registered bool                `json:"registered"` // the first attempt, which counts
	Altered    bool                `json:"altered"`    // not what was registered: its hash, or its session, is another
	Outcome    *Outcome            `json:"outcome"`    // nil where no run came to tell
}

// Open opens the ledger in a state directory, which is made if it isn't there.
// The messages are for the user: what was dropped or set aside on the way.
func Open(dir string) (*Ledger, []string, error) {
	l := &Ledger{path: filepath.Join(dir, Name), at: func(string) {}}
	if err := l.open(dir); err != nil {
		return nil, nil, fmt.Errorf("opening the record of predictions: %w", err)
	}
	return l, l.Notices(), nil
}

// Watch has at told before each step of a call that changes the disk: "create",
// "write", "sync", "sync directory" for the call that made the file, and "end".
// Whoever asks what a kill at each of them leaves is killed there.
func (l *Ledger) Watch(at func(step string)) { l.at = at }

// Notices returns what a call since the last Notices had to drop or set aside,
// as sentences for the user.
func (l *Ledger) Notices() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.notices
	l.notices = nil
	return n
}

// Register writes the answers down as one registration and syncs it before it
// returns: all of them, or with an error none. It returns them as results.json
// holds them, in the order given, with the hash to show the user (Seal).
func (l *Ledger) Register(now time.Time, answers []Answer) ([]manifest.Prediction, string, error) {
	fail := func(err error) ([]manifest.Prediction, string, error) {
		return nil, "", fmt.Errorf("registering predictions: %w", err)
	}
	if len(answers) == 0 {
		return fail(errors.New("there are none"))
	}
	seen := map[string]bool{}
	for _, a := range answers {
		if err := a.check(); err != nil {
			return fail(fmt.Errorf("%s: %w", a.Question, err))
		}
		if seen[a.Question] {
			return fail(fmt.Errorf("%s: it is answered twice", a.Question))
		}
		seen[a.Question] = true
	}
	var preds []manifest.Prediction
	err := l.add(func(b *book) (event, error) {
		preds = nil
		for _, a := range answers {
			p := a.prediction(now)
			p.Attempt = b.attempts[p.Question+" "+p.TextHash] + 1
			if p.SHA256 = p.Digest(); p.SHA256 == "" {
				return event{}, fmt.Errorf("%s: it has no digest", a.Question)
			}
			preds = append(preds, p)
		}
		return event{Kind: register, Time: now.UTC(), Session: Seal(preds), Predictions: preds}, nil
	})
	if err != nil {
		return fail(fmt.Errorf("%w; nothing was registered", err))
	}
	return preds, Seal(preds), nil
}

// Reveal adds what a run made of registered predictions. Each outcome belongs
// to the prediction of its question; a prediction without one stays as used.
// A prediction is revealed once: the same outcome again changes nothing, and
// another one is an error.
func (l *Ledger) Reveal(preds []manifest.Prediction, outcomes []Outcome) error {
	err := l.add(func(b *book) (event, error) {
		e := event{Kind: reveal, Time: time.Now().UTC()}
		for _, o := range outcomes {
			i := slices.IndexFunc(preds, func(p manifest.Prediction) bool { return p.Question == o.Question })
			if i < 0 {
				return event{}, fmt.Errorf("%s: no prediction for it was handed over", o.Question)
			}
			known, err := b.outcome(preds[i], &o)
			if err != nil {
				return event{}, fmt.Errorf("%s: %w", o.Question, err)
			}
			if !known {
				e.Outcomes = append(e.Outcomes, revealed{preds[i].SHA256, o})
			}
		}
		if len(e.Outcomes) == 0 {
			return event{}, nil
		}
		return e, nil
	})
	if err != nil {
		return fmt.Errorf("revealing predictions: %w", err)
	}
	return nil
}

// SetWhy keeps the user's line on why he was off. It replaces an earlier one;
// "" takes it back. Where the wording of a question has changed since, the
// latest wording is meant.
func (l *Ledger) SetWhy(question string, attempt int, why string) error {
	const most = 1000
	why = strings.TrimSpace(strings.ToValidUTF8(why, "?"))
	if len(why) > most || strings.ContainsAny(why, "\r\n") {
		return fmt.Errorf("keeping why %s was off: want one line of at most %d bytes", question, most)
	}
	err := l.add(func(b *book) (event, error) {
		for i := len(b.entries) - 1; i >= 0; i-- {
			p := b.entries[i].Prediction
			if p.Question != question || p.Attempt != attempt {
				continue
			}
			if p.Why == why {
				return event{}, nil
			}
			return event{Kind: because, Time: time.Now().UTC(), Of: p.SHA256, Why: why}, nil
		}
		return event{}, fmt.Errorf("there is no attempt %d at it", attempt)
	})
	if err != nil {
		return fmt.Errorf("keeping why %s was off: %w", question, err)
	}
	return nil
}

// History returns all predictions in the order in which they were registered,
// as of the last call that read the file.
func (l *Ledger) History() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.book.entries)
}

// check refuses what can't be registered or never be scored.
func (a *Answer) check() error {
	lab, name, ok := strings.Cut(a.Question, "/")
	if !ok || lab == "" || name == "" {
		return fmt.Errorf("the question %q is not LAB/NAME", a.Question)
	}
	if err := usable("prediction", a.Value); err != nil {
		return err
	}
	d := a.Derivation
	if d.Value != nil && (math.IsNaN(*d.Value) || math.IsInf(*d.Value, 0)) {
		return errors.New("the derivation came to no finite number")
	}
	if d.Unit != "" {
		want, err := axioms.ParseUnit(d.Unit)
		if err != nil {
			return fmt.Errorf("the derivation: %w", err)
		}
		if want != a.Value.Dim {
			return fmt.Errorf("the prediction is in %s, and the question is about %s", a.Value.Dim, want)
		}
	}
	if (a.Low == nil) != (a.High == nil) {
		return errors.New("an interval has two ends")
	}
	if a.Low == nil {
		return nil
	}
	for _, end := range []axioms.Quantity{*a.Low, *a.High} {
		if err := usable("end of the interval", end); err != nil {
			return err
		}
		if end.Dim != a.Value.Dim {
			return fmt.Errorf("the prediction is in %s, and its interval in %s", a.Value.Dim, end.Dim)
		}
	}
	if a.Value.Value < a.Low.Value || a.Value.Value > a.High.Value {
		return fmt.Errorf("the prediction %s is not within its interval, %s to %s", a.Value, a.Low, a.High)
	}
	return nil
}

// usable refuses numbers that nothing measured can be held against.
func usable(what string, q axioms.Quantity) error {
	switch {
	case !q.Finite():
		return fmt.Errorf("the %s is not a finite number", what)
	case q.Value < 0:
		return fmt.Errorf("the %s %s is negative", what, q)
	}
	return nil
}
