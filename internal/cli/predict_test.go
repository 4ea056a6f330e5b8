package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"envelope/internal/lab"
	"envelope/internal/probe"
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

// The claims about another device are left out of a sitting's runs as of any.
func TestPredictOnADevice(t *testing.T) {
	l := fake("many", func(_ context.Context, r *lab.Run) error {
		for _, c := range r.Lab.Claims {
			if r.Wants(c.Name) {
				r.Observe(c.Name, 0)
			}
		}
		return nil
	}, counted("counts-agree", lab.Machine), counted("it-counts@cpu-1", lab.Machine), counted("it-counts@cpu-all", lab.Machine))
	var out, errs bytes.Buffer
	a := &app{
		Program: Program{Labs: []*lab.Lab{l}, Sources: sourcesOf([]*lab.Lab{l})}, machine: quickMachine(),
		getenv: func(string) string { return "" }, out: off(&out), err: off(&errs),
	}
	code := a.main(t.Context(), []string{"predict", "many", "--plain", "--answer", "many/how-many=1..9", "--device", "cpu-all",
		"--dir", t.TempDir(), "--state", t.TempDir(), "--results", "none", "--format", "json"})
	if text := out.String(); code != manifest.ExitHeld || strings.Contains(text, "it-counts@cpu-1") || !strings.Contains(text, "it-counts@cpu-all") {
		t.Errorf("exit code %d, %s%s; want the claims of cpu-all and of no device", code, text, errs.String())
	}
}

// What there is to say of the kept axioms is said before the sitting begins: a
// screen would draw over it, or be drawn over.
func TestSaidBeforeTheScreen(t *testing.T) {
	var said bytes.Buffer
	a := &app{Program: Program{Labs: fakes(), Sources: sourcesOf(fakes())}, err: off(&said), machine: quickMachine()}
	f := predictFlags{runFlags: runFlags{dir: t.TempDir(), state: t.TempDir()}}
	if err := os.WriteFile(filepath.Join(f.state, probe.Name), []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newPredictRunner(a, f, []string{"good"}, nil)
	defer r.close()
	if said.Len() == 0 {
		t.Error("nothing was said of a file that can't be read")
	}
	said.Reset()
	if _, err := r.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if said.Len() > 0 {
		t.Errorf("while it prepares: got %q, want nothing said", &said)
	}
}
