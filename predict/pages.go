package predict

import (
	"strings"

	"envelope/internal/typeset"
)

func (m *model) preparingPage(p *page) {
	p.add("")
	p.add(typeset.Wrap("Measuring this machine's axioms: what a question takes as given and a machine can tell. "+
		"What the labs measure comes after your predictions.", m.columns())...)
	p.add("", m.bar())
	m.addStopping(p, "Stopping.")
}

// addStopping says that the user's wish to leave was heard.
func (m *model) addStopping(p *page, text string) {
	if m.stopping {
		p.add("")
		p.styled(m.styles.bad, typeset.Wrap(text+" Once more leaves at once.", m.columns())...)
	}
}

func (m *model) askingPage(p *page) {
	q, width := m.question(), m.columns()
	p.add("")
	p.styled(m.styles.title, typeset.Wrap(q.Text, width)...)
	p.add("")
	p.styled(m.styles.quiet, typeset.Wrap(worth(q), width)...)
	p.add(candidateLines(q, width)...)
	if lines := axiomLines(q, m.set, width); len(lines) > 0 {
		p.add("", m.styles.quiet.Render("Axioms"))
		p.add(lines...)
	}
	p.add("")
	p.styled(m.styles.quiet, typeset.Wrap("Your prediction, "+kind(dimOf(q)), width)...)
	text := m.input.Value()
	g, err := asks(q).read(text)
	style, note := m.styles.you, "= "+g.Understood()
	switch {
	case m.problem != nil:
		style, note = m.styles.bad, m.problem.Error()
	case strings.TrimSpace(text) == "":
		style, note = m.styles.quiet, "a range says that you are 80 % sure of it"
	case err != nil:
		style, note = m.styles.quiet, err.Error()
	}
	p.foot = []string{m.input.View()}
	for _, line := range shorten(typeset.Hang("  ", note, width), m.room()-3, width) {
		p.foot = append(p.foot, style.Render(line))
	}
}

func (m *model) reviewPage(p *page) {
	width := m.columns()
	p.add("", m.styles.title.Render("Your predictions"), "")
	for i := range m.lab().Questions {
		q := &m.lab().Questions[i]
		p.add(m.styles.quiet.Render(typeset.Cut("  "+q.Name, width)))
		p.styled(m.styles.you, typeset.Hang("    ", m.guesses[i].Understood(), width)...)
	}
	p.add("")
	if m.stage == registering {
		p.add("Writing them down.")
		return
	}
	p.add(typeset.Wrap("Enter commits them: they are written to the disk, their hash is shown, and nothing can be changed any more. "+
		"Then the lab measures. Nothing is kept if you leave now.", width)...)
}

// tight is the room below which a page begins with what is new on it.
const tight = 16

func (m *model) measuringPage(p *page) {
	width, note := m.columns(), "..."
	at := []string{"measuring " + typeset.Cut(m.progress.What, width-10), m.bar()}
	if m.stage == done {
		at[0], note = "measured", "Enter reveals it"
	}
	if m.room() < tight { // how far it is comes first where not all is in sight
		p.add(at...)
		at = nil
	}
	p.add("")
	p.add(typeset.Wrap("Registered before anything of this lab is measured, SHA-256:", width)...)
	p.styled(m.styles.title, typeset.Wrap(m.commit.Hash, width)...)
	p.styled(m.styles.quiet, typeset.Wrap(hashNote, width)...)
	if note := attempt(m.commit.Predictions); note != "" {
		p.styled(m.styles.void, typeset.Wrap(note, width)...)
	}
	if len(at) > 0 {
		p.add("")
		p.add(at...)
	}
	if m.stopping {
		m.addStopping(p, "Stopping: the predictions count as used.")
		return
	}
	// The rulers take turns, each for its share of the time.
	n := len(m.lab().Questions)
	i := 0
	if m.stage == measuring {
		i = min(int(m.progress.Done*float64(n)), n-1)
	}
	q, c := &m.lab().Questions[i], &m.commit.Predictions[i]
	r := questionRuler(q)
	r.add("you", "", mark{at: c.Value, low: c.Low, high: c.High, glyph: youGlyph})
	r.add("measured", note)
	p.add("")
	p.add(typeset.Wrap(q.Text, width)...)
	p.add("")
	m.ruler(p, r)
}

func (m *model) revealPage(p *page) {
	width := m.columns()
	a := &m.reveal().Answers[m.at.question]
	scores := func() {
		p.add("")
		for _, line := range a.scoreLines(width) {
			name, _, _ := strings.Cut(line, " ")
			p.styled(m.styles.row(name), line)
		}
	}
	if m.room() < tight {
		scores()
	}
	p.add("")
	p.styled(m.styles.title, typeset.Wrap(a.Question.Text, width)...)
	p.add("")
	m.ruler(p, a.ruler())
	if m.room() >= tight {
		scores()
	}
	p.add("")
	p.styled(m.styles.quiet, typeset.Wrap(legend(a.Question), width)...)
	if a.off() {
		p.add("")
		p.foot = []string{m.input.View()}
	}
}

func (m *model) judgedPage(p *page) {
	r, width := m.reveal(), m.columns()
	p.add("")
	p.styled(m.styles.title, typeset.Wrap("What was claimed, and what became of it here", width)...)
	for _, c := range r.claimRows(width) {
		p.add(m.styles.verdict(c.verdict).Render(c.text))
	}
	for _, rule := range r.Rules {
		p.add("")
		p.add(typeset.Wrap(rule, width)...)
	}
	if r.Err != nil {
		p.add("")
		p.styled(m.styles.bad, typeset.Wrap("error: "+r.Err.Error(), width)...)
	}
	p.add("", "Registered beforehand, SHA-256:")
	p.styled(m.styles.title, typeset.Wrap(r.Commit.Hash, width)...)
	p.styled(m.styles.quiet, r.tableLines(width)...)
}

func (m *model) recordPage(p *page) {
	p.add("")
	lines := recordLines(m.history)
	for i, line := range lines {
		style := m.styles.row(strings.SplitN(line, " ", 2)[0])
		if i == 0 {
			style = m.styles.title
		}
		p.add(style.Render(typeset.Cut(line, m.columns())))
	}
	room := min(m.room()-len(p.lines)-3, 15)
	plot := factorPlot(m.history, m.columns(), room)
	if len(plot) == 0 {
		return
	}
	p.add("")
	p.styled(m.styles.quiet, typeset.Wrap("how far off, in the order of your first predictions: "+youGlyph+" you, "+divisionGlyph+" the division", m.columns())...)
	p.add(plot...)
}
