package drill

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	start = time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	deck  = []Card{{ID: "a"}, {ID: "b"}, {ID: "c"}}
)

// next is the ID of the next card, "" where none is up.
func next(s State, now time.Time) string {
	c, ok := s.Next(deck, now)
	if ok != (c.ID != "") {
		panic("a card that is none")
	}
	return c.ID
}

func TestOneSitting(t *testing.T) {
	var s State
	now := start
	step := func(want string, knew bool) {
		t.Helper()
		if got := next(s, now); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		s = s.Mark(Card{ID: want}, knew, now)
		now = now.Add(time.Minute)
	}
	step("a", true)
	step("b", false)
	step("c", false)
	if got := next(s, now); got != "" {
		t.Fatalf("got %q at once again", got)
	}
	if at, ok := s.Waiting(deck, now); !ok || !at.Equal(start.Add(11*time.Minute)) {
		t.Fatalf("waiting until %v, %v", at, ok)
	}
	now = start.Add(15 * time.Minute)
	step("b", true) // missed first, so up first
	step("c", true)
	if at, ok := s.Waiting(deck, now); !ok || !at.Equal(start.Add(24*time.Hour)) {
		t.Fatalf("waiting until %v, %v", at, ok)
	}
	now = start.Add(25 * time.Hour)
	step("a", false)
	now = now.Add(time.Hour)
	step("a", true) // the lowest box first
	step("b", true)
	if s["b"].Box != 2 || s["a"].Box != 1 || s["c"].Box != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestNewCardsComeAfterDueOnes(t *testing.T) {
	s := State{"c": {Box: 3, Due: start}}
	if got := next(s, start); got != "c" {
		t.Errorf("got %q", got)
	}
	if got := next(s, start.Add(-time.Second)); got != "a" {
		t.Errorf("before it is due: got %q", got)
	}
	if _, waiting := s.Waiting(deck, start.Add(-time.Second)); waiting {
		t.Error("waiting although there are new cards")
	}
	if _, ok := (State{}).Next(nil, start); ok {
		t.Error("a card of no deck")
	}
	if _, waiting := (State{}).Waiting(nil, start); waiting {
		t.Error("waiting for no deck")
	}
}

func TestOrderWithinABox(t *testing.T) {
	s := State{"a": {1, start}, "b": {1, start.Add(-time.Hour)}, "c": {1, start}}
	for _, want := range []string{"b", "a", "c"} {
		if got := next(s, start); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		s = s.Mark(Card{ID: want}, true, start)
	}
}

func TestThereIsAHighestBox(t *testing.T) {
	var s State
	for range 2 * Boxes {
		s = s.Mark(deck[0], true, start)
	}
	if want := (Place{Boxes - 1, start.Add(intervals[Boxes-1])}); s["a"] != want {
		t.Errorf("got %+v, want %+v", s["a"], want)
	}
}

// A card that was put away while the clock was wrong comes up again.
func TestClockThatWasWrong(t *testing.T) {
	s := State{}.Mark(deck[0], true, start.AddDate(50, 0, 0)).Mark(deck[1], true, start).Mark(deck[2], true, start)
	if got := next(s, start); got != "a" {
		t.Errorf("got %q", got)
	}
}

func TestMissedComesBackSooner(t *testing.T) {
	if !slices.IsSorted(intervals[:]) || intervals[0] <= 0 {
		t.Fatalf("intervals %v", intervals)
	}
	rapid.Check(t, func(t *rapid.T) {
		var s State
		now := start
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(90*24*time.Hour)).Draw(t, "wait")))
			c, ok := s.Next(deck, now)
			if again, ok2 := s.Next(deck, now); again.ID != c.ID || ok2 != ok {
				t.Fatal("the next card is not always the same")
			}
			if at, waiting := s.Waiting(deck, now); waiting == ok {
				t.Fatalf("a card is up: %v; waiting: %v", ok, waiting)
			} else if waiting {
				if next(s, at) == "" || next(s, at.Add(-1)) != "" || !at.After(now) {
					t.Fatalf("waiting until %v", at)
				}
				now = at
				c, _ = s.Next(deck, now)
			}
			before := maps.Clone(s)
			knew, missed := s.Mark(c, true, now), s.Mark(c, false, now)
			if !maps.Equal(s, before) {
				t.Fatal("Mark changed the state")
			}
			if k, m := knew[c.ID], missed[c.ID]; !m.Due.Before(k.Due) || m.Box != 0 || k.Box != min(before[c.ID].Box+1, Boxes-1) || !m.Due.After(now) {
				t.Fatalf("known %+v, missed %+v, before %+v", k, m, before[c.ID])
			}
			if s = missed; rapid.Bool().Draw(t, "knew") {
				s = knew
			}
		}
	})
}
