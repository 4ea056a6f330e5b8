package drill

import (
	"maps"
	"time"
)

// intervals are how long a card rests in each box, from the first up.
var intervals = [...]time.Duration{
	10 * time.Minute, // missed: again in this sitting, but not at once
	24 * time.Hour,
	3 * 24 * time.Hour,
	7 * 24 * time.Hour,
	21 * 24 * time.Hour,
	60 * 24 * time.Hour,
}

// Boxes is the number of boxes.
const Boxes = len(intervals)

// Place is where a card lies.
type Place struct {
	Box int       `json:"box"` // 0 to Boxes-1
	Due time.Time `json:"due"`
}

// State is where the cards lie, by card ID. One that isn't there is new. The
// nil State is an empty one. A State is not changed by its methods.
type State map[string]Place

// Next returns the card to show now, and false where none is. Due cards come
// before new ones; among those that are due the lowest box comes first, in it
// the one due longest, and then the order of the deck decides, as it does for
// new ones.
func (s State) Next(deck []Card, now time.Time) (Card, bool) {
	best, fresh := -1, -1
	for i, c := range deck {
		p, seen := s[c.ID]
		switch {
		case !seen && fresh < 0:
			fresh = i
		case seen && p.due(now) && (best < 0 || p.before(s[deck[best].ID])):
			best = i
		}
	}
	switch {
	case best >= 0:
		return deck[best], true
	case fresh >= 0:
		return deck[fresh], true
	}
	return Card{}, false
}

// Waiting returns when the next card of the deck comes up, and false where one
// is up now or the deck is empty.
func (s State) Waiting(deck []Card, now time.Time) (time.Time, bool) {
	if _, up := s.Next(deck, now); up || len(deck) == 0 {
		return time.Time{}, false
	}
	first := s[deck[0].ID].Due
	for _, c := range deck {
		if d := s[c.ID].Due; d.Before(first) {
			first = d
		}
	}
	return first, true
}

// Mark returns the state after the reader has marked himself: up one box if he
// knew the card, down to the first if not.
func (s State) Mark(card Card, knew bool, now time.Time) State {
	next := maps.Clone(s)
	if next == nil {
		next = State{}
	}
	box := 0
	if knew {
		box = min(s[card.ID].Box+1, Boxes-1)
	}
	next[card.ID] = Place{Box: box, Due: now.Add(intervals[box]).UTC().Round(0)}
	return next
}

// due also holds for a card that lies further ahead than its box reaches: the
// clock was wrong when it was put there.
func (p Place) due(now time.Time) bool {
	return !p.Due.After(now) || p.Due.After(now.Add(intervals[p.Box]))
}

func (p Place) before(q Place) bool {
	if p.Box != q.Box {
		return p.Box < q.Box
	}
	return p.Due.Before(q.Due)
}
