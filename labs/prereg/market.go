package prereg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"envelope/internal/lab"
)

const (
	assets     = 100
	marketDays = 4 * 365 // a market that never closes
	// markets is how many a default run makes.
	markets = 6

	daily = 0.04 // standard deviation of an ordinary day
	drift = 0.05 // what the highest signal adds to a return, in such deviations
	// jumps is the probability of a day on which one of the ten lowest signals
	// jumps upwards, by 1 on average: it doubles.
	jumps = 0.02

	fee = 15e-4 // of what is bought or sold
)

// market is one that was built so that a signal ranks its assets rightly.
type market struct {
	rng           *rand.Rand
	drift         float64
	thin          bool
	signal, moves []float64
}

func newMarket(rng *rand.Rand, drift float64, thin bool) *market {
	return &market{rng: rng, drift: drift, thin: thin, signal: make([]float64, assets), moves: make([]float64, assets)}
}

// day draws the signals of a day, and then what each asset gains. The signal
// knows nothing of its own of the day before.
func (m *market) day() {
	for i, at := range m.rng.Perm(assets) {
		m.signal[i] = 2*float64(at)/(assets-1) - 1
		m.moves[i] = daily * (m.drift*m.signal[i] + m.rng.NormFloat64())
		if at < assets/10 && m.rng.Float64() < jumps {
			m.moves[i] += m.rng.ExpFloat64()
		}
	}
	if m.thin {
		m.flatten()
	}
}

// flatten leaves every rank as it is, and gives the returns the tails of a
// normal distribution.
func (m *market) flatten() {
	for i, rank := range ranks(m.moves) {
		m.moves[i] = daily * distuv.UnitNormal.Quantile((rank+0.5)/assets)
	}
}

// account is what a strategy that holds the signal's ranks comes to.
type account struct {
	ic, t         float64 // mean rank correlation of a day, and how many standard errors that is
	gross, net    float64 // gain of a year, in units of capital
	sharpe, after float64 // of a year, before and after fees
	turnover      float64 // bought and sold in a day, in units of capital
	cost          float64 // fees of a year
}

func (m *market) trade(ctx context.Context) (account, error) {
	var ics, gains, nets [marketDays]float64
	var a account
	held := make([]float64, assets)
	for d := range ics {
		if err := ctx.Err(); err != nil {
			return a, err
		}
		m.day()
		ics[d] = correlation(ranks(m.signal), ranks(m.moves))
		w, traded := weights(m.signal), 0.0
		for i := range w {
			gains[d] += w[i] * m.moves[i]
			traded += math.Abs(w[i] - held[i])
		}
		nets[d] = gains[d] - fee*traded
		if d > 0 { // the first day buys everything
			a.turnover += traded / (marketDays - 1)
		}
		held = w
	}
	const inYear = 365
	ic, gross, net := momentsOf(ics[:]), momentsOf(gains[:]), momentsOf(nets[:])
	a.ic, a.t = ic.mean, ic.sharpe()*math.Sqrt(marketDays)
	a.gross, a.net = inYear*gross.mean, inYear*net.mean
	a.sharpe, a.after = math.Sqrt(inYear)*gross.sharpe(), math.Sqrt(inYear)*net.sharpe()
	a.cost = a.turnover * fee * inYear
	return a, nil
}

// rightAndLosing observes how many of the two facts are otherwise, for each of
// several markets.
//
// A straight line from -1 to 1 has a variance of 1/3, so the signal correlates
// with ordinary days by 0.05 x 0.577 = 0.029, and their ranks by about 3/pi of
// it, 0.028. A jump takes the asset from one of the lowest ranks to the highest:
// about -(45 x 50) / (100 x 833) = -0.027 a time, a fifth of a time a day, -0.005.
// What is left, 0.023, is the mean of 1460 days that spread by 0.1: t = 8.7, give
// or take 1.
//
// The signal earns the sum of w x 4 % x 0.05 x signal = 0.2 % x (1/3) / (1/2) =
// 0.13 % a day. The lowest ten hold 1.8 % of the capital each: 0.2 jumps a day of
// 1 cost 0.36 %. So 0.23 % a day is lost, 83 % a year. A day spreads by 0.46 %
// without jumps and with them by sqrt(0.46^2 + 0.2 x 2 x 1.8^2) = 1.2 %: a Sharpe
// ratio of -3.6 a year, and over four years 7 standard deviations from zero.
func rightAndLosing(ctx context.Context, r *lab.Run) error {
	rng, strength := r.Rand("markets"), drift
	if r.Sabotaged(noSignal) {
		strength = 0
	}
	t := lab.Table{Title: "four years each, ranks held as positions, every day anew",
		Header: []string{"rank IC", "t", "gain a year", "Sharpe", "turnover a day", "fees a year", "net Sharpe"}}
	var costs []float64
	for range scaled(r, markets) {
		a, err := newMarket(rng, strength, r.Sabotaged(thinTails)).trade(ctx)
		if err != nil {
			return err
		}
		otherwise := 0.0
		if !(a.t > 2) {
			otherwise++
		}
		if !(a.gross < 0) {
			otherwise++
		}
		r.Observe(canLose, otherwise)
		costs = append(costs, a.cost)
		if len(t.Rows) < markets {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("%.3f", a.ic), fmt.Sprintf("%.1f", a.t), fmt.Sprintf("%.0f %%", 100*a.gross),
				fmt.Sprintf("%.2f", a.sharpe), fmt.Sprintf("%.3f", a.turnover), fmt.Sprintf("%.0f %%", 100*a.cost), fmt.Sprintf("%.2f", a.after)})
		}
	}
	r.AddSeries(lab.Series{Name: "fees-a-year", Unit: "1", Samples: costs, Conditions: -1,
		Text: "turnover a day x 15 bps x 365, in units of capital, for each market"})
	r.AddTable(t)
	return nil
}
