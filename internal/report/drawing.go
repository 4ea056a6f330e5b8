package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"envelope/internal/typeset"
)

// drawing is an SVG picture: shapes and words at coordinates. Its width is that
// of a narrow telephone, so that words in it keep their size there.
type drawing struct {
	ID          string // given to it when it is put on the page
	Width       int
	Height      int
	Title, Desc string
	Items       []item
}

// width is that of every drawing, in the unit of its own coordinates.
const width = 340

// item is one shape or one line of words. Class is one of this package's own.
type item struct {
	Class   string
	Path    string // of a shape
	X, Y    string // of words
	Anchor  string // where the words stand about X: start, middle or end
	Text    string
	IsWords bool
}

// letter is about how wide a letter of a drawing's words is.
const letter = 6.3

func (d *drawing) path(class, path string) {
	d.Items = append(d.Items, item{Class: class, Path: path})
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	if x1 == x2 {
		d.path(class, "M"+num(x1)+" "+num(y1)+"V"+num(y2))
		return
	}
	if y1 == y2 {
		d.path(class, "M"+num(x1)+" "+num(y1)+"H"+num(x2))
		return
	}
	d.path(class, "M"+num(x1)+" "+num(y1)+"L"+num(x2)+" "+num(y2))
}

// box fills a rectangle between two corners, with at least a little width.
func (d *drawing) box(class string, x1, y1, x2, y2 float64) {
	x1, x2 = min(x1, x2), max(x1, x2)
	d.path(class, "M"+num(x1)+" "+num(y1)+"H"+num(x2)+"V"+num(y2)+"H"+num(x1)+"Z")
}

func (d *drawing) words(class, anchor string, x, y float64, text string) {
	if room := wordsRoom(anchor, x); float64(typeset.Width(text))*letter > room+0.1 {
		text = typeset.Cut(text, int(room/letter))
	}
	d.Items = append(d.Items, item{Class: class, X: num(x), Y: num(y), Anchor: anchor, Text: text, IsWords: true})
}

// wordsRoom is how wide words at x may be.
func wordsRoom(anchor string, x float64) float64 {
	switch anchor {
	case "start":
		return width - x
	case "end":
		return x
	}
	return 2 * min(x, width-x)
}

// shape is how a mark is drawn, which tells marks apart where colours don't.
type shape byte

const (
	circle shape = iota
	square
	triangle
	diamond
	ring
	cross
)

// glyphs are the same shapes as characters, for what is said beside a drawing.
var glyphs = map[shape]string{circle: "●", square: "■", triangle: "▲", diamond: "◆", ring: "○", cross: "✕"}

func (d *drawing) mark(class string, s shape, x, y, r float64) {
	var path string
	switch s {
	case circle, ring:
		path = fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0Z", num(x-r), num(y), num(r), num(2*r))
	case square:
		r *= 0.88
		path = fmt.Sprintf("M%s %sh%[3]sv%[3]sh-%[3]sZ", num(x-r), num(y-r), num(2*r))
	case triangle:
		r *= 1.15
		path = fmt.Sprintf("M%s %sL%s %sH%sZ", num(x), num(y-r), num(x+r), num(y+r*0.8), num(x-r))
	case diamond:
		r *= 1.25
		path = fmt.Sprintf("M%s %sL%s %sL%s %sL%s %sZ", num(x), num(y-r), num(x+r), num(y), num(x), num(y+r), num(x-r), num(y))
	case cross:
		path = fmt.Sprintf("M%s %sL%s %sM%s %sL%s %s", num(x-r), num(y-r), num(x+r), num(y+r), num(x-r), num(y+r), num(x+r), num(y-r))
		class += " open"
	}
	if s == ring {
		class += " open"
	}
	d.path("mark "+class, path)
}

// num writes a coordinate to a tenth.
func num(v float64) string {
	if !isFinite(v) {
		v = 0
	}
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// axisBelow draws an axis along y, with a tick and, where there is room, the value
// at each step. Grid lines go up to top.
func (d *drawing) axisBelow(s scale, y, top float64, unit string) {
	s.binary = unit == "B"
	end := math.Inf(-1)
	for _, t := range s.ticks(5) {
		class := "tick"
		if t.named {
			class = "grid"
		}
		d.line(class, t.at, y+tickLength(t), t.at, pick(t.named, top, y))
		if !t.named {
			continue
		}
		text := value(t.value, unit)
		half := float64(typeset.Width(text)) * letter / 2
		if at := min(max(t.at, half), width-half); at-half > end+4 {
			d.words("label", "middle", at, y+14, text)
			end = at + half
		}
	}
	d.line("axis", min(s.from, s.to), y, max(s.from, s.to), y)
	if s.zero {
		at := s.at(0)
		d.line("axis apart", at, y, s.from, y)
		d.line("grid", at, y+4, at, top)
		d.words("label", "middle", max(at, letter), y+14, "0")
	}
}

// axisLeft draws an axis along x, with grid lines as far as right.
func (d *drawing) axisLeft(s scale, x, right float64, unit string) {
	s.binary = unit == "B"
	last := math.Inf(1)
	for _, t := range s.ticks(5) {
		if t.named {
			d.line("grid", x-3, t.at, right, t.at)
			if last-t.at >= 12 || t.at-last >= 12 || math.IsInf(last, 1) {
				d.words("label", "end", x-5, t.at+3.5, value(t.value, unit))
				last = t.at
			}
			continue
		}
		d.line("tick", x-3, t.at, x, t.at)
	}
	d.line("axis", x, min(s.from, s.to), x, max(s.from, s.to))
}

// labelled is how wide the names on an axis are.
func (s scale) labelled(unit string) float64 {
	widest := 0
	for _, t := range s.ticks(5) {
		if t.named {
			widest = max(widest, typeset.Width(value(t.value, unit)))
		}
	}
	return float64(widest) * letter
}

func tickLength(t tick) float64 { return pick(t.named, 4.0, 3.0) }

func pick[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

// value writes a number in its unit. A difference or ratio of what a file says may
// be out of range.
func value(v float64, unit string) string {
	if !isFinite(v) {
		return "no number"
	}
	return typeset.Value(v, unit)
}

// axisName says what an axis has, and how.
func axisName(what string, s scale) string {
	if s.log {
		return what + ", log scale"
	}
	return what + ", linear scale"
}

// sortedFinite returns the numbers in order, without what is none.
func sortedFinite(samples []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(samples), func(v float64) bool { return !isFinite(v) })
	slices.Sort(out)
	return out
}
