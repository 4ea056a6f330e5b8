package buffered

import (
	"bufio"

	"envelope/internal/disk"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// windows is how many writes of each kind are counted.
const windows = 64

// retakes is how many windows may be spoilt by the scheduler before the count
// is given up.
const retakes = 1000

// callCounter counts write system calls.
type callCounter interface {
	// count returns the number of write calls so far.
	count() (uint64, error)
	// slept returns a number that changes when the thread gave up the
	// processor by itself.
	slept() int64
	name() string
	close()
}

// countCalls counts the write calls of buffered and of direct writes, each in a
// window of its own.
func countCalls(r *lab.Run, fs *files, payload []byte) error {
	wrapped := &countingWriter{file: fs.buffered}
	counter := newCounter(wrapped)
	own := writerCounter{wrapped}
	defer counter.close()
	r.Note("write calls are counted by %s", counter.name())

	size := mib + 4*kib
	if r.Sabotaged("small-buffer") {
		size = 64 * kib
	}
	w := bufio.NewWriterSize(wrapped, size)
	buffered := func() error {
		w.Reset(wrapped)
		_, err := w.Write(payload)
		return err
	}
	big := bufio.NewWriterSize(wrapped, mib+4*kib)
	direct := func() error {
		_, err := wrapped.Write(payload)
		return err
	}
	if r.Sabotaged("through-the-buffer") {
		direct = func() error {
			big.Reset(wrapped)
			_, err := big.Write(payload)
			return err
		}
	}
	rewind := fs.buffered.Rewind
	for _, c := range []struct {
		claim string
		op    func() error
	}{{noSyscall, buffered}, {oneSyscall, direct}} {
		if !r.Wants(c.claim) {
			continue
		}
		counts, spoilt, err := inWindows(counter, own, rewind, c.op)
		if err != nil {
			return err
		}
		if counts == nil {
			r.Void(c.claim, measure.Instrument, "the scheduler interfered with %d windows out of %d", spoilt, spoilt+windows)
			continue
		}
		r.Observe(c.claim, counts...)
	}
	return nil
}

// inWindows counts the write calls of op, once per window. A window is taken
// again in which the thread went to sleep and the kernel counted other calls
// than the writer made: to wake another thread, Go's scheduler writes to a
// descriptor of its own. It returns nil where too many windows had to be.
func inWindows(kernel, own callCounter, before, op func() error) (counts []float64, spoilt int, err error) {
	for len(counts) < windows {
		if err := before(); err != nil {
			return nil, spoilt, err
		}
		sleeps := kernel.slept()
		calls, made, err := counted(kernel, own, op)
		if err != nil {
			return nil, spoilt, err
		}
		if kernel.slept() != sleeps && calls != made {
			if spoilt++; spoilt > retakes {
				return nil, spoilt, nil
			}
			continue
		}
		counts = append(counts, float64(calls))
	}
	return counts, spoilt, nil
}

// counted returns by how much two counters went up during op.
func counted(a, b callCounter, op func() error) (ofA, ofB uint64, err error) {
	startB, _ := b.count()
	startA, err := a.count()
	if err != nil {
		return 0, 0, err
	}
	if err := op(); err != nil {
		return 0, 0, err
	}
	endA, err := a.count()
	endB, _ := b.count()
	return endA - startA, endB - startB, err
}

// countingWriter counts calls where the kernel does not.
type countingWriter struct {
	file  *disk.File
	calls uint64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.calls++
	return w.file.Write(p)
}

// writerCounter is the counter that stands in for the kernel's.
type writerCounter struct{ w *countingWriter }

func (c writerCounter) count() (uint64, error) { return c.w.calls, nil }
func (c writerCounter) slept() int64           { return 0 }
func (c writerCounter) close()                 {}
func (c writerCounter) name() string {
	return "the writer around the file: the kernel keeps no count for a thread here"
}
