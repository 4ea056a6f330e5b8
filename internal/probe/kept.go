package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/statefile"
	"envelope/internal/typeset"
)

// Name is the file in the state directory that holds the axioms measured last.
const Name = "axioms.json"

// What Load reads at most: many times what Save writes.
const (
	largest     = 1 << 20 // B
	longestText = 400     // B of a method
	mostSamples = 1 << 20 // observations
)

// Taken is the axioms of this machine as they were measured, with the
// environment that they belong to. An axiom that the last measurement could not
// take again says itself when it was.
type Taken struct {
	Time        time.Time         `json:"time"`
	Environment host.Environment  `json:"environment"`
	Axioms      []axioms.Measured `json:"axioms"`
}

// CanSave says before anything is measured why Save would fail, as far as that
// can be known.
func CanSave(dir string) error {
	unlock, err := begin(dir)
	if err != nil {
		return err
	}
	unlock()
	return nil
}

// begin makes the directory and takes the lock of the file.
func begin(dir string) (unlock func(), err error) {
	if err := statefile.MakeDir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, Name)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("keeping the axioms: %q is not a regular file: move it away", path)
	}
	unlock, err = statefile.Lock(path)
	if err != nil {
		return nil, fmt.Errorf("keeping the axioms: %w", err)
	}
	return unlock, nil
}

// Save keeps what was taken in the state directory, with what was there before
// of axioms that could not be measured this time, where it holds for the same
// machine and files. A kill leaves the old file or the new one. One that can't be
// read is set aside, and its name returned.
func Save(dir string, t Taken) (aside string, err error) {
	if len(t.Axioms) == 0 {
		return "", errors.New("keeping the axioms: none was measured")
	}
	unlock, err := begin(dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(dir, Name)
	before, found, err := Load(dir)
	switch {
	case err != nil:
		data, err := statefile.Read(path)
		if err != nil {
			return "", fmt.Errorf("keeping the axioms: %w", err)
		}
		if aside, err = statefile.SetAside(path, data, time.Now()); err != nil {
			return "", fmt.Errorf("keeping the axioms: %w", err)
		}
	case found:
		older, _ := before.For(t.Environment, t.Time)
		t.Axioms = slices.Clone(t.Axioms)
		for _, m := range older {
			if !slices.ContainsFunc(t.Axioms, func(now axioms.Measured) bool { return now.Name == m.Name }) {
				t.Axioms = append(t.Axioms, m)
			}
		}
	}
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return aside, fmt.Errorf("keeping the axioms: %w", err)
	}
	if err := statefile.Replace(path, append(data, '\n')); err != nil {
		return aside, fmt.Errorf("keeping the axioms: %w", err)
	}
	return aside, nil
}

// Load returns what was taken last, and false where nothing was. A file that
// can't be believed is an error, and left as it is: Save sets it aside. The file
// is the user's, and may be anybody's text: what Load returns are axioms of this
// program, in their units and of possible sizes, with texts that can be printed.
func Load(dir string) (Taken, bool, error) {
	path := filepath.Join(dir, Name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Taken{}, false, nil
	}
	if err == nil && info.Size() > largest {
		err = fmt.Errorf("it has %d bytes, and at most %d are read", info.Size(), largest)
	}
	var data []byte
	if err == nil {
		data, err = statefile.Read(path)
	}
	var t Taken
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err == nil {
		err = t.check()
	}
	if err != nil {
		return Taken{}, false, fmt.Errorf("the axioms in %s can't be used: %w; envelope axioms --measure takes new ones", path, err)
	}
	return t, true, nil
}

// check says what is wrong with something that was read.
func (t *Taken) check() error {
	switch {
	case len(t.Axioms) == 0:
		return errors.New("it holds no measurement")
	case !possible(t.Time):
		return fmt.Errorf("they were measured at %s", t.Time.Format(time.RFC3339))
	}
	seen := map[string]bool{}
	for _, m := range t.Axioms {
		if seen[m.Name] {
			return fmt.Errorf("%s comes twice", m.Name)
		}
		seen[m.Name] = true
		if err := checkAxiom(m); err != nil {
			return err
		}
	}
	return nil
}

func checkAxiom(m axioms.Measured) error {
	dim, known := dimOf(m.Name)
	switch {
	case !known:
		return fmt.Errorf("there is no axiom %q", m.Name)
	case m.Quantity.Dim != dim:
		return fmt.Errorf("%s is in %q, want %q", m.Name, m.Quantity.Dim, dim)
	case m.N > mostSamples:
		return fmt.Errorf("%s rests on %d observations", m.Name, m.N)
	case !m.Taken.IsZero() && !possible(m.Taken):
		return fmt.Errorf("%s was measured at %s", m.Name, m.Taken.Format(time.RFC3339))
	}
	least, largest := 1e-12, 1e4 // s
	if dim != axioms.DimSecond {
		least, largest = 1, 1e18
	}
	if m.Low.Value < least || m.High.Value > largest {
		return fmt.Errorf("%s is said to be %s to %s", m.Name, m.Low, m.High)
	}
	for _, text := range []string{m.Method, m.Bounds} {
		if len(text) > longestText || !utf8.ValidString(text) || typeset.Clean(text) != text {
			return fmt.Errorf("%s has a text that is too long or can't be printed", m.Name)
		}
	}
	return nil
}

// possible reports whether this program can have been there.
func possible(t time.Time) bool { return t.Year() >= 2020 && t.Year() < 9999 }
