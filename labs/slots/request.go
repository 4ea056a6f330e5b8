package slots

import (
	"math/rand/v2"
	"slices"
)

const (
	batch    = 8   // slots
	requests = 512 // in the lab's trace
	episode  = 128 // requests in a timed episode
	longest  = 200 // tokens: where a request is stopped
)

// asked are the output lengths of the question.
var asked = []int{5, 8, 6, 120, 7, 9, 6, 11}

// request is a prompt to be read and an answer to be generated. The answer's
// length is known here, and used for nothing but to say when it ends: no
// scheduler looks at it beforehand.
type request struct {
	id             uint64 // the prompt's tokens follow from it
	prompt, output int    // tokens
}

// lengths returns n lengths with a heavy tail: of all requests one in k comes
// to k tokens or more, and none beyond the longest. They are the quantiles of
// that law and not draws from it, so that only their order is left to chance.
func lengths(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = min(longest, 2*n/(2*i+1)) // 1 / ((i + 1/2) / n)
	}
	return out
}

// trace returns n requests whose prompts and outputs follow the same law, each
// in an order of its own.
func trace(rng *rand.Rand, n int) []request {
	prompts, outputs := lengths(n), lengths(n)
	for _, l := range [][]int{prompts, outputs} {
		rng.Shuffle(n, func(i, j int) { l[i], l[j] = l[j], l[i] })
	}
	out := make([]request, n)
	for i := range out {
		out[i] = request{id: rng.Uint64(), prompt: prompts[i], output: outputs[i]}
	}
	return out
}

// ofLengths returns requests with the given outputs and short prompts.
func ofLengths(outputs []int) []request {
	out := make([]request, len(outputs))
	for i, n := range outputs {
		out[i] = request{id: uint64(i), prompt: 4, output: n}
	}
	return out
}

// tokens is what all requests generate together.
func tokens(all []request) (n int) {
	for _, q := range all {
		n += q.output
	}
	return n
}

// meanLongest is the mean, over all ways to draw k of the lengths, of the
// longest that was drawn: of how many k-subsets each length is the maximum.
func meanLongest(lengths []int, k int) float64 {
	sorted, n := slices.Sorted(slices.Values(lengths)), len(lengths)
	mean, before := 0.0, 0.0
	for i, l := range sorted {
		within := 1.0 // the share of draws that lie among the first i+1
		for j := range k {
			within *= max(0, float64(i+1-j)) / float64(n-j)
		}
		mean += (within - before) * float64(l)
		before = within
	}
	return mean
}
