package predict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

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
	in := newKeyboard(t.In)
	p := tea.NewProgram(newModel(context.WithoutCancel(ctx), o, t.Still), tea.WithInput(in), tea.WithOutput(t.Out),
		tea.WithoutSignalHandler(), tea.WithFPS(20))
	over := make(chan struct{})
	defer close(over)
	go func() {
		select { // one of them: to ask twice is not to wait for a lab
		case <-ctx.Done():
			p.Send(stopAsked{})
		case <-in.gone:
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
	case err != nil && in.ended(): // a terminal that has gone can't be restored either
		return m.reveals, errors.Join(ErrStopped, m.err)
	case err != nil && errors.Is(err, tea.ErrProgramKilled):
		return m.reveals, err
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoScreen, err)
	}
	return m.reveals, m.err
}

// keyboard is the input of a screen. A terminal that is not this process's own
// sends no signal when it goes: its input ends, and that is all there is to tell.
type keyboard struct {
	*os.File
	gone chan struct{} // closed when the input has ended
	once *sync.Once
}

func newKeyboard(f *os.File) keyboard { return keyboard{f, make(chan struct{}), new(sync.Once)} }

// Read reads keys. An error, such as the EIO of a terminal that hung up, is the
// end of the input like any other.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err != nil {
		k.once.Do(func() { close(k.gone) })
		return n, io.EOF
	}
	return n, nil
}

func (k keyboard) ended() bool {
	select {
	case <-k.gone:
		return true
	default:
		return false
	}
}
