package speculate

import "math"

// cells counts pairs of tokens.
type cells [vocabulary][vocabulary]int

func (c *cells) add(o *cells) {
	for i := range c {
		for j := range c[i] {
			c[i][j] += o[i][j]
		}
	}
}

// distance is the total variation between what was counted and the model's
// pairs behind a prompt: half the sum of all differences of shares.
func (c *cells) distance(model *chain, prompt token) float64 {
	n := c.total()
	sum := 0.0
	for i := range c {
		for j := range c[i] {
			sum += math.Abs(float64(c[i][j])/float64(n) - model[prompt][i]*model[i][j])
		}
	}
	return sum / 2
}

func (c *cells) total() (n int) {
	for i := range c {
		for j := range c[i] {
			n += c[i][j]
		}
	}
	return n
}

// confidence is what the intervals of all proposers of a claim have together.
const confidence = 0.95

// slack is what has to be added to a distance that was counted over n
// independent pairs for an upper bound of the true one, such that all of m
// bounds hold together with the confidence.
//
// Let r be the distribution that the pairs come from, d its distance from p, and
// T the counted distance, half the sum of |f - p| over the shares f.
//
//  1. The mean of each f is r, and |f - p| is convex in f: the mean of T is at
//     least half the sum of |r - p|, which is d. T errs upwards on average.
//  2. Another outcome of one pair moves 1/n from one cell to another, and T by
//     at most half of 2/n. So T lies more than s below its mean with a
//     probability of at most exp(-2 n s^2) (McDiarmid, On the method of bounded
//     differences, 1989), whatever r is and however many cells there are.
//  3. With that at (1 - confidence) / m each, d <= T + sqrt(ln(m / (1 -
//     confidence)) / (2 n)) for all m at once.
//
// What it costs an honest decoder: the mean of |f - p| is at most sqrt(p (1 - p)
// / n), and the sum of the roots over c cells at most sqrt(c - 1), so the mean
// of T is at most sqrt((c - 1) / n) / 2. With 64 cells, n = 2^21 and m = 6 that
// is 0.0027, and the slack 0.0011: 0.0038 where 0.01 is allowed. By the same
// inequality, upwards, T is so far above its mean that a true claim fails with a
// probability of exp(-2 n 0.0062^2) = 10^-70.
func slack(n, m int) float64 {
	return math.Sqrt(math.Log(float64(m)/(1-confidence)) / (2 * float64(n)))
}

// lengths counts passes by the tokens that they gave.
type lengths [mostProposed + 2]int

func (l *lengths) add(o *lengths) {
	for i := range l {
		l[i] += o[i]
	}
}

// mean returns the mean number of tokens of a pass, the variance of the sample
// and the number of passes.
func (l *lengths) mean() (mean, variance float64, n int) {
	sum := 0.0
	for tokens, times := range l {
		n += times
		sum += float64(tokens) * float64(times)
	}
	mean = sum / float64(n)
	for tokens, times := range l {
		d := float64(tokens) - mean
		variance += d * d * float64(times)
	}
	return mean, variance / float64(n-1), n
}

// interval returns bounds of the true mean of passes that give between 1 and
// width + 1 tokens, such that all of m intervals hold together with the
// confidence. A count of tokens is no share of trials, so Clopper-Pearson does
// not fit; this asks for nothing but independent passes and a width. It is the
// empirical Bernstein bound (Maurer and Pontil, Empirical Bernstein bounds and
// sample variance penalization, 2009, theorem 4) on both sides: with log =
// ln(2 / delta), the mean of n values in [0, 1] with sample variance v is off by
// over sqrt(2 v log / n) + 7 log / (3 (n - 1)) to one side with a probability of
// at most delta.
func (l *lengths) interval(width, m int) (low, high float64) {
	mean, v, n := l.mean()
	log := math.Log(2 * 2 * float64(m) / (1 - confidence))
	half := math.Sqrt(2*v*log/float64(n)) + float64(width)*7*log/(3*float64(n-1))
	return mean - half, mean + half
}

// expected is the mean number of tokens of a pass that verifies k proposals,
// each accepted with probability a: the i-th is reached and accepted with
// probability a^i, and one token more comes from the model.
func expected(a float64, k int) float64 {
	sum, power := 1.0, 1.0
	for range k {
		power *= a
		sum += power
	}
	return sum
}
