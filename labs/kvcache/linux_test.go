//go:build linux

package kvcache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	check := func(text, name string, total int64, lines int) {
		t.Helper()
		if got, n := sum([]byte(text), name); got != total || n != lines {
			t.Errorf("%q: got %d B in %d lines, want %d in %d", text, got, n, total, lines)
		}
	}
	const rollup = "00400000-7ffd [rollup]\nRss:               11 kB\nAnonymous:          8 kB\nSwap:               3 kB\nSwapPss:            2 kB\n"
	check(rollup, "Anonymous", 8<<10, 1)
	check(rollup, "Swap", 3<<10, 1)
	check(rollup+rollup, "Swap", 6<<10, 2)
	check(rollup, "Pss", 0, 0)
	check("Swap: 3 MB\nSwap: x kB\nSwap:\nSwap", "Swap", 0, 0)
	check("VmData:\t  123456 kB", "VmData", 123456<<10, 1)
	check("", "Swap", 0, 0)
}

// A kernel that writes other files is no fault, and no number is made up.
func TestOtherKernels(t *testing.T) {
	file := func(text string) *proc {
		t.Helper()
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return newProc(name)
	}
	if _, err := resident(file("Rss: 5 kB\n")); err == nil || !strings.Contains(err.Error(), "has no line Anonymous") {
		t.Errorf("got %v, want a complaint", err)
	}
	if n, err := resident(file("Anonymous: 5 kB\n")); err != nil || n != 5<<10 {
		t.Errorf("got %d, %v: a kernel without swap has no Swap", n, err)
	}
	if _, err := resident(newProc("/nowhere")); err == nil {
		t.Error("a file that is not there was read")
	}
	if _, err := resident(file(strings.Repeat("x", 2<<20))); err == nil || !strings.Contains(err.Error(), "larger than expected") {
		t.Errorf("got %v, want a complaint", err)
	}
	for _, l := range limits {
		if _, err := l.count(file("Name: x\n")); err == nil || !strings.Contains(err.Error(), "has no "+l.counter) {
			t.Errorf("%s: got %v, want a complaint", l.name, err)
		}
		no := refusal("")
		if _, err := l.count(newProc("/nowhere")); !errors.As(err, &no) {
			t.Errorf("%s: got %v, want a refusal: without /proc nothing is broken", l.name, err)
		}
	}
}

// What is written has no zero and no repetition that a kernel could share.
func TestFill(t *testing.T) {
	m := make([]byte, 1<<20)
	fill(m, start)
	seen := map[string]bool{}
	for i := 0; i < len(m); i += 8 {
		word := string(m[i : i+8])
		if seen[word] || word == strings.Repeat("\x00", 8) {
			t.Fatalf("the word %x at %d stands there twice, or is zero", word, i)
		}
		seen[word] = true
	}
}

// The memory of this process itself is counted by pages that are written.
func TestResident(t *testing.T) {
	m, err := meter()
	if err != nil {
		t.Skip(err)
	}
	before, err := resident(m)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := take(32 << 20)
	if err != nil {
		t.Skip(err)
	}
	defer giveBack(mem)
	empty, err := resident(m)
	if err != nil || empty-before > 16<<20 {
		t.Errorf("%d B appeared before anything was written, %v", empty-before, err)
	}
	fill(mem, start)
	full, err := resident(m)
	if err != nil || full-before < 30<<20 {
		t.Errorf("%d B appeared of %d that were written, %v", full-before, len(mem), err)
	}
}
