package drill_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/labs"
	"envelope/predict/drill"
	"envelope/predict/ledger"
)

// commands are those of the command line.
var commands = []string{"list", "show", "run", "predict", "controls", "axioms", "floor", "divide", "kv",
	"doctor", "verify", "calibration", "drill"}

// book parses the two documents of the repository.
func book(t *testing.T) drill.Deck {
	t.Helper()
	var texts [2][]byte
	for i, name := range []string{"RULES.md", "CHALLENGES.md"} {
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = text
	}
	deck, err := drill.Parse(texts[0], texts[1])
	if err != nil {
		t.Fatal(err)
	}
	return deck
}

func known() drill.Known {
	k := drill.Known{Commands: commands}
	for _, l := range labs.All {
		k.Labs = append(k.Labs, l.Name)
		for _, c := range l.Claims {
			k.Claims = append(k.Claims, l.Name+"/"+c.Name)
		}
	}
	return k
}

func TestEverythingNamedExists(t *testing.T) {
	if err := book(t).Tie(known()); err != nil {
		t.Error(err)
	}
}

// Every lab brings its rule and its challenges with it: four for the labs that
// follow a question, two for the studies.
func TestEveryLabHasItsRuleAndChallenges(t *testing.T) {
	deck := book(t)
	for _, l := range labs.All {
		want := 4
		if l.Group == lab.Studies {
			want = 2
		} else if !slices.ContainsFunc(deck.Rules, func(r drill.Rule) bool { return r.Number == l.Rule && r.Lab == l.Name }) {
			t.Errorf("lab %s: rule %d is not there, or earned by another lab", l.Name, l.Rule)
		}
		have := 0
		for _, c := range deck.Challenges {
			if c.Lab == l.Name {
				have++
			}
		}
		if have < want {
			t.Errorf("lab %s: %d challenges, want %d", l.Name, have, want)
		}
	}
}

// What a check tells the reader to type can be typed.
func TestChecksAreUnderstood(t *testing.T) {
	for _, c := range book(t).Challenges {
		for _, text := range c.Checks {
			if expr, ok := strings.CutPrefix(text, "envelope divide "); ok {
				r, err := axioms.Eval(strings.Trim(expr, "'"))
				if err != nil || len(r.Warnings) > 0 {
					t.Errorf("%s/%s: %v, %q", c.Lab, c.Name, err, r.Warnings)
				}
			}
			if words := strings.Fields(text); words[1] == "floor" {
				if _, err := axioms.Parse(words[2]); err != nil {
					t.Errorf("%s/%s: %v", c.Lab, c.Name, err)
				}
			}
		}
	}
}

// A registered prediction names its question by the hash that a run gives it.
func TestQuestionsHaveOneHash(t *testing.T) {
	for _, l := range labs.All {
		for _, q := range l.Questions {
			if got, want := ledger.TextHash(q.Text, q.Unit), driver.TextHash(&q); got != want {
				t.Errorf("%s/%s: the ledger has %s, a run %s", l.Name, q.Name, got, want)
			}
		}
	}
}
