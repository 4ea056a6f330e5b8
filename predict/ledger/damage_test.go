package ledger

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"envelope/manifest"
)

// threeLines makes a ledger with three registrations and returns its path.
func threeLines(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	l := mustOpen(t, dir)
	for range 3 {
		if _, _, err := l.Register(start, []Answer{answer("lab/one")}); err != nil {
			t.Fatal(err)
		}
	}
	return l.path
}

// attempts are those of the history in the directory, which must then open
// without a message.
func attempts(t *testing.T, path string) []int {
	t.Helper()
	var list []int
	for _, e := range mustOpen(t, filepath.Dir(path)).History() {
		list = append(list, e.Prediction.Attempt)
	}
	return list
}

func aside(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".damaged-*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestDamage(t *testing.T) {
	check := func(name string, bend func(lines [][]byte) []byte, message string, damaged bool, want ...int) {
		t.Run(name, func(t *testing.T) {
			path := threeLines(t)
			bent := bend(bytes.SplitAfter(mustRead(t, path), []byte("\n")))
			if err := os.WriteFile(path, bent, 0o600); err != nil {
				t.Fatal(err)
			}
			l, messages, err := Open(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(messages, "\n"); !strings.Contains(all, message) || (message == "") != (all == "") {
				t.Errorf("messages %q, want %q", messages, message)
			}
			if more := l.Notices(); len(more) > 0 {
				t.Errorf("told twice: %q", more)
			}
			names := aside(t, path)
			if damaged != (len(names) == 1) {
				t.Errorf("set aside: %q", names)
			}
			if damaged && !bytes.Equal(mustRead(t, names[0]), bent) {
				t.Error("what was set aside is not what was there")
			}
			preds, _, err := l.Register(start, []Answer{answer("lab/one")})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, preds[0].Attempt)
			got := attempts(t, path)
			if len(got) != len(want) {
				t.Fatalf("attempts %v, want %v", got, want)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("attempts %v, want %v", got, want)
				}
			}
			if wantNext := want[len(want)-2] + 1; preds[0].Attempt != wantNext {
				t.Errorf("the next attempt is %d, want %d", preds[0].Attempt, wantNext)
			}
		})
	}
	join := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	check("whole", func(l [][]byte) []byte { return join(l...) }, "", false, 1, 2, 3)
	check("no newline at the end", func(l [][]byte) []byte { return bytes.TrimSuffix(join(l...), []byte("\n")) }, "", false, 1, 2, 3)
	check("torn", func(l [][]byte) []byte { return join(l[0], l[1], l[2][:40]) }, "The last 40 bytes", false, 1, 2)
	check("zeros at the end", func(l [][]byte) []byte { return join(l[0], l[1], make([]byte, 100)) }, "dropped", false, 1, 2)
	check("too many zeros at the end", func(l [][]byte) []byte { return join(l[0], l[1], make([]byte, longest+1)) }, "the first in line 3", true, 1, 2)
	check("torn too late", func(l [][]byte) []byte { return join(l[0], l[1], l[2][:40], bytes.Repeat([]byte("x"), longest)) }, "the first in line 3", true, 1, 2)
	check("an empty line", func(l [][]byte) []byte { return join(l[0], []byte("\n"), l[1], l[2]) }, "", false, 1, 2, 3)
	check("a line twice", func(l [][]byte) []byte { return join(l[0], l[1], l[1], l[2]) }, "", false, 1, 2, 3)
	check("first line gone bad", func(l [][]byte) []byte {
		return join(bytes.Replace(l[0], []byte("0.0003"), []byte("0.0004"), 1), l[1], l[2])
	}, "the first in line 1", true, 2, 3)
	check("zeros in the middle", func(l [][]byte) []byte { return join(l[0], make([]byte, 4096), l[1], l[2]) }, "the first in line 2", true, 1, 2, 3)
	check("newline lost", func(l [][]byte) []byte { return join(l[0][:len(l[0])-1], []byte("X"), l[1], l[2]) }, "the first in line 1", true, 1, 2, 3)
	check("last newline changed", func(l [][]byte) []byte { return join(l[0], l[1], l[2][:len(l[2])-1], []byte("X")) }, "the first in line 3", true, 1, 2, 3)
	check("torn in the middle", func(l [][]byte) []byte { return join(l[0], l[1][:99], l[2]) }, "the first in line 2", true, 1, 3)
	check("last line bad but ended", func(l [][]byte) []byte { return join(l[0], l[1], []byte("nonsense\n")) }, "the first in line 3", true, 1, 2)
}

