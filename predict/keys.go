package predict

import (
	"slices"

	"charm.land/bubbles/v2/key"
)

// keyMap is every key that the screen knows; the inputs have their own for
// editing.
type keyMap struct {
	// Enter, by what it does.
	Answer, Commit, Reveal, Next, Leave key.Binding

	Back      key.Binding
	Up, Down  key.Binding
	Quit      key.Binding // works beside an input, too
	QuitPlain key.Binding // where no input wants the letter
	Stop      key.Binding
	End       key.Binding // of the input: leaves, unless it is the input's to edit with
}

func newKeys() keyMap {
	enter := func(does string) key.Binding {
		return key.NewBinding(key.WithKeys("enter"), key.WithHelp("enter", does))
	}
	return keyMap{
		Answer:    enter("answer"),
		Commit:    enter("commit"),
		Reveal:    enter("reveal"),
		Next:      enter("next"),
		Leave:     enter("done"),
		Back:      key.NewBinding(key.WithKeys("shift+tab", "up"), key.WithHelp("shift+tab", "back")),
		Up:        key.NewBinding(key.WithKeys("pgup"), key.WithHelp("pgup", "above")),
		Down:      key.NewBinding(key.WithKeys("pgdown"), key.WithHelp("pgdn", "more")),
		Quit:      key.NewBinding(key.WithKeys("ctrl+c", "esc"), key.WithHelp("esc", "quit")),
		QuitPlain: key.NewBinding(key.WithKeys("q", "ctrl+c", "esc"), key.WithHelp("q", "quit")),
		End:       key.NewBinding(key.WithKeys("ctrl+d")),
		Stop:      key.NewBinding(key.WithKeys("q", "ctrl+c", "esc"), key.WithHelp("q", "stop")),
	}
}

// help are the keys that do something now, in the order in which they are shown.
func (m *model) help() []key.Binding {
	k := m.keys
	var out []key.Binding
	switch m.stage {
	case asking:
		out = append(out, k.Answer)
		if m.at.question > 0 {
			out = append(out, k.Back)
		}
		out = append(out, k.Quit)
	case reviewing:
		out = append(out, k.Commit, k.Back, k.QuitPlain)
	case preparing:
		out = append(out, k.QuitPlain)
	case measuring:
		out = append(out, k.Stop)
	case done:
		out = append(out, k.Reveal, k.QuitPlain)
	case revealing:
		quit := k.QuitPlain
		if m.types() {
			quit = k.Quit
		}
		out = append(out, k.Next, quit)
	case judged:
		out = append(out, k.Next, k.QuitPlain)
	case recorded, broken:
		out = append(out, k.Leave)
	}
	// Second, where a narrow window still shows it.
	if p := m.page(); m.scroll < m.below(&p) {
		out = slices.Insert(out, min(1, len(out)), k.Down)
	} else if m.below(&p) > 0 {
		out = slices.Insert(out, min(1, len(out)), k.Up)
	}
	return out
}
