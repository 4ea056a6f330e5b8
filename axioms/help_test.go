package axioms

import (
	"strings"
	"testing"
)

// Whatever the help names can be written.
func TestTopicsAreUnderstood(t *testing.T) {
	topics := map[string][]string{}
	for _, topic := range Topics() {
		topics[topic.Name] = topic.Words
	}
	check := func(expr string) {
		t.Helper()
		if _, err := Eval(expr); err != nil {
			t.Error(err)
		}
	}
	for _, op := range topics["operators"] {
		if op != "( )" {
			check("6 " + op + " 2")
		}
	}
	for _, call := range topics["functions"] {
		name, args, _ := strings.Cut(call, "(")
		check(name + "(" + strings.NewReplacer("a", "8", "b", "4", ",...", "").Replace(args))
	}
	for _, unit := range topics["units"] {
		base, prefixes, _ := strings.Cut(strings.TrimSuffix(unit, ")"), " (also with ")
		check("1 " + base)
		for _, p := range strings.Fields(prefixes) {
			check("1 " + p + base)
		}
	}
	for _, word := range topics["count words"] {
		check("3 " + word + "s")
	}
	for name, least := range map[string]int{"operators": 6, "functions": 7, "units": 14, "count words": 14} {
		if got := len(topics[name]); got < least {
			t.Errorf("%s: got %d, want at least %d", name, got, least)
		}
	}
}
