// Package typeset makes text for people: safe for a terminal, in columns, within
// a width. It knows neither colours nor what the text is about.
//
// Widths are columns of a terminal: a wide character takes two, a combining one
// none. Whatever comes from a file, an argument or the machine passes through
// Clean, Wrap, Hang, Cut or Table before it is printed.
package typeset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/mattn/go-runewidth"
)

// Clean drops control characters, and characters that reorder or hide others:
// text from a file or an error must not reach the terminal as commands. Ends of
// lines and tabs become spaces.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r), unicode.In(r, unicode.Cf):
			return -1
		}
		return r
	}, s)
}

// Width is the columns that s takes.
func Width(s string) int { return runewidth.StringWidth(s) }

// Pad fills s with spaces up to width columns.
func Pad(s string, width int) string { return s + blank(width-Width(s)) }

// PadLeft fills s with spaces before it.
func PadLeft(s string, width int) string { return blank(width-Width(s)) + s }

func blank(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Cut cleans text and shortens it to width columns.
func Cut(text string, width int) string {
	if width <= 0 {
		return ""
	}
	return runewidth.Truncate(Clean(text), width, "…")
}

// Unlimited is a width at which nothing is wrapped.
const Unlimited = 1 << 20

// Wrap cleans text and breaks it between words into lines of at most width
// columns, one line at least. A word that is longer than a line is broken where
// the line ends; a hyphen is no place to break, since names have them.
func Wrap(text string, width int) []string {
	width = max(width, 1)
	lines, at := []string{""}, 0
	for _, word := range strings.Fields(Clean(text)) {
		for w := Width(word); w > width; {
			head := front(word, width)
			if head == "" { // a character wider than the line
				break
			}
			if lines[at] != "" {
				lines, at = append(lines, ""), at+1
			}
			lines[at], word, w = head, word[len(head):], w-Width(head)
		}
		switch {
		case lines[at] == "":
			lines[at] = word
		case Width(lines[at])+1+Width(word) <= width:
			lines[at] += " " + word
		default:
			lines, at = append(lines, word), at+1
		}
	}
	return lines
}

// front is as much of a word as fits. It looks no further than that, so that a
// word of megabytes is broken in one pass.
func front(word string, width int) string {
	end := min(len(word), 16*width)
	for end < len(word) && !utf8.RuneStart(word[end]) {
		end--
	}
	return runewidth.Truncate(word[:end], width, "")
}

// Hang wraps text behind a head, and indents what follows as far as the head,
// which is printed as it is and may have colours. Where the head leaves too little
// room, the text stands under it.
func Hang(head, text string, width int) []string {
	indent := lipgloss.Width(head)
	if text = strings.TrimSpace(text); text == "" {
		return []string{head}
	}
	var out []string
	if rest := width - indent; rest < min(narrow, width/2) && Width(Clean(text)) > rest {
		out = append(out, strings.TrimRight(head, " "))
		indent = min(indent, underHead)
		head = blank(indent)
	}
	for _, line := range Wrap(text, width-indent) {
		out = append(out, head+line)
		head = blank(indent)
	}
	return out
}

const (
	narrow    = 16 // columns that are too few for text, where they are under half of all
	underHead = 4  // indent of text that has no room beside its head
)

// Table aligns cells under their header, two spaces apart, a line for each row.
// The first line is the header, where there is one.
func Table(header []string, rows [][]string) []string {
	if len(header) > 0 {
		rows = append([][]string{header}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(Clean(cell)))
		}
	}
	var out []string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = Pad(Clean(cell), widths[i])
		}
		out = append(out, strings.TrimRight(strings.Join(cells, "  "), " "))
	}
	return out
}
