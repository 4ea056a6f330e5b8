package speculate

import "math/rand/v2"

// mostProposed is how many tokens a pass can verify.
const mostProposed = 32

// dice are all that is random in a pass, so that a test can follow every way
// that it can take instead.
type dice interface {
	pick(*table) token
	chance(float64) bool
}

// random throws the dice by a generator. It fills a cache line, so that the one
// of another processor is not in it: side by side they would take twice as long.
type random struct {
	rand.PCG
	_ [48]byte
}

//go:norace
func (r *random) pick(t *table) token { return t.at(r.Uint64()) }

//go:norace
func (r *random) chance(p float64) bool { return float64(r.Uint64()>>11) < p*(1<<53) }

// faults are the changes that controls make. The zero value has none.
type faults struct {
	redraw bool // a rejected proposal is replaced by a draw from p
	greedy bool // what is not p's likeliest token is rejected, and replaced by it
	forced bool // whatever is proposed is taken
	stale  bool // every position is judged as the first is
}

// decoder generates tokens as a model would, with the help of a proposer. What
// a pass needs of p and q is computed beforehand: here a context is one token,
// and there are few.
type decoder struct {
	proposed int // tokens in a pass
	stale    bool

	target, draft, residual [vocabulary]table
	accept                  [vocabulary]dist
}

func newDecoder(model, proposer *chain, proposed int, f faults) *decoder {
	d := &decoder{proposed: proposed, stale: f.stale}
	for s := range model {
		p, q := model[s], proposer[s]
		accept, rest := acceptance(&p, &q), residual(&p, &q)
		switch {
		case f.redraw:
			rest = p
		case f.greedy:
			best := certain(p.ranked()[0])
			accept, rest, p = best, best, best
		case f.forced:
			for t := range accept {
				accept[t] = 1
			}
		}
		d.target[s], d.draft[s], d.residual[s], d.accept[s] = newTable(p), newTable(q), newTable(rest), accept
	}
	return d
}

// pass appends the tokens of one pass behind a last one: those of the proposed
// ones that are accepted, and one that the model adds, in the place of the first
// rejected or behind all. All are proposed before any is verified, as a model
// must that sees them in one pass.
//
//go:norace
func (d *decoder) pass(r dice, last token, out []token) []token {
	var proposed [mostProposed]token
	at := last
	for i := range d.proposed {
		at = r.pick(&d.draft[at])
		proposed[i] = at
	}
	at = last
	for _, t := range proposed[:d.proposed] {
		if !r.chance(d.accept[at][t]) {
			return append(out, r.pick(&d.residual[at]))
		}
		out = append(out, t)
		if !d.stale {
			at = t
		}
	}
	return append(out, r.pick(&d.target[at]))
}

// pair returns the first two tokens behind a prompt, from one pass or from two.
//
//go:norace
func (d *decoder) pair(r dice, prompt token) (first, second token) {
	var room [2 * mostProposed]token
	out := d.pass(r, prompt, room[:0])
	if len(out) < 2 {
		out = d.pass(r, out[0], out)
	}
	return out[0], out[1]
}
