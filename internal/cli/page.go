package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"envelope/internal/host"
	"envelope/internal/typeset"
)

// page is where text is printed. On a terminal nothing is wider than that is, but
// tables, which are not wrapped. Elsewhere prose has one width, and what a program
// may look for stays in one line.
type page struct {
	io.Writer
	fd int // of the terminal; -1 where it is none
}

const (
	usual     = 80  // columns of prose where there is no terminal
	narrowest = 40  // columns that are asked for at least, however few there are
	widest    = 100 // columns beyond which prose is hard to read
)

// off is a page that is no terminal.
func off(w io.Writer) page { return page{Writer: w, fd: -1} }

// on is the page of a file, whose text is written to w.
func on(f *os.File, w io.Writer) page {
	p := off(w)
	if isatty.IsTerminal(f.Fd()) {
		p.fd = int(f.Fd())
	}
	return p
}

// columns is how wide a row, a message or a verdict may be. It is asked for anew
// each time: a window may change while a lab runs.
func (p page) columns() int {
	if p.fd < 0 {
		return typeset.Unlimited
	}
	if size, err := unix.IoctlGetWinsize(p.fd, unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		return max(int(size.Col), narrowest)
	}
	return usual
}

// prose is how wide prose may be.
func (p page) prose() int {
	if p.fd < 0 {
		return usual
	}
	return min(p.columns(), widest)
}

// say prints prose behind a head, with what follows indented as far.
func (p page) say(head, text string) { p.lines(typeset.Hang(head, text, p.prose())) }

// row prints a row behind a head. It is one line where there is no terminal. What
// is far too long for that, such as an argument that an error repeats, is cut.
func (p page) row(head, text string) { p.lines(typeset.Hang(head, brief(text), p.columns())) }

// Of a word and of a text that are longer, the beginning and the end are shown. A
// path that is in use is not: few are a fourth as long as they may be.
const (
	longWord = 1000
	longText = 6000
)

// brief cuts what is far too long out of a text: long words, then the middle.
func brief(text string) string {
	if len(text) <= longWord {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		words[i] = middle(w, longWord, 60)
	}
	return middle(strings.Join(words, " "), longText, 1000)
}

// middle cuts the middle out of a text of more than most bytes, and leaves as many
// at each end.
func middle(text string, most, ends int) string {
	if len(text) <= most {
		return text
	}
	head, tail := text[:ends], text[len(text)-ends:]
	return fmt.Sprintf("%s... (%d bytes left out) ...%s", strings.ToValidUTF8(head, ""), len(text)-2*ends, strings.ToValidUTF8(tail, ""))
}

// entry is one of several rows whose last cell is text.
type entry struct {
	mark  string // printed as it is, with its colours
	cells []string
	text  string
	style lipgloss.Style // of the text
}

// entries prints rows. Where one has no room for its text, that stands under the
// cells in all of them.
func (p page) entries(rows ...entry) {
	var cells [][]string
	for _, e := range rows {
		cells = append(cells, e.cells)
	}
	heads := typeset.Table(nil, cells)
	width, fits := 0, true
	for _, head := range heads {
		width = max(width, typeset.Width(head))
	}
	if width > 0 {
		width += 2
	}
	for _, e := range rows {
		room := p.columns() - lipgloss.Width(e.mark) - width
		fits = fits && (room >= roomy || typeset.Width(typeset.Clean(e.text)) <= room)
	}
	for i, e := range rows {
		head := e.mark + typeset.Pad(heads[i], width)
		if !fits && width > 0 {
			last := len(e.cells) - 1
			p.row(e.mark+strings.TrimSuffix(heads[i], e.cells[last]), e.cells[last])
			head = typeset.Pad("", lipgloss.Width(e.mark)+2)
		}
		for j, line := range typeset.Wrap(e.text, p.columns()-lipgloss.Width(head)) {
			if j > 0 {
				head = typeset.Pad("", lipgloss.Width(head))
			}
			fmt.Fprintln(p, strings.TrimRight(head+e.style.Render(line), " "))
		}
	}
}

// roomy is how many columns are enough for text beside cells.
const roomy = 40

// fold prints prose behind an indent, and what follows indented two further.
func (p page) fold(indent, text string) {
	for i, line := range typeset.Wrap(text, p.prose()-len(indent)-2) {
		if i == 1 {
			indent += "  "
		}
		fmt.Fprintln(p, indent+line)
	}
}

// doc prints a text of paragraphs, each wrapped anew, under its headings. What is
// indented is left as it is.
func (p page) doc(text string) { fmt.Fprintln(p, reflow(text, p.prose())) }

func reflow(text string, width int) string {
	var out, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, typeset.Wrap(strings.Join(paragraph, " "), width)...)
		}
		paragraph = nil
	}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n ")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			end()
			out = append(out, bold.Render(typeset.Clean(heading)))
			continue
		}
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		out = append(out, line)
	}
	end()
	return strings.Join(out, "\n")
}

func (p page) lines(lines []string) {
	for _, line := range lines {
		fmt.Fprintln(p, line)
	}
}

// environment prints what a run prints before its first measurement.
func (p page) environment(e *host.Environment) {
	for _, line := range e.Lines() {
		key, text := line[:min(keys, len(line))], line[min(keys, len(line)):]
		p.fact(key, text)
	}
}

// fact prints a line of an environment; what stands in the way is in colour.
func (p page) fact(key, text string) {
	key = typeset.Pad(strings.TrimSpace(key), keys)
	switch strings.TrimSpace(key) {
	case "unfit":
		key = red.Render(key)
	case "warning":
		key = yellow.Render(key)
	}
	p.row(key, text)
}

// keys is the width of the first column of an environment's lines.
const keys = 11
