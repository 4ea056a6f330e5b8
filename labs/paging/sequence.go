package paging

import (
	"errors"
	"fmt"
)

// handle names a live sequence. One that was released is told from the next in
// its place by the turn, which is odd while the sequence lives: the zero handle
// is never valid.
type handle struct {
	slot int32
	turn uint32
}

// sequence is a block table and what it takes to append to it.
type sequence struct {
	table  []int32
	length int    // tokens
	room   int    // tokens that the last block has place for
	found  int    // tokens of the prompt whose blocks were there already
	key    uint64 // hash of all tokens so far
	turn   uint32
}

// find returns the live sequence of that handle, or nil.
func (a *allocator) find(h handle) *sequence {
	if uint(h.slot) >= uint(len(a.seq)) {
		return nil
	}
	if s := &a.seq[h.slot]; s.turn == h.turn && h.turn&1 == 1 {
		return s
	}
	return nil
}

// open makes an empty sequence.
func (a *allocator) open() (handle, *sequence, error) {
	top := len(a.vacant) - 1
	if top < 0 {
		return handle{}, nil, errCrowd
	}
	slot := a.vacant[top]
	a.vacant = a.vacant[:top]
	s := &a.seq[slot]
	s.table, s.length, s.room, s.found, s.key = s.table[:0], 0, 0, 0, a.seed
	s.turn++
	return handle{slot, s.turn}, s, nil
}

// close gives up a sequence's blocks, the last one first (evict says why), and
// its place.
func (a *allocator) close(h handle, s *sequence) (err error) {
	for i := len(s.table) - 1; i >= 0; i-- {
		if e := a.drop(s.table[i]); e != nil {
			err = errors.Join(err, e)
		}
	}
	s.turn++
	a.vacant = append(a.vacant, h.slot)
	return err
}

// start admits a sequence with a prompt, whole or not at all: a prompt for which
// there are not enough blocks changes nothing but the age of what it shares.
func (a *allocator) start(prompt []int32) (handle, error) {
	h, s, err := a.open()
	if err != nil {
		return handle{}, err
	}
	n := a.adopt(s, prompt)
	s.found = n
	if rest := len(prompt) - n; rest > 0 && 1+(rest-1)/a.size > a.available() {
		return handle{}, errors.Join(errFull, a.close(h, s))
	}
	for _, t := range prompt[n:] {
		if err := a.push(s, t); err != nil {
			return handle{}, errors.Join(err, a.close(h, s))
		}
	}
	return h, nil
}

// append adds a token to a sequence. Where that takes a block and there is none,
// the sequence stays as it was.
func (a *allocator) append(h handle, token int32) error {
	s := a.find(h)
	if s == nil {
		return errStale
	}
	return a.push(s, token)
}

func (a *allocator) push(s *sequence, token int32) error {
	if s.room == 0 {
		b := a.take()
		if b == none {
			return errFull
		}
		s.table = append(s.table, b)
		s.room = a.size
	} else if a.block[s.table[len(s.table)-1]].owners > 1 {
		if err := a.unshare(s); err != nil {
			return err
		}
	}
	b := s.table[len(s.table)-1]
	a.text[int(b)*a.size+a.size-s.room] = token
	s.key = mix(s.key, token)
	s.length++
	s.room--
	if s.room == 0 {
		return a.seal(s)
	}
	return nil
}

// unshare replaces a sequence's last block, which others hold too, by a copy of
// its own. Until the copy is made the sequence keeps its part in the old block:
// given up before, the block could be handed out and overwritten meanwhile.
func (a *allocator) unshare(s *sequence) error {
	last := &s.table[len(s.table)-1]
	old, own := *last, a.take()
	if own == none {
		return errFull
	}
	n := a.size - s.room
	copy(a.tokens(own)[:n], a.tokens(old))
	if a.move != nil {
		a.move(own, old, n)
	}
	*last = own
	if a.lateDrop {
		old = *last
	}
	return a.drop(old)
}

// fork makes a second sequence that shares all blocks of the first, the last one
// too, until either writes to it.
func (a *allocator) fork(h handle) (handle, error) {
	from := a.find(h)
	if from == nil {
		return handle{}, errStale
	}
	twin, s, err := a.open()
	if err != nil {
		return handle{}, err
	}
	s.table = append(s.table, from.table...)
	s.length, s.room, s.key = from.length, from.room, from.key
	for _, b := range s.table {
		a.hold(b)
	}
	return twin, nil
}

// release ends a sequence.
func (a *allocator) release(h handle) error {
	s := a.find(h)
	if s == nil {
		return fmt.Errorf("releasing sequence %d of place %d: %w", h.turn, h.slot, errStale)
	}
	return a.close(h, s)
}

// held returns how many tokens a sequence has place for, and how many it has.
func (a *allocator) held(h handle) (place, used int) {
	s := a.find(h)
	if s == nil {
		return 0, 0
	}
	return len(s.table) * a.size, s.length
}
