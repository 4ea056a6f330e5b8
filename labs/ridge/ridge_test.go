package ridge

import (
	"slices"
	"strings"
	"testing"

	"envelope/internal/host"
	"envelope/internal/kernels"
	"envelope/internal/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab)
	for _, c := range res.Claims {
		t.Logf("%s: %v %s %s", c.Name, c.Verdict, c.Reason, c.Detail)
	}
}

// One thread is enough here: the controls command tries every device.
func TestControls(t *testing.T) {
	one := *Lab
	one.Controls = nil
	for _, c := range Lab.Controls {
		c.Breaks = slices.DeleteFunc(slices.Clone(c.Breaks), func(claim string) bool { return !strings.HasSuffix(claim, "@cpu-1") })
		one.Controls = append(one.Controls, c)
	}
	for _, c := range one.Controls {
		t.Run(c.Name, func(t *testing.T) {
			if raced && c.Name == "whole-batch" {
				t.Skip("the rows are packed by Go code, which the race detector makes many times slower")
			}
			labtest.Breaks(t, &one, c.Name)
		})
	}
}

func known[T any](v T) host.Fact[T] { return host.Known(v, "", "test") }

func TestRingsOutgrowTheCaches(t *testing.T) {
	check := func(caches []host.Cache, logical int, allowed uint64, size int, why string) {
		t.Helper()
		cpu := host.CPU{Caches: known(caches), Logical: known(logical)}
		got, reason := ringBytes(cpu, host.Memory{Limit: known(allowed)})
		if got != size || !strings.Contains(reason, why) || (why == "") != (reason == "") {
			t.Errorf("%v, %d CPUs, %d B: got %d, %q; want %d, %q", caches, logical, allowed, got, reason, size, why)
		}
	}
	const mib = 1 << 20
	l1, l2 := host.Cache{Level: 1, Type: "Data", Size: 48 << 10}, host.Cache{Level: 2, Type: "Unified", Size: mib}
	l3 := host.Cache{Level: 3, Type: "Unified", Size: 32 * mib, SharedBy: 2}
	check([]host.Cache{l1, l2, l3}, 2, 64<<30, 128*mib, "")
	check([]host.Cache{l1, l2, l3}, 4, 64<<30, 256*mib, "") // two of them
	check([]host.Cache{l1, l2, l3}, 12, 64<<30, 768*mib, "")
	check([]host.Cache{l1, l2, l3}, 14, 64<<30, 0, "is over 768 MiB")
	check([]host.Cache{l1, l2}, 2, 64<<30, 64*mib, "") // never under 64 MiB
	check([]host.Cache{l3, {Level: 3, Type: "Instruction", Size: 1 << 40}}, 2, 64<<30, 128*mib, "")
	check(nil, 2, 64<<30, 0, "unknown")
	check([]host.Cache{l3}, 2, 384*mib, 128*mib, "")
	check([]host.Cache{l3}, 2, 383*mib, 0, "need 384 MiB, and 383 MiB of memory are allowed")
}

// Whoever takes weights takes them behind what was taken last, in whatever parts.
func TestNobodyFindsTheWeightsOfAnother(t *testing.T) {
	b := &bench{height: 256}
	for range 2 {
		b.whole = append(b.whole, kernels.Pack(make([]float32, b.height*cols), b.height, cols))
	}
	defer b.free()
	small, large := b.ring(64), b.ring(128)
	at := func(w *kernels.Weights) int { // the first row, counted over all
		for n, whole := range b.whole {
			for row := range b.height {
				if &whole.Values()[row*cols] == &w.Values()[0] {
					return n*b.height + row
				}
			}
		}
		return -1
	}
	for i, step := range []struct {
		ring *ring
		want int
	}{{small, 0}, {large, 128}, {small, 256}, {small, 320}, {large, 384}, {small, 0}, {large, 128}} {
		if got := at(step.ring.take()); got != step.want {
			t.Errorf("step %d: took the rows from %d, want %d", i, got, step.want)
		}
	}
}

// Work for every thread: a panel has at most 32 rows.
func TestRowsForManyThreads(t *testing.T) {
	for threads := 1; threads <= 256; threads++ {
		tall, short := tallRows(threads), shortRows(threads)
		if 4096%tall != 0 || tall%short != 0 && short%tall != 0 || short > tallRows(threads) {
			t.Errorf("%d threads: %d and %d rows do not cut the same weights", threads, tall, short)
		}
		if want := min(threads, 64); short/32 < want || tall/32 < want {
			t.Errorf("%d threads: %d and %d rows are %d and %d panels", threads, tall, short, tall/32, short/32)
		}
	}
}

func TestAPeakAboveTheClockIsImpossible(t *testing.T) {
	if why := impossible(109e9, 100e9); why != "" {
		t.Error(why)
	}
	if why := impossible(150e9, 100e9); !strings.Contains(why, "came to 150 GFLOP/s, and the clock allows 100 GFLOP/s") {
		t.Errorf("got %q, want both numbers", why)
	}
}

func TestPicture(t *testing.T) {
	m := &machine{peak: 100e9, bandwidth: 20e9}
	rows := picture(m, []point{{intensity: 0.5, attained: 10e9}, {intensity: 128, attained: 90e9}})
	var b strings.Builder
	for _, r := range rows {
		if n := len([]rune(r[1])); n != width+1 {
			t.Errorf("got a line of %d columns, want %d: %q", n, width+1, r[1])
		}
		b.WriteString(r[1] + "\n")
	}
	text := b.String()
	if strings.Count(text, "o") != 2 || !strings.Contains(text, "/") || !strings.Contains(text, "-") {
		t.Errorf("want two points, the bandwidth and the peak in\n%s", text)
	}
}
