package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"envelope/internal/measure"
	"envelope/manifest"
)

// What the package's comment says of chance: two runs of one quantity,
// 16 blocks each as most claims have, judged as the driver judges, seldom come out
// apart. Ratios are lognormal with a spread of a fifth, one in ten of them five
// times as large.
func TestApartByChance(t *testing.T) {
	const pairs = 20_000
	rng := rand.New(rand.NewPCG(3, 5))
	terms := measure.Terms{Kind: measure.Comparison, Region: measure.AtLeast(3), Form: measure.Ratio}
	estimate := func() *Interval {
		b := measure.Blocks{Per: 1, Form: measure.Ratio}
		for range 16 {
			v := 9 * math.Exp(0.2*rng.NormFloat64())
			if rng.IntN(10) == 0 {
				v *= 5
			}
			b.A, b.B = append(b.A, v), append(b.B, 1)
		}
		return interval(manifest.NewEstimate(measure.Judge(terms, measure.Evidence{Blocks: &b}, 0).Estimate))
	}
	apart := 0
	for range pairs {
		switch relation, _ := relate(false, estimate(), estimate()); relation {
		case Apart:
			apart++
		case Overlap:
		default:
			t.Fatalf("got %s, want two estimates", relation)
		}
	}
	t.Logf("%d of %d pairs lie apart", apart, pairs)
	if apart > pairs/1000 {
		t.Errorf("%d of %d pairs lie apart, want at most one in a thousand", apart, pairs)
	}
}
