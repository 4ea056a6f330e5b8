package paging

import (
	"fmt"
	"slices"
)

// audit goes through all of an allocator and returns what is wrong with it. It
// believes no counter: owners are counted from the tables, the lists are walked,
// and the state of every block follows from that.
func (a *allocator) audit() (faults []string) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	owners := a.count(wrong)
	free := a.walk(a.free, none, wrong)
	idle := a.walk(a.block[a.blocks].next, int32(a.blocks), wrong)
	if len(free) != a.frees || len(idle) != a.idles {
		wrong("%d free and %d idle blocks are counted as %d and %d", len(free), len(idle), a.frees, a.idles)
	}
	states := make([]int, a.blocks)
	for _, list := range [][]int32{free, idle} {
		for _, b := range list {
			states[b]++
		}
	}
	found := a.cachedBlocks(wrong)
	for b := range int32(a.blocks) {
		k := &a.block[b]
		if owners[b] > 0 {
			states[b]++
		}
		if states[b] != 1 {
			wrong("block %d is in %d states of held, idle and free", b, states[b])
		}
		if int(k.owners) != owners[b] && (owners[b] > 0 || k.owners > 0) {
			wrong("block %d stands in %d tables and counts %d owners", b, owners[b], k.owners)
		}
		if k.cached != (found[b] == 1) {
			wrong("block %d is found %d times in the prefix cache; cached is %v", b, found[b], k.cached)
		}
		if k.cached && k.parent != none && !a.block[k.parent].cached {
			wrong("cached block %d stands behind block %d, which is not cached", b, k.parent)
		}
	}
	for _, b := range free {
		if a.block[b].cached {
			wrong("block %d is free and cached", b)
		}
	}
	for _, b := range idle {
		if !a.block[b].cached {
			wrong("block %d is idle and not cached", b)
		}
	}
	return faults
}

// count returns in how many tables each block stands.
func (a *allocator) count(wrong func(string, ...any)) []int {
	owners := make([]int, a.blocks)
	live := 0
	for i := range a.seq {
		s := &a.seq[i]
		if s.turn&1 == 0 {
			continue
		}
		live++
		if got, want := len(s.table)*a.size, s.length+s.room; got != want || s.room >= a.size {
			wrong("place %d: a table for %d tokens with %d in it and room for %d", i, got, s.length, s.room)
		}
		for _, b := range s.table {
			if b < 0 || int(b) >= a.blocks {
				wrong("place %d: its table has block %d of %d", i, b, a.blocks)
				continue
			}
			owners[b]++
		}
	}
	if live+len(a.vacant) != len(a.seq) {
		wrong("%d live sequences and %d vacant places of %d", live, len(a.vacant), len(a.seq))
	}
	return owners
}

// walk returns the blocks of a list, of which there can be no more than blocks.
func (a *allocator) walk(from, end int32, wrong func(string, ...any)) (list []int32) {
	for b := from; b != end; b = a.block[b].next {
		if b < 0 || int(b) >= a.blocks || len(list) == a.blocks {
			wrong("a list of blocks does not end: block %d after %d others", b, len(list))
			break
		}
		list = append(list, b)
	}
	return list
}

// cachedBlocks returns how often each block is found in the prefix cache, and
// demands that no two are there for the same prefix.
func (a *allocator) cachedBlocks(wrong func(string, ...any)) []int {
	found := make([]int, a.blocks)
	total := 0
	for i, first := range a.bucket {
		var chain []int32
		for b := first; b != none; b = a.block[b].chain {
			if total++; total > a.blocks {
				wrong("the prefix cache's chain %d does not end", i)
				return found
			}
			k := &a.block[b]
			if k.key>>a.shift != uint64(i) {
				wrong("block %d is in bucket %d, its key in %d", b, i, k.key>>a.shift)
			}
			for _, c := range chain {
				if a.block[c].parent == k.parent && slices.Equal(a.tokens(c), a.tokens(b)) {
					wrong("blocks %d and %d are cached for the same prefix", b, c)
				}
			}
			chain = append(chain, b)
			found[b]++
		}
	}
	return found
}
