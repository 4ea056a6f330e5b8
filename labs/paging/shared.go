package paging

import (
	"context"
	"math/rand/v2"
	"slices"

	"envelope/internal/lab"
)

// storedOnce admits groups of sequences that begin alike, by prompts and by
// forks, and holds the number of blocks in use against the division.
func storedOnce(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("stored-once")
	for _, size := range sizes {
		for range 40 {
			if err := ctx.Err(); err != nil {
				return err
			}
			a, err := newAllocator(config{blocks: 1 << 15 / size, size: size, sequences: 32, seed: r.Seed,
				faults: faults{noSharing: r.Sabotaged("sharing-off")}})
			if err != nil {
				return err
			}
			want := 0
			for _, more := range []func(*allocator, *rand.Rand) (int, error){group, group, forks} {
				n, err := more(a, rng)
				if err != nil {
					return err
				}
				want += n
				r.Observe(once, float64(a.used()-want))
			}
		}
	}
	return nil
}

// group starts sequences with one prefix and ends of their own, and returns how
// many blocks they should add to those in use: the prefix's whole blocks once,
// and for each sequence what lies behind them. One sequence comes and goes
// before all others, so that its blocks are found without an owner.
func group(a *allocator, rng *rand.Rand) (blocks int, err error) {
	common := randomTokens(rng, rng.IntN(600))
	shared := len(common) / a.size
	h, err := a.start(common)
	if err == nil {
		err = a.release(h)
	}
	if err != nil {
		return 0, err
	}
	n := 2 + rng.IntN(8)
	for i := range n {
		own := randomTokens(rng, rng.IntN(100))
		if len(own) > 0 {
			own[0] = int32(i) // or ends might begin alike by chance
		}
		all := append(slices.Clone(common), own...)
		if _, err := a.start(all); err != nil {
			return 0, err
		}
		blocks += (len(all)+a.size-1)/a.size - shared
	}
	return blocks + shared, nil
}

// forks splits a sequence several times and lets each one write a token of its
// own. Each then has one block more than the whole ones that all share: a copy
// of the last, or the next.
func forks(a *allocator, rng *rand.Rand) (blocks int, err error) {
	tokens := randomTokens(rng, rng.IntN(600))
	first, err := a.start(tokens)
	if err != nil {
		return 0, err
	}
	live := []handle{first}
	for range 1 + rng.IntN(8) {
		h, err := a.fork(live[rng.IntN(len(live))])
		if err != nil {
			return 0, err
		}
		live = append(live, h)
	}
	for i, h := range live {
		if err := a.append(h, int32(-1-i)); err != nil {
			return 0, err
		}
	}
	return len(tokens)/a.size + len(live), nil
}

func randomTokens(rng *rand.Rand, n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = 1000 + rng.Int32N(1<<30)
	}
	return tokens
}

// Sequences of prefixIdentity have up to depth blocks, each one of letters.
const letters, depth = 4, 3

// wholePrefix starts every sequence of three blocks, each block one of four.
// Any two that differ somewhere hold equal blocks behind it, which must not be
// one.
func wholePrefix(ctx context.Context, r *lab.Run) error {
	rng := r.Rand("whole-prefix")
	for _, size := range sizes {
		a, err := newAllocator(config{blocks: 100, size: size, sequences: 65, seed: r.Seed,
			faults: faults{ownTokens: r.Sabotaged("own-tokens-only")}})
		if err != nil {
			return err
		}
		alphabet := make([][]int32, letters)
		for i := range alphabet {
			alphabet[i] = randomTokens(rng, size)
		}
		live := make([]handle, letters*letters*letters)
		for range 3 {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, word := range rng.Perm(len(live)) {
				if live[word] != (handle{}) {
					continue
				}
				if live[word], err = spell(a, alphabet, word, rng.IntN(2) == 0); err != nil {
					return err
				}
			}
			for word, h := range live {
				r.Observe(whole, float64(trespasses(a, live, word, a.find(h).table)))
			}
			if err := forget(a, live, rng); err != nil {
				return err
			}
		}
	}
	return nil
}

// letter is the number of a word's block i.
func letter(word, i int) int {
	for range depth - 1 - i {
		word /= letters
	}
	return word % letters
}

// spell starts a word, as a prompt or token by token.
func spell(a *allocator, alphabet [][]int32, word int, asPrompt bool) (handle, error) {
	var tokens []int32
	for i := range depth {
		tokens = append(tokens, alphabet[letter(word, i)]...)
	}
	if asPrompt {
		return a.start(tokens)
	}
	h, err := a.start(nil)
	for _, t := range tokens {
		if err == nil {
			err = a.append(h, t)
		}
	}
	return h, err
}

// trespasses counts the blocks of a table that stand in another one behind
// something else.
func trespasses(a *allocator, live []handle, word int, table []int32) (n int) {
	for other, h := range live {
		for i, b := range table {
			for j, c := range a.find(h).table {
				// Words that agree in their first i+1 letters have the
				// same number when the others are cut off.
				rest := 1
				for range depth - 1 - i {
					rest *= letters
				}
				if b == c && (i != j || word/rest != other/rest) {
					n++
				}
			}
		}
	}
	return n
}

// forget releases half of the words, and puts another sequence through the pool,
// for which some of what they left must go.
func forget(a *allocator, live []handle, rng *rand.Rand) error {
	for _, word := range rng.Perm(len(live))[:len(live)/2] {
		if err := a.release(live[word]); err != nil {
			return err
		}
		live[word] = handle{}
	}
	h, err := a.start(randomTokens(rng, a.size*a.available()*2/3))
	if err != nil {
		return err
	}
	return a.release(h)
}
