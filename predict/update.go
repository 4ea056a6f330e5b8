package predict

import (
	"errors"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"envelope/internal/typeset"
)

// Init measures the axioms.
func (m model) Init() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, m.due(), func() tea.Msg {
		set, err := m.Runner.Prepare(m.ctx)
		return axiomsMeasured{set, err}
	})
}

// due asks for the next look at the progress. The labs only set numbers, which
// are fetched from here: a lab that had to wait for the screen would measure it.
func (m *model) due() tea.Cmd {
	if m.every == 0 {
		return nil
	}
	return tea.Tick(m.every, func(time.Time) tea.Msg { return progressDue{} })
}

// Update takes in what happened.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
		m.scrollBy(0)
		return m, nil
	case tea.BackgroundColorMsg:
		m.look(msg.IsDark())
		return m, nil
	case progressDue:
		if m.stage != preparing && m.stage != measuring {
			return m, nil
		}
		m.progress = m.Runner.Progress()
		return m, m.due()
	case axiomsMeasured:
		return m.prepared(msg)
	case predictionsRegistered:
		return m.registered(msg)
	case labMeasured:
		return m.measured(msg)
	case whyKept:
		if msg.err != nil {
			m.fail(msg.err)
		}
		return m, nil
	case stopAsked:
		return m.quit()
	case tea.KeyPressMsg:
		return m.pressed(msg)
	}
	return m.typed(msg)
}

func (m model) prepared(msg axiomsMeasured) (tea.Model, tea.Cmd) {
	switch {
	case m.stopping, m.ctx.Err() != nil:
		m.err = ErrStopped
		return m, tea.Quit
	case msg.err != nil:
		m.fail(msg.err)
		return m, nil
	}
	m.set = msg.set
	cmd := m.begin(0)
	return m, cmd
}

// registered starts the lab, now that the predictions are on the disk.
func (m model) registered(msg predictionsRegistered) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		m.fail(msg.err)
		return m, nil
	}
	m.commit = msg.commit
	if m.stopping {
		m.err = ErrStopped
		return m, tea.Quit
	}
	m.progress = Progress{What: m.lab().Name}
	m.turn(measuring)
	l, c := m.lab(), m.commit
	return m, tea.Batch(m.due(), func() tea.Msg {
		r, err := m.Options.measure(m.ctx, l, c)
		return labMeasured{r, err}
	})
}

func (m model) measured(msg labMeasured) (tea.Model, tea.Cmd) {
	if msg.reveal != nil {
		m.reveals = append(m.reveals, msg.reveal)
	}
	switch {
	case m.stopping:
		m.err = ErrStopped
		if msg.reveal != nil {
			m.err = errors.Join(m.err, msg.reveal.Err)
		}
		return m, tea.Quit
	case msg.err != nil:
		m.fail(msg.err)
		return m, nil
	}
	if msg.reveal.Err != nil { // shown in the end: what was measured comes first
		m.err = msg.reveal.Err
	}
	m.progress.Done = 1
	m.turn(done)
	return m, nil
}

// pressed takes a key.
func (m model) pressed(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	quit := m.keys.QuitPlain
	if m.types() {
		quit = m.keys.Quit
	}
	switch {
	case key.Matches(k, quit), key.Matches(k, m.keys.End) && (!m.types() || m.input.Value() == ""):
		return m.quit()
	case key.Matches(k, m.keys.Up):
		m.scrollBy(-m.step())
		return m, nil
	case key.Matches(k, m.keys.Down):
		m.scrollBy(m.step())
		return m, nil
	case key.Matches(k, m.keys.Next): // Enter, whatever it does here
		return m.enter()
	case key.Matches(k, m.keys.Back):
		return m.back()
	}
	return m.typed(k)
}

// enter is the key that leads on.
func (m model) enter() (tea.Model, tea.Cmd) {
	switch m.stage {
	case asking:
		return m.answered()
	case reviewing:
		m.stage = registering
		l, guesses := m.lab(), m.guesses
		return m, func() tea.Msg {
			c, err := m.Options.commit(l, guesses)
			return predictionsRegistered{c, err}
		}
	case done:
		cmd := m.show(0)
		return m, cmd
	case revealing:
		return m.explained()
	case judged:
		if m.at.lab+1 < len(m.Labs) && m.err == nil {
			cmd := m.begin(m.at.lab + 1)
			return m, cmd
		}
		if m.err != nil {
			m.turn(broken)
			return m, nil
		}
		m.history = m.Ledger.History()
		m.turn(recorded)
	case recorded, broken:
		return m, tea.Quit
	}
	return m, nil
}

// answered takes the text of the input for an answer, if it can be read.
func (m model) answered() (tea.Model, tea.Cmd) {
	text := m.input.Value()
	g, err := asks(m.question()).read(text)
	if err != nil {
		m.problem = err
		return m, nil
	}
	m.drafts[m.at.question], m.guesses[m.at.question] = text, g
	if m.at.question+1 < len(m.lab().Questions) {
		cmd := m.ask(m.at.question + 1)
		return m, cmd
	}
	m.turn(reviewing)
	return m, nil
}

// back returns to the question before: nothing is committed yet.
func (m model) back() (tea.Model, tea.Cmd) {
	switch {
	case m.stage == reviewing:
		cmd := m.ask(m.at.question)
		return m, cmd
	case m.stage == asking && m.at.question > 0:
		m.drafts[m.at.question] = m.input.Value()
		cmd := m.ask(m.at.question - 1)
		return m, cmd
	}
	return m, nil
}

// explained keeps the line on why, and turns the page.
func (m model) explained() (tea.Model, tea.Cmd) {
	var keep tea.Cmd
	if why := strings.TrimSpace(typeset.Clean(m.input.Value())); why != "" {
		p := m.commit.Predictions[m.at.question]
		keep = func() tea.Msg { return whyKept{m.Ledger.SetWhy(p.Question, p.Attempt, why)} }
	}
	if m.at.question+1 < len(m.lab().Questions) {
		cmd := m.show(m.at.question + 1)
		return m, tea.Batch(keep, cmd)
	}
	m.turn(judged)
	return m, keep
}

// quit leaves. A lab that runs is stopped first, so that its files are removed
// and what it measured is kept; asked twice, it is left to itself.
func (m model) quit() (tea.Model, tea.Cmd) {
	last := m.at.lab+1 == len(m.Labs)
	switch m.stage {
	case preparing, registering, measuring:
		if m.stopping && m.stage != registering {
			m.err = ErrStopped
			return m, tea.Quit
		}
		m.stopping = true
		m.stop()
		return m, nil
	case asking, reviewing:
		m.err = errors.Join(ErrStopped, m.err)
	case done, revealing, judged:
		if !last && m.err == nil {
			m.err = ErrStopped
		}
	}
	return m, tea.Quit
}

// typed is what belongs to the input.
func (m model) typed(msg tea.Msg) (tea.Model, tea.Cmd) {
	if !m.types() {
		return m, nil
	}
	var cmd tea.Cmd
	before := m.input.Value()
	m.input, cmd = m.input.Update(msg)
	if m.input.Value() != before {
		m.problem = nil
	}
	return m, cmd
}