// What is far too large is not read, and left as it is.
func TestHuge(t *testing.T) {
	path := threeLines(t)
	const size = 3 << 30
	if err := os.Truncate(path, size); err != nil {
		t.Skip("no sparse files here: ", err)
	}
	if _, _, err := Open(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "at most 67108864 are read: move it away") {
		t.Errorf("got %v, want it refused", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		t.Errorf("got %v, %v, want it left as it was", info, err)
	}
	if names := aside(t, path); len(names) > 0 {
		t.Errorf("set aside: %q", names)
	}
}

func TestNothingIsLeftToRead(t *testing.T) {
	path := threeLines(t)
	if err := os.WriteFile(path, []byte("another program's file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, messages, err := Open(filepath.Dir(path))
	if err != nil || len(messages) != 1 {
		t.Fatal(messages, err)
	}
	if got := attempts(t, path); len(got) > 0 {
		t.Errorf("attempts %v", got)
	}
	// Damaged again within the same second: a name of its own.
	for n := 2; n <= 3; n++ {
		if err := os.WriteFile(path, []byte("again\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(filepath.Dir(path)); err != nil {
			t.Fatal(err)
		}
		if names := aside(t, path); len(names) != n {
			t.Errorf("%d files set aside, want %d", len(names), n)
		}
	}
}

func TestDamageWhileOpen(t *testing.T) {
	path := threeLines(t)
	l := mustOpen(t, filepath.Dir(path))
	data := mustRead(t, path)
	data[10] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Register(start, []Answer{answer("lab/one")}); err != nil {
		t.Fatal(err)
	}
	if n := l.Notices(); len(n) != 1 || !strings.Contains(n[0], "damaged") {
		t.Errorf("notices %q", n)
	}
}

// An edit that takes care of the checksum is still found: the prediction is not
// the one whose hash was shown. Nor is it where its own hash is made again, and
// only the session's is not.
func TestAlteredPredictionIsNotScored(t *testing.T) {
	check := func(edit func(p *manifest.Prediction)) {
		t.Helper()
		path := threeLines(t)
		c := scan(mustRead(t, path))
		edit(&c.events[1].Predictions[0])
		var data []byte
		for _, e := range c.events {
			text, err := encode(e)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, text...)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		l, messages, err := Open(filepath.Dir(path))
		if err != nil || len(messages) != 1 || !strings.Contains(messages[0], "1 predictions that are not what was registered") {
			t.Fatalf("messages %q, %v", messages, err)
		}
		for i, e := range l.History() {
			if e.Altered != (i == 1) {
				t.Errorf("%d: altered %v", i, e.Altered)
			}
		}
		e := l.History()[1]
		e.Outcome = &Outcome{Measured: ptr(1e-3), Unit: "s"}
		if s, err := e.Score(); err == nil {
			t.Errorf("scored %+v", s)
		}
	}
	check(func(p *manifest.Prediction) { p.Value = 1e-3 })
	check(func(p *manifest.Prediction) {
		p.Value = 1e-3
		p.SHA256 = p.Digest()
	})
}

func TestLinesOfANewerVersionAreKept(t *testing.T) {
	path := threeLines(t)
	text, err := encode(event{Kind: "wager", Time: start})
	if err != nil {
		t.Fatal(err)
	}
	other := []byte(`{"kind":7}`)
	text = append(text, `{"sum":"`+sum(other)+`","event":`+string(other)+"}\n"...)
	data := append(mustRead(t, path), text...)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	l, messages, err := Open(filepath.Dir(path))
	if err != nil || len(messages) != 1 || !strings.Contains(messages[0], "2 lines of a newer version") {
		t.Fatalf("messages %q, %v", messages, err)
	}
	if _, _, err := l.Register(start, []Answer{answer("lab/one")}); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(mustRead(t, path), data) {
		t.Error("the lines were not kept")
	}
}
