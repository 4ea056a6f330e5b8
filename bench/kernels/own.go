package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/kernels"
)

const (
	side     = 4096
	matrices = 4
	most     = 256

	peerRounds = 192 << 13      // of multiply-adds, as many as the peer does
	longRounds = 8 * peerRounds // about as long as a product with a batch of 256: what interrupts the one interrupts the other
)

// A sample is one run of one arm.
type sample struct {
	wall, cpu float64 // seconds
	work      float64 // bytes or floating-point operations
	check     float64 // what came out, to be compared with the other side's
}

// own is this project's side.
type own struct {
	array  *kernels.Buffer // all matrices in row order: what is read
	packed []*kernels.Weights
	x, y   *kernels.Buffer

	best  map[int]float64 // of FMA, by number of threads
	clock float64         // the best rate of one thread
}

func newOwn() (*own, error) {
	o := &own{best: map[int]float64{}}
	for _, b := range []struct {
		to    **kernels.Buffer
		n     int
		state uint32
	}{{&o.array, side * side * matrices, 1}, {&o.x, most * side, 2}, {&o.y, most * side, 3}} {
		buffer, err := kernels.NewBuffer(b.n)
		if err != nil {
			return nil, err
		}
		fill(buffer.Data, b.state)
		*b.to = buffer
	}
	for i := range matrices {
		o.packed = append(o.packed, kernels.Pack(o.array.Data[i*side*side:], side, side))
	}
	return o, nil
}

// fill is the peer's generator.
func fill(p []float32, state uint32) {
	for i := range p {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		p[i] = float32(state>>8)/(1<<24) - 0.5
	}
}

// memory says how much of the data lies in huge pages.
func (o *own) memory() string {
	huge, err := o.array.Huge()
	if err != nil {
		return err.Error()
	}
	for _, w := range o.packed {
		more, err := w.Huge()
		if err != nil {
			return err.Error()
		}
		huge += more
	}
	return fmt.Sprintf("%d of %d MiB in huge pages", huge>>20, 2*matrices*side*side*4>>20)
}

// awake keeps the processor busy for a while. A Go process that was idle altogether has its monitor look at it every 20 µs for
// the first fifty times, and each look interrupts whatever runs on that processor: 1.1 ms in all here, 15 % of a read. It is no part of
// what is compared. The peer does the same.
func awake() {
	for start := time.Now(); time.Since(start) < 12*time.Millisecond; {
		kernels.Cycles(10_000)
	}
}

// timed runs f and fills in the times.
func timed(f func() sample) sample {
	awake()
	cpu, wall := processTime(), time.Now()
	s := f()
	s.wall = time.Since(wall).Seconds()
	s.cpu = processTime() - cpu
	return s
}

func processTime() float64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return float64(t.Nano()) / 1e9
}

func (o *own) read(threads int) (sample, error) {
	return timed(func() sample {
		sum := kernels.Read(o.array.Data, threads)
		return sample{work: 4 * float64(len(o.array.Data)), check: float64(sum)}
	}), nil
}

// fma runs so many rounds on each thread. It also notes the best rate, and the clock right after.
func (o *own) fma(rounds, threads int) (sample, error) {
	s := timed(func() sample {
		flops, sink := kernels.FMA(rounds, threads)
		return sample{work: flops, check: float64(sink)}
	})
	o.best[threads] = max(o.best[threads], s.work/s.wall)
	start := time.Now()
	made := kernels.Cycles(2_000_000)
	o.clock = max(o.clock, float64(made)/time.Since(start).Seconds())
	return s, nil
}

// mul takes small batches over all matrices, as the peer does, and a large one over the one whose turn it is.
func (o *own) mul(batch, threads, turn int) (sample, error) {
	times := 1
	if batch < 64 {
		times = matrices
	}
	s := timed(func() sample {
		for i := range times {
			o.packed[(turn+i)%matrices].Mul(o.y.Data, o.x.Data, batch, threads)
		}
		return sample{work: 2 * float64(times) * float64(batch) * side * side}
	})
	for _, v := range o.y.Data[:batch*side] {
		s.check += math.Abs(float64(v))
	}
	return s, nil
}

// slack is how far a rate may be above its ceiling before it is called impossible: both are measured, one after the other.
const slack = 1.03

// checkCeiling holds the best rates to what the best clock allows.
func (o *own) checkCeiling(out io.Writer) error {
	for _, threads := range slices.Sorted(maps.Keys(o.best)) {
		rate := o.best[threads]
		share := rate / (kernels.Ceiling() * o.clock * float64(threads))
		fmt.Fprintf(out, "%d threads: best FMA rate is %.3f of %g operations a cycle at %.2f GHz\n", threads, share, kernels.Ceiling(), o.clock/1e9)
		if share > slack {
			return fmt.Errorf("void: %d threads reach %.3f of what the clock allows", threads, share)
		}
	}
	return nil
}
