package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"envelope/internal/host"
)

func TestHere(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"main.go", "labs/a/a.go", "labs/a/a_amd64.s", "labs/a/a_test.go", "gpu/k.ptx", "gpu/k.c", "x.sh", "README.md", "labs/a/data.json"} {
		files[name] = &fstest.MapFile{Data: []byte(name)}
	}
	p := Here(files)
	got := 0
	for dir, s := range p.Sources {
		for name, sum := range s {
			got++
			want := sha256.Sum256([]byte(strings.TrimPrefix(dir+"/"+name, "./")))
			if sum != hex.EncodeToString(want[:]) {
				t.Errorf("%s/%s: got %s", dir, name, sum)
			}
		}
	}
	if got != 6 || len(p.Sources["labs/a"]) != 2 {
		t.Errorf("got %v, want six files, two of them in labs/a, and no test", p.Sources)
	}
	if p.Version == "" || !strings.HasPrefix(p.GoVersion, "go") || p.GOOS == "" || p.GOARCH == "" {
		t.Errorf("got %+v", p)
	}
	for _, why := range []string{p.Commit.Unknown, p.Dirty.Unknown} {
		if why == "" {
			t.Error("the commit of a test binary is not known, and the reason is missing")
		}
	}
}

func TestSettings(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "-race", Value: "true"}, {Key: "-tags", Value: ""}, {Key: "GOAMD64", Value: "v3"},
		{Key: "-ldflags", Value: "-X main.dir=/home/ada"}, {Key: "vcs.revision", Value: "abc"}, {Key: "GOROOT", Value: "/usr"},
	}}
	got := fmt.Sprint(settingsOf(info))
	if want := "map[-ldflags:set -race:true GOAMD64:v3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// checkout is a small checkout of this module with one commit.
type checkout struct {
	t   *testing.T
	dir string
	origin
}

const goMod = "// a comment\nmodule envelope\n\ngo 1.26\n"

func newCheckout(t *testing.T, repository bool) *checkout {
	t.Helper()
	c := &checkout{t: t, dir: t.TempDir()}
	c.write("go.mod", goMod)
	c.write("main.go", "package main\n")
	c.write("labs/a/a.go", "package a\n")
	c.write(".gitignore", "/bin/\n")
	c.write("bin/envelope", "")
	sources, err := hashSources(os.DirFS(c.dir))
	if err != nil {
		t.Fatal(err)
	}
	c.origin = origin{exe: filepath.Join(c.dir, "bin", "envelope"), sources: sources, git: runGit}
	if repository {
		c.run("init", "-q")
		c.commit()
	}
	return c
}

func (c *checkout) write(name, text string) {
	c.t.Helper()
	name = filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// run runs git in the checkout, apart from any configuration of the user's.
func (c *checkout) run(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v, %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *checkout) commit() string {
	c.run("add", ".")
	c.run("commit", "-q", "-m", "x")
	return c.run("rev-parse", "HEAD")
}

func requireGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	// The answers must not depend on the machine's settings.
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
}

