package manifest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"envelope/internal/durable"
)

// least is how many bytes there must be room for: less than the smallest run has.
const least = 16 << 10

// Appendable finds out whether Append to path could succeed, as far as that can be
// known beforehand: that the document can be read and replaced, and that a file can
// be written beside it. It leaves nothing behind.
func Appendable(path string) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	old, _, err := readOld(target)
	if err != nil {
		return err
	}
	if old != nil {
		if _, err := layoutOf(old); err != nil {
			return err
		}
	}
	return room(target)
}

// layoutOf reads the layout of a document that is there.
func layoutOf(old []byte) (layout, error) {
	l, err := readLayout(old)
	if err != nil {
		return layout{}, fmt.Errorf("it is not a whole results document: %w: repair it or move it away", err)
	}
	return l, nil
}

// room writes a temporary file, under a name that the next run removes should this
// one be killed.
func room(target string) error {
	f, err := os.CreateTemp(filepath.Dir(target), filepath.Base(temporary(target))+".*"+durable.Suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("its directory %q does not exist: make it", filepath.Dir(target))
	}
	if err != nil {
		return fmt.Errorf("nothing can be written beside it: %w", err)
	}
	data := make([]byte, least)
	rand.Read(data)
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("nothing can be written beside it: %w", err)
	}
	return nil
}
