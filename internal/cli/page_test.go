package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"envelope/internal/typeset"
	"envelope/manifest"
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

// An argument is not repeated at any length, whatever refuses it and however.
func TestBrief(t *testing.T) {
	long, words := strings.Repeat("é", 50_000), strings.Repeat("a b ", 25_000)
	for _, args := range []string{
		"list X", "run X", "run --seed X", "run --require X", "run --require good/X,good", "run --results X", "run --X", "run --format X",
		"show X", "doctor X", "verify X", "report X", "calibration X", "drill X", "predict X", "predict --answer X=1", "controls X", "axioms X", "floor X", "divide X", "kv X", "X",
	} {
		for _, x := range []string{long, words} {
			var said bytes.Buffer
			a := &app{
				Program: Program{Labs: fakes(), Sources: sourcesOf(fakes())}, machine: quickMachine(),
				getenv: func(string) string { return "" }, out: off(&said), err: off(&said),
			}
			split := strings.Fields(args)
			for i := range split {
				split[i] = strings.ReplaceAll(split[i], "X", x)
			}
			if code := a.main(t.Context(), split); code != manifest.ExitError || said.Len() > 8000 || !utf8.Valid(said.Bytes()) {
				t.Errorf("%s: exit code %d, %d bytes, want %d and a few: %.200q", args, code, said.Len(), manifest.ExitError, said.String())
			}
		}
	}
	short := strings.Repeat("a path that is in use ", 40)
	if got := brief(short); got != short {
		t.Errorf("got %q, want it whole", got)
	}
}
