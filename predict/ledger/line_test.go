package ledger

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"envelope/manifest"

	"pgregory.net/rapid"
)

// events draws a few events of any kind.
func events(t *rapid.T) []event {
	n := rapid.IntRange(1, 4).Draw(t, "events")
	list := make([]event, n)
	for i := range list {
		e := event{Kind: rapid.SampledFrom([]kind{register, reveal, because}).Draw(t, "kind"), Time: start}
		text := rapid.String().Draw(t, "text")
		v := rapid.Float64Range(0, 1e300).Draw(t, "value")
		switch e.Kind {
		case register:
			p := manifest.Prediction{Question: text, Value: v, Unit: "s", Nonce: fmt.Sprint(i), Attempt: 1, Time: start}
			p.SHA256 = p.Digest()
			e.Predictions = []manifest.Prediction{p}
		case reveal:
			e.Outcomes = []revealed{{"x", Outcome{Question: text, Measured: &v, Unit: "s"}}}
		case because:
			e.Of, e.Why = "x", text
		}
		list[i] = e
	}
	return list
}

// drawFile draws a file and returns its lines without their newlines.
func drawFile(t *rapid.T) (data []byte, lines []string) {
	for _, e := range events(t) {
		text, err := encode(e)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, text...)
		lines = append(lines, strings.TrimSuffix(string(text), "\n"))
	}
	return data, lines
}

func texts(c contents) []string {
	var list []string
	for _, l := range c.lines {
		list = append(list, string(l))
	}
	return list
}

func TestWholeFileIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, lines := drawFile(t)
		c := scan(data)
		if !slices.Equal(texts(c), lines) || c.good != len(data) || c.torn+len(c.bad) > 0 || c.open {
			t.Fatalf("got %+v of %q", c, data)
		}
		for i, e := range c.events {
			again, err := encode(e)
			if err != nil || string(again) != lines[i]+"\n" {
				t.Fatalf("%s was read as %+v (%v)", lines[i], e, err)
			}
		}
	})
}

// cutIsATear holds a file that was cut, with zeros behind the cut or not,
// against the rule: it has the lines that were whole, and is not taken for
// damaged.
func cutIsATear(t rapid.TB, data []byte, lines []string, cut, zeros int) {
	t.Helper()
	c := scan(append(slices.Clone(data[:cut]), make([]byte, zeros)...))
	whole := bytes.Count(data[:cut], []byte("\n"))
	if data[cut] == '\n' {
		whole++ // all of it but the newline
	}
	if !slices.Equal(texts(c), lines[:whole]) {
		t.Fatalf("cut at %d of %q: lines %q", cut, data, texts(c))
	}
	// A whole line with zeros for its newline is the beginning of none, so
	// it is salvaged.
	if len(c.bad) > 0 && (data[cut] != '\n' || zeros == 0) {
		t.Fatalf("cut at %d of %q: taken for damage", cut, data)
	}
	if c.torn > 0 && c.good+c.torn != cut+zeros {
		t.Fatalf("cut at %d: good %d, torn %d", cut, c.good, c.torn)
	}
}

func TestEveryCutIsATear(t *testing.T) {
	var data []byte
	var lines []string
	for _, why := range []string{"", "größer \u2028 \" \\ {\"sum\":\""} {
		text, err := encode(event{Kind: because, Time: start, Of: "x", Why: why})
		if err != nil {
			t.Fatal(err)
		}
		data, lines = append(data, text...), append(lines, string(text[:len(text)-1]))
	}
	for cut := range data {
		cutIsATear(t, data, lines, cut, 0)
		cutIsATear(t, data, lines, cut, 9)
	}
}

func TestAnyCutIsATear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, lines := drawFile(t)
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		cutIsATear(t, data, lines, cut, rapid.SampledFrom([]int{0, 1, 4096}).Draw(t, "zeros"))
	})
}

// One changed byte never makes a line that was not written, and costs no line
// but its own.
func TestOneChangedByteCostsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, lines := drawFile(t)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		change := byte(rapid.IntRange(1, 255).Draw(t, "xor"))
		bent := slices.Clone(data)
		bent[at] ^= change
		c := scan(bent)
		hit := bytes.Count(data[:at], []byte("\n"))
		got := texts(c)
		if c.torn > 0 && hit != len(lines)-1 {
			t.Fatalf("a change in line %d of %d was taken for a torn end", hit+1, len(lines))
		}
		for i, l := range lines {
			if i != hit && !slices.Contains(got, l) {
				t.Fatalf("byte %d of line %d was changed, and line %d is lost", at, hit+1, i+1)
			}
		}
		for _, g := range got {
			if _, err := decode([]byte(g)); err != nil || len(got) > len(lines) {
				t.Fatalf("%q was taken for a line", g)
			}
		}
	})
}

func TestWhatIsNoLine(t *testing.T) {
	whole, err := encode(event{Kind: because, Time: start})
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) {
		t.Helper()
		if e, err := decode([]byte(text)); err == nil {
			t.Errorf("%q was read as %+v", text, e)
		}
	}
	check("")
	check("\x00\x00\x00\x00")
	check("null")
	check("{}")
	check(`{"sum":"00000000"}`)
	check(`{"sum":"00000000","event":null}`)
	check(strings.Replace(string(whole), "why", "Why", 1))
	check(string(whole) + string(whole))
}
