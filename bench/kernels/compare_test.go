package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestInterval(t *testing.T) {
	check := func(n int, low, high float64) {
		t.Helper()
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(n - i) // n..1
		}
		gotLow, gotHigh := interval(values)
		if gotLow != low || gotHigh != high {
			t.Errorf("%d values: got [%g, %g], want [%g, %g]", n, gotLow, gotHigh, low, high)
		}
	}
	// The ranks of the usual tables of the sign test at 95 %.
	check(1, 1, 1)
	check(5, 1, 5)
	check(6, 1, 6)
	check(9, 2, 8)
	check(15, 4, 12)
	check(20, 6, 15)
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{3, 1}, 2}, {[]float64{9, 1, 2}, 2}} {
		if got := median(c.of); got != c.want {
			t.Errorf("%v: got %g, want %g", c.of, got, c.want)
		}
	}
}

// fixed returns an arm that takes so many seconds for one unit of work, and says what came out.
func fixed(seconds, check float64) arm {
	return func(int) (sample, error) {
		return sample{wall: seconds, cpu: seconds, work: 1, check: check}, nil
	}
}

func TestBlockIsTheRatioOfSpeeds(t *testing.T) {
	c := &comparison{name: "x", scale: 2, target: 3, ours: fixed(1, 5), theirs: fixed(2, 5), agree: 1e-6}
	for i := range 3 {
		if err := c.block(i); err != nil {
			t.Fatal(err)
		}
	}
	if got := median(c.wall); got != 4 || len(c.wall) != 3 {
		t.Errorf("got %g over %d blocks, want 4 over 3", got, len(c.wall))
	}
	var out bytes.Buffer
	report(&out, []*comparison{c})
	if !strings.Contains(out.String(), "reached") || strings.Contains(out.String(), "MISSED") {
		t.Errorf("got %q, want the target reached", out.String())
	}
	c.target = 4.5
	report(&out, []*comparison{c})
	if !strings.Contains(out.String(), "MISSED") {
		t.Errorf("got %q, want the target missed", out.String())
	}
}

func TestAMissSaysWhatMemoryAllows(t *testing.T) {
	// 10 operations a second there, 2 bytes each; memory gives 50 bytes a second: no product does more than 25.
	memory := &comparison{bestOther: 50}
	c := &comparison{target: 3, wall: []float64{2}, cpu: []float64{2}, bestOther: 10, memory: memory, bytes: 2}
	check := func(want string) {
		t.Helper()
		var out bytes.Buffer
		report(&out, []*comparison{c})
		if !strings.HasSuffix(out.String(), want+"\n") {
			t.Errorf("got %q, want it to end with %q", out.String(), want)
		}
	}
	check("MISSED: memory allows 2.50")
	memory.bestOther = 60
	check("MISSED")
	c.memory = nil
	check("MISSED")
}

func TestResultsThatDifferAreVoid(t *testing.T) {
	c := &comparison{scale: 1, ours: fixed(1, 5), theirs: fixed(1, 5.1), agree: 1e-4}
	if err := c.block(0); err == nil || !strings.HasPrefix(err.Error(), "void") {
		t.Errorf("got %v, want a void comparison", err)
	}
}

func TestARateAboveTheClockIsVoid(t *testing.T) {
	o := &own{best: map[int]float64{1: 1e30}, clock: 4e9}
	if err := o.checkCeiling(&bytes.Buffer{}); err == nil {
		t.Error("1e30 operations a second passed")
	}
	o.best[1] = 1e9
	if err := o.checkCeiling(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
}
