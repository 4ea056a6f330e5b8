package predict

import (
	"math"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// ruler is quantities of one dimension on a logarithmic scale, in labelled rows
// under one axis. Zero has a place of its own to the left of it.
type ruler struct {
	dim  axioms.Dim
	rows []rulerRow
}

// rulerRow is one row of marks. A row with no mark shows its note instead.
type rulerRow struct {
	name  string
	marks []mark
	note  string
}

// mark is a value, with an interval where it has one.
type mark struct {
	at        float64
	low, high *float64
	glyph     string
}

// The marks of a ruler, which tell the rows apart where there is no colour.
const (
	youGlyph      = "●"
	divisionGlyph = "◆"
	measuredGlyph = "▲"
)

// rulerNames is the width of the column of names.
const rulerNames = 12

// zeroWidth is what the place of zero takes to the left of the axis.
const zeroWidth = 6

// questionRuler has the candidates of a question.
func questionRuler(q *lab.Question) ruler {
	row := rulerRow{name: "candidates"}
	for i, c := range q.Candidates {
		row.marks = append(row.marks, mark{at: c.Value.Value, glyph: letter(i)})
	}
	return ruler{dim: dimOf(q), rows: []rulerRow{row}}
}

func (r *ruler) add(name, note string, marks ...mark) {
	r.rows = append(r.rows, rulerRow{name: name, note: note, marks: marks})
}

// scale maps values to columns.
type scale struct {
	from, to   int // decades
	start, end int // columns
	zero       bool
}

// scale fits all marks of the ruler into width columns.
func (r *ruler) scale(width int) scale {
	low, high, zero := math.Inf(1), math.Inf(-1), false
	see := func(v float64) {
		if v > 0 {
			low, high = math.Min(low, v), math.Max(high, v)
		} else {
			zero = true
		}
	}
	for _, row := range r.rows {
		for _, m := range row.marks {
			see(m.at)
			if m.low != nil && m.high != nil {
				see(*m.low)
				see(*m.high)
			}
		}
	}
	if math.IsInf(low, 0) { // nothing but zeros
		low, high = 1, 10
	}
	s := scale{from: floorLog(low), to: ceilLog(high), end: width - 1, zero: zero}
	if s.to <= s.from {
		s.to = s.from + 1
	}
	if zero {
		s.start = zeroWidth
	}
	return s
}

// floorLog and ceilLog are decades; a value that is a power of ten but for the
// rounding of a logarithm is its own.
func floorLog(v float64) int { return int(math.Floor(math.Log10(v) + 1e-9)) }
func ceilLog(v float64) int  { return int(math.Ceil(math.Log10(v) - 1e-9)) }

func (s scale) column(v float64) int {
	if v <= 0 {
		return 0
	}
	return s.of((math.Log10(v) - float64(s.from)) / float64(s.to-s.from))
}

// of is the column at a share of the axis.
func (s scale) of(share float64) int {
	c := s.start + int(math.Round(share*float64(s.end-s.start)))
	return min(max(c, s.start), s.end)
}

func (s scale) tick(decade int) int {
	return s.of(float64(decade-s.from) / float64(s.to-s.from))
}

// lines draws the ruler in width columns: labels, axis, rows.
func (r *ruler) lines(width int) []string {
	s := r.scale(max(width-rulerNames, zeroWidth+10))
	labels, axis := r.axis(s)
	blank := strings.Repeat(" ", rulerNames)
	out := []string{blank + labels, blank + axis}
	for _, row := range r.rows {
		text := row.note
		if len(row.marks) > 0 {
			text = row.draw(s)
			if row.note != "" {
				text += "  " + row.note
			}
		}
		out = append(out, typeset.Pad(row.name, rulerNames)+text)
	}
	return out
}

// axis draws the labels and the line with a tick at every decade; labels that
// would touch are left out.
func (r *ruler) axis(s scale) (labels, axis string) {
	line := cells(s.end+1, " ")
	for i := s.start; i <= s.end; i++ {
		line[i] = "─"
	}
	names := strings.Builder{}
	at := 0
	write := func(column int, text string) {
		from := min(column, s.end+1-typeset.Width(text))
		if from < at || from < 0 || at > 0 && from < at+1 {
			return
		}
		names.WriteString(strings.Repeat(" ", from-at) + text)
		at = from + typeset.Width(text)
	}
	if s.zero {
		line[0] = "┼"
		for i := 1; i < s.start; i++ {
			line[i] = "┈"
		}
		write(0, "0")
	}
	for d := s.from; d <= s.to; d++ {
		line[s.tick(d)] = "┼"
		if q := (axioms.Quantity{Value: math.Pow(10, float64(d)), Dim: r.dim}); q.Finite() {
			write(s.tick(d), typeset.Quantity(q))
		}
	}
	return strings.TrimRight(names.String(), " "), strings.Join(line, "")
}

// draw puts the row's marks into cells. Marks on one column stand side by side.
func (row *rulerRow) draw(s scale) string {
	line := cells(s.end+1, " ")
	for _, m := range row.marks {
		if m.low != nil && m.high != nil && s.column(*m.low) < s.column(*m.high) {
			a, b := s.column(*m.low), s.column(*m.high)
			for i := a; i <= b; i++ {
				line[i] = "─"
			}
			line[a], line[b] = "├", "┤"
		}
	}
	taken := map[int]bool{}
	for _, m := range row.marks {
		c := s.column(m.at)
		for taken[c] && c < s.end {
			c++
		}
		taken[c] = true
		line[c] = m.glyph
	}
	return strings.TrimRight(strings.Join(line, ""), " ")
}

func cells(n int, fill string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fill
	}
	return out
}
