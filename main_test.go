package main

import (
	"bytes"
	"errors"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"envelope/internal/driver"
	"envelope/labs"
)

const module = "envelope"

// asMain makes the test binary the program itself.
const asMain = "ENVELOPE_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// pkg is a directory of the module with what its files import, whatever the
// platform: tests left out.
type pkg struct {
	files   []string // .go and .s
	imports []string // directories of the module
}

// packages returns the module's by directory, "." for the root. What has a go.mod of its own
// is another module.
func packages(t testing.TB) map[string]*pkg {
	t.Helper()
	out := map[string]*pkg{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if e.IsDir() {
			_, own := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (own == nil || base == "testdata" || base[0] == '.' || base[0] == '_' || name == "bin" || name == "shared") {
				return fs.SkipDir
			}
			return nil
		}
		if ext := path.Ext(base); ext != ".go" && ext != ".s" || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		if ignored(t, name) {
			return nil
		}
		dir := path.Dir(filepath.ToSlash(name))
		if out[dir] == nil {
			out[dir] = &pkg{}
		}
		out[dir].add(t, filepath.ToSlash(name))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ignored reports whether a file belongs to no build: a generator that is run by
// its name.
func ignored(t testing.TB, name string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if x, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
			return !x.Eval(func(tag string) bool { return tag != "ignore" })
		}
		if strings.HasPrefix(line, "package ") {
			break
		}
	}
	return false
}

func (p *pkg) add(t testing.TB, name string) {
	t.Helper()
	p.files = append(p.files, name)
	if path.Ext(name) != ".go" {
		return
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range f.Imports {
		full, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(full, module+"/"); ok && !slices.Contains(p.imports, rest) {
			p.imports = append(p.imports, rest)
		}
	}
}

// reach returns the directories that a package is built from, itself among them.
func reach(all map[string]*pkg, dir string) map[string]bool {
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] || all[dir] == nil {
			return
		}
		seen[dir] = true
		for _, i := range all[dir].imports {
			visit(i)
		}
	}
	visit(dir)
	return seen
}

// A manifest carries the hash of every file that the binary was built from. What
// is not embedded is not in it: a new folder has to be named in main.go.
func TestSourcesAreEmbedded(t *testing.T) {
	all := packages(t)
	built := reach(all, ".")
	for _, must := range []string{"labs", "internal/driver", "internal/measure", "axioms", "manifest"} {
		if !built[must] {
			t.Fatalf("got %v, want it to contain %s", built, must)
		}
	}
	for dir := range built {
		for _, name := range all[dir].files {
			got, err := sources.ReadFile(name)
			if err != nil {
				t.Errorf("%s is built in, but not embedded: add its folder to the sources of main.go", name)
				continue
			}
			want, err := os.ReadFile(name)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: what is embedded is not what lies there (%v)", name, err)
			}
		}
	}
	for _, name := range []string{"go.mod", "manifest/methods.json"} {
		if _, err := sources.ReadFile(name); err != nil {
			t.Errorf("%s is not embedded: %v", name, err)
		}
	}
}

