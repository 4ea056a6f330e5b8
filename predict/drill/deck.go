package drill

import (
	"errors"
	"fmt"
	"strings"
)

// Deck is all cards, in the order of their documents: rules, then challenges.
type Deck struct {
	Rules      []Rule
	Challenges []Challenge
}

// Rule is one entry of RULES.md.
type Rule struct {
	Number     int
	Sentence   string
	Lab        string   // that earns it
	Derivation []string // three to six steps
	Claims     []string // LAB/CLAIM, that rest on it
}

// Challenge is one entry of CHALLENGES.md.
type Challenge struct {
	Lab      string
	Name     string // permanent, unique within the lab
	Question string
	Checks   []string // commands by which the reader finds out: "envelope run barrier"
}

// Card is one thing to be asked.
type Card struct {
	ID    string   // permanent: "rule-5", "barrier/hundred-records"
	Lab   string   // that it is about
	Front string   // shown first
	Back  []string // shown when the reader has thought: the derivation, or how to find out
	Refs  []string // claims that a rule rests on, as LAB/CLAIM; none for a challenge
}

// Cards returns the deck as cards.
func (d Deck) Cards() []Card {
	var cards []Card
	for _, r := range d.Rules {
		cards = append(cards, Card{ID: fmt.Sprintf("rule-%d", r.Number), Lab: r.Lab, Front: r.Sentence, Back: r.Derivation, Refs: r.Claims})
	}
	for _, c := range d.Challenges {
		cards = append(cards, Card{ID: c.Lab + "/" + c.Name, Lab: c.Lab, Front: c.Question, Back: c.Checks})
	}
	return cards
}

// Known is what cards may name.
type Known struct {
	Labs     []string
	Claims   []string // LAB/CLAIM
	Commands []string // of envelope: "run", "floor"
}

// Tie returns, joined into one error, whatever the deck names that does not
// exist, and each rule that rests on no claim of the lab that earns it.
func (d Deck) Tie(k Known) error {
	var errs []error
	labs, claims, commands := set(k.Labs), set(k.Claims), set(k.Commands)
	for _, r := range d.Rules {
		if !labs[r.Lab] {
			errs = append(errs, fmt.Errorf("rule %d is earned by lab %s, which does not exist", r.Number, r.Lab))
		}
		own := false
		for _, c := range r.Claims {
			if !claims[c] {
				errs = append(errs, fmt.Errorf("rule %d names claim %s, which does not exist", r.Number, c))
			}
			own = own || strings.HasPrefix(c, r.Lab+"/")
		}
		if !own {
			errs = append(errs, fmt.Errorf("rule %d names no claim of lab %s, which earns it", r.Number, r.Lab))
		}
	}
	for _, c := range d.Challenges {
		if !labs[c.Lab] {
			errs = append(errs, fmt.Errorf("challenge %s/%s: there is no such lab", c.Lab, c.Name))
		}
		for _, text := range c.Checks {
			if err := checkable(text, labs, commands); err != nil {
				errs = append(errs, fmt.Errorf("challenge %s/%s: %w", c.Lab, c.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkable refuses a command that does not exist, and one that is given a lab
// that does not.
func checkable(text string, labs, commands map[string]bool) error {
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "envelope" || !commands[words[1]] {
		return fmt.Errorf("%q is no command of envelope", text)
	}
	switch words[1] {
	case "run", "show", "predict", "controls":
		if len(words) < 3 {
			return fmt.Errorf("%q names no lab", text)
		}
		for _, w := range words[2:] {
			if strings.HasPrefix(w, "-") {
				break
			}
			if !labs[w] {
				return fmt.Errorf("%q: there is no lab %s", text, w)
			}
		}
	}
	return nil
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
