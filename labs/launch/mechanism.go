package launch

import "envelope/internal/uring"

// A mechanism hands operations to somebody else, who does them.
type mechanism interface {
	// hand submits so many operations at once, and returns when all are done: each a read of the weights that are due, or
	// nothing where size is 0.
	hand(count, size int) error
	close() error
}

// operations is how many a token takes.
const operations = 280

// oneByOne hands them over alone, each when the one before is done.
func oneByOne(m mechanism, count, size int) error {
	for range count {
		if err := m.hand(1, size); err != nil {
			return err
		}
	}
	return nil
}

// ring hands operations to the kernel.
type ring struct {
	*uring.Ring
	weights *weights
}

func newRing(w *weights, _ int) (mechanism, error) {
	r, err := uring.New(operations)
	if err != nil {
		return nil, err
	}
	return &ring{r, w}, nil
}

func (r *ring) hand(count, size int) error {
	for range count {
		var err error
		if size == 0 {
			err = r.Nop()
		} else {
			err = r.Read(r.weights.fd, r.weights.target[:size], r.weights.take(size))
		}
		if err != nil {
			return err
		}
	}
	return r.Run()
}

func (r *ring) close() error { return r.Close() }
