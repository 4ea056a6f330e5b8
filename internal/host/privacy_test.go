package host

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// private are the shapes that must not be in any record, whatever was planted:
// a home directory, a UUID, an IPv4 address (WSL's kernels have four numbers and a
// hyphen), an Ethernet address.
var private = regexp.MustCompile(`(?i)/home/|/Users/|[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{1,3}(\.\d{1,3}){3}([^-\d]|$)|\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b`)

// output is all that leaves an Environment: its JSON, its lines and its judgements.
func output(t *testing.T, e Environment, f fixture) string {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	unfit, _ := e.Target.Unfit()
	_, counter := e.Target.FlushCounter(f.root)
	return strings.Join(slices.Concat([]string{string(b), unfit, counter}, e.Lines(), e.Target.Warnings()), "\n")
}

func TestNothingPrivateLeaves(t *testing.T) {
	planted := 0
	for _, f := range fixtures(t) {
		out := output(t, f.read(), f)
		for _, s := range f.secrets {
			planted++
			if i := strings.Index(out, s); i >= 0 {
				t.Errorf("%s: %q leaves the machine: ...%s", f.name, s, out[max(0, i-60):min(len(out), i+60)])
			}
		}
		if s := private.FindString(out); s != "" {
			t.Errorf("%s: %q has a private shape", f.name, s)
		}
	}
	if planted < 40 {
		t.Errorf("only %d secrets are planted", planted)
	}
}

// The secrets are worth nothing if the tree does not hold them.
func TestSecretsArePlanted(t *testing.T) {
	for _, f := range fixtures(t) {
		all := f.dir
		for name, file := range f.root {
			all += "\n" + name + "\n" + string(file.Data)
		}
		for _, s := range f.secrets {
			if !strings.Contains(all, s) {
				t.Errorf("%s: the secret %q is nowhere in the tree", f.name, s)
			}
		}
	}
}

func TestPrivateShapes(t *testing.T) {
	for _, s := range []string{"/home/a", "f3c1b2de-0000-4000", "at 192.0.2.17", "52:54:00:12:34:56"} {
		if !private.MatchString(s) {
			t.Errorf("%q has a private shape that goes unnoticed", s)
		}
	}
}

func TestHereNamesNoHome(t *testing.T) {
	dir := t.TempDir()
	out := output(t, Here(dir), fixture{})
	home, _ := os.UserHomeDir()
	for _, s := range []string{dir, home} {
		if len(s) > len("/root") && strings.Contains(out, s) {
			t.Errorf("the record of this machine names %q", s)
		}
	}
	if s := private.FindString(out); s != "" {
		t.Errorf("the record of this machine has %q", s)
	}
}

func TestPrintableOptions(t *testing.T) {
	check := func(option string, want bool) {
		t.Helper()
		if got := len(printable([]string{option})) == 1; got != want {
			t.Errorf("printable(%q): got %v, want %v", option, got, want)
		}
	}
	check("volatile", true)
	check("fsync=volatile", true)
	check("nobarrier", true)
	check("barrier=0", true)
	check("compress=zstd:3", true)
	check("errors=remount-ro", true)
	check("vers=4.2", true)
	check("vers=10.1.2.3", false)
	check("size=/home/a", false)
	check("mode=Alice", false)
	check("addr=192.0.2.1", false)
	check("username=a", false)
	check("upperdir=/u", false)
	check("subvol=/a", false)
	check("unheardof", false)
}
