package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
type reference struct{ file, which string }

// refer takes a name apart. Where there is a file of the whole name, that is meant.
func refer(name, otherwise string) reference {
	i := strings.LastIndexByte(name, '#')
	if i < 0 {
		return reference{name, otherwise}
	}
	if _, err := os.Lstat(name); err == nil {
		return reference{name, otherwise}
	}
	return reference{name[:i], name[i+1:]}
}

func (r reference) String() string { return r.file + "#" + r.which }

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
func (r reference) open() (manifest.Run, error) {
	f, err := openFile(r.file)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) && at.Path == r.file {
			err = at.Err
		}
		return manifest.Run{}, fmt.Errorf("%s: %w", r.file, err)
	}
	defer f.Close()
	run, problems, err := manifest.Pick(f, r.which, manifest.VerifyOptions{})
	if err != nil {
		return manifest.Run{}, fmt.Errorf("%s: %w", r.file, err)
	}
	if len(problems) > 0 {
		return manifest.Run{}, unverified(r, problems)
	}
	return run, nil
}
