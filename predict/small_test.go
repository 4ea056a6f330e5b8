package predict

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"envelope/internal/lab"
	"envelope/labs"
)

// seen demands that the line in which the user types is in sight, with the cursor
// in it, and that every line of the page can be scrolled to.
func seen(t *testing.T, name string, m model) {
	t.Helper()
	width, height := m.width, m.height
	checkFits(t, name, m.View(), width, height)
	page := m.page()
	found := map[string]bool{}
	for range len(page.lines) + 1 {
		v := m.View()
		screen := strings.Split(v.Content, "\n")
		for _, line := range screen {
			found[line] = true
		}
		if v.Cursor == nil || v.Cursor.Y >= height-1 {
			t.Fatalf("%s: the cursor is at %+v", name, v.Cursor)
		}
		if line := plain(t, screen[v.Cursor.Y]); !strings.HasPrefix(line, "> ") {
			t.Fatalf("%s: the cursor stands in %q", name, line)
		}
		if m.scroll == m.below(&page) {
			break
		}
		next, _ := m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
		m = next.(model)
	}
	if m.window(&page) == 0 {
		t.Errorf("%s: nothing of the page is in sight", name)
	}
	for _, line := range page.lines {
		if !found[line] {
			t.Errorf("%s: %q is never in sight", name, plain(t, line))
		}
	}
}

// From 30x8 on the line in which the user types never leaves the screen, whatever
// the question, and however long the complaint about the answer.
func TestInputStaysInSight(t *testing.T) {
	for _, l := range labs.All {
		o, _ := options(t)
		o.Labs = []*lab.Lab{l}
		m := newModel(t.Context(), o, false)
		m.begin(0)
		for _, size := range [][2]int{{30, 8}, {40, 10}, {60, 18}, {80, 24}, {200, 50}} {
			m.resize(size[0], size[1])
			for i := range l.Questions {
				name := fmt.Sprint(l.Name, "/", l.Questions[i].Name, " on ", size)
				m.ask(i)
				seen(t, name, m)
				m.input.SetValue("100..")
				seen(t, name+" half typed", m)
				m.problem = fmt.Errorf("%s", strings.Repeat("a complaint ", 20))
				seen(t, name+" with a complaint", m)
				m.reveals, m.stage = []*Reveal{invented(l, m.set)}, revealing
				if m.show(i); m.types() {
					seen(t, name+" revealed", m)
				}
			}
		}
	}
}

// A window that changes while an answer is typed changes nothing in it.
func TestResizeWhileTyping(t *testing.T) {
	s := at(t, asking)
	s.press("10")
	for i, size := range [][2]int{{30, 8}, {200, 50}, {40, 10}, {80, 24}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		s.press(fmt.Sprint(i))
		seen(t, fmt.Sprint(size), s.model)
	}
	s.press("us", "enter")
	if got := s.model.guesses[0].String(); got != "100.123 ms" && got != "0.100123 s" {
		t.Errorf("got %s, want what was typed", got)
	}
}

// Who was right has no line to type in, and q quits.
func TestScreenAsksWhoWasOff(t *testing.T) {
	s := at(t, revealing)
	if !s.model.types() {
		t.Error("1.5x off is not asked why")
	}
	s.press("enter")
	if s.model.types() || strings.Contains(plain(t, s.model.View().Content), "why were you off") || s.model.View().Cursor != nil {
		t.Error("who was right is asked why")
	}
	if s.press("x"); s.model.input.Value() != "" {
		t.Errorf("typed %q where nothing is asked", s.model.input.Value())
	}
	if s.press("q"); !s.over {
		t.Error("q does not quit where nothing is typed")
	}
}

// A small window begins with what is new: how far the measurement is, and what
// came out.
func TestSmallWindowShowsTheNews(t *testing.T) {
	check := func(st stage, want string) {
		t.Helper()
		s := at(t, st)
		s.send(tea.WindowSizeMsg{Width: 30, Height: 8})
		if text := plain(t, s.model.View().Content); !strings.Contains(text, want) {
			t.Errorf("stage %d: got\n%s\nwant %q in sight", st, text, want)
		}
	}
	check(measuring, "0 %")
	check(revealing, "1.5x too")
}