// under returns the packages in a folder, or the package of that very name.
func under(all map[string]*pkg, folder string) []string {
	var out []string
	for dir := range all {
		if dir == folder || strings.HasPrefix(dir, folder+"/") {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return out
}

// Dependencies point one way: axioms, measure <- lab <- labs/* <- labs <- cli.
func TestDependenciesPointOneWay(t *testing.T) {
	all := packages(t)
	never := func(from string, to ...string) {
		t.Helper()
		packages := under(all, from)
		if len(packages) == 0 && from != "gpu" { // not written yet
			t.Errorf("there is no package %s", from)
		}
		for _, p := range packages {
			for dep := range reach(all, p) {
				for _, bad := range to {
					if dep != p && (dep == bad || strings.HasPrefix(dep, bad+"/")) {
						t.Errorf("%s is built from %s, and must not be", p, dep)
					}
				}
			}
		}
	}
	never("axioms", "internal", "labs", "manifest", "predict")
	never("internal/measure", "internal/lab", "internal/driver", "internal/cli", "labs", "manifest", "predict")
	for _, p := range []string{"manifest", "predict", "gpu", "internal/host", "internal/disk", "internal/probe", "internal/lab", "internal/driver", "internal/report"} {
		never(p, "labs", "internal/cli")
	}
	never("internal/lab", "internal/driver", "manifest", "predict")
	never("internal/report", "internal/lab", "internal/driver", "internal/probe") // it shows what a manifest has
	never("internal/cli", "labs")                                                 // main hands them over
	for _, l := range labs.All {
		never("labs/"+l.Name, "internal/driver", "internal/cli", "internal/labtest")
		if l.Name == "prereg" {
			onItsOwnRecord(t, all)
		} else {
			never("labs/"+l.Name, "manifest", "predict")
		}
		for _, p := range under(all, "labs/"+l.Name) {
			for dep := range reach(all, p) {
				if dep == "labs" || strings.HasPrefix(dep, "labs/") && dep != "labs/"+l.Name && !strings.HasPrefix(dep, "labs/"+l.Name+"/") {
					t.Errorf("%s is built from %s: a lab imports no other", p, dep)
				}
			}
		}
	}
}

// onItsOwnRecord allows lab prereg what no other lab may: its subject is the record
// of predictions, which holds them as results.json does. It knows the record alone,
// and not where the user's own is, so that it depends on no prediction either.
func onItsOwnRecord(t *testing.T, all map[string]*pkg) {
	t.Helper()
	for dep := range reach(all, "labs/prereg") {
		if strings.HasPrefix(dep+"/", "predict/") && dep != "predict/ledger" {
			t.Errorf("labs/prereg is built from %s, and must not be", dep)
		}
	}
	sources, err := filepath.Glob("labs/prereg/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("labs/prereg has no sources: %v", err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("DefaultDir")) {
			t.Errorf("%s asks where the user's record is", name)
		}
	}
}

// Test helpers stay out of the product.
func TestTestHelpersAreNotBuiltIn(t *testing.T) {
	for dir := range reach(packages(t), ".") {
		if dir == "internal/labtest" || dir == "internal/child/childtest" {
			t.Errorf("the binary is built from %s", dir)
		}
	}
}

// envelope returns the program's output and exit code.
func envelope(t testing.TB, environment string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), asMain+"=1", "GORACE=atexit_sleep_ms=0")
	if environment != "" {
		cmd.Env = append(cmd.Env, environment)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var ended *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestProgram(t *testing.T) {
	out, errs, code := envelope(t, "", "list")
	if code != 0 || errs != "" {
		t.Errorf("list: got exit code %d, %q", code, errs)
	}
	for _, l := range labs.All {
		if !strings.Contains(out, l.Name) {
			t.Errorf("list: got %q, want %s in it", out, l.Name)
		}
	}
	if _, _, code := envelope(t, "", "nosuchcommand"); code != 2 {
		t.Errorf("an unknown command: got exit code %d, want 2", code)
	}
	if _, errs, code := envelope(t, driver.ChildVariable+"=nosuch/child", "list"); code != 2 || !strings.Contains(errs, `"nosuch/child" names no child of any lab`) {
		t.Errorf("an unknown child: got exit code %d, %q; want 2 and its name", code, errs)
	}
}

// BenchmarkList is the start-up of the program, which should take under 50 ms:
// go test -bench List -run - .
func BenchmarkList(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "envelope")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
		if err := exec.Command(exe, "list").Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// Who may open next to no files is told so, whatever the libraries do first.
func TestFewFiles(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here: ", err)
	}
	for _, n := range []int{4, 6, 7, 8, 9} {
		cmd := exec.Command("sh", "-c", `ulimit -n "$0"; exec "$1" list`, strconv.Itoa(n), os.Args[0])
		cmd.Env = append(os.Environ(), asMain+"=1")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "raise the limit (ulimit -n)") {
			t.Errorf("%d files: got %v and %q, want exit code 2 and what to do", n, err, out)
		}
	}
}
