package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/manifest"
)

// The derivation that is registered before the measurement is the one that the
// run then holds, and the run reveals what was registered.
func TestPredictRegistersTheRunsDivision(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	var out, errs bytes.Buffer
	a := &app{
		Program: Program{Labs: fakes(), Sources: sourcesOf(fakes())}, machine: quickMachine(),
		getenv: func(string) string { return "" }, out: off(&out), err: off(&errs),
	}
	code := a.main(t.Context(), []string{"predict", "good", "--plain", "--answer", "good/how-many=1..9",
		"--dir", t.TempDir(), "--state", t.TempDir(), "--results", file})
	if code != manifest.ExitHeld {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc manifest.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	if len(run.Predictions) != 1 {
		t.Fatalf("%d predictions, want 1", len(run.Predictions))
	}
	p, q := run.Predictions[0], run.Labs[0].Questions[0]
	if diff := cmp.Diff(q.Derivation, p.Derivation); diff != "" || p.TextHash != q.TextHash {
		t.Errorf("registered another derivation or text than the run's:\n%s", diff)
	}
	if p.SHA256 != p.Digest() || p.Nonce == "" || !p.Time.Before(run.Started) {
		t.Errorf("revealed %+v of a run that began at %v", p, run.Started)
	}
	if !bytes.Contains(out.Bytes(), []byte(p.SHA256)) && !bytes.Contains(out.Bytes(), []byte("Registered before")) {
		t.Errorf("no hash was shown: %s", out.String())
	}
}
