package drill

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestKeepAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "envelope")
	s, messages, err := Load(dir)
	if err != nil || len(s)+len(messages) > 0 {
		t.Fatalf("got %v, %q, %v", s, messages, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("Load made the directory")
	}
	var want State
	for i, c := range []Card{deck[0], deck[1], deck[0]} {
		want = want.Mark(c, i != 1, start)
		if s, messages, err = Keep(dir, c, i != 1, start); err != nil || len(messages) > 0 || !maps.Equal(s, want) {
			t.Fatalf("got %v, %q, %v; want %v", s, messages, err, want)
		}
	}
	if s, _, err := Load(dir); err != nil || !maps.Equal(s, want) {
		t.Errorf("got %v, %v; want %v", s, err, want)
	}
}

func TestKeptAtOnce(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for _, c := range deck {
		group.Go(func() {
			if _, _, err := Keep(dir, c, true, start); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if s, _, err := Load(dir); err != nil || len(s) != len(deck) {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestDamagedFile(t *testing.T) {
	check := func(text string) {
		t.Helper()
		dir := t.TempDir()
		path := filepath.Join(dir, Name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, messages, err := Load(dir)
		if err != nil || len(s) > 0 || len(messages) != 1 {
			t.Fatalf("%q: got %v, %q, %v", text, s, messages, err)
		}
		names, err := filepath.Glob(path + ".damaged-*")
		if err != nil || len(names) != 1 {
			t.Fatalf("%q: set aside %q, %v", text, names, err)
		}
		if kept, err := os.ReadFile(names[0]); err != nil || !bytes.Equal(kept, []byte(text)) {
			t.Errorf("%q: kept %q, %v", text, kept, err)
		}
		if !strings.Contains(messages[0], names[0][len(dir):]) {
			t.Errorf("%q: %q does not name the file", text, messages[0])
		}
		if _, messages, err := Load(dir); err != nil || len(messages) > 0 {
			t.Errorf("%q: again %q, %v", text, messages, err)
		}
	}
	whole := `{"format":"envelope-drill/1","cards":{"a":{"box":1,"due":"2026-05-17T09:30:00Z"}}}`
	if s, err := decode([]byte(whole)); err != nil || s["a"].Box != 1 {
		t.Fatalf("got %v, %v", s, err)
	}
	check("")
	check(whole[:40])
	check(whole + whole)
	check(whole + "]")
	check(strings.Replace(whole, "drill/1", "drill/2", 1))
	check(strings.Replace(whole, `"box":1`, `"box":6`, 1))
	check(strings.Replace(whole, `"box":1`, `"box":-1`, 1))
	check(strings.Replace(whole, `"box"`, `"bin"`, 1))
	check(`{"format":"envelope-drill/1"}`)
}

func TestUnusableDirectory(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Keep(name, deck[0], true, start); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("got %v", err)
	}
}
