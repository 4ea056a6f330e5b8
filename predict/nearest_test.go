package predict

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"barrier/fsync-8b", "barrier/fsync-8mib-over-8b", "slots/tokens-per-second", "paging/live-share", "ridge/ridge-point"}
	check := func(written, want string, n int) {
		t.Helper()
		got := nearest(written, names)
		if len(got) != n || got[0] != want {
			t.Errorf("%q: got %q, want %s first of %d", written, got, want, n)
		}
	}
	check("barrier/fsync-8B", "barrier/fsync-8b", 3)
	check("fsync-8b", "barrier/fsync-8b", 3)
	check("tokens", "slots/tokens-per-second", 3)
	check("page/live-shares", "paging/live-share", 3)
	check("", "barrier/fsync-8b", 3) // any, and no panic
	names = names[:1]
	check("slots", "barrier/fsync-8b", 1)
}

func TestDistance(t *testing.T) {
	check := func(a, b string, want int) {
		t.Helper()
		if got, back := distance(a, b), distance(b, a); got != want || back != want {
			t.Errorf("%q, %q: got %d and %d, want %d", a, b, got, back, want)
		}
	}
	check("", "", 0)
	check("", "abc", 3)
	check("kitten", "sitting", 3)
	check("µs", "us", 1)
	check(strings.Repeat("a", 50), strings.Repeat("a", 49), 1)
}
