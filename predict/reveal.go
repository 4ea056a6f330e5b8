package predict

import (
	"fmt"
	"strings"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// ruler shows an answer: candidates, prediction, division and measurement.
func (a *Answer) ruler() ruler {
	p := &a.Entry.Prediction
	r := questionRuler(a.Question)
	r.add("you", "", mark{at: p.Value, low: p.Low, high: p.High, glyph: youGlyph})
	if d := p.Derivation.Value; d != nil {
		r.add("division", "", mark{at: *d, glyph: divisionGlyph})
	} else {
		r.add("division", "came to nothing")
	}
	if m := a.Entry.Outcome.Measured; m != nil {
		r.add("measured", "", mark{at: *m, low: a.Low, high: a.High, glyph: measuredGlyph})
	} else {
		r.add("measured", "nothing")
	}
	return r
}

// scoreLines tell what was predicted, divided and measured, and how far off it
// was.
func (a *Answer) scoreLines(width int) []string {
	p, o := &a.Entry.Prediction, a.Entry.Outcome
	rows := [][3]string{{"you", predicted(p), ""}, {"division", "none: " + typeset.Clean(p.Derivation.Error), ""}, {"measured", "nothing", typeset.Clean(o.Why)}}
	var division axioms.Quantity
	if p.Derivation.Value != nil {
		division = quantity(*p.Derivation.Value, p.Derivation.Unit)
		rows[1][1] = typeset.Quantity(division)
	}
	if s, err := a.Entry.Score(); err == nil {
		rows[0][2] = s.String()
		switch {
		case s.Covered == nil, s.Right:
		case *s.Covered:
			rows[0][2] += ", measured within your interval"
		default:
			rows[0][2] += ", measured outside your interval"
		}
	} else if o.Measured != nil {
		rows[0][2] = typeset.Clean(err.Error())
	}
	if s, err := a.Entry.DivisionScore(); err == nil {
		rows[1][2] = s.String()
	}
	if o.Measured != nil {
		rows[2][1] = typeset.Beside(quantity(*o.Measured, o.Unit), division)
		if a.Low != nil && a.High != nil && *a.Low < *a.High {
			rows[2][2] = "between " + typeset.Value(*a.Low, o.Unit) + " and " + typeset.Value(*a.High, o.Unit)
		}
	}
	values := 0
	for _, r := range rows {
		values = max(values, typeset.Width(r[1]))
	}
	var out []string
	for _, r := range rows {
		head, text := typeset.Pad(r[0], rulerNames)+typeset.Pad(r[1], values)+"  ", r[2]
		if rulerNames+values+2 > width-24 { // no room for a column of values
			head, text = typeset.Pad(r[0], rulerNames), strings.TrimSuffix(r[1]+", "+r[2], ", ")
		}
		out = append(out, typeset.Hang(head, text, width)...)
	}
	return append(out, typeset.Hang(typeset.Pad("", rulerNames), "the division: "+p.Derivation.Steps, width)...)
}

// predicted is a prediction with its interval, for people.
func predicted(p *manifest.Prediction) string {
	g := guessOf(p)
	if g.Low == nil {
		return typeset.Quantity(g.Value)
	}
	return typeset.Quantity(g.Value) + " (" + typeset.Quantity(*g.Low) + " to " + typeset.Quantity(*g.High) + ")"
}

// guessOf is a registered prediction as a guess.
func guessOf(p *manifest.Prediction) Guess {
	q := func(v float64) *axioms.Quantity { q := quantity(v, p.Unit); return &q }
	g := Guess{Value: *q(p.Value)}
	if p.Low != nil && p.High != nil {
		g.Low, g.High = q(*p.Low), q(*p.High)
	}
	return g
}

// quantity is a number of a manifest with its unit.
func quantity(v float64, unit string) axioms.Quantity {
	dim, _ := axioms.ParseUnit(unit)
	return axioms.Quantity{Value: v, Dim: dim}
}

// offEnough is the factor from which on a prediction was off. It is right within
// that, or if its interval holds what was measured; an exact count is right or not.
const offEnough = 1.1

// off reports whether there is something to explain: a prediction that was not
// right.
func (a *Answer) off() bool {
	s, err := a.Entry.Score()
	switch {
	case err != nil, s.Right, s.Covered != nil && *s.Covered:
		return false
	case s.Kind == ledger.Exact:
		return true
	}
	return s.Factor > offEnough
}

// claimRow is a claim of the lab with its verdict.
type claimRow struct {
	verdict measure.Verdict
	text    string
}

// claimRows are the lab's claims, one line each where there is room for it.
func (r *Reveal) claimRows(width int) []claimRow {
	claims := r.lab().Claims
	names := 0
	for i := range claims {
		names = max(names, len(claims[i].Name))
	}
	var out []claimRow
	for i := range claims {
		c := &claims[i]
		head, text := word(c.Verdict)+"  ", typeset.Pad(c.Name, names)+"  "+claimDetail(c)
		if line := head + typeset.Clean(text); typeset.Width(line) <= width {
			out = append(out, claimRow{c.Verdict, line})
			continue
		}
		for _, line := range typeset.Hang(head, c.Name+": "+claimDetail(c), width) {
			out = append(out, claimRow{c.Verdict, line})
		}
	}
	return out
}

// attempt says that a prediction is not the one that counts.
func attempt(preds []manifest.Prediction) string {
	again := 0
	for _, p := range preds {
		if p.Attempt > 1 {
			again++
		}
	}
	switch {
	case again == 0:
		return ""
	case again == len(preds):
		return "You have answered these before: the first attempt is the one that counts."
	}
	return fmt.Sprintf("You have answered %d of these before: the first attempt is the one that counts.", again)
}

// hashNote says what the hash is worth.
const hashNote = "The hash is proof of what came first to whoever gets it from you now; to anybody else it is none."

// Lines is the reveal as plain text, for what is printed and not shown.
func (r *Reveal) Lines(width int) []string {
	out := []string{r.Lab.Name + ": " + r.Lab.Title}
	for i := range r.Answers {
		a := &r.Answers[i]
		out = append(out, "")
		out = append(out, typeset.Wrap(a.Question.Text, width)...)
		out = append(out, "")
		rl := a.ruler()
		out = append(out, rl.lines(width)...)
		out = append(out, "")
		out = append(out, a.scoreLines(width)...)
		out = append(out, typeset.Wrap(legend(a.Question), width)...)
	}
	out = append(out, "")
	for _, c := range r.claimRows(width) {
		out = append(out, c.text)
	}
	out = append(out, r.tableLines(width)...)
	for _, rule := range r.Rules {
		out = append(out, "")
		out = append(out, typeset.Wrap(rule, width)...)
	}
	return append(out, "", "Registered beforehand, SHA-256:", r.Commit.Hash)
}

// tableLines are the lab's tables and notes.
func (r *Reveal) tableLines(width int) []string {
	var out []string
	for _, t := range r.Tables {
		out = append(append(out, ""), typeset.Wrap(t.Title, width)...)
		for _, line := range typeset.Table(t.Header, t.Rows) {
			out = append(out, typeset.Cut("  "+line, width))
		}
	}
	if notes := r.lab().Notes; len(notes) > 0 {
		out = append(out, "")
		for _, n := range notes {
			out = append(out, typeset.Wrap(n, width)...)
		}
	}
	return out
}
