package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
)

// rel returns an absolute path as fs.FS wants it.
func rel(name string) string {
	if name == "/" {
		return "."
	}
	return strings.TrimPrefix(name, "/")
}

// readText returns a small file under root without the space around it.
func readText(root fs.FS, name string) (string, error) {
	b, err := fs.ReadFile(root, rel(name))
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(b)), nil
}

// readUint returns a file that holds one number.
func readUint(root fs.FS, name string) (uint64, error) {
	s, err := readText(root, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", clean(s))
	}
	return n, nil
}

// exists reports whether root has the name, be it readable or not.
func exists(root fs.FS, name string) bool {
	_, err := fs.Stat(root, rel(name))
	return err == nil || errors.Is(err, fs.ErrPermission)
}

// names returns the entries of a directory under root, in order; nil where there is none.
func names(root fs.FS, dir string) []string {
	entries, err := fs.ReadDir(root, rel(dir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// why returns the reason for an error in few words, without a path: a path may
// hold names that must not be printed, so only the caller's label is.
func why(label string, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return label + " is not there"
	case errors.Is(err, fs.ErrPermission):
		return label + " may not be read"
	case errors.Is(err, fs.ErrInvalid):
		return label + " is not a path that can be read"
	}
	return label + " cannot be read"
}

// clean makes text from a file fit for a line and a terminal: no control
// characters, runs of space as one, and of a sane length.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120])
	}
	return s
}

// textFact returns a file's text as a fact; an empty file is not a fact.
func textFact(root fs.FS, name string) Fact[string] {
	s, err := readText(root, name)
	if err != nil {
		return Missing[string](why(name, err))
	}
	if s = clean(s); s == "" {
		return Missing[string](name + " is empty")
	}
	return Known(s, "", name)
}

// uintFact returns a file's number, times scale, as a fact. An error that is
// not about opening the file is told as it is: it quotes only a number's text.
func uintFact(root fs.FS, name string, scale uint64, unit string) Fact[uint64] {
	n, err := readUint(root, name)
	if err != nil {
		return Missing[uint64](why(name, err))
	}
	return Known(n*scale, unit, name)
}

// bracketed returns the choice in a list such as "always [madvise] never"; a
// list of one word is that word.
func bracketed(s string) (string, error) {
	fields := strings.Fields(s)
	for _, f := range fields {
		if strings.HasPrefix(f, "[") && strings.HasSuffix(f, "]") {
			return clean(f[1 : len(f)-1]), nil
		}
	}
	if len(fields) == 1 {
		return clean(fields[0]), nil
	}
	return "", fmt.Errorf("no choice in %q", clean(s))
}

func choiceFact(root fs.FS, name string) Fact[string] {
	s, err := readText(root, name)
	if err != nil {
		return Missing[string](why(name, err))
	}
	choice, err := bracketed(s)
	if err != nil {
		return Missing[string](name + ": " + err.Error())
	}
	return Known(choice, "", name)
}

// parseList returns the numbers in a kernel list such as "0-3,8,10-11"
// (Documentation/admin-guide/cputopology.rst).
func parseList(s string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(strings.TrimSpace(s), ",") {
		if part == "" {
			continue
		}
		lo, hi, ranged := strings.Cut(part, "-")
		if !ranged {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		// 1<<16 is far over the kernel's own NR_CPUS: a typo must not fill memory.
		if err1 != nil || err2 != nil || a < 0 || b < a || b >= 1<<16 {
			return nil, fmt.Errorf("%q is not a range", clean(part))
		}
		for i := a; i <= b; i++ {
			out = append(out, i)
		}
	}
	return out, nil
}

func countFact(root fs.FS, name string) Fact[int] {
	s, err := readText(root, name)
	if err != nil {
		return Missing[int](why(name, err))
	}
	list, err := parseList(s)
	if err != nil || len(list) == 0 {
		return Missing[int](name + " is not a list of CPUs")
	}
	return Known(len(list), "1", name)
}
