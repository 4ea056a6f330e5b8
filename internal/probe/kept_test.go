package probe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"envelope/axioms"
)

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "envelope")
	if _, ok, err := Load(dir); ok || err != nil {
		t.Errorf("before the first: got %v, %v; want nothing, and no error", ok, err)
	}
	p := probe{name: "clock", method: "m", bounds: "b"}
	for i, samples := range [][]float64{{1, 2, 3}, {4, 5, 6}} {
		want := Taken{Time: time.Date(2026, 5, 17, 9, 30, i, 0, time.UTC), Axioms: []axioms.Measured{p.measured(samples)}}
		if err := Save(dir, want); err != nil {
			t.Fatal(err)
		}
		got, ok, err := Load(dir)
		if err != nil || !ok || !got.Time.Equal(want.Time) {
			t.Fatalf("got %v, %v, %v; want what was saved", got.Time, ok, err)
		}
		if diff := cmp.Diff(want.Axioms, got.Axioms); diff != "" {
			t.Errorf("axioms (- saved, + loaded):\n%s", diff)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 1 {
		t.Errorf("got %v, want the one file", names)
	}
}

// A damaged file is kept under another name, and the next one can be saved.
func TestDamagedFileIsSetAside(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, Name), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, ok, err := Load(dir)
	if ok || err == nil || !strings.Contains(err.Error(), "it is set aside as "+Name+".damaged-") {
		t.Errorf("got %v, %v; want that it is set aside", ok, err)
	}
	aside, _ := filepath.Glob(filepath.Join(dir, Name+".damaged-*"))
	if len(aside) != 1 {
		t.Fatalf("got %v, want one file", aside)
	}
	if text, err := os.ReadFile(aside[0]); err != nil || string(text) != "{" {
		t.Errorf("got %q, %v; want its bytes as they were", text, err)
	}
	if _, ok, err := Load(dir); ok || err != nil {
		t.Errorf("then: got %v, %v; want nothing, and no error", ok, err)
	}
}
