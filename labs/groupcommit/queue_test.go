package groupcommit

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// Real goroutines: nothing is lost, nothing comes twice, and what one goroutine
// hands over stays in order.
func TestQueueUnderLoad(t *testing.T) {
	const producers, each = 8, 20_000
	var q queue
	records := make([]record, producers*each)
	var wg sync.WaitGroup
	var done atomic.Bool
	var firsts atomic.Int64
	start := make(chan struct{}) // one that starts late finds nobody to collide with
	for p := range producers {
		wg.Go(func() {
			<-start
			for i := range each {
				r := &records[p*each+i]
				r.id = p*each + i
				if q.push(r) {
					firsts.Add(1)
				}
			}
		})
	}
	go func() { wg.Wait(); done.Store(true) }()
	close(start)
	var got []*record
	batches := int64(0)
	for {
		over, before := done.Load(), len(got)
		got = q.take(got)
		if len(got) > before {
			batches++
		}
		if over && len(got) == before {
			break
		}
		runtime.Gosched()
	}
	if len(got) != len(records) {
		t.Fatalf("got %d records, want %d", len(got), len(records))
	}
	next := make([]int, producers)
	for _, r := range got {
		p := r.id / each
		if r.id%each != next[p] {
			t.Fatalf("producer %d: got record %d, want %d", p, r.id%each, next[p])
		}
		next[p]++
	}
	if firsts.Load() != batches {
		t.Errorf("%d pushes found the queue empty, and it was emptied %d times", firsts.Load(), batches)
	}
}
