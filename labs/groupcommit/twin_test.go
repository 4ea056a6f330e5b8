package groupcommit

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The arithmetic of the division, exactly.
func TestFillTimes(t *testing.T) {
	check := func(count int, perSecond float64, want time.Duration) {
		t.Helper()
		if got := fill(count, perSecond); got != want {
			t.Errorf("%d at %g/s: got %v, want %v", count, perSecond, got, want)
		}
	}
	check(1000, 10, 100*time.Second)
	check(1000, 100_000, 10*time.Millisecond)
	check(64, 2000, 32*time.Millisecond)
	check(1, 10, 100*time.Millisecond)
}

func constant(d time.Duration) func(int, int) time.Duration {
	return func(int, int) time.Duration { return d }
}

// One arrival to two fsyncs, then 50 to one: what the division gives.
func TestTwinFollowsTheDivision(t *testing.T) {
	const f = time.Millisecond
	low, high := even(640, 500), even(6400, 50_000)
	p50 := func(p policy, arrivals []time.Duration) float64 {
		w := waits(arrivals, p.twin(arrivals, constant(f)))
		slices.Sort(w)
		return w[len(w)/2-1] / f.Seconds()
	}
	check := func(what string, got, min, max float64) {
		t.Helper()
		if got < min || got > max {
			t.Errorf("%s: got %g, want %g to %g", what, got, min, max)
		}
	}
	check("fixed count at low load", p50(policy{count: 64}, low), 63, 65)
	check("adaptive at low load", p50(policy{}, low), 1, 1)
	check("fixed window at low load", p50(policy{window: 4 * f}, low), 3, 5)
	check("held open at low load", p50(policy{hold: 4 * f}, low), 1, 3)
	check("adaptive at high load", p50(policy{}, high), 1.4, 1.6)
	check("fixed count at high load", p50(policy{count: 64}, high), 1.6, 1.7)
	check("mean batch at low load", meanBatch(policy{}.twin(low, constant(f))), 1, 1)
	check("mean batch at high load", meanBatch(policy{}.twin(high, constant(f))), 49, 51)
	check("mean batch held open, one to an fsync", meanBatch(policy{hold: 4 * f}.twin(even(400, 1000), constant(f))), 3.9, 4.1)
}

// a load in virtual time: arrivals in bursts and pauses, fsyncs of all lengths.
func drawLoad(t *rapid.T) (policy, []time.Duration, func(int, int) time.Duration) {
	p := rapid.SampledFrom([]policy{
		{}, {count: 1}, {count: 7}, {count: 64}, {window: 3}, {window: 40}, {hold: 5}, {hold: 40},
	}).Draw(t, "policy")
	n := rapid.SampledFrom([]int{1, 2, 3, 10, 50, 200}).Draw(t, "arrivals") // left to itself, rapid keeps to a handful
	gap := rapid.SampledFrom([]int{0, 0, 1, 2, 3, 10, 60})
	gaps := rapid.SliceOfN(gap, n, n).Draw(t, "gaps")
	arrivals, at := make([]time.Duration, len(gaps)), time.Duration(0)
	for i, g := range gaps {
		at += time.Duration(g)
		arrivals[i] = at
	}
	took := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 2, 5, 20, 50}), 1, 20).Draw(t, "fsyncs")
	return p, arrivals, func(i, _ int) time.Duration { return time.Duration(took[i%len(took)]) }
}

// The committer in virtual time does exactly what the twin says, which shares
// no code with it.
func TestCommitterIsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, arrivals, busy := drawLoad(t)
		v := newVirtual(p, arrivals, busy)
		if err := v.play(); err != nil {
			t.Fatal(err)
		}
		if got, want := v.c.batches, p.twin(arrivals, busy); !slices.Equal(got, want) {
			t.Fatalf("%+v: got batches %v, want %v", p, got, want)
		}
	})
}

// Whatever the policy: no record lost or out of order, none told before its
// barrier.
func TestEveryAckFollowsItsBarrier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, arrivals, busy := drawLoad(t)
		v := newVirtual(p, arrivals, busy)
		v.c.delay = time.Duration(rapid.IntRange(0, 20).Draw(t, "delay"))
		if err := v.play(); err != nil {
			t.Fatal(err)
		}
		if n := v.j.early(); n != 0 {
			t.Fatalf("%d of %d acknowledged too soon", n, len(arrivals))
		}
		for i := range arrivals {
			if i >= len(v.order) || v.order[i] != i {
				t.Fatalf("acknowledged in the order %v, want each of %d once, as it came", v.order, len(arrivals))
			}
			if v.acked[i] < arrivals[i] {
				t.Fatalf("record %d acknowledged at %d, before it came at %d", i, v.acked[i], arrivals[i])
			}
		}
	})
}

