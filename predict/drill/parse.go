package drill

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Parse reads RULES.md and CHALLENGES.md. Everything before the first "## " is
// for people. What follows must have this form, and whatever has not is an
// error that names the document and the line.
//
//	## Rule 5
//	One sentence.
//	Earned by: barrier
//	### Derivation
//	1. A step.
//	### Claims
//	- `barrier/one-barrier-for-a-thousand`
//
//	## barrier
//	### hundred-records
//	A question.
//	Check: `envelope run barrier`
//
// Lines that follow one another are one paragraph or one item.
func Parse(rules, challenges []byte) (Deck, error) {
	r, err := parseRules(rules)
	if err != nil {
		return Deck{}, fmt.Errorf("RULES.md:%w", err)
	}
	c, err := parseChallenges(challenges)
	if err != nil {
		return Deck{}, fmt.Errorf("CHALLENGES.md:%w", err)
	}
	return Deck{r, c}, nil
}

var (
	slug  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	word  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	claim = regexp.MustCompile("^- `([a-z][a-z0-9]*/[a-z0-9]+(?:-[a-z0-9]+)*(?:@[a-z0-9-]+)?)`$")
	item  = regexp.MustCompile(`^([0-9]+\.|-) `)
	code  = regexp.MustCompile("`([^`]+)`")
)

// fault is an error in a line.
func fault(line int, format string, args ...any) error {
	return fmt.Errorf("%d: %w", line, fmt.Errorf(format, args...))
}

func parseRules(text []byte) ([]Rule, error) {
	var rules []Rule
	for _, s := range sections(text) {
		r, err := parseRule(s)
		if err != nil {
			return nil, err
		}
		if len(rules) > 0 && r.Number <= rules[len(rules)-1].Number {
			return nil, fault(s.line, "rule %d does not follow rule %d", r.Number, rules[len(rules)-1].Number)
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, fault(1, "there is no rule in it")
	}
	return rules, nil
}

func parseRule(s section) (Rule, error) {
	number, ok := strings.CutPrefix(s.title, "Rule ")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != number {
		return Rule{}, fault(s.line, `the heading %q is not "Rule" and a number`, s.title)
	}
	r := Rule{Number: n}
	if len(s.blocks) != 2 {
		return r, fault(s.line, "rule %d: want a sentence and the lab that earns it, got %d paragraphs", n, len(s.blocks))
	}
	r.Sentence = s.blocks[0].text
	if !sentence(r.Sentence) {
		return r, fault(s.blocks[0].line, "rule %d is not one sentence: %q", n, r.Sentence)
	}
	if r.Lab, ok = strings.CutPrefix(s.blocks[1].text, "Earned by: "); !ok || !word.MatchString(r.Lab) {
		return r, fault(s.blocks[1].line, `rule %d: want "Earned by: " and a lab, got %q`, n, s.blocks[1].text)
	}
	if len(s.parts) != 2 || s.parts[0].title != "Derivation" || s.parts[1].title != "Claims" {
		return r, fault(s.line, "rule %d: want the headings Derivation and Claims below it", n)
	}
	if r.Derivation, err = parseSteps(s.parts[0]); err == nil {
		r.Claims, err = parseClaims(s.parts[1])
	}
	return r, err
}

func parseSteps(p section) ([]string, error) {
	var steps []string
	for i, b := range p.blocks {
		step, ok := strings.CutPrefix(b.text, strconv.Itoa(i+1)+". ")
		if !ok {
			return nil, fault(b.line, "want step %d, got %q", i+1, b.text)
		}
		steps = append(steps, step)
	}
	if k := len(steps); k < 3 || k > 6 {
		return nil, fault(p.line, "want three to six steps, got %d", k)
	}
	return steps, nil
}

func parseClaims(p section) ([]string, error) {
	var claims []string
	for _, b := range p.blocks {
		name := claim.FindStringSubmatch(b.text)
		if name == nil {
			return nil, fault(b.line, "want a claim as - `LAB/CLAIM`, got %q", b.text)
		}
		if slices.Contains(claims, name[1]) {
			return nil, fault(b.line, "claim %s stands there twice", name[1])
		}
		claims = append(claims, name[1])
	}
	if len(claims) == 0 {
		return nil, fault(p.line, "want the claims that rest on the rule")
	}
	return claims, nil
}

// sentence reports whether text is one sentence: a full stop at its end, and
// none before.
func sentence(text string) bool {
	return strings.HasSuffix(text, ".") && !strings.Contains(strings.TrimSuffix(text, "."), ". ") && len(text) > 1
}

func parseChallenges(text []byte) ([]Challenge, error) {
	var all []Challenge
	labs := map[string]bool{}
	for _, s := range sections(text) {
		if !word.MatchString(s.title) || labs[s.title] || len(s.blocks) > 0 {
			return nil, fault(s.line, "the heading %q: want a lab, once, with nothing between it and its first challenge", s.title)
		}
		labs[s.title] = true
		names := map[string]bool{}
		for _, p := range s.parts {
			c, err := parseChallenge(s.title, p)
			if err != nil {
				return nil, err
			}
			if names[c.Name] {
				return nil, fault(p.line, "there are two challenges %q", c.Name)
			}
			names[c.Name] = true
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return nil, fault(1, "there is no challenge in it")
	}
	return all, nil
}

func parseChallenge(lab string, p section) (Challenge, error) {
	c := Challenge{Lab: lab, Name: p.title}
	if !slug.MatchString(c.Name) {
		return c, fault(p.line, "the heading %q is not words with hyphens", c.Name)
	}
	if len(p.blocks) != 2 {
		return c, fault(p.line, "%s: want a question and a line that begins with Check, got %d paragraphs", c.Name, len(p.blocks))
	}
	c.Question = p.blocks[0].text
	check, ok := strings.CutPrefix(p.blocks[1].text, "Check: ")
	if !ok {
		return c, fault(p.blocks[1].line, `%s: want "Check: " and a command, got %q`, c.Name, p.blocks[1].text)
	}
	for _, m := range code.FindAllStringSubmatch(check, -1) {
		c.Checks = append(c.Checks, m[1])
	}
	if len(c.Checks) == 0 || strings.Trim(code.ReplaceAllString(check, ""), ", ") != "" {
		return c, fault(p.blocks[1].line, "%s: want commands as `code`, with commas between them, got %q", c.Name, check)
	}
	return c, nil
}
