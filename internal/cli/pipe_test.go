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

// othersResults makes a directory with two in it that everybody can write to, and
// prepares runs there as somebody else.
func othersResults(t *testing.T) (dir string, run func(lab, results string) *process) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	t.Parallel()
	dir = t.TempDir()
	openAll(t, dir)
	for _, name := range []string{"open", "kept"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		chmod(t, filepath.Join(dir, name), 0o777)
	}
	return dir, func(lab, results string) *process {
		p := prepare(t, dir, "envelope", "run", lab, "--dir", "open", "--results", results)
		p.Env = append(p.Env, "ENVELOPE_TEST_UID=65534")
		return p.start()
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

// Where the results file may not be written to, that is said before anything is
// measured.
func TestResultsWithoutPermission(t *testing.T) {
	dir, run := othersResults(t)
	check := func(results string, code int, want string, measured bool) {
		t.Helper()
		p := run("good", results)
		p.ends(code)
		if !strings.Contains(p.all.String(), want) || strings.Contains(p.all.String(), "measuring") != measured {
			t.Errorf("%s: it said %q, want %q, and measured: %v", results, &p.all, want, measured)
		}
		noScratch(t, filepath.Join(dir, "open"))
	}
	results := filepath.Join(dir, "kept", "results.json")
	check("kept/results.json", manifest.ExitHeld, "appended to", true)
	before, _ := os.ReadFile(results)
	chmod(t, filepath.Dir(results), 0o755)
	check("kept/results.json", manifest.ExitError, "permission denied", false)
	check("kept/more.json", manifest.ExitError, "permission denied", false)
	chmod(t, filepath.Dir(results), 0o777)
	chmod(t, results, 0o444)
	check("kept/results.json", manifest.ExitError, "it is read-only (mode 0444): chmod it, or name another file", false)
	if after, _ := os.ReadFile(results); !bytes.Equal(before, after) {
		t.Error("a read-only file was written to")
	}
}

// What goes bad while it is measured costs no run: it is kept beside the file or,
// where nothing can be written there, written to standard error, whole.
func TestResultsGoBad(t *testing.T) {
	dir, run := othersResults(t)
	check := func(spoil func(), want ...string) {
		t.Helper()
		p := run("hang", "kept/results.json")
		p.says("at work")
		spoil()
		p.stdin.Close()
		p.ends(manifest.ExitError)
		for _, text := range want {
			if !strings.Contains(p.all.String(), text) {
				t.Errorf("it said %q, want %q", &p.all, text)
			}
		}
		noScratch(t, filepath.Join(dir, "open"))
	}
	results := filepath.Join(dir, "kept", "results.json")
	check(func() {
		if err := os.WriteFile(results, []byte("{"), 0o666); err != nil {
			t.Fatal(err)
		}
		chmod(t, results, 0o666)
	}, "it is not a whole results document", "what was there is untouched, and this run is kept in")
	if beside, err := filepath.Glob(results + ".run-*.json"); err != nil || len(beside) != 1 {
		t.Errorf("beside the file: got %q, %v; want one run", beside, err)
	}
	if text, err := os.ReadFile(results); err != nil || string(text) != "{" {
		t.Errorf("the file has become %q, %v", text, err)
	}
	if err := os.Remove(results); err != nil {
		t.Fatal(err)
	}
	check(func() { chmod(t, filepath.Dir(results), 0o755) },
		"permission denied", "it was written out instead: save that text as a file, it is a whole document", `{"format": "envelope-results/1", "runs": [`)
}
