package groupcommit

import "time"

// policy says when a batch is closed. The zero value is the adaptive one: as
// soon as the fsync in flight has returned. All of them have one fsync in
// flight at most.
type policy struct {
	// count closes a batch when so many records are in it, no sooner and with
	// no more.
	count int
	// window closes a batch so long after its first record was handed over.
	window time.Duration
	// hold keeps a batch open until so long after the one before was closed. A
	// record that comes after a pause is not made to wait, which a window does.
	hold time.Duration
}

// state is what a committer knows when it asks whether to close.
type state struct {
	pending int           // records handed over and not yet written
	first   time.Duration // when the first of them was
	last    time.Duration // when the batch before was closed; negative for none
	now     time.Duration
	over    bool // no more records will come
}

// next returns the number of records to close the batch with, or the time
// before which there is nothing to decide, or neither: then only a record can
// change anything.
func (p policy) next(s state) (n int, at time.Duration) {
	if s.pending == 0 {
		return 0, 0
	}
	if p.count > 0 {
		switch {
		case s.pending >= p.count:
			return p.count, 0
		case s.over: // the rest of a load that is no multiple of the count
			return s.pending, 0
		}
		return 0, 0
	}
	if p.window > 0 {
		at = s.first + p.window
	}
	if p.hold > 0 && s.last >= 0 {
		at = max(at, s.last+p.hold)
	}
	if s.now < at {
		return 0, at
	}
	return s.pending, 0
}
