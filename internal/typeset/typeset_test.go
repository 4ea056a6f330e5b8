package typeset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got := Clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	check("plain, µs and 日本", "plain, µs and 日本")
	check("two\nlines\tand a tab", "two lines and a tab")
	check("\x1b[31mred\x1b[0m", "[31mred[0m")
	check("\x1b]0;title\x07", "]0;title")
	check("a\rb\x00c\x7fd\u009b2Je", "abcd2Je")
	check("\u202eleft\u200bzero\u2066", "leftzero")
	check("\ufefftag\U000e0041", "tag")
	check("line\u2028and\u2029paragraph", "line and paragraph")
	check("not \xff UTF-8 \x9b2J", "not \ufffd UTF-8 \ufffd2J")
}

func TestPad(t *testing.T) {
	check := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(Pad("ab", 4), "ab  ")
	check(PadLeft("ab", 4), "  ab")
	check(Pad("日本", 5), "日本 ")
	check(PadLeft("日本", 5), " 日本")
	check(Pad("e\u0301", 3), "e\u0301  ")
	check(Pad("long", 2), "long")
	check(Pad("", -1), "")
}

func TestCut(t *testing.T) {
	check := func(text string, width int, want string) {
		t.Helper()
		if got := Cut(text, width); got != want {
			t.Errorf("%q in %d: got %q, want %q", text, width, got, want)
		}
	}
	check("short", 5, "short")
	check("longer", 5, "long…")
	check("日本語", 5, "日本…")
	check("日本語", 4, "日…")
	check("\x1b[31mred", 4, "[31…")
	check("e\u0301e\u0301e\u0301", 2, "e\u0301…")
	check("x", 0, "")
	check("x", -3, "")
	check("", 0, "")
}

func TestWrap(t *testing.T) {
	check := func(text string, width int, want ...string) {
		t.Helper()
		if got := Wrap(text, width); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q in %d: got %q, want %q", text, width, got, want)
		}
	}
	check("", 10, "")
	check("one two three", 7, "one two", "three")
	check("one\ntwo\t three", 20, "one two three")
	check("a-name-with-hyphens is", 10, "a-name-wit", "h-hyphens", "is")
	check("to abcdefghij", 4, "to", "abcd", "efgh", "ij")
	check("日本語 です", 5, "日本", "語", "です")
	check("日本", 1, "日本") // nothing is lost, and it ends
	check("x\x1b[31my z", 20, "x[31my z")
	check("e\u0301e\u0301 e\u0301", 2, "e\u0301e\u0301", "e\u0301")
	check("a b", 0, "a", "b")
	check("a \u0301 b", 9, "a \u0301 b")
}

// No line is wider than it may be, and no character is lost.
func TestWrapKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab-, \n\x1b\u200b日é\u0301ÿ"))).Draw(t, "text")
		width := rapid.IntRange(2, 12).Draw(t, "width")
		lines := Wrap(text, width)
		for _, line := range lines {
			if Width(line) > width || !utf8.ValidString(line) {
				t.Fatalf("%q is %d columns, want at most %d", line, Width(line), width)
			}
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := squeeze(strings.Join(lines, "")), squeeze(Clean(text)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// A word of megabytes is broken in one pass: a pass for each line would take hours.
func TestWrapLongWord(t *testing.T) {
	if got, want := len(Wrap(strings.Repeat("0123456789", 1<<20), 80)), 10<<20/80; got != want {
		t.Errorf("got %d lines, want %d", got, want)
	}
}

func TestHang(t *testing.T) {
	check := func(head, text string, width int, want ...string) {
		t.Helper()
		if got := Hang(head, text, width); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q, %q in %d: got %q, want %q", head, text, width, got, want)
		}
	}
	check("- ", "one two three four five", 18, "- one two three", "  four five")
	check("日 ", "one two three four five", 21, "日 one two three four", "   five")
	check("\x1b[1mbold\x1b[m ", "one two three four", 22, "\x1b[1mbold\x1b[m one two three", "     four")
	check("head ", "", 20, "head ")
	// No room beside the head: under it, unless it fits there.
	check("a-long-head  ", "one two three", 20, "a-long-head", "    one two three")
	check("a-long-head  ", "one two", 20, "a-long-head  one two")
	check("  ", "one two three four", 12, "  one two", "  three four")
}

func TestTable(t *testing.T) {
	check := func(got []string, want ...string) {
		t.Helper()
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check(Table([]string{"what", "n"}, [][]string{{"日本", "1", "more"}, {"x\x1b[2J"}}), "what  n", "日本  1  more", "x[2J")
	check(Table(nil, [][]string{{"a", "b"}, {"", "b"}}), "a  b", "   b")
	check(Table(nil, nil))
}
