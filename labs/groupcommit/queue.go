package groupcommit

import (
	"sync/atomic"
	"time"
)

// record is one arrival on its way to the log.
type record struct {
	id   int
	at   time.Duration // when it was handed over
	next *record
}

// queue hands records from any number of goroutines to one committer. Nobody
// waits in it: whoever finds the head changed tries again, and it was changed
// because another one got on. An arrival therefore never waits for an fsync,
// which a lock that the committer also takes could make it do.
type queue struct{ head atomic.Pointer[record] }

// push reports whether the queue was empty: whoever filled it wakes the
// committer, so that an arrival among many pays for no waking.
func (q *queue) push(r *record) (first bool) {
	for {
		old := q.head.Load()
		r.next = old
		if q.head.CompareAndSwap(old, r) {
			return old == nil
		}
	}
}

// take empties the queue and appends what was in it to dst, in the order in
// which it came.
func (q *queue) take(dst []*record) []*record {
	from := len(dst)
	for r := q.head.Swap(nil); r != nil; r = r.next {
		dst = append(dst, r)
	}
	for i, j := from, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}
