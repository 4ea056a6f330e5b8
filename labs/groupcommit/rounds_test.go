package groupcommit

import (
	"strings"
	"testing"
	"time"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// Sizes follow the time that there is, in fsync times.
func TestChoose(t *testing.T) {
	check := func(budget, fsync time.Duration, count int, fixed, possible bool) {
		t.Helper()
		s, f, p := choose(budget.Seconds() / fsync.Seconds())
		if s.fixed != count || f != fixed || p != possible {
			t.Errorf("%v at %v an fsync: got a count of %d, %v, %v; want %d, %v, %v", budget, fsync, s.fixed, f, p, count, fixed, possible)
		}
		if needs := seconds(barely * s.cost(fixed) * fsync.Seconds()); possible && needs > budget {
			t.Errorf("%v at %v an fsync: needs %v", budget, fsync, needs)
		}
	}
	check(2500*time.Millisecond, 250*time.Microsecond, 64, true, true)
	check(2500*time.Millisecond, 500*time.Microsecond, 64, true, true)
	check(2500*time.Millisecond, time.Millisecond, 32, true, true)
	check(8*time.Second, 8*time.Millisecond, 32, true, true)
	check(8*time.Second, 20*time.Millisecond, 32, false, true)
	check(8*time.Second, 100*time.Millisecond, 32, false, false)
	check(80*time.Second, 20*time.Millisecond, 32, true, true) // a full run
}

// benchOf is a bench without a directory, on a disk with the given fsync times.
func benchOf(control string, budget, low, high time.Duration) *bench {
	r := lab.NewRun(lab.Config{Lab: Lab, Control: control, Budget: budget})
	b := &bench{Run: r, low: recent{low.Seconds()}, high: recent{high.Seconds()}, missed: map[string]string{}}
	b.fit()
	return b
}

// What a disk leaves no time for, or makes no high load on, is void with the
// reason.
func TestFit(t *testing.T) {
	check := func(low, high time.Duration, unreachable ...string) {
		t.Helper()
		b := benchOf("", 8*time.Second, low, high)
		for _, c := range Lab.Claims {
			want := strings.Contains(strings.Join(unreachable, " "), c.Name)
			j, void := b.Record().Voids[c.Name]
			if void != want || void && j.Reason != measure.Unreachable {
				t.Errorf("fsyncs of %v and %v: %s: got void %v (%s) %s, want %v", low, high, c.Name, void, j.Reason, j.Detail, want)
			}
		}
	}
	const ms, us = time.Millisecond, time.Microsecond
	check(ms, ms)
	check(8*ms, 8*ms)
	check(20*ms, 20*ms, collapses)
	check(100*ms, 100*ms, collapses, onlyBarrier, follows, neverLoses)
	check(40*us, 31*us)
	// A disk that was quiet a moment ago is not too slow, it is busy.
	r := lab.NewRun(lab.Config{Lab: Lab, Budget: 2 * time.Second, Barrier: ms})
	b := &bench{Run: r, low: recent{0.1}, high: recent{0.1}}
	if b.fit(); len(r.Record().Voids) != 0 || b.most > 2*ms {
		t.Errorf("a busy disk: got %v void and loads for fsyncs of %v", r.Record().Voids, b.most)
	}
	check(40*us, 29*us, follows, neverLoses) // fewer than 6 arrivals to an fsync
}

// The loads of a round are those of the claims, and each control changes the
// episode that it is about and no other.
func TestLoads(t *testing.T) {
	const f = time.Millisecond
	kinds := []kind{lowAdaptive, lowFixed, lowBrief, highAdaptive, highFixed, highSpawned}
	r := &round{low: f, high: f / 2}
	plain := benchOf("", 8*time.Second, f, f/2)
	for _, k := range kinds {
		l := plain.load(k, r)
		want := 500.0
		if k >= highAdaptive {
			want = 100_000
		}
		if l.perSecond != want || l.n%64 != 0 && k == highFixed || l.held || l.delay != 0 {
			t.Errorf("kind %d: got %+v, want %g arrivals a second", k, l, want)
		}
	}
	check := func(control string, changed ...kind) {
		t.Helper()
		b := benchOf(control, 8*time.Second, f, f/2)
		for _, k := range kinds {
			want := false
			for _, c := range changed {
				want = want || c == k
			}
			if got := b.load(k, r) != plain.load(k, r); got != want {
				t.Errorf("%s: changes kind %d: got %v, want %v", control, k, got, want)
			}
		}
	}
	check("both-adaptive", lowFixed)
	check("fixed", lowAdaptive, lowBrief)
	check("lock-across-fsync", lowAdaptive, lowBrief, highSpawned)
	check("no-hold")
	check("ack-at-the-start")
	check("delay-before-close") // depends on the other arm of its round
	if got := highRate(10 * time.Microsecond); got != fastest {
		t.Errorf("a high load at 10 µs: got %g a second, want %d", got, fastest)
	}
}

// A load that can't be made voids the claim that needs it, and says so instead of
// naming an error.
func TestMissed(t *testing.T) {
	s := newStage(t)
	b := benchOf("", 8*time.Second, time.Millisecond, time.Millisecond)
	b.stage, b.ctx = *s, t.Context()
	_, err := b.episode(load{perSecond: 1e9, n: 2000}) // a nanosecond apart
	if _, ok := err.(errMissed); !ok || b.played != tries || b.repeated != tries {
		t.Errorf("a load of 1e9/s: got %v after %d episodes, %d of them again, want it missed after %d", err, b.played, b.repeated, tries)
	}
	if o, why, err := b.try(load{perSecond: 1e9, n: 2000}); o != nil || err != nil || why == "" {
		t.Errorf("tried: got %v, %q, %v", o, why, err)
	}
	b.low = recent{1e-9 * held} // shortest counts, and 10 µs are made here or not
	if err := b.holds(); err != nil || b.SeriesNamed(holdCaps) == nil && b.missed[holdCaps] == "" {
		t.Errorf("a hold: got %v, neither observed nor missed", err)
	}
	arm := b.arm(collapses, "a", "s", lowFixed, (*outcome).p50)
	b.rounds, b.size.fixed = []*round{{low: 1, high: 1}}, 2000 // two nanoseconds apart
	if v, err := arm.Count(); err == nil || b.missed[collapses] == "" {
		t.Errorf("an arm under such a load: got %v, %v, %q", v, err, b.missed[collapses])
	}
}

// The median of recent fsyncs forgets what is older than a few dozen.
func TestRecent(t *testing.T) {
	var r recent
	for _, took := range []time.Duration{time.Second, time.Millisecond} {
		r.add(&outcome{batches: func() (out []batch) {
			for range kept {
				out = append(out, batch{synced: took})
			}
			return out
		}()})
		if len(r) > kept || r.median() != took {
			t.Errorf("got %v of %d, want %v", r.median(), len(r), took)
		}
	}
	if got := (recent{0}).median(); got != shortest {
		t.Errorf("no time at all: got %v, want %v", got, shortest)
	}
}

// On a slow disk one short episode of the hold has to do, and it is there.
func TestHoldsWithLittleTime(t *testing.T) {
	s := newStage(t)
	b := benchOf("", time.Millisecond, 50*time.Microsecond, 50*time.Microsecond)
	b.stage, b.ctx = *s, t.Context()
	if err := b.holds(); err != nil {
		t.Fatal(err)
	}
	if got := b.SeriesNamed(holdCaps); len(got) != 1 && b.missed[holdCaps] == "" {
		t.Errorf("got %v and missed %q, want one observation", got, b.missed[holdCaps])
	}
}
