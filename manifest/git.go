package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// checkoutOf returns the module's root at or above the binary. The error is a
// reason for people and names no path.
func checkoutOf(exe string) (string, error) {
	if exe == "" {
		return "", errors.New("where the binary lies is not known")
	}
	for dir := filepath.Dir(exe); ; dir = filepath.Dir(dir) {
		if strings.HasPrefix(filepath.Base(dir), "go-build") {
			return "", errors.New("go run: the binary does not lie in its checkout")
		}
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if _, mainErr := os.Stat(filepath.Join(dir, "main.go")); err == nil && mainErr == nil && isOurs(text) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the binary does not lie in its checkout")
		}
	}
}

func isOurs(goMod []byte) bool {
	for line := range bytes.Lines(goMod) {
		if f := strings.Fields(string(line)); len(f) >= 2 && f[0] == "module" {
			return f[1] == "envelope"
		}
	}
	return false
}

// runGit runs git in a directory, without its background helpers and without
// writing to the repository. The error is a reason for people.
func runGit(dir string, args ...string) (string, error) {
	name, err := exec.LookPath("git")
	if err != nil {
		return "", errors.New("no git on this machine")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, append([]string{"-c", "core.fsmonitor=", "--no-optional-locks", "-C", dir}, args...)...)
	cmd.WaitDelay = time.Second
	for _, kv := range os.Environ() {
		// GIT_DIR and its kind would make it speak of another repository.
		if !strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "GIT_CONFIG") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err = cmd.Run()
	said := stderr.String()
	switch {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", errors.New("git did not answer within 5 s")
	case strings.Contains(said, "dubious ownership"):
		return "", errors.New("git: dubious ownership: the checkout belongs to another user")
	case strings.Contains(said, "not a git repository"):
		return "", errors.New("the checkout is not a git repository")
	case strings.Contains(said, "ambiguous argument 'HEAD'"):
		return "", errors.New("the repository has no commit")
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("git %s failed with exit code %d", args[0], exit.ExitCode())
	}
	return "", errors.New("git could not be run")
}

// onlyDirs hides from a walk every directory that leads to none of the packages.
type onlyDirs struct {
	fs.FS
	packages map[string]Sources
}

// ReadDir lists what leads to a package, or is a file of one.
func (o onlyDirs) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		full := e.Name()
		if name != "." {
			full = name + "/" + full
		}
		if !e.IsDir() {
			_, ok := o.packages[name][e.Name()]
			return !ok
		}
		for p := range o.packages {
			if p == full || strings.HasPrefix(p, full+"/") {
				return false
			}
		}
		return true
	}), err
}
