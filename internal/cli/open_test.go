package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"envelope/manifest"
)

// A FIFO that nobody writes to is refused, not waited for; a pipe is read.
func TestPipesAreNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip("no FIFOs here: ", err)
	}
	check := func(code int, want string, args ...string) {
		t.Helper()
		p := prepare(t, dir, args...).start()
		p.stdin.Close()
		p.ends(code)
		if got := p.all.String(); !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want %q", args, got, want)
		}
	}
	for _, command := range []string{"verify", "report", "kv"} {
		check(manifest.ExitError, "envelope: fifo: not a regular file; what another program writes can be read from /dev/stdin", "envelope", command, "fifo")
		check(manifest.ExitError, "not a regular file", "envelope", command, "/dev/null")
	}
	check(manifest.ExitError, "envelope: .: is a directory", "envelope", "verify", ".")
	check(manifest.ExitError, "it is empty", "envelope", "verify", "/dev/stdin")

	run := prepare(t, dir, "envelope", "run", "good")
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, dir, "envelope", "verify", "/dev/stdin")
	p.Stdin = strings.NewReader(string(text))
	if out, _ := p.Output(); !strings.Contains(string(out), "; 1 run, ") { // of labs that no release has
		t.Errorf("from a pipe: got %q, want one run", out)
	}
}
