package manifest

import (
	"path/filepath"
	"regexp"
	"strings"
)

// The roles that stand for paths in a command line.
const (
	roleDir     = "DIR"     // the directory that is measured
	roleResults = "RESULTS" // the results file
	roleHome    = "HOME"    // anything in the home directory
	rolePath    = "PATH"    // any other path
	roleAddress = "ADDR"    // of a server
)

var (
	programs  = regexp.MustCompile(`^(envelope|run-labs\.sh|predict\.sh)$`)
	flagName  = regexp.MustCompile(`^--?[a-z][a-z0-9-]*$`)
	plainWord = regexp.MustCompile(`^[A-Za-z0-9+-][A-Za-z0-9_.,:%+-]*$`)
	claimList = regexp.MustCompile(`^[a-z0-9-]+(/[a-z0-9@-]+)?(,[a-z0-9-]+(/[a-z0-9@-]+)?)*$`)
	fileName  = regexp.MustCompile(`\.[A-Za-z][A-Za-z0-9]*$`)
)

// roles are the flags whose value is a path or an address, whatever it looks
// like.
var roles = map[string]string{
	"--dir": roleDir, "--results": roleResults, "--output": rolePath, "-o": rolePath, "--trace": rolePath,
	"--redis": roleAddress, "--state": rolePath, "--cpuprofile": rolePath, "--memprofile": rolePath,
}

// names are the flags whose value is a list of labs and claims.
var names = map[string]bool{"--require": true, "--only": true, "--control": true}

// Redact returns a command line with every path replaced by its role: DIR,
// RESULTS, HOME or PATH, and an address by ADDR. What is not certainly a flag, a number, a word or the
// name of a claim counts as a path. dir, home and cwd are the directory that is
// measured, the user's home and the working directory; "" where not known.
func Redact(command []string, dir, home, cwd string) []string {
	out := make([]string, 0, len(command))
	flag := "" // whose value comes next
	for i, arg := range command {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case i == 0:
			if arg = filepath.Base(arg); !programs.MatchString(arg) {
				arg = "envelope"
			}
			out = append(out, arg)
		case flagName.MatchString(name) && joined:
			out, flag = append(out, name+"="+redactValue(name, value, dir, home, cwd)), ""
		case flagName.MatchString(arg):
			out, flag = append(out, arg), arg
		default:
			out, flag = append(out, redactValue(flag, arg, dir, home, cwd)), ""
		}
	}
	return out
}

// redactValue replaces a flag's value, or with no flag an argument.
func redactValue(flag, value, dir, home, cwd string) string {
	if role := roles[flag]; role != "" {
		return role
	}
	path := absolute(value, home, cwd)
	switch {
	case names[flag] && claimList.MatchString(value), flag == "" && strings.Count(value, "/") == 1 && claimList.MatchString(value):
		return value
	case plainWord.MatchString(value) && !fileName.MatchString(value) && value != filepath.Base(home):
		return value
	case inside(path, dir):
		return roleDir
	case inside(path, home):
		return roleHome
	}
	return rolePath
}

// absolute returns a value as a path from /, as the shell would have it.
func absolute(value, home, cwd string) string {
	if rest, ok := strings.CutPrefix(value, "~"); ok {
		value = home + rest
	}
	if !filepath.IsAbs(value) {
		value = filepath.Join(cwd, value)
	}
	return filepath.Clean(value)
}

// inside reports whether a path is a directory or lies in it.
func inside(path, dir string) bool {
	if dir == "" || dir == "/" {
		return false
	}
	dir = filepath.Clean(dir)
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}
