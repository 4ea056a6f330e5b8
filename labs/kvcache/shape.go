package kvcache

import (
	"fmt"
	"strconv"
)

// shape is what decides how large a cache is.
type shape struct {
	layers int
	heads  int // of keys and values
	dim    int // values of a head
	width  int // bytes of a value
	tokens int
}

// bytes is the product that the claims hold the kernel's counts against.
func (s shape) bytes() int { return 2 * s.layers * s.heads * s.dim * s.width * s.tokens }

// tensor is the part of it that one layer keeps as its keys, or as its values.
func (s shape) tensor() int { return s.heads * s.dim * s.width * s.tokens }

func (s shape) String() string {
	return fmt.Sprintf("%d layers, %d heads of %d values of %d B, %d tokens", s.layers, s.heads, s.dim, s.width, s.tokens)
}

// times is the shape with another number of tokens.
func (s shape) times(tokens int) shape {
	s.tokens = tokens
	return s
}

// args are the shape for a child's command line.
func (s shape) args() []string {
	var out []string
	for _, n := range []int{s.layers, s.heads, s.dim, s.width, s.tokens} {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

// numbers reads a child's arguments: as many whole numbers, none negative.
func numbers(args []string, want int) ([]int, error) {
	if len(args) != want {
		return nil, fmt.Errorf("want %d numbers, got %q", want, args)
	}
	out := make([]int, want)
	for i, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil || n < 0 || n > 1<<30 {
			return nil, fmt.Errorf("%q is no number from 0 to %d", a, 1<<30)
		}
		out[i] = n
	}
	return out, nil
}

func shapeOf(n []int) shape { return shape{n[0], n[1], n[2], n[3], n[4]} }

// The shapes that are put to the test. Every tensor and every sequence of them
// is a whole number of pages, up to pages of 64 KiB.
var (
	// seven is a model of 7 billion parameters with a key and a value for every
	// head, in 16 bits; grouped shares each among four.
	seven   = shape{layers: 32, heads: 32, dim: 128, width: 2}
	grouped = shape{layers: 32, heads: 8, dim: 128, width: 2}
	// queries is how many heads ask in each of the two that are compared.
	queries = 32
	shared  = 8 // of them ask one head of keys and values
	alone   = shape{layers: 16, heads: queries, dim: 64, width: 2, tokens: 512}
)
