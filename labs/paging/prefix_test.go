package paging

import (
	"slices"
	"testing"
)

func TestPrefixIdentity(t *testing.T) {
	a := made(t, config{blocks: 64, size: 2, sequences: 16})
	first := table(a, begun(t, a, 1, 2, 3, 4, 5, 6))
	check := func(what string, want int, prompt ...int32) {
		t.Helper()
		h := begun(t, a, prompt...)
		n, got := 0, table(a, h)
		for i, b := range got {
			if i < len(first) && b == first[i] && n == i {
				n++
			} else if slices.Contains(first, b) {
				t.Errorf("%s: block %d is shared at %d", what, b, i)
			}
		}
		if n != want || a.find(h).found < 2*n {
			t.Errorf("%s: %d blocks shared and %d tokens found, want %d blocks", what, n, a.find(h).found, want)
		}
	}
	check("the same", 3, 1, 2, 3, 4, 5, 6)
	check("the same and more", 3, 1, 2, 3, 4, 5, 6, 7)
	check("its beginning", 2, 1, 2, 3, 4)
	check("less than a block more", 1, 1, 2, 3)
	check("less than a block", 0, 1)
	check("the first token another", 0, 9, 2, 3, 4, 5, 6)
	check("the blocks exchanged", 0, 3, 4, 1, 2, 5, 6)
	check("a later block in front", 0, 3, 4, 5, 6)
	check("a block left out", 1, 1, 2, 5, 6)
	check("a block twice", 1, 1, 2, 1, 2, 3, 4)
	check("shifted by a token", 0, 0, 1, 2, 3, 4, 5)
}

// A hash says where to look and nothing else: an equal key with other tokens, or
// behind another block, is another block.
func TestCollision(t *testing.T) {
	a := made(t, config{blocks: 8, size: 2, sequences: 2})
	h := begun(t, a, 1, 2, 3, 4)
	b := table(a, h)
	key := a.block[b[1]].key
	check := func(what string, want, parent int32, tokens ...int32) {
		t.Helper()
		if got := a.lookup(key, parent, tokens); got != want {
			t.Errorf("%s: got block %d, want %d", what, got, want)
		}
	}
	check("the block itself", b[1], b[0], 3, 4)
	check("other tokens under its key", none, b[0], 3, 5)
	check("its tokens at the front", none, none, 3, 4)
	check("its tokens behind another block", none, b[1], 3, 4)
}

// Blocks that were filled token by token by two sequences at once become one.
func TestMerge(t *testing.T) {
	a := made(t, config{blocks: 8, size: 2, sequences: 3})
	one, two := begun(t, a), begun(t, a)
	for _, token := range []int32{1, 2, 3, 4, 5} {
		for _, h := range []handle{one, two} {
			if err := a.append(h, token); err != nil {
				t.Fatal(err)
			}
		}
	}
	first, second := table(a, one), table(a, two)
	if !slices.Equal(first[:2], second[:2]) || first[2] == second[2] || a.used() != 4 {
		t.Errorf("got tables %v and %v with %d blocks in use, want the first two shared", first, second, a.used())
	}
}

// Blocks go in the order in which they were last held, children before their
// parents, and those with an owner never.
func TestEviction(t *testing.T) {
	a := made(t, config{blocks: 8, size: 1, sequences: 8})
	old, young := begun(t, a, 1, 2), begun(t, a, 3, 4)
	kept := begun(t, a, 5, 6)
	oldest, younger, held := table(a, old), table(a, young), table(a, kept)
	ended(t, a, old, young)
	want := append([]int32{6, 7}, oldest[1], oldest[0], younger[1], younger[0])
	// Two free ones first, then the idle ones.
	got := table(a, begun(t, a, 11, 12, 13, 14, 15, 16))
	if !slices.Equal(got, want) {
		t.Errorf("got blocks %v, want %v", got, want)
	}
	if a.take() != none {
		t.Error("a block was taken from a sequence that holds it")
	}
	if !slices.Equal(table(a, kept), held) || a.tokens(held[0])[0] != 5 || a.tokens(held[1])[0] != 6 {
		t.Error("a block with an owner was evicted")
	}
}

// To be found again makes a block young.
func TestUseMakesYoung(t *testing.T) {
	a := made(t, config{blocks: 3, size: 1, sequences: 3})
	one, two := begun(t, a, 1), begun(t, a, 2)
	first, second := table(a, one)[0], table(a, two)[0]
	ended(t, a, one, two)
	ended(t, a, begun(t, a, 1))
	got := table(a, begun(t, a, 8, 9))
	if got[1] != second || a.find(begun(t, a, 1)).table[0] != first {
		t.Errorf("block %d went, want %d, which was idle for longer than %d", got[1], second, first)
	}
}

// What was evicted is found no more, though its tokens are still in the pool.
func TestEvictedIsForgotten(t *testing.T) {
	a := made(t, config{blocks: 2, size: 2, sequences: 2})
	ended(t, a, begun(t, a, 1, 2))
	ended(t, a, begun(t, a, 7))
	ended(t, a, begun(t, a, 8, 8, 9))
	h := begun(t, a, 1, 2)
	if got := a.find(h).found; got != 0 {
		t.Errorf("found %d tokens of an evicted block, want none", got)
	}
}

func TestWithoutSharing(t *testing.T) {
	a := made(t, config{blocks: 8, size: 2, sequences: 2, faults: faults{noSharing: true}})
	one, two := begun(t, a, 1, 2, 3), begun(t, a, 1, 2, 3)
	if a.used() != 4 {
		t.Errorf("%d blocks in use, want 4", a.used())
	}
	ended(t, a, one, two)
	if a.frees != 8 {
		t.Errorf("%d blocks free, want 8", a.frees)
	}
}

// What the claim counts must see a block that is shared behind something else,
// at its own place and at another, and nothing in what may be shared.
func TestTrespasses(t *testing.T) {
	check := func(what string, want int, plant func(aaa, baa []int32)) {
		t.Helper()
		a, err := newAllocator(config{blocks: 100, size: 2, sequences: 64})
		if err != nil {
			t.Fatal(err)
		}
		alphabet := [][]int32{{1, 2}, {3, 4}, {5, 6}, {7, 8}}
		live := make([]handle, letters*letters*letters)
		for word := range live {
			if live[word], err = spell(a, alphabet, word, word%2 == 0); err != nil {
				t.Fatal(err)
			}
		}
		const baa = letters * letters
		table := a.find(live[baa]).table
		plant(a.find(live[0]).table, table)
		if got := trespasses(a, live, baa, table); got != want {
			t.Errorf("%s: got %d, want %d", what, got, want)
		}
	}
	check("as they are", 0, func(aaa, baa []int32) {})
	check("another word's last block", 1, func(aaa, baa []int32) { baa[2] = aaa[2] })
	check("a block that four words share rightly", 4, func(aaa, baa []int32) { baa[1] = aaa[1] })
	// It is the second block of four words, its own among them, and seen from
	// there it is the third once more.
	check("its own second block again", 4+1, func(aaa, baa []int32) { baa[2] = baa[1] })
}
