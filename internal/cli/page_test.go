package cli

import (
	"bytes"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"envelope/internal/typeset"
)

// printed is what a function prints where there is no terminal.
func printed(print func(page)) string {
	var out bytes.Buffer
	print(off(&out))
	return out.String()
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReflow(t *testing.T) {
	same(t, reflow("# Head\n\nOne two\nthree four.\n\nFive:\n\n  kept   as\n\tit is\nsix\n", 13), `
`+bold.Render("Head")+`

One two three
four.

Five:

  kept   as
	it is
six`)
	same(t, reflow("", 80), "")
}

// Where there is no terminal prose is wrapped, and what a program may look for is
// one line.
func TestOffTerminal(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 30))
	same(t, printed(func(p page) { p.say("head  ", long) }), `
head  word word word word word word word word word word word word word word word
      word word word word word word word word word word word word word word word
`)
	same(t, printed(func(p page) { p.row("head  ", long) }), "head  "+long+"\n")
	same(t, printed(func(p page) {
		p.entries(entry{mark: "* ", cells: []string{"a", "bc"}, text: long}, entry{mark: "* ", cells: []string{"abc", "b"}, text: "\x1b[2Jevil"})
	}), "* a    bc  "+long+"\n* abc  b   [2Jevil\n")
	same(t, printed(func(p page) { p.entries(entry{mark: "  ", text: "alone", style: lipgloss.NewStyle()}) }), "  alone\n")
	if got := off(nil).columns(); got != typeset.Unlimited {
		t.Errorf("a row is wrapped at %d columns", got)
	}
}
