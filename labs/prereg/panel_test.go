package prereg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func testPanel() *panel { return newPanel(rand.New(rand.NewPCG(1, 1))) }

// A day's features by hand, from the window of 21 days up to it.
func TestFeatures(t *testing.T) {
	p := testPanel()
	const day, a = 70, 0
	f := leaks{}.raw(p, day, a)
	var moves []float64
	volume := 0.0
	for d := day - window; d <= day; d++ {
		volume += p[d][a].volume / (window + 1)
		if d > day-window {
			moves = append(moves, math.Log(p[d][a].price)-math.Log(p[d-1][a].price))
		}
	}
	want := [featureCount]float64{math.Log(p[day][a].price / p[day-window][a].price), momentsOf(moves).sd, math.Log(p[day][a].volume / volume)}
	for i := range want {
		if !near(f[i], want[i], 1e-9) {
			t.Errorf("feature %d: got %v, want %v", i, f[i], want[i])
		}
	}
	if len(moves) != window {
		t.Errorf("%d moves, want %d", len(moves), window)
	}
}

// The universe is half of what was listed throughout, and its features have mean
// 0 and spread 1 on each day.
func TestUniverse(t *testing.T) {
	p := testPanel()
	table := leaks{}.compute(p)
	for d := range panelDays {
		whole, in := 0, 0
		for a := range panelAssets {
			throughout := d >= window
			for e := max(0, d-window); e <= d; e++ {
				throughout = throughout && p[e][a].listed()
			}
			if throughout {
				whole++
			}
			if table.universe[d][a] {
				in++
				if !throughout {
					t.Errorf("day %d: asset %d is in the universe, and was not listed throughout", d, a)
				}
			} else if !math.IsNaN(table.features[d][a][momentum]) {
				t.Errorf("day %d: asset %d has features outside the universe", d, a)
			}
		}
		if in != (whole+1)/2 {
			t.Errorf("day %d: %d in the universe, of %d that could be", d, in, whole)
		}
		if in == 0 {
			continue
		}
		for f := range featureCount {
			var all []float64
			for a := range panelAssets {
				if table.universe[d][a] {
					all = append(all, table.features[d][a][f])
				}
			}
			if m := momentsOf(all); !near(m.mean, 0, 1e-9) || !near(m.sd, 1, 1e-9) {
				t.Errorf("day %d, feature %d: mean %v, spread %v", d, f, m.mean, m.sd)
			}
		}
	}
}

// Assets come and go, or nothing would be tried of a universe that knows.
func TestPanelChanges(t *testing.T) {
	p := testPanel()
	late, early := 0, 0
	for a := range panelAssets {
		if !p[0][a].listed() {
			late++
		}
		if !p[panelDays-1][a].listed() {
			early++
		}
	}
	if late < 3 || early != panelAssets/4 {
		t.Errorf("%d come late and %d go early", late, early)
	}
}

// Each leak shows in what it leaks into, and a table is equal to itself.
func TestLeaks(t *testing.T) {
	p, other := testPanel(), newPanel(rand.New(rand.NewPCG(2, 2)))
	const day = 100
	q := p.from(day, other)
	check := func(l leaks, leaks bool) {
		t.Helper()
		table := l.compute(p)
		before, n := table.differences(l.compute(q), 0, day)
		after, _ := table.differences(l.compute(q), day, panelDays)
		if (before > 0) != leaks || after == 0 || n == 0 {
			t.Errorf("%+v: %d of %d features are otherwise before, and %d after", l, before, n, after)
		}
		if d, _ := table.differences(l.compute(p), 0, panelDays); d != 0 {
			t.Errorf("%+v: %d differences from itself", l, d)
		}
	}
	check(leaks{}, false)
	check(leaks{centred: true}, true)
	check(leaks{whole: true}, true)
	check(leaks{survivors: true}, true)
}

// A perturbation that changes nothing is seen as one.
func TestPerturbed(t *testing.T) {
	a, b := &table{}, &table{}
	b.features[7][1][volatility] = 1
	check := func(day, want int) {
		t.Helper()
		if got, _ := a.perturbed(b, day); got != want {
			t.Errorf("from day %d: got %d, want %d", day, got, want)
		}
	}
	check(7, 0)
	check(2, 0)
	check(8, 2) // and nothing behind
	if got, _ := a.perturbed(a, 7); got != 1 {
		t.Errorf("nothing was perturbed: got %d, want 1", got)
	}
}

func TestDifferences(t *testing.T) {
	a, b := &table{}, &table{}
	b.universe[3][2] = true
	b.features[5][1][volatility] = math.Copysign(0, -1)
	b.features[6][1][volatility] = math.NaN()
	// What is not there is not there, whatever bits it has.
	a.features[8][1][volatility], b.features[8][1][volatility] = math.NaN(), math.Float64frombits(math.Float64bits(math.NaN())+1)
	check := func(from, to, want int) {
		t.Helper()
		if got, _ := a.differences(b, from, to); got != want {
			t.Errorf("days %d to %d: got %d differences, want %d", from, to, got, want)
		}
	}
	check(0, 3, 0)
	check(0, 4, 1)
	check(4, 6, 1)
	check(0, panelDays, 3)
	if _, n := b.differences(a, 0, panelDays); n != featureCount {
		t.Errorf("got %d features compared, want those of one asset", n)
	}
}
