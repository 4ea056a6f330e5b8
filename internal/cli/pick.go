package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"envelope/internal/typeset"
	"envelope/manifest"
)

// aRun is how the name of one run of a results file is written.
const aRun = "FILE[#RUN]"

// aboutRuns says in help texts what RUN is.
const aboutRuns = "RUN is a number, 1 for the first run of the file and -1 for the last, or the beginning of a run's id; " +
	"without it the last run is taken."

// reference is the name of one run: a file, and which of its runs.
type reference struct {
	file, which string
	methods     manifest.Methods // that it is verified by; nil means those that are published
}

// refer takes the name of a run apart. Where there is a file of the whole name,
// that is meant.
func (a *app) refer(name string) reference {
	r := reference{file: name, which: manifest.Last, methods: a.Methods}
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return r
	}
	if _, err := os.Lstat(name); err != nil {
		r.file, r.which = name[:i], name[i+1:]
	}
	return r
}

func (r reference) String() string { return r.file + "#" + r.which }

// back is the number of a run that is counted from the last, which is -1.
func (r reference) back() int {
	n, _ := strconv.Atoi(r.which)
	return n
}

// unverified is the error of a run that does not verify. What it says can't be
// defended, so nothing is made of it.
func unverified(r reference, problems []manifest.Problem) error {
	text := fmt.Sprintf("%s does not verify: %s", r, problems[0])
	if n := len(problems) - 1; n > 0 {
		text += fmt.Sprintf("; and %s", plural(n, "more problem"))
	}
	return &exitError{manifest.ExitFailed, fmt.Errorf("%s: envelope verify %s tells all", text, typeset.Clean(r.file))}
}

// open reads the run that is meant, and refuses one that does not verify.
func (r reference) open() (manifest.Run, error) { return r.verified(r.read()) }

// verified refuses a run with problems.
func (r reference) verified(run manifest.Run, problems []manifest.Problem, err error) (manifest.Run, error) {
	if err == nil && len(problems) > 0 {
		err = unverified(r, problems)
	}
	return run, err
}

// read reads the run that is meant, with what is wrong about it.
func (r reference) read() (manifest.Run, []manifest.Problem, error) {
	f, err := r.openFile()
	if err != nil {
		return manifest.Run{}, nil, err
	}
	defer f.Close()
	return r.pick(f)
}

// pick is read of a file that is open already.
func (r reference) pick(f io.Reader) (manifest.Run, []manifest.Problem, error) {
	run, problems, err := manifest.Pick(f, r.which, manifest.VerifyOptions{Methods: r.methods})
	if err != nil {
		err = fmt.Errorf("%s: %w", r.file, err)
	}
	return run, problems, err
}

// bytes reads the whole file, if it is no larger than a document may be.
func (r reference) bytes() ([]byte, error) {
	f, err := r.openFile()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, manifest.MaxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	return text, nil
}

// openFile opens the file.
func (r reference) openFile() (*os.File, error) {
	if r.file == "" {
		return nil, errors.New("a name without a file: name one, such as results.json, or results.json#1 for its first run")
	}
	f, err := openFile(r.file)
	var at *fs.PathError
	if errors.As(err, &at) && at.Path == r.file { // said already
		err = at.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	return f, nil
}
