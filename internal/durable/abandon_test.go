package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A program that ends in the middle leaves no temporary file, and what was there
// is whole.
func TestAbandon(t *testing.T) {
	check := func(at string) {
		t.Helper()
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Replace(path, Options{Mode: 0o600, At: func(step string) {
			if step != at {
				return
			}
			Abandon()
			alone(t, dir, "file")
			live.Lock()
			live.abandoned = false // the test goes on
			live.Unlock()
		}}, []byte("new"))
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want that the temporary file is gone", at, err)
		}
		alone(t, dir, "file")
		holds(t, path, "old", 0o600)
	}
	check("write")
	check("sync")
	check("rename")
}
