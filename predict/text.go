package predict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// letter marks candidate i.
func letter(i int) string { return string(rune('a' + i%26)) }

// candidateLines are the possible answers, each with the ratio to the one
// before it.
func candidateLines(q *lab.Question, width int) []string {
	values, ratios := 0, 0
	for i, c := range q.Candidates {
		values = max(values, typeset.Width(typeset.Quantity(c.Value)))
		ratios = max(ratios, typeset.Width(ratioBefore(q, i)))
	}
	var out []string
	for i, c := range q.Candidates {
		head := fmt.Sprintf("  %s  %s  %s  ", letter(i), typeset.PadLeft(typeset.Quantity(c.Value), values), typeset.PadLeft(ratioBefore(q, i), ratios))
		out = append(out, typeset.Hang(head, c.Text, width)...)
	}
	return out
}

// ratioBefore is how far candidate i lies from the one before it.
func ratioBefore(q *lab.Question, i int) string {
	if i == 0 {
		return ""
	}
	a, b := q.Candidates[i-1].Value.Value, q.Candidates[i].Value.Value
	if a <= 0 || b <= 0 {
		return ""
	}
	return "x" + axioms.Count(math.Max(a, b)/math.Min(a, b)).String()
}

// legend names the marks of the candidates.
func legend(q *lab.Question) string {
	var marks []string
	for i, c := range q.Candidates {
		marks = append(marks, letter(i)+" "+c.Text)
	}
	return strings.Join(marks, "; ")
}

// worth says what the distances between the candidates make of the question.
func worth(q *lab.Question) string {
	least, most := math.Inf(1), 1.0
	for i := range q.Candidates[1:] {
		a, b := q.Candidates[i].Value.Value, q.Candidates[i+1].Value.Value
		if a <= 0 || b <= 0 {
			return "Candidates: one of them is nothing at all, so no ratio is wider"
		}
		r := math.Max(a, b) / math.Min(a, b)
		least, most = math.Min(least, r), math.Max(most, r)
	}
	switch {
	case most < 2:
		return "Candidates, all within a factor of two: a detail"
	case least >= 10:
		return "Candidates, each at least ten times from the next: worth asking"
	case most >= 10:
		return "Candidates, some at least ten times from the next: worth asking"
	}
	return "Candidates, with the ratio to the one before"
}

// axiomLines are the numbers taken as given: measured here, or assumed.
func axiomLines(q *lab.Question, set axioms.Set, width int) []string {
	var rows [][3]string
	var widths [2]int
	for _, name := range q.Axioms {
		g, err := set.Get(name)
		if err != nil {
			continue
		}
		row := [3]string{g.Name, g.Quantity.String(), "assumed"}
		if c, err := axioms.Lookup(name); err == nil {
			if g.Measured {
				row[2] = measuredOn(g) + "; assumed " + ranged(c.Quantity, c.Low, c.High)
			} else {
				row[1], row[2] = ranged(c.Quantity, c.Low, c.High), "assumed: "+c.Class
			}
		} else if g.Measured {
			row[2] = measuredOn(g) + ": " + g.Source
		}
		for i := range widths {
			widths[i] = max(widths[i], typeset.Width(row[i]))
		}
		rows = append(rows, row)
	}
	var out []string
	for _, r := range rows {
		out = append(out, typeset.Cut(fmt.Sprintf("  %s  %s  %s", typeset.Pad(r[0], widths[0]), typeset.PadLeft(r[1], widths[1]), r[2]), width))
	}
	return out
}

// measuredOn says when, where that was not just now.
func measuredOn(g axioms.Given) string {
	if g.Taken.IsZero() {
		return "measured here"
	}
	return "measured here on " + g.Taken.Format(time.DateOnly)
}

func ranged(q, low, high axioms.Quantity) string {
	if low == high {
		return q.String()
	}
	return low.String() + " to " + high.String()
}

// factor prints a factor with its sign of multiplication.
func factor(f float64) string { return typeset.Number(f) + "x" }

// word is a verdict as it stands in a column.
func word(v measure.Verdict) string {
	if v == measure.Failed {
		return "FAILED"
	}
	return typeset.Pad(v.String(), 6)
}

// claimDetail is what stands behind a claim's name.
func claimDetail(c *manifest.Claim) string {
	if c.Verdict == measure.Void {
		return strings.TrimSuffix(string(c.Reason)+": "+c.Detail, ": ")
	}
	s := "want " + typeset.Region(c.Terms.Region, c.Unit)
	if c.Estimate != nil && c.Estimate.Value != nil {
		s = typeset.Value(*c.Estimate.Value, c.Unit) + ", " + s
	}
	return s
}

// shorten keeps the first n lines, and marks that there were more.
func shorten(lines []string, n, width int) []string {
	if n = max(n, 0); n < len(lines) {
		lines = lines[:n:n]
		if n > 0 && typeset.Width(lines[n-1])+2 <= width {
			lines[n-1] += " …"
		} else if n > 0 {
			lines[n-1] = typeset.Cut(lines[n-1]+"  ", width)
		}
	}
	return lines
}
