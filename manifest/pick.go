package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Last names the last run of a document.
const Last = "-1"

// idPrefix is how much of an id names a run at least. An id begins with the 48 bits
// of its time in milliseconds, and so with a 0 until the year 2527: a number is not
// taken for one.
const idPrefix = 4

// ErrNoRun is wrapped by the error of a number that no run has.
var ErrNoRun = errors.New("it has no run")

// Pick reads a document, verifies one of its runs as Verify does, and returns it.
// Which one is said by a number, 1 for the first and -1 for the last, or by its id
// or the beginning of it, at least four characters.
//
// A run with problems is returned too where it could be decoded at all, and has no
// id where it could not. The error says that the document can't be read, or has no
// such run.
func Pick(r io.Reader, which string, o VerifyOptions) (Run, []Problem, error) {
	v, data, l, err := open(r, o)
	if err != nil {
		return Run{}, nil, err
	}
	i, err := pick(data, l, which)
	if err != nil {
		return Run{}, nil, err
	}
	run, problems := v.read(data[l.runs[i].from:l.runs[i].to])
	for j := range problems {
		problems[j].Path = fmt.Sprintf("runs[%d]%s", i, problems[j].Path)
	}
	return run, problems, nil
}

// pick returns the index of the run that was asked for.
func pick(data []byte, l layout, which string) (int, error) {
	n := len(l.runs)
	if n == 0 {
		return 0, errors.New("there is no run in it")
	}
	if i, err := strconv.Atoi(which); err == nil && !strings.HasPrefix(which, "0") {
		switch {
		case i >= 1 && i <= n:
			return i - 1, nil
		case i < 0 && i >= -n:
			return n + i, nil
		}
		return 0, fmt.Errorf("%w %d: they go from 1 to %d, and from -1, the last, to -%[3]d", ErrNoRun, i, n)
	}
	if len(which) < idPrefix {
		return 0, fmt.Errorf("%q names no run: give its number, 1 to %d, -1 for the last, or at least %d characters of its id", printable(which), n, idPrefix)
	}
	found := -1
	for i, at := range l.runs {
		var run struct{ ID string }
		if json.Unmarshal(data[at.from:at.to], &run) != nil || !strings.HasPrefix(run.ID, which) {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("the ids of runs %d and %d both begin with %q: give more of it", found+1, i+1, printable(which))
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("no run of its %d has an id that begins with %q", n, printable(which))
	}
	return found, nil
}
