package kernels

import (
	"sync/atomic"
	"testing"
	"time"
)

// goes starts a wait, and returns a channel that is closed when it is over.
func goes(s *signal, most time.Duration) chan struct{} {
	over := make(chan struct{})
	go func() {
		s.wait(most)
		close(over)
	}()
	return over
}

// until waits for a state that another goroutine brings about.
func until(t *testing.T, s *signal, want uint32) {
	t.Helper()
	for start := time.Now(); s.state.Load() != want; time.Sleep(50 * time.Microsecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("state %d, want %d", s.state.Load(), want)
		}
	}
}

func TestSignal(t *testing.T) {
	s := newSignal()
	s.tell()
	<-goes(&s, 0) // told before the wait

	over := goes(&s, time.Hour)
	s.tell() // while it watches, or before
	<-over

	for range 3 {
		over = goes(&s, 0)
		until(t, &s, asleep)
		s.tell()
		<-over
	}
	if got := s.state.Load(); got != quiet {
		t.Errorf("state %d at the end, want %d", got, quiet)
	}
}

// What was taken back lets nobody go on, and what is told later does.
func TestUntell(t *testing.T) {
	s := newSignal()
	if s.untell() {
		t.Error("took back what was not told")
	}
	s.tell()
	if !s.untell() {
		t.Error("what nobody noticed could not be taken back")
	}
	over := goes(&s, 0)
	until(t, &s, asleep)
	if s.untell() {
		t.Error("took back what was not told to one asleep")
	}
	for range 100 {
		s.tell()
		if !s.untell() {
			<-over // it was faster
			over = goes(&s, 0)
		}
		until(t, &s, asleep)
		select {
		case <-over:
			t.Fatal("went on, though everything was taken back")
		default:
		}
	}
	s.tell()
	<-over
}

// counted counts its pieces.
type counted struct{ pieces atomic.Int64 }

func (c *counted) piece(int, int) { c.pieces.Add(1) }

// A worker that never comes is not waited for.
func TestAWorkerThatDoesNotComeIsCalledBack(t *testing.T) {
	p := &pool{back: newSignal()}
	for range 3 {
		p.workers = append(p.workers, &worker{signal: newSignal()}) // with no thread
	}
	p.places.refuse()
	for range 10 {
		c, over := &counted{}, make(chan struct{})
		go func() { p.do(c, 50, 4); close(over) }()
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Fatal("the call waits for workers that never began")
		}
		if got := c.pieces.Load(); got != 50 {
			t.Fatalf("%d pieces done, want 50", got)
		}
	}
	if got := p.away.Load(); got != 0 {
		t.Errorf("%d workers are away, want none", got)
	}
}
