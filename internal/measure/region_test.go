package measure

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

func TestRegionContains(t *testing.T) {
	check := func(r Region, v float64, want bool) {
		t.Helper()
		if got := r.Contains(v); got != want {
			t.Errorf("%v contains %g: got %v, want %v", r, v, got, want)
		}
	}
	check(AtLeast(3), 3, true)
	check(AtLeast(3), math.Nextafter(3, 0), false)
	check(AtLeast(3), inf, true)
	check(AtMost(1.5), 1.5, true)
	check(AtMost(1.5), math.Nextafter(1.5, 2), false)
	check(AtMost(1.5), -7, true)
	check(Within(0.5, 2), 0.5, true)
	check(Within(0.5, 2), 2, true)
	check(Within(0.5, 2), 2.01, false)
	check(Equal(0), 0, true)
	check(Equal(0), math.Copysign(0, -1), true)
	check(Equal(0), 5e-324, false)
	check(AtLeast(3), nan, false)
	check(AtMost(3), nan, false)
	check(Region{nan, nan}, 0, false)
}

func TestRegionSide(t *testing.T) {
	check := func(r Region, v float64, want int) {
		t.Helper()
		if got := r.side(v); got != want {
			t.Errorf("side of %g in %v: got %d, want %d", v, r, got, want)
		}
	}
	check(Within(0.5, 2), 0.4, -1)
	check(Within(0.5, 2), 0.5, 0)
	check(Within(0.5, 2), 2, 0)
	check(Within(0.5, 2), 2.1, 1)
	check(AtMost(2), -inf, 0)
	check(AtLeast(2), inf, 0)
}

func TestRegionCovers(t *testing.T) {
	check := func(r Region, low, high float64, want bool) {
		t.Helper()
		if got := r.Covers(low, high); got != want {
			t.Errorf("%v covers [%g, %g]: got %v, want %v", r, low, high, got, want)
		}
	}
	check(AtLeast(3), 3, 9, true)
	check(AtLeast(3), 2.9, 9, false)
	check(AtLeast(3), 9, 3, false) // not an interval
	check(AtLeast(3), -inf, inf, false)
	check(AtMost(3), -inf, inf, false)
	check(Within(1, 2), 0, 3, false)
	check(Within(1, 2), 1, 2, true)
	check(AtLeast(3), nan, 9, false)
	check(AtLeast(3), 4, nan, false)
}

func TestRegionMisses(t *testing.T) {
	check := func(r Region, low, high, factor float64, want bool) {
		t.Helper()
		if got := r.Misses(low, high, factor); got != want {
			t.Errorf("%v misses [%g, %g] by %g: got %v, want %v", r, low, high, factor, got, want)
		}
	}
	check(AtLeast(3), 1, 2, 1, true)
	check(AtLeast(3), 1, 2.4, 1.25, true)
	check(AtLeast(3), 1, 2.41, 1.25, false)
	check(AtLeast(3), 1, 3, 1, false) // the bound belongs to the region
	check(AtLeast(3), 4, 5, 1, false)
	check(AtLeast(3), 5, 4, 1, false)
	check(AtMost(2), 2.5, 9, 1.25, true)
	check(AtMost(2), 2.4, 9, 1.25, false)
	check(AtMost(2), 2, 9, 1, false)
	check(Within(1, 2), 0.1, 0.8, 1.25, true)
	check(Within(1, 2), 2.5, 3, 1.25, true)
	check(Within(1, 2), 0.5, 3, 1, false) // straddles all of it
	check(Equal(0), 1e-9, 1, 1.25, true)
	check(Equal(0), -1, -1e-9, 1.25, true)
	check(Equal(0), 0, 1, 1, false)
	// A zero bound: whatever is beyond it is beyond by any factor.
	check(AtMost(0), 1e-300, 1, 1.25, true)
	check(AtLeast(0), -1, -1e-300, 1.25, true)
	// A value of zero or less under a positive bound, and the reverse.
	check(AtLeast(3), -1, 0, 1.25, true)
	check(AtLeast(3), -9, -5, 1.25, true)
	check(AtMost(-3), 0, 1, 1.25, true)
	check(AtMost(-3), 1, 2, 1.25, true)
	// Both negative: further from zero is what counts below.
	check(AtLeast(-1), -3, -1.25, 1.25, true)
	check(AtLeast(-1), -3, -1.2, 1.25, false)
	check(AtMost(-10), -8, -1, 1.25, true)
	check(AtMost(-10), -8.1, -1, 1.25, false)
	check(AtLeast(3), -inf, inf, 1, false)
	check(AtLeast(3), -inf, 1, 1.25, true)
	check(AtLeast(3), nan, 1, 1, false)
	check(AtLeast(3), 1, nan, 1, false)
	check(Region{nan, nan}, 1, 2, 1, false)
}

func TestRegionValid(t *testing.T) {
	check := func(r Region, want string) {
		t.Helper()
		err := r.Valid()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: got %v, want %q", r, err, want)
		}
	}
	check(AtLeast(3), "")
	check(AtMost(-1), "")
	check(Within(2, 2), "")
	check(Region{}, "") // = 0
	check(Within(3, 2), "nothing can meet it")
	check(AtLeast(inf), "nothing can meet it")
	check(AtMost(-inf), "nothing can meet it")
	check(Region{-inf, inf}, "nothing can fail it")
	check(AtLeast(nan), "not a number")
	check(AtMost(nan), "not a number")
}

func TestRegionText(t *testing.T) {
	check := func(r Region, text, document string) {
		t.Helper()
		if got := r.String(); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		got, err := json.Marshal(r)
		if err != nil || string(got) != document {
			t.Errorf("%v: got %s (%v), want %s", r, got, err, document)
		}
		back := Region{7, 7}
		if err := json.Unmarshal([]byte(document), &back); err != nil || back != r {
			t.Errorf("reading %s: got %v (%v), want %v", document, back, err, r)
		}
	}
	check(AtLeast(3), ">= 3", `{"min":3,"max":null}`)
	check(AtMost(1.5), "<= 1.5", `{"min":null,"max":1.5}`)
	check(Within(0.5, 2), "in [0.5, 2]", `{"min":0.5,"max":2}`)
	check(Equal(0), "= 0", `{"min":0,"max":0}`)
	check(AtMost(1e-5), "<= 1e-05", `{"min":null,"max":0.00001}`)
	check(Equal(43.0/240), "= 0.179167", `{"min":0.17916666666666667,"max":0.17916666666666667}`)
	check(Equal(3146880), "= 3146880", `{"min":3146880,"max":3146880}`)

	var r Region
	if err := json.Unmarshal([]byte(`{"min": "3"}`), &r); err == nil {
		t.Error("got no error for a bound that is a string")
	}
}
