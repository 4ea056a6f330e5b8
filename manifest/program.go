package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"envelope/internal/host"
)

// Here returns what this program is: what was stamped into the binary, the
// hashes of the sources that were compiled in (rooted at the module), and the
// commit that they come from where that can be known.
func Here(sources fs.FS) Program {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	hashes, err := hashSources(sources)
	p := Program{
		Version: info.Main.Version, GoVersion: runtime.Version(), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Settings: settingsOf(info), Sources: hashes,
	}
	if p.Version == "" {
		p.Version = "(devel)"
	}
	if err != nil {
		why := "reading the sources that were compiled in: " + err.Error()
		p.Commit, p.Dirty = host.Missing[string](why), host.Missing[bool](why)
		return p
	}
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		exe = ""
	}
	p.Commit, p.Dirty = origin{stamp: stampOf(info), exe: exe, sources: hashes, git: runGit}.find()
	return p
}

// hashSources returns the SHA-256 of every source file, by directory.
func hashSources(sources fs.FS) (map[string]Sources, error) {
	out := map[string]Sources{}
	kinds := []string{".go", ".s", ".c", ".ptx", ".sh"}
	err := fs.WalkDir(sources, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !slices.Contains(kinds, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			return err // tests are no part of the program
		}
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if out[dir] == nil {
			out[dir] = Sources{}
		}
		sum := sha256.Sum256(text)
		out[dir][path.Base(name)] = hex.EncodeToString(sum[:])
		return nil
	})
	return out, err
}

// settingsOf returns the build settings that change what the program does. One
// whose value may name a path says only that it was set.
func settingsOf(info *debug.BuildInfo) map[string]string {
	plain := []string{"-buildmode", "-compiler", "-race", "-msan", "-asan", "-cover", "-tags", "CGO_ENABLED", "DefaultGODEBUG",
		"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFIPS140"}
	pathy := []string{"-gcflags", "-asmflags", "-ldflags", "-pgo", "CGO_CFLAGS", "CGO_LDFLAGS"}
	out := map[string]string{}
	for _, s := range info.Settings {
		switch {
		case s.Value == "":
		case slices.Contains(plain, s.Key):
			out[s.Key] = s.Value
		case slices.Contains(pathy, s.Key):
			out[s.Key] = "set"
		}
	}
	return out
}

// stamp is what the go command recorded of the checkout.
type stamp struct {
	revision string
	modified bool
}

func stampOf(info *debug.BuildInfo) stamp {
	var s stamp
	for _, set := range info.Settings {
		switch set.Key {
		case "vcs.revision":
			s.revision = set.Value
		case "vcs.modified":
			s.modified = set.Value != "false"
		}
	}
	return s
}

// origin is all from which the commit is found.
type origin struct {
	stamp   stamp
	exe     string // this program's file, "" where that is not known
	sources map[string]Sources
	git     func(dir string, args ...string) (string, error)
}

const stamped = "build information"

// find returns the commit and whether the sources differ from it. A clean stamp
// is believed. The go command calls a tree modified for any untracked file, a
// results.json among them, so a modified or missing stamp is looked into,
// if the checkout that the binary was built in is at hand.
func (o origin) find() (host.Fact[string], host.Fact[bool]) {
	commit, dirty := host.Missing[string](""), host.Missing[bool]("")
	if o.stamp.revision != "" {
		commit, dirty = host.Known(o.stamp.revision, "", stamped), host.Known(o.stamp.modified, "", stamped)
		if !o.stamp.modified {
			return commit, dirty
		}
	}
	head, changed, err := o.ask()
	switch {
	case o.stamp.revision == "" && err != nil:
		return host.Missing[string](err.Error()), host.Missing[bool](err.Error())
	case o.stamp.revision == "":
		return host.Known(head, "", "git"), host.Known(changed, "", "git")
	case err == nil && head == o.stamp.revision:
		dirty = host.Known(changed, "", "git")
	}
	return commit, dirty
}

// ask asks git about the checkout that the binary lies in. Its answer counts
// only if what was compiled in is what lies there now.
func (o origin) ask() (head string, changed bool, err error) {
	tree, err := checkoutOf(o.exe)
	if err != nil {
		return "", false, err
	}
	top, err := o.git(tree, "rev-parse", "--show-toplevel", "HEAD")
	if err != nil {
		return "", false, err
	}
	top, head, _ = strings.Cut(strings.TrimSpace(top), "\n")
	if !sameFile(top, tree) {
		return "", false, fmt.Errorf("the checkout is part of another repository")
	}
	if !o.matches(tree) {
		return "", false, fmt.Errorf("the sources in the checkout are not those that were compiled in")
	}
	status, err := o.git(tree, append([]string{"status", "--porcelain", "--untracked-files=normal", "--", "."}, notDirt...)...)
	return head, status != "", err
}

// notDirt are the files that a run itself leaves in a checkout.
var notDirt = []string{
	":(exclude,glob)**/results.json", ":(exclude,glob)**/results.[0-9]*.json",
	":(exclude,glob)**/results.json.lock*", ":(exclude,glob)**/results.json.run-*.json",
}

// matches reports whether every source file that was compiled in has the same
// hash in the tree.
func (o origin) matches(tree string) bool {
	there, err := hashSources(onlyDirs{os.DirFS(tree), o.sources})
	if err != nil {
		return false
	}
	for dir, files := range o.sources {
		for name, sum := range files {
			if there[dir][name] != sum {
				return false
			}
		}
	}
	return true
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
