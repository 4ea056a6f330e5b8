package ridge

import (
	"context"
	"fmt"

	"envelope/internal/kernels"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// batches are the rows that the roof is held against.
var batches = []int{1, 4, 16, 64, 256}

// fewest is the least rows at a ridge that the claims mean anything for.
const fewest = 8

// machine is a device as it was measured before its claims.
type machine struct {
	device
	threads   int
	tall      *ring   // the weights where memory decides
	short     *ring   // and where arithmetic does
	bandwidth float64 // B/s
	peak      float64 // FLOP/s
}

// ridgeRows is the number of rows at which the two take equally long.
func (m *machine) ridgeRows() float64 { return 2 * m.peak / m.bandwidth }

// bound reports whether memory is what a batch waits for.
func (m *machine) bound(batch int) bool { return float64(batch) < m.ridgeRows() }

// ringFor returns the weights that a batch is multiplied by.
func (m *machine) ringFor(batch int) *ring {
	if batch >= 64 {
		return m.short
	}
	return m.tall
}

func measureAll(ctx context.Context, r *lab.Run) error {
	size, why := ringBytes(r.Environment.CPU, r.Environment.Memory)
	if why != "" {
		voidAll(r, devices, measure.Unreachable, why)
		return nil
	}
	b := newBench(r, size)
	defer b.free()
	r.Note("path %s, %d threads, a ring of weights with %s", kernels.Features(), kernels.Threads(), b.memory())
	var pairs []lab.Pair
	var singles []measure.Single
	var machines []*machine
	for _, d := range devices {
		if !r.Wants(of(d)...) {
			continue
		}
		m, err := b.survey(ctx, d)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		machines = append(machines, m)
		pairs = append(pairs, b.pairs(m)...)
		if r.Wants(on(underRoof)...) && r.Config.Control == "" {
			singles = append(singles, b.sweep(m)...)
		}
	}
	if err := r.Compare(ctx, pairs, singles...); err != nil {
		return err
	}
	for _, m := range machines {
		b.again(m)
		b.draw(m)
	}
	return nil
}

func voidAll(r *lab.Run, ds []device, reason measure.Reason, why string) {
	for _, d := range ds {
		for _, name := range of(d) {
			r.Void(name, reason, "%s", why)
		}
	}
}

// of returns the names of a device's claims.
func of(d device) []string {
	var names []string
	for _, n := range []string{memorySpeed, wastes, nearlyFree, recovers, underRoof} {
		names = append(names, n+"@"+d.name)
	}
	return names
}

// survey measures bandwidth and peak of a device, which decide where the claims
// look. The claims themselves measure both again, in turn with the product. It
// returns nil where the device is out of reach.
func (b *bench) survey(ctx context.Context, d device) (*machine, error) {
	m := &machine{device: d, threads: 1}
	if d.all {
		m.threads = kernels.Threads()
	}
	if d.all && m.threads == 1 {
		voidAll(b.Run, []device{d}, measure.Unreachable, "there is one thread here, which is cpu-1")
		return nil, nil
	}
	m.tall, m.short = b.ring(tallRows(m.threads)), b.ring(shortRows(m.threads))
	for _, batch := range []int{1, 7, most} {
		if err := b.check(m.ringFor(batch), batch, m.threads); err != nil {
			return nil, err
		}
	}
	bandwidth, peak, cycle := "read bandwidth, "+d.name, "peak, "+d.name, "clock cycle, "+d.name
	read, fma, clock := b.readArm(m, m.tall), b.peakArm(m), cycleArm()
	read.Name, fma.Name, clock.Name = bandwidth, peak, cycle
	var singles []measure.Single
	for _, arm := range []measure.Arm{read, fma, clock} {
		singles = append(singles, measure.Single{Arm: arm, N: 7, Warm: true})
	}
	if err := b.Compare(ctx, nil, singles...); err != nil {
		return nil, err
	}
	reads, peaks, cycles := b.SeriesNamed(bandwidth), b.SeriesNamed(peak), b.SeriesNamed(cycle)
	if len(reads) == 0 || len(peaks) == 0 || len(cycles) == 0 {
		voidAll(b.Run, []device{d}, measure.Unreachable, "the time was over before its bandwidth and peak were known")
		return nil, nil
	}
	m.bandwidth = m.tall.bytes() / measure.Summarize(reads).P50
	m.peak = 1 / measure.Summarize(peaks).P50
	if why := impossible(m.peak, kernels.Ceiling()*float64(m.threads)/measure.Summarize(cycles).Min); why != "" {
		voidAll(b.Run, []device{d}, measure.Instrument, why)
		return nil, nil
	}
	var rows []float64
	for i := range min(len(reads), len(peaks)) {
		rows = append(rows, 2/peaks[i]/(m.tall.bytes()/reads[i]))
	}
	b.AddSeries(lab.Series{Name: "rows at the ridge, " + d.name, Text: "2 x peak / read bandwidth", Unit: "1", Samples: rows, Conditions: -1})
	if m.ridgeRows() < fewest {
		voidAll(b.Run, []device{d}, measure.Unreachable, fmt.Sprintf("the ridge is at %.1f rows: with the bandwidth of this device and the arithmetic of path %s there is nothing under it",
			m.ridgeRows(), kernels.Features()))
		return nil, nil
	}
	return m, nil
}

// impossible says that a peak is above what the processor's units can do at its clock, which is a fault of the instrument and no
// triumph. Both are measured, one after the other, so a little more is let pass.
func impossible(peak, ceiling float64) string {
	if peak <= 1.1*ceiling {
		return ""
	}
	return fmt.Sprintf("the multiply-adds came to %s, and the clock allows %s", flops(peak), flops(ceiling))
}

// again takes bandwidth and peak from the claims' own arms, which ran in turn
// with the sweep: the survey may have met a busier machine.
func (b *bench) again(m *machine) {
	if reads := b.SeriesNamed(memorySpeed + "@" + m.name + "/b"); len(reads) > 0 {
		m.bandwidth = m.tall.bytes() / measure.Summarize(reads).P50
	}
	if peaks := b.SeriesNamed(wastes + "@" + m.name + "/a"); len(peaks) > 0 {
		m.peak = 1 / measure.Summarize(peaks).P50
	}
}

// readArm sums over the weights of a ring's next part.
func (b *bench) readArm(m *machine, r *ring) measure.Arm {
	return measure.Arm{Name: fmt.Sprintf("sum over %d MiB", int(r.bytes())>>20), Op: func() error {
		kernels.Read(r.take().Values(), m.threads)
		return nil
	}}
}

// cycleArm is additions each of which waits for the one before. Its sample is the time of one, which no core makes in less than a
// clock cycle.
func cycleArm() measure.Arm {
	const n = 1 << 20
	return measure.Arm{Name: "additions one after another", Ops: n, Op: func() error {
		kernels.Cycles(n)
		return nil
	}}
}

// peakArm is multiply-adds in registers, about a millisecond of them. Its sample
// is the time of one FLOP.
func (b *bench) peakArm(m *machine) measure.Arm {
	per, _ := kernels.FMA(1, m.threads)
	iterations := max(1, int(5e7*float64(m.threads)/per))
	return measure.Arm{Name: "multiply-adds in registers, per FLOP", Ops: int(per) * iterations, Op: func() error {
		kernels.FMA(iterations, m.threads)
		return nil
	}}
}

// productArm multiplies a batch by the next slice of a ring.
func (b *bench) productArm(m *machine, r *ring, batch int) measure.Arm {
	return measure.Arm{Name: fmt.Sprintf("product of %d rows with %d x %d", batch, r.rows, cols), Op: func() error {
		r.take().Mul(b.y, b.x, batch, m.threads)
		return nil
	}}
}

// perFLOP makes an arm's sample the time of one FLOP.
func perFLOP(a measure.Arm, flops int) measure.Arm {
	a.Name, a.Ops = a.Name+", per FLOP", flops
	return a
}

// oneByOne multiplies the rows of a batch in a loop, each by the same weights:
// what batching saves.
func (b *bench) oneByOne(m *machine, r *ring, batch int) measure.Arm {
	return measure.Arm{Name: fmt.Sprintf("product of %d rows with %d x %d, one by one", batch, r.rows, cols), Op: func() error {
		for i := range batch {
			r.take().Mul(b.y[:r.rows], b.x[i*cols:], 1, m.threads)
		}
		return nil
	}}
}

func (b *bench) pairs(m *machine) []lab.Pair {
	at := func(name string) string { return name + "@" + m.name }
	one := b.productArm(m, m.tall, 1)
	rows := min(max(2, int(m.ridgeRows()/4)), most)
	many, all := b.productArm(m, m.tall, rows), perFLOP(b.productArm(m, m.short, most), m.short.flops(most))
	if b.Sabotaged("loop-over-the-batch") {
		many, all = b.oneByOne(m, m.tall, rows), perFLOP(b.oneByOne(m, m.tall, 4), m.tall.flops(4))
	}
	speed, share := one, perFLOP(one, m.tall.flops(1))
	if b.Sabotaged("most-skipped") {
		speed = b.productArm(m, b.ring(m.tall.rows/8), 1)
	}
	if b.Sabotaged("whole-batch") {
		share = all
	}
	pairs := []lab.Pair{
		{Claim: at(memorySpeed), Warm: 1, A: speed, B: b.readArm(m, m.tall)},
		{Claim: at(wastes), Warm: 1, A: b.peakArm(m), B: share},
		{Claim: at(nearlyFree), Warm: 1, A: many, B: one, Unit: float64(rows - 1)},
		{Claim: at(recovers), Warm: 1, A: perFLOP(one, m.tall.flops(1)), B: all},
	}
	for _, batch := range batches {
		pairs = append(pairs, b.roofPair(m, batch, at(underRoof)))
	}
	return pairs
}

// roofPair holds the roof's work alone against the product with a batch.
func (b *bench) roofPair(m *machine, batch int, claim string) lab.Pair {
	r := m.ringFor(batch)
	done := r
	if b.Sabotaged("most-skipped") {
		done = b.ring(r.rows / 8)
	}
	product := b.productArm(m, done, batch)
	p := lab.Pair{Claim: claim, Part: fmt.Sprintf("%d rows", batch), Warm: 1}
	if m.bound(batch) {
		p.A, p.B = b.readArm(m, r), product
	} else {
		p.A, p.B = b.peakArm(m), perFLOP(product, r.flops(batch))
	}
	return p
}
