package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"envelope/internal/kernels"
)

// An arm is one of the two things compared. It is told which matrix it is the turn of.
type arm func(turn int) (sample, error)

// A comparison is ours against something, by the rate of work.
type comparison struct {
	name   string
	target float64 // 0: for information
	ours   arm
	theirs arm
	scale  float64 // our rate in theirs' unit: products read weights, but count operations
	agree  float64 // how far the checks may be apart, as a share; 0: not compared

	// memory is a comparison whose other side reads memory, for a product that has to read each weight once: what it reads at is
	// the most that any product can. nil where memory is no limit.
	memory *comparison
	bytes  float64 // read for a unit of theirs' work

	turn      int
	wall, cpu []float64 // one ratio a block

	best, bestOther float64 // the fastest single runs, work a second
}

// comparisons lists what is compared, on one thread and on all.
func comparisons(o *own, p *peer) (all []*comparison) {
	for _, threads := range slices.Compact([]int{1, kernels.Threads()}) {
		add := func(name string, target, scale, agree float64, ours, theirs arm) *comparison {
			name = fmt.Sprintf("%s, %d thr", name, threads)
			c := &comparison{name: name, target: target, ours: ours, theirs: theirs, scale: scale, agree: agree}
			all = append(all, c)
			return c
		}
		read := func(int) (sample, error) { return o.read(threads) }
		fma := func(int) (sample, error) { return o.fma(peerRounds, threads) }
		add("read / C", 0.95, 1, 0, read, func(int) (sample, error) { return p.ask("read %d", threads) })
		add("fma / C", 0.97, 1, 0, fma, func(int) (sample, error) { return p.ask("fma %d", threads) })
		for _, batch := range []int{1, 4, 16, 64, 256} {
			mul := func(turn int) (sample, error) { return o.mul(batch, threads, turn) }
			blas := func(turn int) (sample, error) { return p.ask("mul %d %d %d", batch, threads, turn) }
			product := add(fmt.Sprintf("mul %d / sgemm", batch), map[int]float64{1: 3, 4: 3, 256: 1}[batch], 1, 1e-4, mul, blas)
			if batch <= 4 {
				// 4 bytes are read for 2*batch operations.
				product.bytes = 4 / (2 * float64(batch))
				product.memory = add(fmt.Sprintf("mul %d / read", batch), 0.8, product.bytes, 0, mul, read)
			}
			if batch == 256 {
				add("mul 256 / fma", 0.8, 1, 0, mul, func(int) (sample, error) { return o.fma(longRounds, threads) })
			}
		}
		add("mul 1 / sgemv", 0, 1, 1e-4, func(int) (sample, error) { return o.mul(1, threads, 0) },
			func(int) (sample, error) { return p.ask("vec %d", threads) })
	}
	return all
}

// block runs A B B A, or B A A B every other time, after one untimed run of each in the first block.
func (c *comparison) block(number int) error {
	if number == 0 {
		if _, _, err := c.pair(false); err != nil {
			return err
		}
	}
	a1, b1, err := c.pair(number%2 == 1)
	if err != nil {
		return err
	}
	a2, b2, err := c.pair(number%2 == 0)
	if err != nil {
		return err
	}
	ours, theirs := c.scale*(a1.work+a2.work), b1.work+b2.work
	c.wall = append(c.wall, ours/(a1.wall+a2.wall)/(theirs/(b1.wall+b2.wall)))
	c.cpu = append(c.cpu, ours/(a1.cpu+a2.cpu)/(theirs/(b1.cpu+b2.cpu)))
	return nil
}

// pair runs both arms, and holds their results together where they compute the same.
func (c *comparison) pair(theirsFirst bool) (ours, theirs sample, err error) {
	c.turn = (c.turn + 1) % matrices
	if theirsFirst {
		if theirs, err = c.theirs(c.turn); err != nil {
			return ours, theirs, err
		}
	}
	if ours, err = c.ours(c.turn); err != nil {
		return ours, theirs, err
	}
	if !theirsFirst {
		if theirs, err = c.theirs(c.turn); err != nil {
			return ours, theirs, err
		}
	}
	c.best, c.bestOther = max(c.best, c.scale*ours.work/ours.wall), max(c.bestOther, theirs.work/theirs.wall)
	if c.agree > 0 && math.Abs(ours.check-theirs.check) > c.agree*math.Abs(theirs.check) {
		err = fmt.Errorf("void: the results add up to %g here and to %g there", ours.check, theirs.check)
	}
	return ours, theirs, err
}

// report prints a line for each comparison: the median of the blocks' ratios and its interval; the same by processor time,
// which others on the machine disturb less; and the fastest run of each, which they disturb least.
func report(out io.Writer, all []*comparison) {
	fmt.Fprintf(out, "%-22s %7s %15s %3s %7s %7s %7s  %s\n", "ours / theirs", "median", "interval", "n", "by cpu", "fastest", "target", "fastest, 1e9 a second")
	for _, c := range all {
		low, high := interval(c.wall)
		target, verdict := "", ""
		if c.target > 0 {
			target = fmt.Sprintf(">= %.2f", c.target)
			verdict = "reached"
			if median(c.wall) < c.target {
				verdict = "MISSED" + c.limit()
			}
		}
		fmt.Fprintf(out, "%-22s %7.3f %7.3f-%7.3f %3d %7.3f %7.3f %7s  %.1f / %.1f %s\n", c.name, median(c.wall), low, high, len(c.wall),
			median(c.cpu), c.best/c.bestOther, target, c.best/1e9, c.bestOther/1e9, verdict)
	}
}

// limit says what the memory allows, where that was measured and is under the target.
func (c *comparison) limit() string {
	if c.memory == nil || c.memory.bestOther == 0 {
		return ""
	}
	most := c.memory.bestOther / (c.bytes * c.bestOther)
	if most >= c.target {
		return ""
	}
	return fmt.Sprintf(": memory allows %.2f", most)
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// interval returns the narrowest pair of order statistics, equally far from both ends, that holds the median with at least
// 95 % where there are enough values, and the extremes where there are not.
func interval(v []float64) (low, high float64) {
	s := slices.Sorted(slices.Values(v))
	n := len(s)
	// tail is the chance that at most k of n values fall on one side.
	k, tail, term := 0, 0.0, math.Exp2(-float64(n))
	for tail+term <= 0.025 {
		tail += term
		term *= float64(n-k) / float64(k+1)
		k++
	}
	k = max(k-1, 0)
	return s[k], s[n-1-k]
}
