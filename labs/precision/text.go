package precision

import (
	"errors"
	"math"
	"strings"
)

// corpus is a text in classes of characters, cut into pieces of which some are
// held out.
type corpus struct {
	train, held [][]int
	classes     int // the rare characters are one
	characters  int
}

const (
	piece    = 512 // characters
	heldOut  = 8   // of so many pieces one
	uncommon = 20  // a character that stands less often than that is rare
)

// newCorpus makes a corpus of the documentation of labs: their prose in lower
// case, without the marks of comments.
func newCorpus(documents []string) (*corpus, error) {
	var b strings.Builder
	for _, d := range documents {
		text, _, _ := strings.Cut(d, "\npackage ")
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(line), "//"), " "))
		}
	}
	text := b.String()
	c := &corpus{characters: len(text)}
	class := c.classify(text)
	for i := 0; (i+1)*piece <= len(text); i++ {
		p := make([]int, piece)
		for k := range p {
			p[k] = class[text[i*piece+k]]
		}
		if i%heldOut == heldOut/2 {
			c.held = append(c.held, p)
		} else {
			c.train = append(c.train, p)
		}
	}
	if len(c.held) == 0 {
		return nil, errors.New("the documentation of the labs is too short to hold some of it out")
	}
	return c, nil
}

// classify numbers the common bytes of a text.
func (c *corpus) classify(text string) (class [256]int) {
	var times [256]int
	for i := range len(text) {
		times[text[i]]++
	}
	c.classes = 1
	for b, n := range times {
		if n >= uncommon {
			class[b] = c.classes
			c.classes++
		}
	}
	return class
}

// bigram is the loss of the first n characters of the held-out pieces, in nats a
// character, by a model that knows how often each character followed each other in
// training. The first so many of each piece are skipped. What it adds to each count
// for what it has not seen is chosen to suit the held-out pieces: it gets the best
// that it can be.
func (c *corpus) bigram(skip, n int) float64 {
	counts, sums := make([]float64, c.classes*c.classes), make([]float64, c.classes)
	for _, p := range c.train {
		for i := 1; i < len(p); i++ {
			counts[p[i-1]*c.classes+p[i]]++
			sums[p[i-1]]++
		}
	}
	best := math.Inf(1)
	for _, more := range []float64{0.01, 0.03, 0.1, 0.3, 1} {
		loss, left := 0.0, n
		for _, p := range c.held {
			for i := skip; i < len(p) && left > 0; i++ {
				loss -= math.Log((counts[p[i-1]*c.classes+p[i]] + more) / (sums[p[i-1]] + more*float64(c.classes)))
				left--
			}
		}
		best = min(best, loss/float64(n))
	}
	return best
}

// nothing is the loss of one who knows how many classes there are, and no more.
func (c *corpus) nothing() float64 { return math.Log(float64(c.classes)) }
