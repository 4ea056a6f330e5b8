package speculate

import (
	"math"
	"math/rand/v2"
)

// fade is how much less likely each token of a model is than the next likelier
// one.
const fade = 0.6

// least is the probability of the least likely token, 1 in 87.8.
var least = math.Pow(fade, vocabulary-1) * (1 - fade) / (1 - math.Pow(fade, vocabulary))

// chain is a distribution of the next token for every token that may come
// before it: a model, or a proposer.
type chain [vocabulary]dist

// newModel returns a random model: behind every token the same eight
// probabilities, 0.41, 0.24 and so on down to 0.01, in an order of its own. So
// the next token depends on the last one as much as it can, and no run's model
// is so flat, or so like its neighbour, that a fault would not show.
func newModel(rng *rand.Rand) (c chain) {
	for s := range c {
		p := least
		for _, t := range rng.Perm(vocabulary) {
			c[s][t] = p
			p /= fade
		}
	}
	return c
}

// of makes a chain of what a proposer has to say to each of a model's
// distributions.
func (c *chain) of(propose func(p *dist) dist) *chain {
	var out chain
	for s := range c {
		out[s] = propose(&c[s])
	}
	return &out
}

// flatter is a proposer that knows the model and is less sure: it takes 1-a from
// the two likeliest tokens, and gives it to the others, in proportion each time.
// What it takes from some it adds to others, so the overlap is a, exactly, and
// behind every token: a is the acceptance by construction. The likeliest two
// have 0.65, so a must be over 0.35.
func flatter(p *dist, a float64) (q dist) {
	order := p.ranked()
	top := p[order[0]] + p[order[1]]
	for i, t := range order {
		if i < 2 {
			q[t] = p[t] * (1 - (1-a)/top)
		} else {
			q[t] = p[t] * (1 + (1-a)/(1-top))
		}
	}
	return q
}

// misled proposes only what the model finds unlikely, and most of all what it
// finds least likely. The tokens that matter come out by way of the residual
// alone.
func misled(p *dist) (q dist) {
	order := p.ranked()
	sum := 0.0
	for i, t := range order[vocabulary/2:] {
		q[t] = p[order[vocabulary-1-i]]
		sum += q[t]
	}
	for t := range q {
		q[t] /= sum
	}
	return q
}

// useless proposes nothing but what the model finds least likely.
func useless(p *dist) dist { return certain(p.ranked()[vocabulary-1]) }

// kind is a proposer of the claim about the distribution.
type kind struct {
	name  string
	chain *chain
}

// kinds are a good proposer, a bad one, which is another model, and an
// adversarial one.
func (c *chain) kinds(rng *rand.Rand) []kind {
	other := newModel(rng)
	return []kind{
		{"good", c.of(func(p *dist) dist { return flatter(p, 0.9) })},
		{"bad", &other},
		{"adversarial", c.of(misled)},
	}
}
