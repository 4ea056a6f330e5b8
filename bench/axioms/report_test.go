package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/measure"
	"envelope/internal/probe"
)

func TestRatios(t *testing.T) {
	s := probe.Series{Dim: axioms.DimSecond, Samples: []float64{2, 6, 3, 1, 8}}
	other := []float64{1, 3, 5, 3}
	if got := ratios(s, other); !slices.Equal(got, []float64{2, 0.5}) {
		t.Errorf("times: got %v, want 2 and 0.5", got)
	}
	s.Dim = axioms.DimBytePerSecond
	if got := ratios(s, other); !slices.Equal(got, []float64{0.5, 2}) {
		t.Errorf("rates: got %v, want 0.5 and 2", got)
	}
	s.Samples = []float64{2, 3, 8}
	if got := undisturbed(s, []float64{4, 6, 5}); got != 2 {
		t.Errorf("shortest fifth: got %v, want 2", got)
	}
}

func TestVerdict(t *testing.T) {
	check := func(mid, low, high float64, want string) {
		t.Helper()
		if got := verdict(mid, low, high); !strings.HasPrefix(got, want) {
			t.Errorf("%v (%v to %v): got %q, want %q", mid, low, high, got, want)
		}
	}
	check(1.1, 0.5, 3, "within")
	check(0.87, 0.8, 0.9, "within")
	check(1.2, 1.1, 1.3, "undecided")
	check(1.2, 1.16, 1.3, "OFF")
	check(0.8, 0.7, 0.86, "OFF")
	check(0.8, 0.7, 0.88, "undecided")
}

// Every axiom has a line, whatever became of it.
func TestLines(t *testing.T) {
	check := func(s probe.Series, r measure.Row, want string) {
		t.Helper()
		var out strings.Builder
		line(&out, s, r)
		if !strings.Contains(out.String(), want) || strings.Count(out.String(), "\t") != 7 {
			t.Errorf("got %q, want %q in 8 cells", out.String(), want)
		}
	}
	ours := probe.Series{Name: "l1-load", Dim: axioms.DimSecond, Samples: []float64{1e-9, 2e-9}}
	check(ours, measure.Row{Samples: []float64{1e-9}}, "failed: a comparison takes two rounds")
	check(ours, measure.Row{Samples: []float64{2e-9, 1e-9}}, "1.000\t1.000 to 1.000\t1.000\t1\twithin")
	check(ours, measure.Row{Err: fmt.Errorf("%w: no such cache", errSkipped)}, "skipped: no such cache")
	check(ours, measure.Row{Err: errors.New("out of paper")}, "failed: out of paper")
	check(probe.Series{Name: "l1-load", Dim: axioms.DimSecond, Err: errors.New("out of ink")}, measure.Row{}, "not measured: out of ink")
	check(probe.Series{Name: "deflate", Dim: axioms.DimBytePerSecond, Samples: []float64{1e-8, 1e-8}}, measure.Row{Samples: []float64{1e-8, 1e-8}}, "within 15 %; package testing")
	slow := probe.Series{Name: "process-start", Dim: axioms.DimSecond, Samples: []float64{3e-3, 3e-3}}
	check(slow, measure.Row{Samples: []float64{1e-3, 1e-3}}, "OFF; Go's start also")
}
