package groupcommit

import (
	"math"
	"time"
)

// batch is what became of one batch.
type batch struct {
	records int
	closed  time.Duration // when it was
	synced  time.Duration // how long its fsync took
	ended   time.Duration // when its records had been acknowledged
}

// twin is what a policy does in virtual time: given when records arrive, in
// order, and how long a batch keeps the committer busy, the batches follow by
// arithmetic. It shares no code with the committer.
func (p policy) twin(arrivals []time.Duration, busy func(batch, records int) time.Duration) []batch {
	var out []batch
	free, last := time.Duration(math.MinInt64), time.Duration(math.MinInt64/2)
	for i := 0; i < len(arrivals); {
		start, end := max(free, arrivals[i]), i
		switch {
		case p.count > 0:
			end = min(i+p.count, len(arrivals))
			start = max(free, arrivals[end-1])
		case p.window > 0:
			start = max(start, arrivals[i]+p.window)
		case p.hold > 0:
			start = max(start, last+p.hold)
		}
		if p.count == 0 {
			for end < len(arrivals) && arrivals[end] <= start {
				end++
			}
		}
		took := busy(len(out), end-i)
		free, last = start+took, start
		out = append(out, batch{records: end - i, closed: start, synced: took, ended: free})
		i = end
	}
	return out
}

// even is arrivals a fixed gap apart, the first of them one gap from the start.
func even(n int, perSecond float64) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = time.Duration(float64(i+1) / perSecond * float64(time.Second))
	}
	return out
}

// fill returns how long the second of two batches of count records is open in
// the twin: from the closing of the one before to its own.
func fill(count int, perSecond float64) time.Duration {
	b := policy{count: count}.twin(even(2*count, perSecond), func(int, int) time.Duration { return 0 })
	return b[1].closed - b[0].closed
}

// waits returns for each record the seconds from its arrival to the end of its
// batch.
func waits(arrivals []time.Duration, batches []batch) []float64 {
	var out []float64
	for _, b := range batches {
		for range b.records {
			out = append(out, (b.ended - arrivals[len(out)]).Seconds())
		}
	}
	return out
}

// meanBatch returns records per fsync.
func meanBatch(batches []batch) float64 {
	records := 0
	for _, b := range batches {
		records += b.records
	}
	return float64(records) / float64(len(batches))
}
