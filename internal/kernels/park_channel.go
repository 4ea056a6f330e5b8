//go:build !linux || nofutex

package kernels

import "sync/atomic"

// A parker is where a thread sleeps.
type parker struct{ wake chan struct{} }

func newParker() parker { return parker{make(chan struct{}, 1)} }

// park returns when the word has been changed, or for no reason.
func (p parker) park(*atomic.Uint32, uint32) { <-p.wake }

// unpark comes after the change.
func (p parker) unpark(*atomic.Uint32) {
	select {
	case p.wake <- struct{}{}:
	default: // one that woke by itself left it there: the next to park takes it, and looks again
	}
}
