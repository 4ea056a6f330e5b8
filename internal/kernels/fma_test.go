package kernels

import (
	"math"
	"testing"
)

// rounds puts a seed through n rounds of a path's recurrence in float64.
func rounds(p *path, seed float64, n int) float64 {
	for range n {
		if p.name == "neon" {
			seed = seed + (1 + 1./1024) - 1
		} else {
			seed = seed*factor + term
		}
	}
	return seed
}

// chains counts the seeds that a path's result depends on.
func chains(p *path) int {
	count := 0
	want := p.fma(1, &seeds[0])
	for i := range seeds {
		moved := seeds
		moved[i] += 16
		if p.fma(1, &moved[0]) != want {
			count++
		}
	}
	return count
}

// expected is what fma must return: the sum over its chains. Its slack is what float32 may lose on the way.
func expected(p *path, n int) (sum, slack float64) {
	for _, s := range seeds[:chains(p)] {
		v := rounds(p, float64(s), n)
		sum += v
		slack += math.Abs(v)
	}
	return sum, slack * 2e-5
}

func TestFMADoesEveryRound(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 4, 5, 17, 100, 101, 102, 511} {
			got := float64(active.fma(n, &seeds[0]))
			want, slack := expected(active, n)
			if math.Abs(got-want) > slack {
				t.Errorf("%d rounds: got %g, want %g within %g", n, got, want, slack)
			}
			for _, other := range []int{n - 2, n - 1, n + 1, n + 2, 2 * n, n / 2} {
				if wrong, _ := expected(active, other); other >= 0 && other != n && math.Abs(got-wrong) <= slack {
					t.Errorf("%d rounds can't be told from %d", n, other)
				}
			}
		}
	})
}

// The count of operations is the instrument's scale: it must be no more than the chains that the result depends on can need.
func TestFMACountsWhatItDoes(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		perRound := 2.0
		if active.name == "neon" {
			perRound = 4 // up and down
		}
		if got, want := active.flops, perRound*float64(chains(active)); got != want {
			t.Errorf("got %g operations a round, want %g", got, want)
		}
		for _, c := range []struct{ iterations, threads int }{{1, 1}, {5, 3}, {minFMA + 1, 1}, {2 * maxFMA, 2}} {
			flops, sink := FMA(c.iterations, c.threads)
			if want := float64(c.iterations*c.threads) * active.flops; flops != want {
				t.Errorf("%d iterations, %d threads: got %g operations, want %g", c.iterations, c.threads, flops, want)
			}
			want, slack := expectedSink(active, c.iterations*c.threads)
			if math.Abs(float64(sink)-want) > slack {
				t.Errorf("%d iterations, %d threads: got sink %g, want %g within %g", c.iterations, c.threads, sink, want, slack)
			}
		}
	})
}

// expectedSink adds up the pieces of a call of so many iterations in all.
func expectedSink(p *path, iterations int) (sum, slack float64) {
	for left := iterations; left > 0; left -= minFMA {
		s, e := expected(p, min(left, minFMA))
		sum, slack = sum+s, slack+e
	}
	return sum, slack
}

func TestFMAOnLessThanOneThread(t *testing.T) {
	want, _ := FMA(5, 1)
	for _, threads := range []int{0, -1, -7} {
		if got, _ := FMA(5, threads); got != want {
			t.Errorf("%d threads: got %g operations, want %g", threads, got, want)
		}
	}
}

func TestFMAOfNothing(t *testing.T) {
	if flops, sink := FMA(0, 2); flops != 0 || sink != 0 {
		t.Errorf("got %g operations and %g, want none", flops, sink)
	}
	if flops, _ := FMA(-3, 2); flops != 0 {
		t.Errorf("got %g operations for -3 iterations, want 0", flops)
	}
}

// However many iterations: values of the size of one, or the loop would slow down or saturate.
func TestFMAStaysAmongOrdinaryNumbers(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		got := math.Abs(float64(active.fma(maxFMA, &seeds[0]))) / float64(chains(active))
		if got < 0.1 || got > 16 {
			t.Errorf("mean %g after %d rounds, want between 0.1 and 16", got, maxFMA)
		}
	})
}

func TestSeedsAreDistinct(t *testing.T) {
	seen := map[float32]bool{}
	for _, s := range seeds {
		if seen[s] {
			t.Errorf("%g twice", s)
		}
		seen[s] = true
	}
}

func TestCyclesMakesWhatItSays(t *testing.T) {
	for _, n := range []int{0, -1, 1, 63, 64, 65, 1000, maxChain*chainLength + 1} {
		got := Cycles(n)
		if want := uint64(max(0, n)+chainLength-1) / chainLength * chainLength; got != want {
			t.Errorf("%d additions: got %d, want %d", n, got, want)
		}
	}
}

// A chain can begin its next multiply-add after the latency of the last. With fewer chains than that times the units, the peak would be
// the chains' and not the processor's.
func TestChainsCanReachTheCeiling(t *testing.T) {
	const latency = 4 // cycles, on the processors of the last ten years
	onEachPath(t, func(t *testing.T) {
		if active == portable {
			t.Skip("plain Go has too few registers for so many chains, and its peak is known to be low")
		}
		if Ceiling() <= 0 || active.flops < latency*Ceiling() {
			t.Errorf("ceiling %g a cycle: a round of %g FLOP is over in fewer than %d cycles", Ceiling(), active.flops, latency)
		}
	})
}
