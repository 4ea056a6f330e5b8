package slots

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkSimulate counts a million requests under three schedulers.
func BenchmarkSimulate(b *testing.B) {
	all := trace(rand.New(rand.NewPCG(1, 1)), 1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		if s := simulate(all); s.continuous.passes == 0 {
			b.Fatal("no passes")
		}
	}
}

// BenchmarkReadTrace is the same from the text of a trace.
func BenchmarkReadTrace(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := newSimulation()
		in := io.MultiReader(strings.NewReader(head), &repeated{left: 1_000_000})
		if err := readTrace(context.Background(), in, mostRequests, s.add); err != nil || s.requests != 1_000_000 {
			b.Fatal(s.requests, err)
		}
	}
}

// BenchmarkEpisode really computes 128 requests.
func BenchmarkEpisode(b *testing.B) {
	e := testEngine(b)
	all := trace(rand.New(rand.NewPCG(1, 1)), episode)
	for _, p := range []policy{{static: true}, {}} {
		b.Run(p.String(), func(b *testing.B) {
			s := newSchedule(e, p, all)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.serve(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(s.tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
