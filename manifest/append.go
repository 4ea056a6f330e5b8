package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"envelope/internal/durable"
)

// MaxDocument is the size in bytes past which a document is set aside and a
// new one begins.
const MaxDocument = 64 << 20

// AppendOptions say how a run is appended. The zero value is the default.
type AppendOptions struct {
	Limit int64         // bytes that a document may reach; 0 means MaxDocument
	Wait  time.Duration // how long to wait for another run's lock; 0 means 30 s
	// Fallback is written the run, as a document of its own, where it can
	// be kept in no file: the standard error of a command.
	Fallback io.Writer

	at func(step string) // tests: told before each step that changes the disk
}

// Append adds a run to the document at path, or begins one where there is
// none, and returns the path of the file that holds the run.
//
// A kill at any moment leaves the document as it was or with the run. Runs
// already in it keep their bytes. Where the document would grow past the
// limit it is first set aside as NAME.1.json, or the next number that is free.
// With any error but ErrNotSynced the document is untouched; the run is then
// kept beside it as PATH.run-ID.json, that path is returned with the error,
// and the error says so.
func Append(path string, run Run, o AppendOptions) (written string, err error) {
	text, err := encode(run)
	if err != nil {
		return "", fmt.Errorf("appending to %q: the run can't be written: %w", path, err)
	}
	err = appendText(path, text, o.withDefaults())
	if err == nil || errors.Is(err, ErrNotSynced) {
		return path, err
	}
	beside := fmt.Sprintf("%s.run-%s.json", path, run.ID)
	if err2 := durable.Create(beside, 0o644, document(text)); err2 != nil {
		return o.lastResort(path, text, err, err2)
	}
	return beside, fmt.Errorf("appending to %q: %w; what was there is untouched, and this run is kept in %q", path, err, beside)
}

// ErrNotSynced says that a run was appended, but that its directory could not
// be synced: a power cut may still take it back.
var ErrNotSynced = errors.New("the run is in the document, but its directory could not be synced")

func (o AppendOptions) withDefaults() AppendOptions {
	if o.Limit <= 0 {
		o.Limit = MaxDocument
	}
	if o.Wait <= 0 {
		o.Wait = 30 * time.Second
	}
	if o.at == nil {
		o.at = func(string) {}
	}
	return o
}

// lastResort writes the run where a person may still find it.
func (o AppendOptions) lastResort(path string, text []byte, why, whyBeside error) (string, error) {
	err := fmt.Errorf("appending to %q: %w; what was there is untouched; keeping the run beside it: %w", path, why, whyBeside)
	if o.Fallback == nil {
		return "", fmt.Errorf("%w: the run is lost", err)
	}
	if _, err3 := o.Fallback.Write(document(text)); err3 != nil {
		return "", fmt.Errorf("%w: writing it out instead: %w: the run is lost", err, err3)
	}
	return "", fmt.Errorf("%w: it was written out instead: save that text as a file, it is a whole document", err)
}

// encode writes a run as one line of JSON that the reader takes back.
func encode(run Run) ([]byte, error) {
	if !validID(run.ID) {
		return nil, fmt.Errorf("its id %q is not a UUID of version 7", printable(run.ID))
	}
	run, err := Seal(run)
	if err != nil {
		return nil, err
	}
	text, err := plainText(run)
	if err != nil {
		return nil, err
	}
	if _, err := readLayout(document(text)); err != nil {
		return nil, err
	}
	return text, nil
}

const (
	head = `{"format": "` + Format + `", "runs": [` + "\n"
	tail = "\n]}\n"
)

// document is one run as a document of its own.
func document(run []byte) []byte {
	return bytes.Join([][]byte{[]byte(head), run, []byte(tail)}, nil)
}

// appendText does the work of Append under the lock.
func appendText(path string, run []byte, o AppendOptions) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	unlock, err := lock(target, o.Wait)
	if err != nil {
		return err
	}
	defer unlock()
	if again, err := resolve(path); err != nil || again != target {
		return fmt.Errorf("it changed while its lock was waited for: try again")
	}
	if err := sweep(target); err != nil {
		return err
	}
	old, info, err := readOld(target)
	if err != nil {
		return err
	}
	if old == nil {
		return replace(target, nil, o, document(run))
	}
	l, err := layoutOf(old)
	if err != nil {
		return err
	}
	full := len(l.runs) > 0 && int64(len(old)+len(run)+2) > o.Limit
	aside, err := setAside(target, info, full, o)
	if err != nil {
		return err
	}
	if aside {
		return replace(target, info, o, document(run))
	}
	before, comma := old[:l.insert], ",\n"
	if len(l.runs) == 0 {
		comma = "\n"
	}
	return replace(target, info, o, before, []byte(comma), run, old[l.insert:])
}

// readOld returns the document's bytes, nil where there is none, and refuses
// one that must not be replaced.
func readOld(target string) ([]byte, fs.FileInfo, error) {
	// No document is written larger than twice the limit, but the limit is an
	// option; past this the file is something else.
	const absurd = 1 << 30
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case info.Size() > absurd:
		return nil, nil, fmt.Errorf("it has %d bytes, more than a results document ever has: move it away", info.Size())
	}
	if err := writable(target, info); err != nil {
		return nil, nil, err
	}
	old, err := os.ReadFile(target)
	if err != nil {
		return nil, nil, fmt.Errorf("reading it: %w", err)
	}
	if old == nil {
		old = []byte{}
	}
	return old, info, nil
}

// resolve follows a symbolic link to the regular file that it names, so that
// the file is replaced and the link stays. A path where there is nothing is
// returned as it is.
func resolve(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", err
	}
	target := path
	if info.Mode().Type() == fs.ModeSymlink {
		target, err = filepath.EvalSymlinks(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", errors.New("it is a symbolic link to nowhere: remove the link, or make the file that it names")
		case err != nil:
			return "", fmt.Errorf("it is a symbolic link that can't be followed: %w", err)
		}
		if info, err = os.Stat(target); err != nil {
			return "", err
		}
	}
	if kind := kindOf(info.Mode()); kind != "" {
		return "", fmt.Errorf("it is %s, not a file: name a file", kind)
	}
	return target, nil
}

// kindOf names what is not a regular file, "" for one that is.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}
