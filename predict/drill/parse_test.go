package drill

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rules = `# Rules

Text for people, with a list:

- of whatever

## Rule 2

A sentence that is
broken over two lines.

Earned by: buffered

### Derivation

1. One step
   on two lines.
2. Another.
3. A third.

### Claims

- ` + "`buffered/nothing-beats-the-floor`" + `
- ` + "`barrier/one-barrier-for-a-thousand`" + `

## Rule 5

Another one.

Earned by: barrier

### Derivation

1. a
2. b
3. c

### Claims

- ` + "`barrier/one-barrier-for-a-thousand`" + `
`

const challenges = `# Challenges

## barrier

### hundred-records

How many?
And why?

Check: ` + "`envelope divide '1 / fsync-flash'`, `envelope run barrier`" + `

### second

Which?

Check: ` + "`envelope axioms`" + `

## buffered

### second

Where?

Check: ` + "`envelope show buffered`" + `
`

func TestParse(t *testing.T) {
	got, err := Parse([]byte(rules), []byte(challenges))
	if err != nil {
		t.Fatal(err)
	}
	want := Deck{
		Rules: []Rule{
			{2, "A sentence that is broken over two lines.", "buffered", []string{"One step on two lines.", "Another.", "A third."},
				[]string{"buffered/nothing-beats-the-floor", "barrier/one-barrier-for-a-thousand"}},
			{5, "Another one.", "barrier", []string{"a", "b", "c"}, []string{"barrier/one-barrier-for-a-thousand"}},
		},
		Challenges: []Challenge{
			{"barrier", "hundred-records", "How many? And why?", []string{"envelope divide '1 / fsync-flash'", "envelope run barrier"}},
			{"barrier", "second", "Which?", []string{"envelope axioms"}},
			{"buffered", "second", "Where?", []string{"envelope show buffered"}},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if again, err := Parse([]byte(strings.ReplaceAll(rules, "\n", "\r\n")), []byte(challenges)); err != nil || !cmp.Equal(want, again) {
		t.Errorf("with carriage returns: %v", err)
	}
	var ids []string
	for _, c := range got.Cards() {
		ids = append(ids, c.ID)
	}
	if d := cmp.Diff([]string{"rule-2", "rule-5", "barrier/hundred-records", "barrier/second", "buffered/second"}, ids); d != "" {
		t.Error(d)
	}
}

func TestRefusedDocuments(t *testing.T) {
	const inRules, inChallenges = true, false
	check := func(first bool, old, new, want string) {
		t.Helper()
		r, c := rules, challenges
		if first {
			r = strings.Replace(r, old, new, 1)
		} else {
			c = strings.Replace(c, old, new, 1)
		}
		if r+c == rules+challenges {
			t.Fatalf("there is no %q to replace", old)
		}
		if _, err := Parse([]byte(r), []byte(c)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q for %q: got %v, want %q", new, old, err, want)
		}
	}
	check(inRules, "## Rule 5", "## Rule five", "RULES.md:26: the heading")
	check(inRules, "## Rule 5", "## Rule 05", "the heading")
	check(inRules, "## Rule 5", "## Rule 2", "does not follow rule 2")
	check(inRules, "Another one.", "Another. One.", "not one sentence")
	check(inRules, "Another one.", "Another one", "not one sentence")
	check(inRules, "Another one.\n", "Another one.\n\nAnd one more.\n", "got 3 paragraphs")
	check(inRules, "Earned by: barrier", "Earned: barrier", `want "Earned by: "`)
	check(inRules, "Earned by: barrier", "Earned by: barrier, ladder", `want "Earned by: "`)
	check(inRules, "### Derivation", "### Proof", "want the headings")
	check(inRules, "3. c\n", "", "RULES.md:32: want three to six steps, got 2")
	check(inRules, "3. c\n", "3. c\n4. d\n5. e\n6. f\n7. g\n", "got 7")
	check(inRules, "2. b", "3. b", "want step 2")
	check(inRules, "- `barrier", "- `Barrier", "want a claim as")
	check(inRules, "- `barrier", "1. `barrier", "want a claim as")
	check(inRules, "- `barrier/one-barrier-for-a-thousand`", "- `buffered/nothing-beats-the-floor`", "stands there twice")
	check(inRules, rules, "# Nothing", "there is no rule")
	check(inChallenges, "## buffered", "## barrier", "once")
	check(inChallenges, "## buffered", "## The buffered lab", "want a lab")
	check(inChallenges, "## barrier\n", "## barrier\n\nBefore we begin.\n", "nothing between")
	check(inChallenges, "### hundred-records", "### A hundred records", "words with hyphens")
	check(inChallenges, "### second", "### hundred-records", "two challenges")
	check(inChallenges, "Which?\n", "Which?\n\nWhat?\n", "got 3 paragraphs")
	check(inChallenges, "Check: `envelope axioms`", "See: `envelope axioms`", `want "Check: "`)
	check(inChallenges, "`envelope axioms`", "envelope axioms", "commands as `code`")
	check(inChallenges, "`envelope axioms`", "`envelope axioms` and think", "commands as `code`")
	check(inChallenges, challenges, "", "there is no challenge")
}

func TestTie(t *testing.T) {
	deck, err := Parse([]byte(rules), []byte(challenges))
	if err != nil {
		t.Fatal(err)
	}
	known := func() Known {
		return Known{
			Labs:     []string{"buffered", "barrier"},
			Claims:   []string{"buffered/nothing-beats-the-floor", "barrier/one-barrier-for-a-thousand"},
			Commands: []string{"run", "show", "divide", "axioms"},
		}
	}
	check := func(f func(*Known), d Deck, wants ...string) {
		t.Helper()
		k := known()
		f(&k)
		err := d.Tie(k)
		if (err == nil) != (len(wants) == 0) {
			t.Fatalf("got %v, want %q", err, wants)
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q in it", err, want)
			}
		}
	}
	same := func(*Known) {}
	check(same, deck)
	check(func(k *Known) { k.Labs = k.Labs[:1] }, deck, "rule 5 is earned by lab barrier", "challenge barrier/second: there is no such lab", `"envelope run barrier": there is no lab barrier`)
	check(func(k *Known) { k.Claims = k.Claims[1:] }, deck, "rule 2 names claim buffered/nothing-beats-the-floor")
	check(func(k *Known) { k.Commands = k.Commands[:3] }, deck, `"envelope axioms" is no command`)
	stray := Deck{Rules: []Rule{{5, "s.", "barrier", nil, []string{"buffered/nothing-beats-the-floor"}}}}
	check(same, stray, "rule 5 names no claim of lab barrier")
	for text, want := range map[string]string{
		"envelope run": "names no lab", "envelope run barrier ladder --full": "no lab ladder",
		"rm -r /": "no command of envelope", "envelope": "no command of envelope",
	} {
		check(same, Deck{Challenges: []Challenge{{"barrier", "x", "?", []string{text}}}}, want)
	}
	check(same, Deck{Challenges: []Challenge{{"barrier", "x", "?", []string{"envelope run barrier --only x"}}}})
}
