package predict

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

// Terminal is what a screen needs.
type Terminal struct {
	In, Out *os.File
	Still   bool // nothing moves by itself
}

// ErrNoScreen is wrapped where the terminal refuses to be one. Nothing has been
// asked then.
var ErrNoScreen = errors.New("the terminal can't be used as a screen")

// Screen holds a sitting on a terminal, and returns what it revealed. When ctx
// ends, it stops as if the user had asked it to.
func Screen(ctx context.Context, o *Options, t Terminal) ([]*Reveal, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	p := tea.NewProgram(newModel(context.WithoutCancel(ctx), o, t.Still), tea.WithInput(t.In), tea.WithOutput(t.Out),
		tea.WithoutSignalHandler(), tea.WithFPS(20))
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-ctx.Done():
			p.Send(stopAsked{})
		case <-over:
		}
	}()
	end, err := p.Run()
	m, ok := end.(model)
	if ok {
		m.stop()
	}
	switch {
	case err != nil && errors.Is(err, tea.ErrProgramKilled):
		return m.reveals, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoScreen, err)
	}
	return m.reveals, m.err
}
