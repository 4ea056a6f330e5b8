package predict

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"envelope/predict/ledger"
)

// seat is somebody in front of a screen: it takes keys, runs what the model asks
// for, and sees the view. Nothing waits for time to pass.
type seat struct {
	t      *testing.T
	model  model
	runner *fakeRunner
	hold   bool // keep commands back, until released
	held   []tea.Cmd
	over   bool
}

// sat has a sitting whose axioms are being measured.
func sat(t *testing.T) *seat {
	t.Helper()
	o, r := options(t)
	s := &seat{t: t, model: newModel(t.Context(), o, false), runner: r, hold: true}
	s.model.every = 0
	s.run(s.model.Init())
	return s
}

// send takes in a message, and all that follows from it.
func (s *seat) send(msg tea.Msg) {
	next, cmd := s.model.Update(msg)
	s.model = next.(model)
	s.run(cmd)
}

func (s *seat) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if s.hold {
		s.held = append(s.held, cmd)
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg:
		s.over = true
	default:
		s.send(msg)
	}
}

// release runs what was held back, and goes on without holding.
func (s *seat) release() *seat {
	s.hold = false
	held := s.held
	s.held = nil
	for _, cmd := range held {
		s.run(cmd)
	}
	return s
}

var keyCodes = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+d": {Code: 'd', Mod: tea.ModCtrl},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace},
}

