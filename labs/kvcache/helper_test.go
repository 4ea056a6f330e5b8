package kvcache

import (
	"testing"
)

func TestLines(t *testing.T) {
	h := held{4096, 1 << 40}
	if got, err := parseHeld(h.line()); err != nil || got != h {
		t.Errorf("got %v, %v, want %v", got, err, h)
	}
	a := admission{61, true, -4096, 12, "RLIMIT_DATA"}
	if got, err := parseAdmission(a.line()); err != nil || got != a {
		t.Errorf("got %v, %v, want %v", got, err, a)
	}
	for _, line := range []string{"", "held", "held 1", "held 1 2 3", "held 1 2x", " held 1 2", "admitted 1 true 0 0", "admitted 1 maybe 0 0 X", "admitted 1 true 0 0 X Y"} {
		if h, err := parseHeld(line); err == nil {
			t.Errorf("%q was read as %v", line, h)
		}
		if a, err := parseAdmission(line); err == nil {
			t.Errorf("%q was read as %v", line, a)
		}
	}
}

func TestArguments(t *testing.T) {
	s := shape{1, 2, 3, 4, 5}
	n, err := numbers(s.args(), 5)
	if err != nil || shapeOf(n) != s {
		t.Errorf("got %v, %v, want %v", n, err, s)
	}
	for _, args := range [][]string{{}, {"1"}, {"1", "x"}, {"1", "-1"}, {"1", "99999999999"}, {"1", "2", "3"}} {
		if n, err := numbers(args, 2); err == nil {
			t.Errorf("%q was read as %v", args, n)
		}
	}
}
