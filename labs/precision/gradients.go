package precision

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"envelope/internal/autograd"
	"envelope/internal/lab"
)

// accepted is the relative error at which a gradient passes for right: thousands
// of times what differences in float64 are off by themselves.
const accepted = 1e-6

// gradients checks every operation, over shapes of all kinds, each used twice.
func gradients(ctx context.Context, r *lab.Run) error {
	worst, where := 0.0, ""
	all := trials()
	for _, t := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := t.twice(func() *rand.Rand { return r.Rand(t.name) }, r.Config.Control)
		seeds := autograd.Normal[float64](r.Rand("along "+t.name), len(n.Value()))
		off := autograd.Check(n, seeds, autograd.CheckStep)
		r.Observe(everyGradient, off)
		if off >= worst {
			worst, where = off, t.name
		}
	}
	r.Note("Of %d uses of the operations %s is furthest from its differences, by %.2g.", len(all), where, worst)
	sweep(r)
	return nil
}

// sweep shows what the step of a difference does to its error: too long, and the
// curve bends; too short, and the difference drowns in the rounding of both values.
func sweep(r *lab.Run) {
	rng := r.Rand("steps")
	best := math.Inf(1)
	t := lab.Table{Title: "central differences of exp in float64: relative error, root mean square",
		Header: []string{"step", "found", "cut off, step^2 / 6", "rounded off, 2^-53 / step"}}
	for exponent := -4; exponent >= -44; exponent -= 2 {
		step := math.Ldexp(1, exponent)
		off := differencesOff(rng, step)
		best = min(best, off)
		if exponent%4 == 0 {
			t.Rows = append(t.Rows, []string{fmt.Sprintf("2^%d", exponent), fmt.Sprintf("%.1e", off),
				fmt.Sprintf("%.1e", step*step/6), fmt.Sprintf("%.1e", math.Ldexp(1, -53)/step)})
		}
	}
	r.AddTable(t)
	r.AddSeries(lab.Series{Name: "difference-at-its-best", Unit: "1", Samples: []float64{best}, Conditions: -1,
		Text: "least relative error of a central difference of exp over steps from 2^-4 to 2^-44, root mean square over many arguments"})
}

// differencesOff is the relative error of central differences of exp, the root
// mean square over arguments between -1 and 1.
func differencesOff(rng *rand.Rand, step float64) float64 {
	const n = 1000
	sum := 0.0
	for range n {
		x := 2*rng.Float64() - 1
		high, low := x+step, x-step
		off := (math.Exp(high)-math.Exp(low))/(high-low)/math.Exp(x) - 1
		sum += off * off
	}
	return math.Sqrt(sum / n)
}

// projections checks gradients that are wrong, once along a random direction and
// once as the gradient of the plain sum.
func projections(ctx context.Context, r *lab.Run) error {
	t := lab.Table{Title: "relative error that is found of a wrong gradient", Header: []string{"fault", "random projection", "plain sum"}}
	for _, f := range []struct {
		name  string
		build func(d *draw) *node
	}{
		{"a transposed one that is not", func(d *draw) *node { return transposed(d.param(5, 5)) }},
		{"rows in a wrong order", func(d *draw) *node { return reordered(d.param(6, 3), []int{3, 0, 4, 1, 5, 2}) }},
		{"none through a softmax", func(d *draw) *node { return severed(d.param(4, 6)) }},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := &draw{graph: new(autograd.Graph[float64]), rng: r.Rand(f.name)}
		n := f.build(d)
		plain := make([]float64, len(n.Value()))
		for i := range plain {
			plain[i] = 1
		}
		random := autograd.Normal[float64](d.rng, len(plain))
		if r.Sabotaged(plainSum) {
			copy(random, plain)
		}
		found, missed := autograd.Check(n, random, autograd.CheckStep), autograd.Check(n, plain, autograd.CheckStep)
		r.Observe(catchesTranspose, found/max(missed, accepted))
		t.Rows = append(t.Rows, []string{f.name, fmt.Sprintf("%.2g", found), fmt.Sprintf("%.2g", missed)})
	}
	r.AddTable(t)
	return nil
}
