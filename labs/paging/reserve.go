package paging

import "fmt"

// scheme is a way to give memory to sequences that grow.
type scheme interface {
	start(prompt []int32) (handle, error)
	append(h handle, token int32) error
	release(h handle) error
	held(h handle) (place, used int)
}

// reserver gives each sequence the longest context there may be, in one piece,
// at its start.
type reserver struct {
	longest int
	text    []int32
	used    []int
	turn    []uint32
	vacant  []int32
}

func newReserver(tokens, longest int) (*reserver, error) {
	if longest < 1 || tokens < longest || tokens > limit {
		return nil, fmt.Errorf("reserving %d tokens a sequence out of %d: want at least one reservation, and at most %d tokens", longest, tokens, limit)
	}
	n := tokens / longest
	r := &reserver{longest: longest, text: make([]int32, n*longest), used: make([]int, n), turn: make([]uint32, n)}
	for i := n - 1; i >= 0; i-- {
		r.vacant = append(r.vacant, int32(i))
	}
	return r, nil
}

func (r *reserver) live(h handle) bool {
	return uint(h.slot) < uint(len(r.turn)) && h.turn&1 == 1 && r.turn[h.slot] == h.turn
}

func (r *reserver) start(prompt []int32) (handle, error) {
	top := len(r.vacant) - 1
	if top < 0 || len(prompt) > r.longest {
		return handle{}, errFull
	}
	slot := r.vacant[top]
	r.vacant = r.vacant[:top]
	r.turn[slot]++
	r.used[slot] = copy(r.text[int(slot)*r.longest:], prompt)
	return handle{slot, r.turn[slot]}, nil
}

func (r *reserver) append(h handle, token int32) error {
	if !r.live(h) {
		return errStale
	}
	n := &r.used[h.slot]
	if *n == r.longest {
		return errFull
	}
	r.text[int(h.slot)*r.longest+*n] = token
	*n++
	return nil
}

func (r *reserver) release(h handle) error {
	if !r.live(h) {
		return fmt.Errorf("releasing sequence %d of place %d: %w", h.turn, h.slot, errStale)
	}
	r.turn[h.slot]++
	r.vacant = append(r.vacant, h.slot)
	return nil
}

func (r *reserver) held(h handle) (place, used int) {
	if !r.live(h) {
		return 0, 0
	}
	return r.longest, r.used[h.slot]
}
