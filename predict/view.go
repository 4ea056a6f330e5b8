package predict

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"envelope/internal/typeset"
)

// page is what stands between the header and the help line: lines that scroll
// where there is no room for them, and a foot that is always in sight.
type page struct {
	lines []string
	foot  []string // begins with the line in which the user types, where there is one
}

func (p *page) add(lines ...string) { p.lines = append(p.lines, lines...) }

// styled adds lines in one style, each by itself.
func (p *page) styled(s lipgloss.Style, lines ...string) {
	for _, line := range lines {
		p.add(s.Render(line))
	}
}

// fit makes the page fit, if dropping blank lines from the top is enough. A page
// that has to be scrolled keeps them, but for those at its ends. The foot leaves it
// two lines at least, and has its first line in any case.
func (p *page) fit(room int) {
	p.foot = p.foot[:min(len(p.foot), max(room-2, 1))]
	room -= len(p.foot)
	blank := 0
	for _, line := range p.lines {
		if line == "" {
			blank++
		}
	}
	if len(p.lines)-blank > room {
		for len(p.lines) > 0 && p.lines[0] == "" {
			p.lines = p.lines[1:]
		}
		for n := len(p.lines); n > 0 && p.lines[n-1] == ""; n-- {
			p.lines = p.lines[:n-1]
		}
		return
	}
	for i := 0; len(p.lines) > room; {
		if p.lines[i] != "" {
			i++
			continue
		}
		p.lines = append(p.lines[:i:i], p.lines[i+1:]...)
	}
}

// frame is how many lines the header and the help line take.
const frame = 3

// room is how many lines a page can have without scrolling.
func (m *model) room() int { return max(m.height-frame, 1) }

// window is how many of the page's lines are in sight, over its foot.
func (m *model) window(p *page) int { return max(m.room()-len(p.foot), 0) }

// below is how many of the page's lines can be above the screen at most.
func (m *model) below(p *page) int { return max(len(p.lines)-m.window(p), 0) }

// scrolls reports whether the page is longer than the screen.
func (m *model) scrolls() bool {
	p := m.page()
	return m.below(&p) > 0
}

// scrollBy moves the page by n lines, as far as it goes.
func (m *model) scrollBy(n int) {
	p := m.page()
	m.scroll = min(max(m.scroll+n, 0), m.below(&p))
}

// step is how far a key scrolls: half of what is in sight.
func (m *model) step() int {
	p := m.page()
	return max(m.window(&p)/2, 1)
}

// View draws the model, and depends on nothing else.
func (m model) View() tea.View {
	p := m.page()
	start := min(m.scroll, m.below(&p))
	lines := []string{m.header(), m.styles.quiet.Render(strings.Repeat("─", m.width))}
	lines = append(lines, p.lines[start:min(start+m.window(&p), len(p.lines))]...)
	input := len(lines)
	lines = append(lines, p.foot...)
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, m.helper.ShortHelpView(m.help()))
	edge := lipgloss.NewStyle().MaxWidth(m.width)
	for i := range lines {
		lines[i] = edge.Render(lines[i])
	}
	v := tea.NewView(strings.Join(lines, "\n"))
	v.AltScreen = true
	v.WindowTitle = "envelope predict"
	if len(p.foot) > 0 {
		if c := m.input.Cursor(); c != nil {
			c.Y += input
			c.Blink = c.Blink && !m.still
			v.Cursor = c
		}
	}
	return v
}

// header says where in the sitting the user is.
func (m *model) header() string {
	left, right := "envelope predict", ""
	switch m.stage {
	case preparing, recorded:
	case broken:
		right = "stopped"
	default:
		left = m.lab().Name + ": " + m.lab().Title
		if n := len(m.Labs); n > 1 {
			left += fmt.Sprintf(" (lab %d of %d)", m.at.lab+1, n)
		}
	}
	switch m.stage {
	case asking:
		right = fmt.Sprintf("question %d of %d", m.at.question+1, len(m.lab().Questions))
	case reviewing:
		right = "not committed yet"
	case registering, measuring, done:
		right = "committed"
	case revealing:
		right = fmt.Sprintf("answer %d of %d", m.at.question+1, len(m.lab().Questions))
	case judged:
		right = "claims"
	case recorded:
		right = "your record"
	}
	left = typeset.Cut(left, m.width-len(right)-2)
	return m.styles.title.Render(typeset.Pad(left, m.width-len(right))) + m.styles.quiet.Render(right)
}

// page builds what the stage shows.
func (m *model) page() page {
	var p page
	switch m.stage {
	case preparing:
		m.preparingPage(&p)
	case asking:
		m.askingPage(&p)
	case reviewing, registering:
		m.reviewPage(&p)
	case measuring, done:
		m.measuringPage(&p)
	case revealing:
		m.revealPage(&p)
	case judged:
		m.judgedPage(&p)
	case recorded:
		m.recordPage(&p)
	case broken:
		p.styled(m.styles.bad, typeset.Wrap("error: "+m.err.Error(), m.columns())...)
	}
	p.fit(m.room())
	return p
}

// bar draws how far a measurement has come.
func (m *model) bar() string {
	if m.still {
		return fmt.Sprintf("%3.0f %%", 100*m.progress.Done)
	}
	done := min(max(m.progress.Done, 0), 1)
	width := min(m.columns(), 60) - len(" 100 %")
	full := int(done * float64(width))
	return m.styles.input.Render(strings.Repeat("━", full)) + m.styles.quiet.Render(strings.Repeat("─", width-full)) +
		fmt.Sprintf(" %3.0f %%", 100*done)
}

// ruler draws a ruler with its rows in their colours.
func (m *model) ruler(p *page, r ruler) {
	for i, line := range r.lines(m.columns()) {
		style := m.styles.quiet
		if i >= 2 {
			style = m.styles.row(r.rows[i-2].name)
		}
		p.add(style.Render(line))
	}
}
