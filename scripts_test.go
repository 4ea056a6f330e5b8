package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stubGo stands in for the go command: a version, and a build that fails with the
// flags that it is told.
const stubGo = `#!/bin/sh
echo "go $*" >> "$STUB_LOG"
case "$1" in
env) echo "$STUB_VERSION" ;;
build) case " $STUB_FAILS " in *" $2 "*) echo "stub: it does not compile" >&2; exit 1 ;; esac ;;
esac
`

// stubEnvelope stands in for the program: it writes down its arguments, one in
// brackets each.
const stubEnvelope = `#!/bin/sh
printf 'envelope' >> "$STUB_LOG"
printf ' [%s]' "$@" >> "$STUB_LOG"
echo >> "$STUB_LOG"
exit "$STUB_CODE"
`

// bench is a copy of the scripts in a folder of its own, with stubs for what they call.
type bench struct {
	t         *testing.T
	dir, path string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no shell for the scripts here: ", err)
	}
	b := &bench{t: t, dir: filepath.Join(t.TempDir(), "a folder"), path: t.TempDir()}
	for _, name := range []string{"run-labs.sh", "predict.sh", "build.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.write(filepath.Join(b.dir, name), string(text))
	}
	b.write(filepath.Join(b.dir, "bin", "envelope"), stubEnvelope)
	b.write(filepath.Join(b.path, "go"), stubGo)
	for _, tool := range []string{"bash", "sh", "dirname", "sort", "head"} { // and no other go command
		at, err := exec.LookPath(tool)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(b.path, tool)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o755)); err != nil {
		b.t.Fatal(err)
	}
}

// runs calls a script from elsewhere, and returns its exit code, what it said and
// what it called.
func (b *bench) runs(script string, environment []string, args ...string) (code int, said string, called []string) {
	b.t.Helper()
	record := filepath.Join(b.t.TempDir(), "log")
	cmd := exec.CommandContext(b.t.Context(), filepath.Join(b.path, "bash"), append([]string{filepath.Join(b.dir, script)}, args...)...)
	cmd.Dir = b.t.TempDir()
	cmd.Env = append([]string{"PATH=" + b.path, "STUB_LOG=" + record, "STUB_VERSION=go1.26.1", "STUB_CODE=0"}, environment...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var ended *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
		b.t.Fatal(err)
	}
	text, err := os.ReadFile(record)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// The two scripts are nothing but the program, built: its exit code is theirs, and
// its arguments are as they came.
func TestScriptsPassThrough(t *testing.T) {
	b := newBench(t)
	for script, command := range map[string]string{"run-labs.sh": "run", "predict.sh": "predict"} {
		for _, code := range []int{0, 1, 2, 3, 130} {
			got, said, called := b.runs(script, []string{fmt.Sprintf("STUB_CODE=%d", code)}, "--dir", "a b", "", "*", "--when-quiet=5m")
			if got != code || said != "" {
				t.Errorf("%s: got exit code %d and %q, want %d and silence", script, got, said, code)
			}
			want := []string{"go env GOVERSION", "go build -buildvcs=auto -o bin/envelope .", "envelope [" + command + "] [--dir] [a b] [] [*] [--when-quiet=5m]"}
			if !slices.Equal(called, want) {
				t.Errorf("%s called %q, want %q", script, called, want)
			}
		}
		if _, _, called := b.runs(script, nil); called[len(called)-1] != "envelope ["+command+"]" {
			t.Errorf("%s without arguments called %q", script, called)
		}
	}
}

// What can't be built ends with 2, and what was built before is not run instead.
func TestScriptsStopWhereTheBuildFails(t *testing.T) {
	b := newBench(t)
	check := func(why string, want int, environment ...string) {
		t.Helper()
		for _, script := range []string{"run-labs.sh", "predict.sh"} {
			code, said, called := b.runs(script, environment, "barrier")
			ran := strings.HasPrefix(called[len(called)-1], "envelope")
			if code != want || !strings.Contains(said, why) || ran != (want == 0) {
				t.Errorf("%s, %v: got exit code %d, %q, called %q; want %d and %q", script, environment, code, said, called, want, why)
			}
		}
	}
	check("stub: it does not compile\nenvelope: the build failed; the lines above say why.", 2, "STUB_FAILS=-buildvcs=auto -buildvcs=false")
	check("", 0, "STUB_FAILS=-buildvcs=auto") // git refuses: without its facts, then
	check("", 0, "STUB_VERSION=go1.27rc1")
	check("", 0, "STUB_VERSION=go1.100")
	const old = "envelope: Go 1.26 or newer is needed to build, and the go command in PATH is "
	check(old+"1.25.9.", 2, "STUB_VERSION=go1.25.9")
	check(old+"1.3.", 2, "STUB_VERSION=go1.3")
	check(old+"of unknown version.", 2, "STUB_VERSION=")
	if err := os.Remove(filepath.Join(b.path, "go")); err != nil {
		t.Fatal(err)
	}
	check("there is no go command in PATH", 2)
	if err := os.Remove(filepath.Join(b.dir, "build.sh")); err != nil {
		t.Fatal(err)
	}
	check("build.sh", 2)
}
