package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// thread hands operations to a thread that sleeps in between, as its caller does meanwhile. They wake each other through pipes,
// which every system has, and which tell the Go scheduler that a thread sleeps: with a futex and one processor the worker was
// seen to wait for 0.2 ms until the caller's was taken from it.
type thread struct {
	weights      *weights
	orders, back pipe
	message      []byte
	gone         chan struct{}
	failed       atomic.Pointer[error] // by the worker
}

// messageSize is the bytes of an order, how many operations and of which size, and of its answer.
const messageSize = 16

// newThread starts the worker on a processor, on any where that is negative.
func newThread(w *weights, processor int) (mechanism, error) {
	t := &thread{weights: w, message: make([]byte, messageSize), gone: make(chan struct{})}
	var err error
	if t.orders, err = newPipe(); err != nil {
		return nil, err
	}
	if t.back, err = newPipe(); err != nil {
		return nil, errors.Join(err, t.orders.close())
	}
	bound := make(chan error)
	go t.work(processor, bound)
	if err := <-bound; err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

// work does what it is ordered to until the orders end. Its thread ends with it: it may be bound to a processor.
func (t *thread) work(processor int, bound chan<- error) {
	defer close(t.gone)
	runtime.LockOSThread()
	var err error
	if processor >= 0 {
		err = bindTo(processor)
	}
	bound <- err
	order := make([]byte, messageSize)
	for {
		if err := t.orders.get(order); err != nil {
			return // closed
		}
		if err := t.obey(int(binary.NativeEndian.Uint64(order)), int(binary.NativeEndian.Uint64(order[8:]))); err != nil {
			t.failed.Store(&err)
		}
		if err := t.back.put(order); err != nil {
			return
		}
	}
}

func (t *thread) obey(count, size int) error {
	for range count {
		if size == 0 {
			continue
		}
		if err := t.weights.read(size); err != nil {
			return err
		}
	}
	return nil
}

func (t *thread) hand(count, size int) error {
	binary.NativeEndian.PutUint64(t.message, uint64(count))
	binary.NativeEndian.PutUint64(t.message[8:], uint64(size))
	if err := t.orders.put(t.message); err != nil {
		return fmt.Errorf("waking a worker: %w", err)
	}
	if err := t.back.get(t.message); err != nil {
		return fmt.Errorf("waiting for a worker: %w", err)
	}
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// close ends the worker and waits until it is gone.
func (t *thread) close() error {
	err := unix.Close(t.orders.write)
	<-t.gone
	return errors.Join(err, unix.Close(t.orders.read), t.back.close())
}
