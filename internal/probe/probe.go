// Package probe measures the axioms of this machine: the numbers that the labs'
// divisions stand on, each with the interval of its median and what it was
// measured by.
package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"envelope/axioms"
	"envelope/internal/disk"
	"envelope/internal/measure"
)

const (
	hot   = 1 << 20  // a buffer that stays in a cache of its own core
	cold  = 64 << 20 // half of the memory that the large probes share, and more than most last-level caches hold
	run   = 16 << 20 // one stretch of sequential writing
	chunk = 1 << 20  // one write of it
)

// probe is one axiom and how its samples become it.
type probe struct {
	name   string
	method string
	bounds string
	n      int
	arm    measure.Arm
	// One call of the arm moves so many bytes, or does so many floating-point operations: the axiom is a rate. Where both are 0
	// it is a time.
	bytes, flops int
	// less, where it is set, is what the arm's time holds beside the axiom:
	// its samples are taken off, one by one.
	less *measure.Arm
	// alone asks for a single processor of the Go scheduler and an unlocked
	// goroutine.
	alone bool
	ring  int // bytes that a chase goes round in
	close func()
}

// Axioms measures the axioms that every run takes: clock, system-call,
// cache-copy, dram-copy and seq-write, the last in dir, which is left with a
// scratch file. rng fills the payload. Where the budget ends early an axiom has
// fewer samples; one with none is left out.
func Axioms(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand, budget time.Duration) ([]axioms.Measured, error) {
	file, payload, err := openRun(dir, rng)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	a, err := newArena(rng)
	if err != nil {
		return nil, err
	}
	defer a.free()
	probes := list(clock, file, payload, a)
	series, _, err := sample(ctx, measure.Options{Clock: clock, Rand: rng, Budget: budget}, probes, nil)
	if err != nil {
		return nil, err
	}
	out, failed := conclude(probes, series)
	if len(failed) > 0 {
		return nil, failed[0]
	}
	return out, nil
}

// conclude turns what was observed into axioms. A probe without samples gives
// none.
func conclude(probes []probe, series []Series) (out []axioms.Measured, failed []error) {
	for i := range probes {
		p, s := &probes[i], series[i]
		if s.Err == nil && len(s.Samples) > 0 {
			m := p.measured(s.Samples)
			if s.Err = m.Validate(); s.Err == nil {
				out = append(out, m)
			}
		}
		if s.Err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, s.Err))
		}
	}
	return out, failed
}

// less takes b off a, sample by sample: the two were taken in the same round.
func less(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}

func openRun(dir string, rng *rand.Rand) (*disk.File, []byte, error) {
	payload := random(rng, chunk)
	f, err := disk.Written(filepath.Join(dir, "seq-write"), payload, run, 0)
	return f, payload, err
}

// random returns n bytes of noise: zeros would compress, and copy twice as
// fast as anything else.
func random(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func list(clock *measure.Clock, file *disk.File, payload []byte, a *arena) []probe {
	src, dst := slices.Clone(payload), slices.Clone(payload)
	far, near := a.bytes[:cold], a.bytes[cold:]
	hotCopy := func() error { copy(dst, src); return nil }
	readings := func() error {
		for range many {
			clock.Now()
		}
		return nil
	}
	calls := func() error {
		for range many {
			// The entry with the fewest frames: a kernel that guards
			// against branch injection makes every return to the caller
			// a mispredicted one.
			syscall.RawSyscall6(unix.SYS_GETPPID, 0, 0, 0, 0, 0, 0)
		}
		return nil
	}
	return []probe{
		{
			name: "clock", method: "1000 readings of the monotonic clock one after the other",
			bounds: "nothing shorter can be timed one by one", n: 21,
			arm: measure.Arm{Name: "clock", Before: readings, Ops: many, Op: readings},
		}, {
			name: "system-call", method: "1000 times getppid(2), raw", n: 21,
			bounds: "the least that crossing into the kernel costs",
			arm:    measure.Arm{Name: "system-call", Before: calls, Ops: many, Op: calls},
		}, {
			name: "cache-copy", method: "copy of 1 MiB between two buffers that were copied just before", n: 21,
			bounds: "the fastest that bytes get from one buffer to another", bytes: hot,
			arm: measure.Arm{Name: "cache-copy", Before: hotCopy, Op: hotCopy},
		}, {
			name: "dram-copy", method: "copy of 64 MiB between two buffers" + a.notes(), n: 9,
			bounds: "copies that no cache holds", bytes: cold,
			arm: measure.Arm{Name: "dram-copy", Op: func() error { copy(near, far); return nil }},
		}, {
			name: "seq-write", method: "16 MiB overwritten in writes of 1 MiB and one fsync", n: 6,
			bounds: "bytes on their way to the device under the directory", bytes: run,
			arm: measure.Arm{Name: "seq-write", Op: func() error { return writeRun(file, payload) }},
		},
	}
}

func writeRun(f *disk.File, payload []byte) error {
	for off := 0; off < run; off += len(payload) {
		if err := f.WriteAt(payload, int64(off)); err != nil {
			return err
		}
	}
	return f.Sync()
}

// dim is the dimension of the axiom.
func (p *probe) dim() axioms.Dim {
	switch {
	case p.bytes > 0:
		return axioms.DimBytePerSecond
	case p.flops > 0:
		return axioms.DimFLOPPerSecond
	}
	return axioms.DimSecond
}

// work is what one call does, in the unit that the rate is per second of; 1 where the axiom is a time.
func (p *probe) work() int { return max(p.bytes, p.flops, 1) }

// measured turns samples in seconds into the axiom: the median, and the
// interval of the median at 95 %, or the whole range where n is too small for
// one.
func (p *probe) measured(samples []float64) axioms.Measured {
	low, high, ok := measure.MedianInterval(samples, 0.95)
	method := p.method
	if !ok {
		low, high = slices.Min(samples), slices.Max(samples)
		method += fmt.Sprintf(" (%d samples: the interval is their range)", len(samples))
	}
	m := axioms.Measured{Name: p.name, N: len(samples), Method: method, Bounds: p.bounds}
	mid := measure.Summarize(samples).P50
	if p.dim() == axioms.DimSecond {
		m.Quantity, m.Low, m.High = axioms.Seconds(mid), axioms.Seconds(low), axioms.Seconds(high)
		return m
	}
	rate := func(s float64) axioms.Quantity { return axioms.Quantity{Value: float64(p.work()) / s, Dim: p.dim()} }
	m.Quantity, m.Low, m.High = rate(mid), rate(high), rate(low)
	return m
}

// Barrier returns about what overwriting 4 KiB and an fsync take in dir: the
// unit in which labs that sync size their arms. It is not an axiom.
func Barrier(clock *measure.Clock, dir string, rng *rand.Rand) (time.Duration, error) {
	payload := random(rng, page)
	f, err := disk.Written(filepath.Join(dir, "barrier"), payload, len(payload), 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	arm := measure.Arm{Name: "write+fsync", Op: func() error {
		if err := f.WriteAt(payload, 0); err != nil {
			return err
		}
		return f.Sync()
	}}
	_, rows, err := measure.Compare(context.Background(), measure.Options{Clock: clock, Rand: rng, Budget: time.Second}, nil,
		[]measure.Single{{Arm: arm, N: 7}})
	if err != nil {
		return 0, err
	}
	if rows[0].Err != nil {
		return 0, rows[0].Err
	}
	if len(rows[0].Samples) == 0 { // the warm-up alone took the second
		return time.Second, nil
	}
	return time.Duration(measure.Summarize(rows[0].Samples).P50 * 1e9), nil
}
