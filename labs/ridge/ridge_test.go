package ridge

import (
	"slices"
	"strings"
	"testing"

	"envelope/internal/host"
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
	check([]host.Cache{l1, l2, l3}, 8, 64<<30, 0, "is over 768 MiB")
	check([]host.Cache{l1, l2}, 2, 64<<30, 64*mib, "") // never under 64 MiB
	check([]host.Cache{l3, {Level: 3, Type: "Instruction", Size: 1 << 40}}, 2, 64<<30, 128*mib, "")
	check(nil, 2, 64<<30, 0, "unknown")
	check([]host.Cache{l3}, 2, 256*mib, 0, "over half of the memory allowed")
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
