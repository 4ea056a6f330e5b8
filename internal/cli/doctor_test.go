package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/manifest"
)

// inApp runs a command line in this process, on a machine of the test's making.
func inApp(t *testing.T, m driver.Machine, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	a := &app{
		Program: Program{Labs: fakes(), Sources: sourcesOf(fakes())}, machine: m,
		getenv: func(string) string { return "" }, out: off(&o), err: off(&e),
	}
	code = a.main(t.Context(), args)
	return code, o.String(), e.String()
}

// mounted is a machine on which every directory has those mount options.
func mounted(options ...string) driver.Machine {
	m := quickMachine()
	m.Environment = func(dir string) host.Environment {
		e := host.Here(dir)
		e.Target.Options = host.Known(options, "", "test")
		e.Target.Boundary = host.Known("none", "", "test") // wherever the tests run
		return e
	}
	return m
}

// The exit code of doctor says whether the directory can be measured, in every
// form; one that can't be written is worse than one that does not sync.
func TestDoctorExitCodes(t *testing.T) {
	dir := t.TempDir()
	check := func(m driver.Machine, dir string, want int) (text string) {
		t.Helper()
		code, js, _ := inApp(t, m, "doctor", "--dir", dir, "--format", "json")
		if code != want || !json.Valid([]byte(js)) {
			t.Errorf("as JSON: got exit code %d, want %d; valid JSON: %v", code, want, json.Valid([]byte(js)))
		}
		code, text, errs := inApp(t, m, "doctor", "--dir", dir)
		if code != want {
			t.Errorf("got exit code %d, want %d: %s%s", code, want, text, errs)
		}
		return text
	}
	const fit, unfit = "the directory can be measured", "the overlay is mounted volatile: an fsync there does nothing"
	if text := check(mounted("rw"), dir, manifest.ExitHeld); !strings.Contains(text, fit) || strings.Contains(text, unfit) {
		t.Errorf("fit: got %q", text)
	}
	if text := check(mounted("rw", "volatile"), dir, manifest.ExitUnjudged); strings.Contains(text, fit) || !strings.Contains(text, unfit) {
		t.Errorf("unfit: got %q", text)
	}
	check(mounted("rw", "volatile"), dir+"/nowhere", manifest.ExitError)
	memory := quickMachine()
	memory.Environment = func(dir string) host.Environment {
		e := host.Here(dir)
		e.Target.Boundary = host.Known("memory", "", "test")
		return e
	}
	if text := check(memory, dir, manifest.ExitHeld); !strings.Contains(text, "no storage is reached: the directory is kept in memory") || strings.Contains(text, fit) {
		t.Errorf("in memory: got %q", text)
	}
	noScratch(t, dir)
}
