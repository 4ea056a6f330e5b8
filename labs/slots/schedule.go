package slots

import "context"

// policy is how slots are handed out.
type policy struct {
	// static fills all slots at once and keeps them until the last sequence of
	// the batch has ended. Otherwise a slot is filled again as soon as it is
	// free.
	static bool
	// late looks for ends only after the next pass has been computed.
	late bool
	// unclear leaves what was in the first slot there when it is used again: a
	// control.
	unclear bool
}

func (p policy) String() string {
	switch {
	case p.static:
		return "static"
	case p.late:
		return "continuous, evicting a pass late"
	}
	return "continuous"
}

// counts are what a schedule came to.
type counts struct {
	passes int
	steps  int // rows computed, dead ones too: one for each held slot and pass
	tokens int
}

// used is the share of slot-steps that gave somebody a token.
func (c counts) used() float64 { return float64(c.tokens) / float64(c.steps) }

// span is a request's stay in a slot: from a pass on, for so many rows.
type span struct {
	slot, from, rows int
}

// schedule is one scheduler serving one list of requests with an engine.
type schedule struct {
	policy
	engine   *engine
	requests []request
	counts
	spans   []span
	emitted [][]token // by request
	first   int       // the next request to be admitted
	slots   [batch]struct {
		request int
		left    int // tokens; below zero counts rows computed past the end
	}
	held []int // slots, in order
	free []int // slots, the next to be used last
}

func newSchedule(e *engine, p policy, all []request) *schedule {
	s := &schedule{policy: p, engine: e, requests: all, spans: make([]span, len(all)), emitted: make([][]token, len(all)),
		held: make([]int, 0, batch), free: make([]int, 0, batch)}
	room := make([]token, 0, tokens(all))
	for i, q := range all {
		n := len(room)
		room = room[:n+q.output]
		s.emitted[i] = room[n:n:len(room)]
	}
	return s
}

// serve runs all requests from the first admission to the last token. It can be
// called again, and then starts anew.
func (s *schedule) serve(ctx context.Context) error {
	s.reset()
	for s.admit(); len(s.held) > 0; s.admit() {
		if s.passes%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s.pass()
		s.evict()
	}
	return nil
}

func (s *schedule) reset() {
	s.counts, s.first = counts{}, 0
	s.held, s.free = s.held[:0], s.free[:0]
	for slot := range batch {
		s.free = append(s.free, batch-1-slot)
		s.engine.clear(slot)
	}
	for i := range s.emitted {
		s.emitted[i] = s.emitted[i][:0]
	}
}

// admit gives free slots to the requests that have waited longest. While others
// wait, the static scheduler has either no free slot or all of them.
func (s *schedule) admit() {
	for len(s.free) > 0 && s.first < len(s.requests) {
		slot := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		s.held = append(s.held, slot)
		q := s.requests[s.first]
		s.slots[slot].request, s.slots[slot].left = s.first, q.output
		s.spans[s.first] = span{slot: slot, from: s.passes}
		if !s.unclear || slot != 0 {
			s.engine.clear(slot)
		}
		s.engine.read(slot, q)
		s.first++
	}
}

// pass computes a row for every slot that is held. The row of a sequence that
// has ended costs what the others cost, and its token goes nowhere.
func (s *schedule) pass() {
	for i, t := range s.engine.pass(s.held) {
		in := &s.slots[s.held[i]]
		if in.left > 0 {
			s.emitted[in.request] = append(s.emitted[in.request], t)
			s.tokens++
		}
		in.left--
		s.spans[in.request].rows++
	}
	s.steps += len(s.held)
	s.passes++
}

// evict frees the slots whose sequences are seen to have ended.
func (s *schedule) evict() {
	ended := 0 // left of a sequence that may go
	if s.late {
		ended = -1
	}
	if s.static {
		for _, slot := range s.held {
			if s.slots[slot].left > 0 {
				return
			}
		}
	}
	kept := s.held[:0]
	for _, slot := range s.held {
		if s.slots[slot].left > ended {
			kept = append(kept, slot)
		} else {
			s.free = append(s.free, slot)
		}
	}
	s.held = kept
}

// alone decodes each request by itself in one slot: what no scheduler can have
// disturbed.
func alone(ctx context.Context, e *engine, all []request) ([][]token, error) {
	out := make([][]token, len(all))
	for i, q := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.clear(0)
		e.read(0, q)
		for range q.output {
			out[i] = append(out[i], e.pass([]int{0})[0])
		}
	}
	return out, nil
}