// The cap holds for every load and every fsync, and without a hold it does not.
func TestHoldCapsTheBarriers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, arrivals, busy := drawLoad(t)
		p := policy{hold: time.Duration(rapid.SampledFrom([]int{1, 2, 7, 20, 60}).Draw(t, "hold"))}
		b := p.twin(arrivals, busy)
		elapsed := b[len(b)-1].ended - arrivals[0]
		if most := int64(elapsed/p.hold) + 1; int64(len(b)) > most {
			t.Fatalf("%d fsyncs in %d with a hold of %d, want %d at most", len(b), elapsed, p.hold, most)
		}
	})
	const f = time.Millisecond
	b := policy{}.twin(even(32, 1000), constant(f))
	elapsed := b[len(b)-1].ended - even(1, 1000)[0]
	if got := float64(len(b)) / (float64(elapsed)/float64(held*f) + 1); got < 3 {
		t.Errorf("no hold, one arrival to an fsync: got %.2f of the cap, want over 3", got)
	}
}

// The controls, each in virtual time at the loads of the lab.
func TestControlsInVirtualTime(t *testing.T) {
	const f = time.Millisecond
	low, high := even(64, 500), even(1024, 50_000)
	p50 := func(p policy, arrivals []time.Duration, delay time.Duration) float64 {
		v := newVirtual(p, arrivals, constant(f))
		v.c.delay = delay
		if err := v.play(); err != nil {
			t.Fatal(err)
		}
		o := outcome{}
		for i, at := range arrivals {
			o.latencies = append(o.latencies, (v.acked[i] - at).Seconds())
		}
		return o.p50()
	}
	check := func(claim string, plain, broken float64) {
		t.Helper()
		region := Lab.Claim(claim).Region
		if !region.Contains(plain) || region.Contains(broken) || !region.Misses(broken, broken, 1.5) {
			t.Errorf("%s, %v: got %g, and %g under its control", claim, region, plain, broken)
		}
	}
	adaptive, fixed := p50(policy{}, low, 0), p50(policy{count: large}, low, 0)
	check(collapses, fixed/adaptive, adaptive/adaptive)
	check(onlyBarrier, adaptive/f.Seconds(), p50(policy{count: 8}, low[:8], 0)/f.Seconds())
	full := p50(policy{count: large}, high, 0)
	delay := seconds(Lab.Control("delay-before-close").Dose.Default * full)
	check(neverLoses, p50(policy{}, high, 0)/full, p50(policy{}, high, delay)/full)
	check(follows, meanBatch(policy{}.twin(high, constant(f)))/meanBatch(policy{}.twin(low, constant(f))), 1)
}

// An acknowledgement at the start, a failing fsync, and a stop.
func TestCommitterFaults(t *testing.T) {
	arrivals := even(20, 1000)
	v := newVirtual(policy{}, arrivals, constant(time.Millisecond))
	v.c.early = true
	if err := v.play(); err != nil || v.j.early() != 20 {
		t.Errorf("acknowledged at the start: got %d too soon, error %v, want 20", v.j.early(), err)
	}
	v = newVirtual(policy{count: 4}, arrivals, constant(time.Millisecond))
	v.failAt = 3
	if err := v.play(); !errors.Is(err, errStopped) || len(v.order) != 8 {
		t.Errorf("third fsync failed: got %v and %d acknowledged, want %v and 8", err, len(v.order), errStopped)
	}
	v = newVirtual(policy{hold: 5 * time.Millisecond}, arrivals, constant(time.Millisecond))
	v.stopAt = 10 * time.Millisecond
	if err := v.play(); !errors.Is(err, errStopped) || len(v.order) == 20 {
		t.Errorf("stopped in a hold: got %v and %d acknowledged", err, len(v.order))
	}
}

// Virtual time has no loop that spins: a committer parks once for each time it
// runs dry.
func TestCommitterParks(t *testing.T) {
	v := newVirtual(policy{}, even(50, 500), constant(time.Millisecond))
	if err := v.play(); err != nil || v.parked != 50 {
		t.Errorf("got %d times parked, error %v, want 50", v.parked, err)
	}
}