func TestCommit(t *testing.T) {
	requireGit(t)
	const stampedCommit = "1111111111111111111111111111111111111111"
	check := func(name string, prepare func(c *checkout), commit, dirty string) {
		t.Helper()
		c := newCheckout(t, true)
		head := c.run("rev-parse", "HEAD")
		prepare(c)
		gotCommit, gotDirty := c.find()
		got := gotCommit.String() + " from " + gotCommit.Source
		if want := strings.ReplaceAll(commit, "HEAD", head); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got commit %s, want %s", name, got, want)
		}
		if got := gotDirty.String() + " from " + gotDirty.Source; !strings.HasPrefix(got, dirty) {
			t.Errorf("%s: got dirty %s, want %s", name, got, dirty)
		}
		if (gotCommit.Value == nil) != (gotCommit.Unknown != "") || strings.Contains(got+gotDirty.Unknown, c.dir) {
			t.Errorf("%s: got %+v", name, gotCommit)
		}
	}
	stamp := func(c *checkout, revision string, modified bool) {
		c.stamp.revision, c.stamp.modified = revision, modified
	}
	results := func(c *checkout) {
		for _, name := range []string{"results.json", "results.12.json", "results.json.lock", "results.json.run-1.json", "labs/results.json"} {
			c.write(name, "x")
		}
	}

	check("clean", func(c *checkout) {}, "HEAD from git", "false from git")
	check("results are no dirt", results, "HEAD from git", "false from git")
	check("committed results are no dirt", func(c *checkout) {
		results(c)
		c.commit()
		c.write("results.json", "y")
		stamp(c, c.run("rev-parse", "HEAD"), true)
	}, "", "false from git")
	check("untracked", func(c *checkout) { c.write("new.go", "package main\n") }, "HEAD from git", "true from git")
	check("an untracked schema", func(c *checkout) { c.write("results.schema.json", "") }, "HEAD from git", "true from git")
	check("unstaged", func(c *checkout) { c.write(".gitignore", "/bin/\n#\n") }, "HEAD from git", "true from git")
	check("staged", func(c *checkout) { c.write("x.txt", ""); c.run("add", "x.txt") }, "HEAD from git", "true from git")

	check("a clean stamp", func(c *checkout) { stamp(c, stampedCommit, false); c.write("x.txt", "") },
		stampedCommit+" from build information", "false from build information")
	check("a modified stamp for results alone", func(c *checkout) { results(c); stamp(c, c.run("rev-parse", "HEAD"), true) },
		"HEAD from build information", "false from git")
	check("a modified stamp", func(c *checkout) { c.write("x.txt", ""); stamp(c, c.run("rev-parse", "HEAD"), true) },
		"HEAD from build information", "true from git")
	check("a checkout that has moved on", func(c *checkout) { stamp(c, stampedCommit, true) },
		stampedCommit+" from build information", "true from build information")
	check("sources changed after the build", func(c *checkout) { c.write("labs/a/a.go", "package a // x\n") },
		"unknown (the sources in the checkout are not those that were compiled in", "unknown (the sources")
	check("sources cleaned after the build", func(c *checkout) {
		stamp(c, c.run("rev-parse", "HEAD"), true)
		c.sources["."]["main.go"] = strings.Repeat("0", 64)
	}, "HEAD from build information", "true from build information")

	check("copied elsewhere", func(c *checkout) { c.exe = filepath.Join(t.TempDir(), "envelope") },
		"unknown (the binary does not lie in its checkout)", "unknown (the binary")
	check("copied elsewhere with a stamp", func(c *checkout) {
		c.exe = filepath.Join(t.TempDir(), "envelope")
		stamp(c, stampedCommit, true)
	}, stampedCommit, "true from build information")
	check("go run", func(c *checkout) { c.exe = "/tmp/go-build123/b001/exe/envelope" }, "unknown (go run", "unknown (go run")
	check("no file", func(c *checkout) { c.exe = "" }, "unknown (where the binary lies", "unknown")
	check("another module", func(c *checkout) { c.write("go.mod", "module other\n") }, "unknown (the binary does not lie", "unknown")
	check("part of another repository", func(c *checkout) {
		outer := newCheckout(t, true)
		inner := filepath.Join(outer.dir, "labs")
		for name, text := range map[string]string{"go.mod": goMod, "main.go": "package main\n"} {
			if err := os.WriteFile(filepath.Join(inner, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c.exe = filepath.Join(inner, "bin", "envelope")
	}, "unknown (the checkout is part of another repository)", "unknown")
	check("no commit", func(c *checkout) {
		os.RemoveAll(filepath.Join(c.dir, ".git"))
		c.run("init", "-q")
	}, "unknown (the repository has no commit)", "unknown")
	check("not a repository", func(c *checkout) {
		os.RemoveAll(filepath.Join(c.dir, ".git"))
		t.Setenv("GIT_CEILING_DIRECTORIES", "") // dropped before git is asked
	}, "unknown (the checkout is not a git repository)", "unknown")
	check("another owner's", func(c *checkout) {
		if os.Getuid() != 0 {
			c.git = func(string, ...string) (string, error) {
				return "", errors.New("git: dubious ownership: not root here")
			}
			return
		}
		if err := os.Chown(filepath.Join(c.dir, ".git"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(c.dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}, "unknown (git: dubious ownership", "unknown (git: dubious")
}

func TestCommitWithoutGit(t *testing.T) {
	c := newCheckout(t, false)
	t.Setenv("PATH", t.TempDir())
	commit, dirty := c.find()
	if want := host.Missing[string]("no git on this machine"); commit != want || dirty.Unknown != want.Unknown {
		t.Errorf("got %v and %v, want %v", commit, dirty, want)
	}
}

func TestDigest(t *testing.T) {
	p := exampleRun(t).Predictions[0]
	text, err := p.canonical()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"attempt":1,"derivation":{"steps":"9 ms / 1 ms","unit":"1","value":9},"high":40,"low":2.5,"nonce":"` + p.Nonce +
		`","question":"barrier/dear","text_hash":"` + p.TextHash + `","time":"2026-05-17T09:30:00Z","unit":"1","value":10.5}`
	if string(text) != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	// sha256sum of the line above, without a newline.
	if got, want := p.Digest(), "d477522668441417be2e2c9b4925cfa729b0788850728a62bfbe28faeb8a2155"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	q := p
	q.Why, q.SHA256 = "another", ""
	if q.Digest() != p.Digest() {
		t.Error("why and sha256 are part of the digest")
	}
	q = p
	q.Derivation.Steps = "<a> \u2028 \\u2028 \"é\""
	if text, err = q.canonical(); err != nil || !strings.Contains(string(text), "<a> \u2028 \\\\u2028 \\\"é\\\"") {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestSourceHash(t *testing.T) {
	a, b := strings.Repeat("1", 64), strings.Repeat("2", 64)
	sum := sha256.Sum256([]byte("a.go\x00" + a + "\nb.go\x00" + b + "\n"))
	want := hex.EncodeToString(sum[:])
	if got := SourceHash(Sources{"b.go": b, "a.go": a, "a_test.go": b}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := SourceHash(Sources{"b.go": a, "a.go": b}); got == want {
		t.Error("files that change their text give the same hash")
	}
	if !regexp.MustCompile(hash).MatchString(SourceHash(nil)) {
		t.Error("no files give no hash")
	}
}

func TestWhole(t *testing.T) {
	type inner struct{ List []int }
	type outer struct {
		List   []inner
		Map    map[string][]inner
		Ptr    *inner
		Nil    *inner
		hidden []int
	}
	v := outer{List: []inner{{}}, Map: map[string][]inner{"a": nil}, Ptr: &inner{}}
	got := whole(v)
	if got.List[0].List == nil || got.Map["a"] == nil || got.Ptr.List == nil || got.Nil != nil || got.hidden != nil {
		t.Errorf("got %+v", got)
	}
	if v.List[0].List != nil || v.Map["a"] != nil || v.Ptr.List != nil {
		t.Errorf("the original has changed: %+v", v)
	}
}
