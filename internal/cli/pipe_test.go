package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"envelope/manifest"
)

// broken returns the writing end of a pipe that nobody reads any more.
func broken(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// A reader that has gone is no reason to lose a measurement.
func TestBrokenPipe(t *testing.T) {
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := prepare(t, dir, "envelope", "run", "good", "--format", format)
			p.Stdout = broken(t)
			p.start().ends(manifest.ExitHeld)
			kept(t, dir, manifest.Complete, manifest.ExitHeld)
			noScratch(t, dir)
		})
	}
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		p := prepare(t, dir, "envelope", "run", "good")
		p.Stdout, p.Stderr = broken(t), broken(t)
		if err := p.Run(); err != nil {
			t.Error(err)
		}
		kept(t, dir, manifest.Complete, manifest.ExitHeld)
		noScratch(t, dir)
	})
	t.Run("head", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("head"); err != nil {
			t.Skip("no head here: ", err)
		}
		dir := t.TempDir()
		// head may end long before the run: the shell waits for both, and keeps
		// the run's exit code.
		p := prepare(t, dir, "sh", "-c", "{ envelope run good 2>/dev/null; echo $? >code; } | head -n 1")
		if out, err := p.Output(); err != nil || bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("got %q, %v; want one line", out, err)
		}
		if code, err := os.ReadFile(filepath.Join(dir, "code")); err != nil || string(code) != "0\n" {
			t.Errorf("got the exit code %q, %v; want 0", code, err)
		}
		kept(t, dir, manifest.Complete, manifest.ExitHeld)
		noScratch(t, dir)
	})
}

// openAll lets every user into a directory below the temporary one.
func openAll(t *testing.T, dir string) {
	t.Helper()
	for d := dir; d != filepath.Clean(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// Where the results file's directory may not be written to, the run is written
// to standard error, whole: exit 2, and nothing is lost but the file.
func TestResultsWithoutPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	t.Parallel()
	dir := t.TempDir()
	openAll(t, dir)
	for name, mode := range map[string]os.FileMode{"open": 0o777, "closed": 0o755} {
		if err := os.Mkdir(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	check := func(results string, code int, want string) {
		t.Helper()
		p := prepare(t, dir, "envelope", "run", "good", "--dir", "open", "--results", results)
		p.Env = append(p.Env, "ENVELOPE_TEST_UID=65534")
		p.start().ends(code)
		if !strings.Contains(p.all.String(), want) {
			t.Errorf("%s: it said %q, want %q", results, &p.all, want)
		}
		noScratch(t, filepath.Join(dir, "open"))
	}
	check("open/results.json", manifest.ExitHeld, "appended to")
	check("closed/results.json", manifest.ExitError, "permission denied")
	check("closed/results.json", manifest.ExitError, "it was written out instead: save that text as a file, it is a whole document")
	check("closed/results.json", manifest.ExitError, `{"format": "envelope-results/1", "runs": [`)

	if err := os.Chmod(filepath.Join(dir, "open", "results.json"), 0o444); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "open", "results.json"))
	check("open/results.json", manifest.ExitError, "it is read-only (mode 0444): chmod it, or name another file")
	if after, _ := os.ReadFile(filepath.Join(dir, "open", "results.json")); !bytes.Equal(before, after) {
		t.Error("a read-only file was written to")
	}
}
