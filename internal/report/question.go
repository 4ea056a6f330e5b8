package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// question is a question of a lab: what was said beforehand, and what came of it.
type question struct {
	Name, Lab     string
	Steps         string // of the division
	Answer        string // what it is scored by
	Measured      string
	Guesses       []*said
	Later         string // that an attempt is not the one that counts
	Why           string // what the user wrote about a miss
	Ruler         *drawing
	you, division *said
}

// said is one number that was given before the measurement.
type said struct {
	Who, Glyph, Class string
	Value, Off        string

	scored            bool // by a factor
	over              float64
	overLow, overHigh *float64
}

// questions are those of a lab, and the predictions of the run that belong to them.
func (r *records) questions() []*question {
	var out []*question
	for i := range r.Questions {
		out = append(out, r.question(&r.Questions[i]))
	}
	return out
}

func (r *records) question(m *manifest.Question) *question {
	q := &question{Name: m.Name, Lab: r.Name, Steps: m.Derivation.Steps, Answer: m.Answer, Measured: "nothing was measured"}
	var marks []guess
	dim, err := axioms.ParseUnit(m.Unit)
	known := err == nil
	exact := r.counted(m)
	for _, p := range r.predictions(m.Name) {
		who := "you"
		if p.Attempt != 1 {
			who = fmt.Sprintf("attempt %d", p.Attempt)
		}
		you := &said{Who: who, Glyph: "●", Class: "a", Value: interval(p), Off: "not scored"}
		you.score(p.Value, p.Unit, p.Low, p.High, m, dim, known, exact)
		q.Guesses = append(q.Guesses, you)
		if p.Unit == m.Unit {
			marks = append(marks, guess{who, "a", circle, p.Value, p.Low, p.High})
		}
		if p.Attempt == 1 {
			q.you = you
		} else {
			q.Later = "Attempt 1 is the one that counts."
		}
		q.Why = p.Why
	}
	// What was registered with a prediction is what the division gave then.
	d := m.Derivation
	if d.Value != nil {
		q.division = &said{Who: "the division", Glyph: "◆", Class: "b", Value: value(*d.Value, d.Unit), Off: "not scored"}
		q.Guesses = append(q.Guesses, q.division)
		if d.Unit == m.Unit {
			marks = append(marks, guess{"division", "b", diamond, *d.Value, nil, nil})
		}
		q.division.score(*d.Value, d.Unit, nil, nil, m, dim, known, exact)
	} else if d.Error != "" {
		q.Steps = "it came to nothing: " + d.Error
	}
	if m.Measured != nil {
		q.Measured = value(*m.Measured, m.Unit)
		low, high := r.ends(m)
		marks = append(marks, guess{"measured", "c", triangle, *m.Measured, low, high})
	}
	if len(marks) > 1 || len(marks) == 1 && m.Measured != nil {
		q.Ruler = questionRuler(m.Name, m.Unit, marks)
	}
	return q
}

// score holds a number against the measured one.
func (s *said) score(v float64, unit string, low, high *float64, m *manifest.Question, dim axioms.Dim, known, exact bool) {
	if m.Measured == nil || !known || unit != m.Unit {
		return
	}
	q := func(v float64) axioms.Quantity { return axioms.Quantity{Value: v, Dim: dim} }
	var ends [2]*axioms.Quantity
	if low != nil && high != nil {
		a, b := q(*low), q(*high)
		ends = [2]*axioms.Quantity{&a, &b}
	}
	score, err := ledger.Rate(q(v), ends[0], ends[1], q(*m.Measured), exact)
	if err != nil {
		return
	}
	s.Off = score.String()
	if score.Covered != nil && !score.Right {
		s.Off += pick(*score.Covered, ", measured within the interval", ", measured outside the interval")
	}
	if score.Kind != ledger.Factor {
		return
	}
	s.over, s.scored = overMeasured(v, *m.Measured)
	if low == nil || high == nil {
		return
	}
	a, ok := overMeasured(*low, *m.Measured)
	b, ok2 := overMeasured(*high, *m.Measured)
	if ok && ok2 {
		s.overLow, s.overHigh = &a, &b
	}
}

// counted reports whether a question asks for an exact count, as far as a
// manifest tells: its claim is exact, or its series was not timed and came out as
// the same whole number every time.
func (r *records) counted(q *manifest.Question) bool {
	kind, name, _ := strings.Cut(q.Answer, " ")
	if kind == "claim" {
		for i := range r.Claims {
			if r.Claims[i].Name == name {
				return r.Claims[i].Terms.Kind == measure.Exact
			}
		}
		return false
	}
	s := r.series[name]
	return s != nil && s.Calls == 0 && s.Min != nil && s.Max != nil && *s.Min == *s.Max && *s.Min == math.Trunc(*s.Min)
}

// ends are the interval of a question's answer, where it is a claim's.
func (r *records) ends(q *manifest.Question) (low, high *float64) {
	kind, name, _ := strings.Cut(q.Answer, " ")
	for i := range r.Claims {
		if c := &r.Claims[i]; kind == "claim" && c.Name == name && c.Estimate != nil {
			return c.Estimate.Low, c.Estimate.High
		}
	}
	return nil, nil
}

// predictions are those of a question, the registered one first.
func (r *records) predictions(name string) []*manifest.Prediction {
	out := r.guess[r.Name+"/"+name]
	slices.SortStableFunc(out, func(a, b *manifest.Prediction) int { return cmp.Compare(a.Attempt, b.Attempt) })
	return out
}

// interval is a prediction with its 80 % interval.
func interval(p *manifest.Prediction) string {
	text := value(p.Value, p.Unit)
	if p.Low != nil && p.High != nil {
		text += " (" + value(*p.Low, p.Unit) + " to " + value(*p.High, p.Unit) + ")"
	}
	return text
}
