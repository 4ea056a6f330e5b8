package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"envelope/axioms"
	"envelope/internal/durable"
	"envelope/internal/host"
)

// Name is the file in the state directory that holds the axioms measured last.
const Name = "axioms.json"

// largest is the size in bytes of a file that Load reads: many times what Save
// writes.
const largest = 1 << 20

// Taken is the axioms of this machine as they were measured once, with the
// environment that they belong to.
type Taken struct {
	Time        time.Time         `json:"time"`
	Environment host.Environment  `json:"environment"`
	Axioms      []axioms.Measured `json:"axioms"`
}

// Save keeps what was taken in the state directory, in place of what was there.
// A kill leaves the old file or the new one.
func Save(dir string, t Taken) error {
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("keeping the axioms: %w", err)
	}
	if err := durable.MakeDir(dir, 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if err := durable.Replace(filepath.Join(dir, Name), durable.Options{Mode: 0o600}, append(data, '\n')); err != nil {
		return fmt.Errorf("keeping the axioms: %w", err)
	}
	return nil
}

// Load returns what was taken last, and false where nothing was. A file that
// can't be read is set aside, and the error says where it is now.
func Load(dir string) (Taken, bool, error) {
	path := filepath.Join(dir, Name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Taken{}, false, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > largest) {
		err = fmt.Errorf("%s is no regular file of at most %d bytes", path, largest)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return Taken{}, false, fmt.Errorf("reading the axioms: %w", err)
	}
	var t Taken
	err = json.Unmarshal(data, &t)
	if err == nil && (t.Time.IsZero() || len(t.Axioms) == 0) {
		err = errors.New("it holds no measurement")
	}
	if err != nil {
		aside := path + ".damaged-" + time.Now().UTC().Format("20060102T150405")
		if err2 := os.Rename(path, aside); err2 != nil {
			return Taken{}, false, fmt.Errorf("reading %s: %w; it could not be set aside: %w", path, err, err2)
		}
		return Taken{}, false, fmt.Errorf("reading %s: %w; it is set aside as %s, and envelope axioms --measure makes a new one", path, err, filepath.Base(aside))
	}
	return t, true, nil
}
