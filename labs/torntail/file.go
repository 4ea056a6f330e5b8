package torntail

import (
	"errors"
	"fmt"
	"os"
)

// damaged is the error of a log that has good records behind a bad one. Opening
// it changes nothing: what is there is the evidence.
type damaged struct {
	path string
	at   int
}

func (d *damaged) Error() string {
	return fmt.Sprintf("%s: damaged at byte %d with newer records behind it: nothing was truncated; restore it from a copy", d.path, d.at)
}

// file is a log in a file, open to append to.
type file struct {
	f      *os.File
	at     int64
	next   uint64
	faults faults
}

// open recovers the log in a file and cuts off a torn tail. It does not sync:
// this lab asks what is read back, and takes no power away. A log in earnest
// syncs the truncation before its first append.
func (f faults) open(path string, first uint64) (*file, recovery, error) {
	image, err := os.ReadFile(path)
	if err != nil {
		return nil, recovery{}, err
	}
	r := f.recover(image, first)
	if r.why == corrupt {
		return nil, r, &damaged{path, r.end}
	}
	size := int64(f.size(r, len(image)))
	fd, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, r, err
	}
	if err := fd.Truncate(size); err != nil {
		fd.Close()
		return nil, r, err
	}
	return &file{f: fd, at: size, next: r.next, faults: f}, r, nil
}

// append writes one record with one system call. It refuses what recovery would
// not read back.
func (l *file) append(payload []byte) error {
	if len(payload) > maxPayload {
		return fmt.Errorf("record of %d bytes: the log takes at most %d", len(payload), maxPayload)
	}
	frame := l.faults.appendRecord(nil, l.next, payload)
	if _, err := l.f.WriteAt(frame, l.at); err != nil {
		return err
	}
	l.at += int64(len(frame))
	l.next++
	return nil
}

func (l *file) close() error { return l.f.Close() }

// lay makes an image the content of a file. It never truncates the file to
// nothing: ext4 takes that for a replacement, and starts to write it out
// (auto_da_alloc in the kernel's documentation of ext4).
func lay(path string, image []byte) error {
	fd, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = fd.WriteAt(image, 0)
	return errors.Join(err, fd.Truncate(int64(len(image))), fd.Close())
}
