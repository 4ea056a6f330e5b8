package writeahead

import (
	"context"

	"envelope/internal/lab"
)

// redoGroups is how many groups the logs of the enumeration hold, and redoLogs
// how many logs there are.
const (
	redoGroups = 24
	redoLogs   = 8
)

// redoTwice interrupts the writing of all pages at every sector, and replays
// the log over what is there: once, as a recovery does, and once more, as the
// recovery does that follows a killed one.
func redoTwice(ctx context.Context, r *lab.Run) error {
	rng, n := r.Rand("redo"), redoLogs
	if r.Full {
		n *= 20
	}
	for range n {
		h := newHistory(rng.Uint64(), redoGroups, r.Sabotaged(addOne))
		from := rng.IntN(redoGroups)
		for cut := range stateSize/sectorSize + 1 {
			off, err := h.replayTwice(from, cut*sectorSize)
			if err != nil {
				return err
			}
			r.Observe(idempotent, float64(off))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// history is a log of a number of groups, and the plain states that it led
// through.
type history struct {
	log    []byte
	states [][]byte // after no group, after one, and so on
}

// newHistory logs groups of a seed's stream, as they are or as additions of 1.
func newHistory(seed uint64, groups int, add bool) *history {
	h := &history{states: [][]byte{make([]byte, stateSize)}}
	for g := range groups {
		group := groupOf(seed, g)
		state := append([]byte(nil), h.states[g]...)
		for i := range group {
			if add {
				group[i].add = true
				for j := range group[i].data {
					group[i].data[j] = 1
				}
			}
			group[i].apply(state)
		}
		h.log = appendRecord(h.log, uint64(g)+1, encode(group))
		h.states = append(h.states, state)
	}
	return h
}

// replayTwice makes pages whose first bytes are new and whose others are of an
// earlier state, replays the log over them twice, and returns the bytes in
// which either result differs from the last state.
func (h *history) replayTwice(from, cut int) (off int, err error) {
	last := h.states[len(h.states)-1]
	bodies, _, err := scan(h.log)
	if err != nil {
		return 0, err
	}
	s := &store{pool: append(append([]byte(nil), last[:cut]...), h.states[from][cut:]...)}
	for range 2 {
		if err := s.redo(bodies); err != nil {
			return 0, err
		}
		off = max(off, differing(s.pool, last))
	}
	return off, nil
}
