package precision

import (
	"context"
	"fmt"
	"math/rand/v2"

	"envelope/internal/autograd"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// repeated scatters whole numbers by random indices, so that every order of
// adding gives the same sum, and compares with sums of integers.
func repeated(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("rows")
	met := [3]int{} // rows that were named never, once, many times
	for range 200 {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows, width, n := 1+rng.IntN(12), 1+rng.IntN(5), 1+rng.IntN(24)
		index, numbers := make([]int, n), make([]float64, n*width)
		for i := range index {
			index[i] = rng.IntN(rows)
		}
		for i := range numbers {
			numbers[i] = float64(rng.IntN(2001) - 1000)
		}
		want, times := integerSums(index, numbers, rows, width)
		for _, t := range times {
			met[min(t, 2)]++
		}
		gathered, scattered := bothWays(index, numbers, rows, width, r.Sabotaged(lastWrite))
		r.Observe(accumulate, differ(gathered, want), differ(scattered, want))
	}
	for _, times := range met {
		unmet := 0.0
		if times == 0 {
			unmet = 1
		}
		r.Observe(accumulate, unmet)
	}
	survives(r)
	return timeOneHot(ctx, r)
}

// integerSums adds up rows of numbers where the index sends them, and counts how
// often it names each.
func integerSums(index []int, numbers []float64, rows, width int) (sums []int, times []int) {
	sums, times = make([]int, rows*width), make([]int, rows)
	for i, at := range index {
		times[at]++
		for k := range width {
			sums[at*width+k] += int(numbers[i*width+k])
		}
	}
	return sums, times
}

// bothWays returns the gradient of a table from which rows were gathered, seeded
// with the numbers, and the table to which they are scattered.
func bothWays(index []int, numbers []float64, rows, width int, last bool) (gathered, scattered []float64) {
	g := new(autograd.Graph[float64])
	table, from := g.Param(shape{rows, width}, nil), g.Input(shape{len(index), width}, numbers)
	gather, scatter := autograd.Gather[float64], autograd.ScatterAdd[float64]
	if last {
		gather, scatter = gatherLast, scatterLast
	}
	g.Backward(gather(table, index, shape{len(index)}), numbers...)
	return table.Grad(), scatter(from, index, rows).Value()
}

// differ counts the elements that are not equal.
func differ(got []float64, want []int) (n float64) {
	for i, v := range got {
		if v != float64(want[i]) {
			n++
		}
	}
	return n
}

// survives counts what last write wins leaves of a gradient of ones, when a
// thousand characters and some name the rows of a table of 64.
func survives(r *lab.Run) {
	const rows, n = 64, 1024
	rng := r.Rand("survives")
	var shares []float64
	for range 16 {
		index, ones := make([]int, n), make([]float64, n)
		for i := range index {
			index[i], ones[i] = rng.IntN(rows), 1
		}
		gathered, _ := bothWays(index, ones, rows, 1, true)
		sum := 0.0
		for _, v := range gathered {
			sum += v
		}
		shares = append(shares, sum/n)
	}
	r.AddSeries(lab.Series{Name: "share-that-survives", Unit: "1", Samples: shares, Conditions: -1,
		Text: "share of a gradient of ones that is left by last write wins, 1,024 random rows of 64"})
}

// timeOneHot times the gradient of a table by a loop over the rows that were named, and
// as a product with a matrix of zeros and ones.
func timeOneHot(ctx context.Context, r *lab.Run) error {
	const rows, width, n = 128, 64, 256
	loop, product := tableGradients(r.Rand("one-hot"), rows, width, n)
	defer func(bar func(float64)) { r.Progress = bar }(r.Progress)
	r.Progress = nil // the share of this is not the lab's
	err := r.Compare(ctx, nil,
		measure.Single{N: 9, Warm: true, Arm: measure.Arm{Name: "gradient by a loop over rows", Op: op(loop), Repeat: true}},
		measure.Single{N: 9, Warm: true, Arm: measure.Arm{Name: "gradient by a one-hot product", Op: op(product), Repeat: true}})
	if err != nil {
		return err
	}
	var ratio []float64
	by := r.SeriesNamed("gradient by a loop over rows")
	for i, v := range r.SeriesNamed("gradient by a one-hot product") {
		if i < len(by) {
			ratio = append(ratio, v/by[i])
		}
	}
	if len(ratio) == 0 {
		return nil // the time was over, and the question goes unanswered
	}
	r.AddSeries(lab.Series{Name: "one-hot-over-loop", Unit: "1", Samples: ratio, Conditions: -1,
		Text: fmt.Sprintf("time of the gradient of a table of %d rows of %d by a one-hot product / by a loop over %d rows", rows, width, n)})
	return nil
}

// tableGradients are two ways to the same gradient: of rows that are gathered,
// and of the same rows as a product of a matrix of zeros and ones with the table.
func tableGradients(rng *rand.Rand, rows, width, n int) (loop, product *autograd.Node[float32]) {
	g := new(autograd.Graph[float32])
	t, hot, index := g.Param(shape{rows, width}, nil), g.Input(shape{n, rows}, nil), make([]int, n)
	for i := range index {
		index[i] = rng.IntN(rows)
		hot.Value()[i*rows+index[i]] = 1
	}
	loop, product = autograd.Gather(t, index, shape{n}), autograd.MatMul(hot, t)
	seeds := autograd.Normal[float32](rng, n*width)
	copy(loop.Grad(), seeds)
	copy(product.Grad(), seeds)
	return loop, product
}

func op(n *autograd.Node[float32]) func() error {
	return func() error { n.Propagate(); return nil }
}
