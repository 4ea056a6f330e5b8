package axioms

import (
	"slices"
	"strings"
)

// The operators as they are read; the second string of a pair spells each as it is printed.
const (
	sums, plainSums         = "+-−", "+--"
	products, plainProducts = "*·×/÷", "***//"
	powers, plainPowers     = "^", "^"
)

// Topic is one thing that an expression is made of, with all that there is of it.
type Topic struct {
	Name  string // "functions"
	Words []string
}

// Topics lists what an expression may hold beside numbers and the names of axioms: operators, functions, units and the
// words for what is only counted.
func Topics() []Topic {
	var ops, funcs, plain []string
	for _, r := range plainSums + plainProducts + plainPowers {
		if !slices.Contains(ops, string(r)) {
			ops = append(ops, string(r))
		}
	}
	for _, f := range functions() {
		args := "a"
		if f.most > 1 {
			args = "a,b,..."
		}
		funcs = append(funcs, f.name+"("+args+")")
	}
	var units []string
	for _, b := range bases {
		var prefixes []string
		for _, set := range b.sets {
			for _, p := range set {
				if p.symbol != "μ" {
					prefixes = append(prefixes, p.symbol)
				}
			}
		}
		units = append(units, b.symbol+" (also with "+strings.Join(prefixes, " ")+")")
	}
	for word := range words {
		plain = append(plain, word)
	}
	slices.SortFunc(plain, func(a, b string) int { // as symbols has them, then the signs
		at := func(s string) int {
			if i := slices.Index(symbols(), s); i >= 0 {
				return i
			}
			return len(symbols())
		}
		if d := at(a) - at(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return []Topic{{"operators", append(ops, "( )")}, {"functions", funcs}, {"units", append(units, plain...)}, {"count words", slices.Clone(counted)}}
}
