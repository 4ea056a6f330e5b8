package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/probe"
	"envelope/internal/typeset"
	"envelope/manifest"
)

var update = flag.Bool("update", false, "write what the scripts compare with")

// noSleep keeps a program that was built with -race from waiting a second for
// late reports when it ends.
const noSleep = "atexit_sleep_ms=0"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true, UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("GORACE", noSleep)
			return os.Mkdir(e.WorkDir+"/dir", 0o755)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "runs": runs, "element": element, "replace": replace,
			"swept": swept, "keep": keep, "plain": plain, "xml": wellFormed, "json": isJSON,
		},
	})
}

func usage(ts *testscript.TestScript, neg bool, args []string, want int, text string) {
	if neg || len(args) < want {
		ts.Fatalf("usage: %s", text)
	}
}

// exits runs a program and demands its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "exits CODE PROGRAM [ARG...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("got exit code %d, want %d", got, want)
	}
}

// runs demands a whole document with so many runs, in which nothing is wrong but
// that labs of the tests have no published method, and stand for those that have.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "runs FILE N [OUTCOME]")
	text := ts.ReadFile(args[0])
	problems, sum, err := manifest.Verify(strings.NewReader(text), manifest.VerifyOptions{})
	ts.Check(err)
	if got := strconv.Itoa(sum.Runs); got != args[1] {
		ts.Fatalf("%s: got %s runs, want %s", args[0], got, args[1])
	}
	for _, p := range problems {
		strange := strings.Contains(p.Text, "is not known to this version of envelope") || strings.HasSuffix(p.Text, "was asked for, and is not there")
		if !strange {
			ts.Fatalf("%s: %v", args[0], p)
		}
	}
}

// last returns the last run of a document, as it is written there.
func last(ts *testscript.TestScript, file string) json.RawMessage {
	var d struct{ Runs []json.RawMessage }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &d))
	if len(d.Runs) == 0 {
		ts.Fatalf("%s has no run", file)
	}
	return d.Runs[len(d.Runs)-1]
}

// element demands that two files hold the same run: one of them alone, the
// other as the last of a document.
func element(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "element FILE DOCUMENT")
	var alone, appended any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &alone))
	ts.Check(json.Unmarshal(last(ts, args[1]), &appended))
	if diff := cmp.Diff(appended, alone); diff != "" {
		ts.Fatalf("the same run (- appended, + printed):\n%s", diff)
	}
}

// replace replaces the first occurrence of a text in a file.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 3, "replace FILE OLD NEW")
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o644))
}

// keep puts axioms into a state directory, as measured on this machine and a
// directory: clock and mutex of 1 s each, and a write-fsync.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 2, "keep STATE DIR")
	var list []axioms.Measured
	for _, name := range []string{"clock", "mutex", "write-fsync"} {
		q := axioms.Seconds(1)
		list = append(list, axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"})
	}
	_, err := probe.Save(ts.MkAbs(args[0]), probe.Taken{
		Time: time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC), Environment: host.Here(ts.MkAbs(args[1])), Axioms: list,
	})
	ts.Check(err)
}

// swept demands that no run has left anything in a directory.
func swept(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "swept DIR...")
	for _, dir := range args {
		entries, err := os.ReadDir(ts.MkAbs(dir))
		ts.Check(err)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".envelope-") {
				ts.Fatalf("%s is still in %s", e.Name(), dir)
			}
		}
	}
}

// plain demands text without control characters but the ends of lines.
func plain(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "plain FILE...")
	for _, file := range args {
		if at, bad := unprintable(ts.ReadFile(file)); bad {
			ts.Fatalf("%s: a control character in %q", file, at)
		}
	}
}

// unprintable returns the part of a text around its first control character.
func unprintable(text string) (around string, bad bool) {
	for i, r := range text {
		if r != '\n' && typeset.Clean(string(r)) != string(r) {
			return text[max(0, i-20):min(len(text), i+20)], true
		}
	}
	return "", false
}

// wellFormed demands well-formed XML and counts elements: NAME=N.
func wellFormed(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "xml FILE [NAME=N...]")
	got := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0]))))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		ts.Check(err)
		if start, ok := token.(xml.StartElement); ok {
			got[start.Name.Local]++
		}
	}
	for _, arg := range args[1:] {
		name, n, _ := strings.Cut(arg, "=")
		if strconv.Itoa(got[name]) != n {
			ts.Fatalf("got %d elements %s, want %s; there are %v", got[name], name, n, got)
		}
	}
}

// isJSON demands one JSON value and nothing behind it.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, args, 1, "json FILE")
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &v))
}
