package measure

import (
	"testing"
)

// What the instrument adds to an operation that is timed alone: two readings of
// the clock and a call.
func BenchmarkTimedCall(b *testing.B) {
	t := timer{Arm: &Arm{Name: "empty", Op: func() error { return nil }}, clock: NewClock(), calls: 1}
	for b.Loop() {
		if _, err := t.sample(); err != nil {
			b.Fatal(err)
		}
	}
}

// The same in a batch, for one operation of it.
func BenchmarkTimedCallInABatch(b *testing.B) {
	t := timer{Arm: &Arm{Name: "empty", Op: func() error { return nil }, Repeat: true}, clock: NewClock()}
	if err := t.warm(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := t.sample(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.calls), "ns/call")
}

func BenchmarkClockReading(b *testing.B) {
	c := NewClock()
	for b.Loop() {
		c.Now()
	}
}

// What a lab pays between blocks: a claim that is still undecided at 128 blocks
// has all four looks behind it.
func BenchmarkLookAt128Blocks(b *testing.B) {
	blocks := clocked(jittered(128, 2.7)...)
	for b.Loop() {
		if _, decided := JudgeBlocks(blocks, AtLeast(3), false); decided {
			b.Fatal("decided")
		}
	}
}

// The last look convolves on from the last planned one.
func BenchmarkLastLookAt512Blocks(b *testing.B) {
	blocks := clocked(jittered(512, 2.7)...)
	for b.Loop() {
		JudgeBlocks(blocks, AtLeast(3), true)
	}
}

func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		plan(alphaHeld, minHeld)
		plan(alphaFailed, minFailed)
	}
}
