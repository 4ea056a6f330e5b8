package paging

import (
	"errors"
	"fmt"
	"math/bits"
)

// none is the block that is not there: the end of a list, the parent of a
// sequence's first block.
const none = int32(-1)

var (
	errFull   = errors.New("no free block: release a sequence, or admit fewer")
	errCrowd  = errors.New("no place for another sequence: release one, or allow more at once")
	errStale  = errors.New("it is not live: released already, or never started")
	errOwners = errors.New("it has no owner: freed twice")
)

// faults are the changes that the controls make. The zero value has none.
type faults struct {
	noSharing bool // no prefix cache; also how a run does without one
	ownTokens bool // a block is known by its own tokens, whatever came before
	lateDrop  bool // copy on write gives up the old block after the copy has its place
}

// config is what an allocator is made for.
type config struct {
	blocks    int    // in the pool
	size      int    // tokens in a block
	sequences int    // at once
	seed      uint64 // of the prefix cache's hash
	// move, where set, copies what else belongs to the first n tokens of a
	// block, their keys and values, while both blocks are held.
	move func(to, from int32, n int)
	faults
}

// limit keeps block numbers and token counts within an int32.
const limit = 1 << 30

func (c config) valid() error {
	switch {
	case c.blocks < 1 || c.size < 1 || c.sequences < 1:
		return fmt.Errorf("an allocator of %d blocks of %d tokens for %d sequences: want at least one of each", c.blocks, c.size, c.sequences)
	case c.blocks > limit/c.size || c.sequences > limit:
		return fmt.Errorf("an allocator of %d blocks of %d tokens for %d sequences: want at most %d tokens and as many sequences", c.blocks, c.size, c.sequences, limit)
	}
	return nil
}

// block is what the allocator knows of one block. A block is in one of three
// states: held (owners > 0), idle (cached, without an owner, still to be found
// by its prefix) or free.
type block struct {
	key        uint64 // of the whole prefix up to its end, where it is cached
	owners     int32  // tables that it stands in
	next, prev int32  // in the idle list; next alone in the list of free blocks
	chain      int32  // the next cached block in its bucket
	parent     int32  // the cached block before it, where it is cached
	cached     bool
}

// allocator hands out blocks of a pool to sequences that grow token by token.
// Everything is an index into an array made beforehand; only a table that
// outgrows its array allocates. It is for one goroutine.
type allocator struct {
	config
	block []block // and one more, the head of the idle list, oldest first
	// text holds the tokens themselves, size to a block: what the prefix cache
	// compares.
	text   []int32
	bucket []int32 // of the prefix cache: the first block of each chain
	shift  int     // key >> shift is a bucket
	free   int32   // top of the stack of free blocks
	frees  int
	idles  int

	seq    []sequence
	vacant []int32 // stack of places in seq
}

func newAllocator(c config) (*allocator, error) {
	if err := c.valid(); err != nil {
		return nil, err
	}
	// Two buckets to a block keep chains short.
	width := bits.Len(uint(2*c.blocks - 1))
	a := &allocator{
		config: c,
		block:  make([]block, c.blocks+1),
		text:   make([]int32, c.blocks*c.size),
		bucket: make([]int32, 1<<width),
		shift:  64 - width,
		free:   none,
		seq:    make([]sequence, c.sequences),
		vacant: make([]int32, c.sequences),
	}
	for i := range a.bucket {
		a.bucket[i] = none
	}
	head := int32(c.blocks)
	a.block[head].next, a.block[head].prev = head, head
	// Stacks, so that the first to come is number 0.
	for b := head - 1; b >= 0; b-- {
		a.give(b)
	}
	for i := range a.vacant {
		a.vacant[i] = int32(c.sequences - 1 - i)
	}
	return a, nil
}

// used is how many blocks have an owner.
func (a *allocator) used() int { return a.blocks - a.frees - a.idles }

// available is how many blocks a sequence could get.
func (a *allocator) available() int { return a.frees + a.idles }

// tokens returns what a block holds.
func (a *allocator) tokens(b int32) []int32 {
	at := int(b) * a.size
	return a.text[at : at+a.size : at+a.size]
}

// give puts a block without an owner on the stack of free ones.
func (a *allocator) give(b int32) {
	a.block[b].next = a.free
	a.free = b
	a.frees++
}

// take returns a block with one owner: a free one, or else the cached one that
// has been without an owner for longest. Without either it returns none.
func (a *allocator) take() int32 {
	b := a.free
	if b == none {
		return a.evict()
	}
	k := &a.block[b]
	a.free = k.next
	a.frees--
	k.owners = 1
	return b
}

// hold adds an owner to a block that has one or is idle.
func (a *allocator) hold(b int32) {
	k := &a.block[b]
	if k.owners == 0 {
		a.unlink(k)
	}
	k.owners++
}

// drop takes an owner away. The last one leaves the block idle if it is cached,
// and free if not.
func (a *allocator) drop(b int32) error {
	k := &a.block[b]
	if k.owners <= 0 {
		return fmt.Errorf("block %d: %w", b, errOwners)
	}
	k.owners--
	if k.owners > 0 {
		return nil
	}
	if !k.cached {
		a.give(b)
		return nil
	}
	// The young end of the idle list is before its head.
	head := int32(a.blocks)
	k.next, k.prev = head, a.block[head].prev
	a.block[k.prev].next, a.block[head].prev = b, b
	a.idles++
	return nil
}

// unlink takes a block out of the idle list.
func (a *allocator) unlink(k *block) {
	a.block[k.prev].next, a.block[k.next].prev = k.next, k.prev
	a.idles--
}
