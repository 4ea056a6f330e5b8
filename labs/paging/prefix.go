package paging

import "slices"

// mix folds a token into the hash of all tokens before it. For a given token
// it is a bijection: an odd multiplier and a shift that can be undone, so two
// prefixes that differ stay apart unless later tokens bring them together.
func mix(key uint64, token int32) uint64 {
	key = (key ^ uint64(uint32(token))) * 0x9E3779B97F4A7C15 // 2^64 / golden ratio (Knuth, vol. 3, 6.4)
	return key ^ key>>32
}

// lookup finds the cached block that holds these tokens behind that parent.
//
// The hash only says where to look. What makes two prefixes the same is the
// comparison: equal tokens here, behind one and the same block, of which that
// was true when it was cached, and so on to the front. No collision can
// hand one user's block to another.
func (a *allocator) lookup(key uint64, parent int32, tokens []int32) int32 {
	for b := a.bucket[key>>a.shift]; b != none; b = a.block[b].chain {
		if k := &a.block[b]; k.key == key && k.parent == parent && slices.Equal(a.tokens(b), tokens) {
			return b
		}
	}
	return none
}

// parent is the block that a table's next block stands behind.
func (a *allocator) parent(table []int32) int32 {
	if len(table) == 0 || a.ownTokens {
		return none
	}
	return table[len(table)-1]
}

// adopt gives a new sequence the cached blocks that its prompt begins with, and
// returns how many tokens they hold.
func (a *allocator) adopt(s *sequence, prompt []int32) int {
	n := 0
	for !a.noSharing && len(prompt)-n >= a.size {
		own := prompt[n : n+a.size]
		key := s.key
		for _, t := range own {
			key = mix(key, t)
		}
		b := a.lookup(key, a.parent(s.table), own)
		if b == none {
			break
		}
		a.hold(b)
		s.table = append(s.table, b)
		s.key = a.behind(key)
		n += a.size
	}
	s.length = n
	return n
}

// behind is the hash from which the next block's goes on.
func (a *allocator) behind(key uint64) uint64 {
	if a.ownTokens {
		return a.seed
	}
	return key
}

// seal makes a full block known to the prefix cache. Where it is known already,
// the table gets that block instead, so every prefix is stored once, and the
// parents of cached blocks are cached.
func (a *allocator) seal(s *sequence) error {
	if a.noSharing {
		return nil
	}
	last := len(s.table) - 1
	b, key := s.table[last], s.key
	parent := a.parent(s.table[:last])
	s.key = a.behind(key)
	if twin := a.lookup(key, parent, a.tokens(b)); twin != none {
		a.hold(twin)
		s.table[last] = twin
		return a.drop(b)
	}
	k, head := &a.block[b], &a.bucket[key>>a.shift]
	k.key, k.parent, k.cached = key, parent, true
	k.chain, *head = *head, b
	return nil
}

// evict takes the cached block that has been without an owner for longest, and
// returns it with one owner; none where there is no such block.
//
// A sequence gives its blocks up from the last to the first, and whoever holds a
// block holds its parent. So a parent is always younger in the list than its
// children, and goes after them: a cached block's parent is never a block that
// has been given to somebody else.
func (a *allocator) evict() int32 {
	b := a.block[a.blocks].next
	if int(b) == a.blocks {
		return none
	}
	k := &a.block[b]
	a.unlink(k)
	link := &a.bucket[k.key>>a.shift]
	for *link != b {
		link = &a.block[*link].chain
	}
	*link = k.chain
	k.cached, k.owners = false, 1
	return b
}
