package prereg

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	panelDays   = 160
	panelAssets = 24
	window      = 20 // days that a feature looks back
)

// cell is what is known of an asset on a day. One that is not listed has no
// price.
type cell struct{ price, volume float64 }

func (c cell) listed() bool { return !math.IsNaN(c.price) }

var unlisted = cell{math.NaN(), math.NaN()}

// panel is a history of a market: days, and on each all assets.
type panel [panelDays][panelAssets]cell

// newPanel draws a history. A quarter of the assets is listed late, and a quarter
// is gone before the end.
func newPanel(rng *rand.Rand) *panel {
	p := &panel{}
	for a, role := range rng.Perm(panelAssets) {
		from, to := 0, panelDays
		switch role % 4 {
		case 1:
			from = rng.IntN(panelDays / 2)
		case 2:
			to = panelDays/2 + rng.IntN(panelDays/2)
		}
		price, volume := 100*math.Exp(rng.NormFloat64()), 1e6*math.Exp(rng.NormFloat64())
		for d := range panelDays {
			price *= math.Exp(daily * rng.NormFloat64())
			p[d][a] = unlisted
			if from <= d && d < to {
				p[d][a] = cell{price, volume * math.Exp(rng.NormFloat64())}
			}
		}
	}
	return p
}

// from returns the panel with every cell from a day on taken from another.
func (p *panel) from(day int, other *panel) *panel {
	q := *p
	copy(q[day:], other[day:])
	return &q
}

// leaks are the ways in which what is not known yet comes into a feature.
type leaks struct {
	centred   bool // the window of a feature lies around its day
	whole     bool // a feature is scaled by the mean and spread of all days
	survivors bool // the universe is what is listed on the last day
}

// features of an asset on a day.
const (
	momentum       = iota // log return over the window
	volatility            // standard deviation of the daily log returns in it
	relativeVolume        // log of the volume over its mean in the window
	featureCount
)

// table holds the features of all days, NaN where an asset is not in the
// universe, and the universe.
type table struct {
	features [panelDays][panelAssets][featureCount]float64
	universe [panelDays][panelAssets]bool
}

// compute derives all features. What is known of a day is its own cells and
// those before it.
func (l leaks) compute(p *panel) *table {
	t := &table{}
	for d := range panelDays {
		l.chooseUniverse(p, d, &t.universe[d])
		for a := range panelAssets {
			t.features[d][a] = [featureCount]float64{math.NaN(), math.NaN(), math.NaN()}
			if t.universe[d][a] {
				t.features[d][a] = l.raw(p, d, a)
			}
		}
		if !l.whole {
			scale(t.features[d : d+1])
		}
	}
	if l.whole {
		scale(t.features[:])
	}
	return t
}

// span is the window of a day: window+1 days up to it, or fewer at the ends of
// the panel for one that lies around it.
func (l leaks) span(day int) (from, to int) {
	from, to = day-window, day+1
	if l.centred {
		from, to = from+window/2, to+window/2
	}
	return max(0, from), min(panelDays, to)
}

// chooseUniverse takes the half of the assets with the largest mean volume, among
// those that were listed throughout the window.
func (l leaks) chooseUniverse(p *panel, day int, in *[panelAssets]bool) {
	if day < window {
		return
	}
	from, to := l.span(day)
	means := make([]float64, 0, panelAssets)
	var mean [panelAssets]float64
	for a := range panelAssets {
		for d := from; d < to; d++ {
			mean[a] += p[d][a].volume // NaN where one is missing
		}
		if l.survivors && !p[panelDays-1][a].listed() {
			mean[a] = math.NaN()
		}
		if !math.IsNaN(mean[a]) {
			means = append(means, mean[a])
		}
	}
	if len(means) == 0 {
		return
	}
	slices.Sort(means)
	for a := range panelAssets {
		in[a] = mean[a] >= means[len(means)/2] // false for NaN
	}
}

// raw computes the features of an asset that was listed throughout the window.
func (l leaks) raw(p *panel, day, a int) (f [featureCount]float64) {
	from, to := l.span(day)
	f[momentum] = math.Log(p[to-1][a].price / p[from][a].price)
	moves := make([]float64, 0, window)
	volume := 0.0
	for d := from; d < to; d++ {
		volume += p[d][a].volume / float64(to-from)
		if d > from {
			moves = append(moves, math.Log(p[d][a].price/p[d-1][a].price))
		}
	}
	f[volatility] = momentsOf(moves).sd
	f[relativeVolume] = math.Log(p[day][a].volume / volume)
	return f
}

// scale brings each feature to mean 0 and standard deviation 1 over all that it
// is given.
func scale(days [][panelAssets][featureCount]float64) {
	for f := range featureCount {
		var all []float64
		for d := range days {
			for a := range panelAssets {
				if v := days[d][a][f]; !math.IsNaN(v) {
					all = append(all, v)
				}
			}
		}
		m := momentsOf(all)
		for d := range days {
			for a := range panelAssets {
				days[d][a][f] = (days[d][a][f] - m.mean) / m.sd
			}
		}
	}
}