// press takes keys by name; what is no name is typed letter by letter.
func (s *seat) press(keys ...string) *seat {
	s.t.Helper()
	for _, k := range keys {
		if code, ok := keyCodes[k]; ok {
			s.send(code)
			continue
		}
		for _, r := range k {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return s
}

// at goes to a stage of the first lab by the keys that a user takes.
func at(t *testing.T, want stage) *seat {
	t.Helper()
	s := sat(t)
	if want == preparing {
		return s
	}
	s.release()
	if want >= reviewing {
		s.press("300us", "enter", "none", "enter")
	}
	if want >= registering {
		s.hold = true
		s.press("enter")
	}
	if want >= measuring {
		held := s.held
		s.held = nil
		s.send(held[0]()) // the registration, but not the lab
	}
	if want >= done {
		s.release()
	}
	if want >= revealing {
		s.press("enter")
	}
	if want >= judged {
		s.press("enter", "enter")
	}
	if want >= recorded {
		s.press("enter", "2x", "enter", "enter", "enter", "enter", "enter")
	}
	if s.model.stage != want {
		t.Fatalf("at stage %d, want %d", s.model.stage, want)
	}
	return s
}

// A whole sitting, from the first question to the record.
func TestSitting(t *testing.T) {
	s := at(t, recorded)
	if got, want := strings.Join(s.runner.calls, ", "), "prepare, run ferry, keep, run fog, keep"; got != want {
		t.Errorf("the runner was called %s, want %s", got, want)
	}
	s.press("enter")
	if !s.over || s.model.err != nil {
		t.Errorf("over %v, error %v", s.over, s.model.err)
	}
	run := s.runner.kept[0]
	if len(run.Predictions) != 2 || run.Predictions[0].Value != 300e-6 || run.Predictions[0].Digest() != run.Predictions[0].SHA256 {
		t.Errorf("the run is kept with %+v", run.Predictions)
	}
	h := s.model.Ledger.History()
	if len(h) != 3 || h[0].Outcome == nil || *h[0].Outcome.Measured != 200e-6 {
		t.Fatalf("the record has %+v", h)
	}
	if score, err := h[1].Score(); err != nil || score.Kind != ledger.Exact || !score.Right {
		t.Errorf("none against zero bytes: %+v, %v, want right", score, err)
	}
	if _, err := h[2].Score(); !errors.Is(err, ledger.ErrUnscored) {
		t.Errorf("a void claim gave a score: %v", err)
	}
}

// What keys lead to, from each stage on.
func TestKeys(t *testing.T) {
	check := func(from stage, keys string, want stage, over bool, err error, registered int) {
		t.Helper()
		s := at(t, from)
		s.press(strings.Fields(keys)...)
		s.release()
		if s.model.stage != want || s.over != over || !errors.Is(s.model.err, err) || (err == nil) != (s.model.err == nil) {
			t.Errorf("stage %d, keys %s: stage %d, over %v, error %v; want %d, %v, %v", from, keys, s.model.stage, s.over, s.model.err, want, over, err)
		}
		if n := len(s.model.Ledger.History()); n != registered {
			t.Errorf("stage %d, keys %s: %d registered, want %d", from, keys, n, registered)
		}
	}
	// Before the commitment leaving leaves nothing.
	check(preparing, "q", preparing, true, ErrStopped, 0)
	check(preparing, "ctrl+c ctrl+c", preparing, true, ErrStopped, 0)
	check(asking, "esc", asking, true, ErrStopped, 0)
	check(asking, "3 ctrl+c", asking, true, ErrStopped, 0)
	check(asking, "ctrl+d", asking, true, ErrStopped, 0)
	check(asking, "3 ctrl+d", asking, false, nil, 0) // edits what is typed
	check(reviewing, "q", reviewing, true, ErrStopped, 0)
	check(reviewing, "ctrl+d", reviewing, true, ErrStopped, 0)
	check(reviewing, "esc", reviewing, true, ErrStopped, 0)
	// After it the predictions count as used.
	check(registering, "q", registering, true, ErrStopped, 2)
	check(measuring, "q", measuring, true, ErrStopped, 2)
	check(measuring, "ctrl+d", measuring, true, ErrStopped, 2)
	check(measuring, "q q", measuring, true, ErrStopped, 2)
	check(done, "q", done, true, ErrStopped, 2)
	check(revealing, "esc", revealing, true, ErrStopped, 2)
	check(judged, "q", judged, true, ErrStopped, 2)
	check(recorded, "q", recorded, true, nil, 3)
	check(recorded, "ctrl+d", recorded, true, nil, 3)
	check(recorded, "esc", recorded, true, nil, 3)
	// The rest.
	check(asking, "enter", asking, false, nil, 0)
	check(asking, "5 enter", asking, false, nil, 0)
	check(asking, "up", asking, false, nil, 0)
	check(asking, "1s enter shift+tab", asking, false, nil, 0)
	check(asking, "1s enter none enter up", asking, false, nil, 0)
	check(reviewing, "shift+tab enter", reviewing, false, nil, 0)
	check(reviewing, "enter", done, false, nil, 2)
	check(registering, "enter enter", done, false, nil, 2)
	check(measuring, "enter shift+tab x", done, false, nil, 2)
	check(done, "shift+tab up x", done, false, nil, 2)
	check(revealing, "up q", revealing, false, nil, 2) // a letter of the line
	check(judged, "pgdown pgup enter", asking, false, nil, 2)
}

// Quitting the last lab's reveal is no interruption: all was measured.
func TestQuitAtTheLastReveal(t *testing.T) {
	s := at(t, judged)
	s.press("enter", "2x", "enter", "enter", "enter", "esc")
	if !s.over || s.model.err != nil {
		t.Errorf("over %v, error %v; want over without one", s.over, s.model.err)
	}
}

// Going back shows what was typed, and a changed answer counts.
func TestBackKeepsTheAnswer(t *testing.T) {
	s := at(t, reviewing)
	s.press("shift+tab", "shift+tab")
	if got := s.model.input.Value(); got != "300us" {
		t.Fatalf("the input has %q, want what was typed", got)
	}
	s.press("backspace", "backspace", "ms", "enter", "enter")
	if got := s.model.guesses[0].String(); s.model.stage != reviewing || got != "300 ms" {
		t.Errorf("stage %d, answer %s; want 300 ms", s.model.stage, got)
	}
}

// An answer given on the command line stands in the input, and is not committed
// by itself.
func TestAnswersStandInTheInput(t *testing.T) {
	s := sat(t)
	s.model.Answers["ferry/crossing"] = "1us..9us"
	s.release()
	if s.model.stage != asking || s.model.input.Value() != "1us..9us" {
		t.Errorf("stage %d, input %q", s.model.stage, s.model.input.Value())
	}
}

func TestWhyIsKept(t *testing.T) {
	s := at(t, revealing)
	s.press("  no\x1b idea: 100 % guess ", "enter")
	if got := s.model.Ledger.History()[0].Prediction.Why; got != "no idea: 100 % guess" {
		t.Errorf("kept %q", got)
	}
}

func TestErrors(t *testing.T) {
	boom := errors.New("the disk is full")
	check := func(what string, s *seat, over bool) {
		t.Helper()
		if !errors.Is(s.model.err, boom) || s.over != over {
			t.Errorf("%s: stage %d, error %v, over %v", what, s.model.stage, s.model.err, s.over)
		}
	}
	s := sat(t)
	s.runner.prepare = boom
	check("prepare", s.release(), false)
	check("prepare, then enter", s.press("enter"), true)

	s = at(t, measuring)
	s.runner.run = boom
	check("run", s.release(), false)
	if n := len(s.model.Ledger.History()); n != 2 || len(s.runner.kept) != 0 {
		t.Errorf("a run that failed: %d registered, %d kept; the predictions are used all the same", n, len(s.runner.kept))
	}

	s = at(t, measuring)
	s.runner.keep = boom
	check("keep", s.release(), false)
	if s.model.stage != done || s.model.Ledger.History()[0].Outcome == nil {
		t.Errorf("keep: stage %d, want what was measured shown and recorded", s.model.stage)
	}
	check("keep, shown at the end", s.press("enter", "enter", "enter", "enter", "enter"), true)
}

// A signal asks to stop as the user would, and the interrupted run is kept.
func TestSignal(t *testing.T) {
	s := at(t, measuring)
	s.send(stopAsked{})
	if s.over || !s.model.stopping {
		t.Fatal("left a lab that was running")
	}
	s.release()
	if !s.over || !errors.Is(s.model.err, ErrStopped) || len(s.runner.kept) != 1 || s.runner.kept[0].Outcome != "interrupted" {
		t.Errorf("over %v, error %v, kept %v", s.over, s.model.err, s.runner.kept)
	}
	if _, err := s.model.Ledger.History()[0].Score(); !errors.Is(err, ledger.ErrUnscored) {
		t.Errorf("an interrupted run gave a score: %v", err)
	}
}

// Where the terminal is none, nothing has been asked.
func TestNoScreen(t *testing.T) {
	o, _ := options(t)
	o.Answers["ferry/nothing"] = "1"
	if _, err := Screen(context.Background(), o, Terminal{}); err == nil || !strings.Contains(err.Error(), "ferry/crossing") {
		t.Errorf("an answer to no question: %v, want the names that there are", err)
	}
}
