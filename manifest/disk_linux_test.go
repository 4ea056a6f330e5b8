package manifest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mounting a small tmpfs: %v; TestFileSizeLimit stands in", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, 0) })
	path := filepath.Join(dir, "results.json")
	var before []byte
	var written string
	var err error
	last := -1
	for err == nil { // the document and its copy outgrow the disk
		if last++; last > 0 {
			before = read(t, path)
		}
		written, err = Append(path, numbered(last), AppendOptions{})
	}
	if !errors.Is(err, syscall.ENOSPC) || !slices.Equal(idsIn(t, written), []string{idOf(last)}) {
		t.Errorf("got %q, %v, want %v and the run beside", written, err, syscall.ENOSPC)
	}
	unchanged(t, path, before)
	noScratch(t, path)

	os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 256<<10), 0o644) // as far as it goes
	if err := Appendable(path); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("beforehand: got %v, want %v", err, syscall.ENOSPC)
	}
	var out bytes.Buffer
	written, err = Append(path, numbered(last+1), AppendOptions{Fallback: &out})
	if l, lerr := readLayout(out.Bytes()); written != "" || !errors.Is(err, syscall.ENOSPC) || lerr != nil || len(l.runs) != 1 {
		t.Errorf("got %q, %v, and %q written out, %v", written, err, &out, lerr)
	}
	unchanged(t, path, before)
	noScratch(t, path)
}
