package predict

import "charm.land/bubbles/v2/key"

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
		Up:        key.NewBinding(key.WithKeys("pgup"), key.WithHelp("pgup/pgdn", "scroll")),
		Down:      key.NewBinding(key.WithKeys("pgdown")),
		Quit:      key.NewBinding(key.WithKeys("ctrl+c", "esc"), key.WithHelp("esc", "quit")),
		QuitPlain: key.NewBinding(key.WithKeys("q", "ctrl+c", "esc"), key.WithHelp("q", "quit")),
		Stop:      key.NewBinding(key.WithKeys("q", "ctrl+c", "esc"), key.WithHelp("q", "stop")),
	}
}

// help are the keys that do something now, in the order in which they are shown.
func (m *model) help() []key.Binding {
	k, scroll := m.keys, m.scrolls()
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
		out = append(out, k.Next, k.Quit)
	case judged:
		out = append(out, k.Next, k.QuitPlain)
	case recorded, broken:
		out = append(out, k.Leave)
	}
	if scroll {
		out = append(out, k.Up)
	}
	return out
}
