package predict

import (
	"context"
	"fmt"
	"time"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/predict/ledger"
)

// stage is what the screen shows.
type stage int

const (
	preparing   stage = iota // the axioms are being measured
	asking                   // a question
	reviewing                // all answers to a lab, before they are committed
	registering              // they are being written down
	measuring                // the lab runs
	done                     // it has run; what came out is not shown yet
	revealing                // one question, with what was measured
	judged                   // the lab's claims and its rules
	recorded                 // all predictions ever made
	broken                   // something went wrong; m.err says what
)

// place is where in a sitting the user is.
type place struct{ lab, question int }

// model is the screen. Update returns a changed copy, View reads it.
type model struct {
	*Options
	ctx  context.Context // of the measurements
	stop context.CancelFunc

	width, height int
	still         bool          // nothing moves by itself
	every         time.Duration // between two looks at the progress; 0 never looks again
	styles        styles
	keys          keyMap
	helper        help.Model
	input         textinput.Model
	scroll        int // lines of the page that are above the screen

	stage    stage
	at       place
	set      axioms.Set
	drafts   []string // what was typed, by question of this lab
	guesses  []Guess  // what it was read as
	problem  error    // with the input
	commit   Commitment
	progress Progress
	reveals  []*Reveal
	history  []ledger.Entry
	stopping bool  // the user wants out
	err      error // what Screen returns
}

func newModel(ctx context.Context, o *Options, still bool) model {
	ctx, stop := context.WithCancel(ctx)
	m := model{
		Options: o, ctx: ctx, stop: stop, width: 80, height: 24, still: still,
		keys: newKeys(), helper: help.New(), input: textinput.New(), every: 150 * time.Millisecond,
	}
	if still {
		m.every = time.Second
	}
	m.input.Prompt = "> "
	m.input.SetVirtualCursor(false) // the terminal's own: a screen reader follows it
	m.input.CharLimit = 500
	m.look(true)
	m.resize(80, 24)
	return m
}

// look sets the styles for a dark or a light background.
func (m *model) look(dark bool) {
	m.styles = newStyles(dark)
	m.helper.Styles = m.styles.help
	m.input.SetStyles(m.styles.text)
}

// widest is as wide as text gets: longer lines are hard to read.
const widest = 120

func (m *model) resize(width, height int) {
	m.width, m.height = max(width, 20), max(height, 5)
	m.helper.SetWidth(m.width)
	m.input.SetWidth(m.columns() - len(m.input.Prompt) - 1)
}

// columns is the width of what is shown.
func (m *model) columns() int { return min(m.width, widest) }

func (m *model) lab() *lab.Lab           { return m.Labs[m.at.lab] }
func (m *model) question() *lab.Question { return &m.lab().Questions[m.at.question] }
func (m *model) reveal() *Reveal         { return m.reveals[len(m.reveals)-1] }

// begin puts the first question of a lab.
func (m *model) begin(i int) tea.Cmd {
	m.at = place{lab: i}
	m.drafts = make([]string, len(m.lab().Questions))
	m.guesses = make([]Guess, len(m.lab().Questions))
	for j, q := range m.lab().Questions {
		m.drafts[j] = m.Answers[m.lab().Name+"/"+q.Name]
	}
	return m.ask(0)
}

// ask puts question i of the lab.
func (m *model) ask(i int) tea.Cmd {
	m.stage, m.at.question, m.problem, m.scroll = asking, i, nil, 0
	a := asks(m.question())
	m.input.Placeholder = fmt.Sprintf("%s: %s, or a range %s", kind(a.dim), a.example(), a.exampleSpan())
	m.input.SetValue(m.drafts[i])
	m.input.CursorEnd()
	return m.input.Focus()
}

// show reveals question i of the lab, and asks why the prediction was off if it
// was.
func (m *model) show(i int) tea.Cmd {
	m.stage, m.at.question, m.problem, m.scroll = revealing, i, nil, 0
	if !m.types() {
		m.input.SetValue("")
		m.input.Blur()
		return nil
	}
	m.input.Placeholder = "why were you off? one line, if you want; it is kept"
	m.input.SetValue("")
	return m.input.Focus()
}

// types reports whether there is a line in which the user types.
func (m *model) types() bool {
	return m.stage == asking || m.stage == revealing && m.reveal().Answers[m.at.question].off()
}

// turn shows a page without an input.
func (m *model) turn(s stage) {
	m.stage, m.problem, m.scroll = s, nil, 0
	m.input.Blur()
}

// fail ends the sitting with an error on the screen.
func (m *model) fail(err error) {
	m.err = err
	m.turn(broken)
}
