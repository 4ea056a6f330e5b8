//go:build !linux

package kernels

import "sync/atomic"

// A bed is where a hand sleeps.
type bed struct{ wake chan struct{} }

func newBed() bed { return bed{make(chan struct{}, 1)} }

func (b bed) sleep(*atomic.Uint32, uint32) { <-b.wake }

func (b bed) rouse(*atomic.Uint32) { b.wake <- struct{}{} }

// Where a thread works is the system's affair.
type (
	seat  struct{}
	seats struct{}
)

func newSeat() seat { return seat{} }

func (seats) apart([]*hand) {}
