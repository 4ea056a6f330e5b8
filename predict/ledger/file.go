package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"envelope/internal/durable"
	"envelope/internal/statefile"
)

// open makes the directory and reads the file.
func (l *Ledger) open(dir string) error {
	if err := statefile.MakeDir(dir); err != nil {
		return err
	}
	return l.add(func(*book) (event, error) { return event{}, nil })
}

// add takes the lock, reads the file anew, and appends the event that make
// gives, unless it has no kind.
func (l *Ledger) add(make func(*book) (event, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	unlock, err := statefile.Lock(l.path)
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.read(); err != nil {
		return err
	}
	e, err := make(&l.book)
	if err != nil || e.Kind == "" {
		return err
	}
	text, err := encode(e)
	if err != nil {
		return err
	}
	if err := l.appendLine(text); err != nil {
		return err
	}
	// As a later reading will see it: nothing of the caller's is shared.
	e, err = decode(bytes.TrimSuffix(text, []byte("\n")))
	if err != nil {
		return err
	}
	l.book.apply(e)
	return nil
}

// read reads the file and repairs what a killed writer or a damaged medium
// left.
func (l *Ledger) read() error {
	data, err := statefile.Read(l.path)
	if err != nil {
		return err
	}
	c := scan(data)
	switch {
	case len(c.bad) > 0:
		err = l.setAside(data, c)
	case c.torn > 0:
		l.notice("The last %d bytes of %q were being written when the program was killed; nobody was told that they were kept, and they were dropped.", c.torn, l.path)
		err = truncate(l.path, int64(c.good))
	case c.open:
		err = l.appendLine([]byte("\n"))
	}
	if err != nil {
		return err
	}
	old := l.book
	l.book = newBook(c.events)
	if n := l.book.foreign; n > old.foreign {
		l.notice("%q holds %d lines of a newer version of this program; they are kept, and not shown.", l.path, n)
	}
	if n := l.book.altered; n > old.altered {
		l.notice("%q holds %d predictions that are not what was registered; they are kept, and not scored.", l.path, n)
	}
	return nil
}

// setAside puts a damaged file out of the way and begins a new one with what
// could be read.
func (l *Ledger) setAside(data []byte, c contents) error {
	aside, err := statefile.SetAside(l.path, data, time.Now())
	if err != nil {
		return err
	}
	var whole []byte
	for _, text := range c.lines {
		whole = append(append(whole, text...), '\n')
	}
	if err := statefile.Replace(l.path, whole); err != nil {
		return err
	}
	l.notice("%q was damaged in %d places, the first in line %d. It is kept as %q; the %d lines that could be read were carried over.",
		l.path, len(c.bad), c.bad[0], aside, len(c.lines))
	return nil
}

func (l *Ledger) notice(format string, args ...any) {
	l.notices = append(l.notices, fmt.Sprintf(format, args...))
}

// appendLine adds text to the file and syncs it, and the directory if there was
// no such file.
func (l *Ledger) appendLine(text []byte) error {
	_, err := os.Stat(l.path)
	made := errors.Is(err, fs.ErrNotExist)
	l.at("create")
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := put(f, end, text, l.at); err != nil {
		return fmt.Errorf("writing %q: %w%s", l.path, err, advice(err))
	}
	if made {
		l.at("sync directory")
		err = durable.SyncDir(filepath.Dir(l.path))
	}
	l.at("end")
	return err
}

// file is what appending needs of an *os.File.
type file interface {
	Write([]byte) (int, error)
	Truncate(int64) error
	Sync() error
}

// put writes and syncs text at the end of f. What could not be kept whole is
// taken back. A failed sync is not tried again: the kernel may have dropped
// the bytes and would report success.
func put(f file, end int64, text []byte, at func(step string)) error {
	at("write")
	_, err := f.Write(text)
	if err == nil {
		at("sync")
		err = f.Sync()
	}
	if err != nil {
		// If this fails too, the next reader finds a line with no end.
		_ = f.Truncate(end)
	}
	return err
}

// truncate cuts the file back to its whole lines.
func truncate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	return f.Sync()
}

// advice says what to do about an error, where that is known.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ": make room there, or set XDG_STATE_HOME to another directory"
	case errors.Is(err, syscall.EIO):
		return ": the medium may be failing; set XDG_STATE_HOME to a directory on another"
	}
	return ""
}
