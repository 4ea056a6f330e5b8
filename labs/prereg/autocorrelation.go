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
	coefficient = 0.3      // correlation of each day with the one before
	days        = 2 * year // of a record
	lag         = 5
	// tests that a default run makes. See autocorrelation for what they leave of
	// the region.
	tests = 30000
)

// lags for which the table shows the rejections: 0 is the plain test.
var lags = []int{0, 1, 2, lag, 10, 30}

// autoregression draws a record of mean zero and variance one in which each day
// has so much in common with the one before, from its first day on.
func autoregression(rng *rand.Rand, record []float64, coefficient float64) {
	fresh := math.Sqrt(1 - coefficient*coefficient)
	v := rng.NormFloat64()
	for i := range record {
		record[i] = v
		v = coefficient*v + fresh*rng.NormFloat64()
	}
}

// autocovariances returns those of a record about its own mean, for lags from 0
// on: sums of products over n, as Newey and West take them.
func autocovariances(record []float64, to []float64) {
	mean := 0.0
	for _, v := range record {
		mean += v / float64(len(record))
	}
	for i := range record {
		record[i] -= mean
	}
	for k := range to {
		// Two sums, since each addition waits for the last one of its own.
		var even, odd float64
		late, early := record[k:], record[:len(record)-k]
		for i := 0; i+1 < len(late); i += 2 {
			even += late[i] * early[i]
			odd += late[i+1] * early[i+1]
		}
		if last := len(late) - 1; last%2 == 0 {
			even += late[last] * early[last]
		}
		to[k] = (even + odd) / float64(len(record))
	}
	for i := range record {
		record[i] += mean
	}
}

// longRun is the variance of the mean of a record, times its length, with what
// the days have in common over so many lags (Newey and West, A simple, positive
// semi-definite, heteroskedasticity and autocorrelation consistent covariance
// matrix, 1987). The weights fall in a straight line, 1 - k / (lag + 1), so that
// it can't be negative.
func longRun(covariances []float64, lag int) float64 {
	v := covariances[0]
	for k := 1; k <= lag; k++ {
		v += 2 * (1 - float64(k)/float64(lag+1)) * covariances[k]
	}
	return v
}

// rejects reports whether a two-sided test at the nominal error finds that the
// mean is not zero.
func rejects(mean, variance float64, n int) bool {
	critical := distuv.UnitNormal.Quantile(1 - nominal/2)
	return math.Abs(mean) > critical*math.Sqrt(variance/float64(n))
}

// rejected is how often such a test rejects a mean of zero, for long records, if
// it takes the variance of the mean for so much of what it is.
func rejected(taken float64) float64 {
	critical := distuv.UnitNormal.Quantile(1 - nominal/2)
	return 2 * distuv.UnitNormal.CDF(-critical*math.Sqrt(taken))
}

// takenAs is the share of the variance of the mean that the estimate comes to in
// long records: with autocorrelations coefficient^k,
//
//	(1 + 2 sum of (1 - k / (lag + 1)) coefficient^k) / ((1 + coefficient) / (1 - coefficient))
func takenAs(coefficient float64, lag int) float64 {
	covariances := make([]float64, lag+1)
	for k := range covariances {
		covariances[k] = math.Pow(coefficient, float64(k))
	}
	return longRun(covariances, lag) / ((1 + coefficient) / (1 - coefficient))
}

// autocorrelation observes two shares of what is allowed, each with the end of
// its interval that speaks against the claim.
//
// The mean of days that correlate by 0.3^k has 1.3 / 0.7 = 1.86 times the
// variance that independent ones would give it. A test that does not know rejects
// as if its bound were at 1.96 / sqrt(1.86) = 1.44 standard errors: 15.0 %, 3.0
// times nominal, where at least 2 times must be.
//
// Five lags find 1.65 of the 1.86. Nothing to speak of is behind them (0.3^6 is
// 0.0007), but the falling weights take from those that are there: 6.44 %. And
// over 504 days the estimate is uncertain, and a little low because the mean was
// taken from the same days: 6.86 % over 400,000 tests, 1.37 times nominal, where at
// most 1.6 may be. More lags lose less by the weights and more by uncertainty:
// over the same tests 12 lags are best, with 6.47 %, and none brings it to 5 %.
//
// Over 30,000 tests the share is uncertain by 0.15 %, 0.029 times nominal. The
// upper end of its interval lies 2.24 of that above it, at 1.44, and the bound
// another 5.5: a true claim fails less than once in 10^7. With independent days the
// plain test rejects 5 %, half of what it must; with the lags subtracted it is 40 %
// where 8 % may be.
func autocorrelation(ctx context.Context, r *lab.Run) error {
	rng, rho := r.Rand("tests"), coefficient
	if r.Sabotaged(independent) {
		rho = 0
	}
	record := make([]float64, days)
	covariances := make([]float64, lags[len(lags)-1]+1)
	rejections := make([]share, len(lags))
	for range scaled(r, tests) {
		if err := ctx.Err(); err != nil {
			return err
		}
		autoregression(rng, record, rho)
		mean := 0.0
		for _, v := range record {
			mean += v / days
		}
		autocovariances(record, covariances)
		for i, l := range lags {
			v := longRun(covariances, l)
			if r.Sabotaged(subtracted) {
				v = max(0, 2*covariances[0]-v)
			}
			rejections[i].count(rejects(mean, v, days))
		}
	}
	t := lab.Table{Title: "true means of zero that a test at 5 % rejects, days that correlate by 0.3",
		Header: []string{"lags", "rejected", "by arithmetic, for long records"}}
	for i, l := range lags {
		s := rejections[i]
		t.Rows = append(t.Rows, []string{fmt.Sprint(l), fmt.Sprintf("%.2f %%", 100*s.value()),
			fmt.Sprintf("%.2f %%", 100*rejected(takenAs(coefficient, l)))})
		low, high := s.interval(2)
		switch l {
		case 0:
			r.Observe(fakes, atLeast(low, 2*nominal))
			r.AddSeries(lab.Series{Name: "rejected-as-if-independent", Unit: "1", Samples: []float64{s.value()}, Conditions: -1,
				Text: "means of zero rejected at 5 % by a test that takes the days for independent"})
		case lag:
			r.Observe(fakes, high/(1.6*nominal))
		}
	}
	r.AddTable(t)
	return nil
}
