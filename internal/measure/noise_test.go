package measure

import (
	"math"
	"math/rand/v2"
)

// stream makes the samples of one synthetic claim whose true ratio is 1: the
// two of arm A and the two of arm B, block after block.
type stream func() (a, b [2]float64)

// kind is a way in which a machine disturbs what is measured on it.
type kind struct {
	name string
	make func(rng *rand.Rand) stream
	// weak says that the rule's assumption, independent blocks of which half
	// lie on each side of the true ratio, does not hold under it.
	weak bool
	// blurred says that there is no true ratio to cover.
	blurred bool
}

// kinds are the disturbances that the rule is simulated under.
var kinds = []kind{
	{name: "lognormal, factor 1.1", make: independent(lognormal(0.1))},
	{name: "lognormal, factor e", make: independent(lognormal(1))},
	{name: "10 % of samples 5 times as long", make: independent(outliers)},
	{name: "Pareto, exponent 1.1", make: independent(pareto)},
	{name: "one arm tripled in bursts of 20 blocks", make: bursts, weak: true},
	{name: "autocorrelation 0.8, factor e", make: correlated(0.8), weak: true},
	{name: "autocorrelation 0.95, factor e", make: correlated(0.95), weak: true},
	{name: "half of the blocks disturbed", make: halfDisturbed, weak: true, blurred: true},
}

func lognormal(sigma float64) func(*rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return math.Exp(sigma * rng.NormFloat64()) }
}

func outliers(rng *rand.Rand) float64 {
	v := lognormal(0.1)(rng)
	if rng.Float64() < 0.1 {
		v *= 5
	}
	return v
}

// pareto has a mean of 11 and no variance.
func pareto(rng *rand.Rand) float64 { return math.Pow(1-rng.Float64(), -1/1.1) }

// independent disturbs each sample by itself.
func independent(draw func(*rand.Rand) float64) func(*rand.Rand) stream {
	return func(rng *rand.Rand) stream {
		return func() (a, b [2]float64) {
			for i := range 2 {
				a[i], b[i] = draw(rng), draw(rng)
			}
			return a, b
		}
	}
}

// bursts triples the time of one arm, drawn anew for each burst, during
// stretches of 20 blocks that follow on calm ones of 20 on average.
func bursts(rng *rand.Rand) stream {
	calm := independent(lognormal(0.1))(rng)
	left, slowA := 0, false
	return func() (a, b [2]float64) {
		a, b = calm()
		if left == 0 && rng.Float64() < 1.0/20 {
			left, slowA = 20, rng.Float64() < 0.5
		}
		if left > 0 {
			left--
			slow := &b
			if slowA {
				slow = &a
			}
			slow[0], slow[1] = 3*slow[0], 3*slow[1]
		}
		return a, b
	}
}

// correlated moves the ratio about by a factor e, with so much of it kept from
// each block to the next.
func correlated(kept float64) func(*rand.Rand) stream {
	return func(rng *rand.Rand) stream {
		calm, x := independent(lognormal(0.1))(rng), rng.NormFloat64()
		return func() (a, b [2]float64) {
			a, b = calm()
			x = kept*x + math.Sqrt(1-kept*kept)*rng.NormFloat64()
			f := math.Exp(x)
			return [2]float64{f * a[0], f * a[1]}, b
		}
	}
}

// halfDisturbed makes arm B 18 times as long in about every other block, as
// another writer's journal commits do.
func halfDisturbed(rng *rand.Rand) stream {
	calm := independent(lognormal(0.1))(rng)
	return func() (a, b [2]float64) {
		a, b = calm()
		if rng.Float64() < 0.5 {
			b[0], b[1] = 18*b[0], 18*b[1]
		}
		return a, b
	}
}
