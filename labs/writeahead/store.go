package writeahead

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// step is a place in the store's protocol. Recovery goes through the same
// ones: it writes a record of its own before it touches a page.
type step int

const (
	beforeLogWrite step = iota
	logWritten
	logSynced
	acked
	halfApplied
	applied
	steps // how many there are
)

var stepNames = [steps]string{"before-log-write", "log-written", "log-synced", "acked", "half-applied", "applied"}

func (s step) String() string {
	if s < 0 || s >= steps {
		return "no-step"
	}
	return stepNames[s]
}

// lazy is how many dirty pages the pool holds before any is written back.
const lazy = 3

// hooks are how the store speaks to those whom it serves.
type hooks struct {
	ack func(seq int) error // everything up to this group is promised
	at  func(step) error    // tells that a step is reached
}

// store keeps pages in memory, promises a group of operations when its log
// record is synced, and writes pages back whenever it likes: they can be made
// again from the log, and are never synced. The log is never cut short, so
// there is no checkpoint to get right.
type store struct {
	hooks
	log, pages *os.File
	write      func(p []byte, at int64) (int, error) // to the log
	sync       func() error                          // of the log
	ackFirst   bool                                  // the control's fault
	end        int64                                 // of the log
	groups     int                                   // in the log
	records    int                                   // in the log, recoveries among them
	pool       []byte
	dirty      [pageCount]bool
	failed     error // a barrier that failed: nothing is promised after it
}

// openStore opens the store in a directory, or makes one. The last process may
// have been killed anywhere, in a recovery too.
func openStore(dir string, h hooks) (*store, error) {
	s, err := openFiles(dir, h)
	if err != nil {
		return nil, err
	}
	if err := s.recover(dir); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func openFiles(dir string, h hooks) (*store, error) {
	s := &store{hooks: h, pool: make([]byte, stateSize)}
	var err error
	if s.log, err = os.OpenFile(filepath.Join(dir, "log"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if s.pages, err = os.OpenFile(filepath.Join(dir, "pages"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		s.log.Close()
		return nil, err
	}
	s.write, s.sync = s.log.WriteAt, s.log.Sync
	return s, nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (s *store) close() error { return errors.Join(s.log.Close(), s.pages.Close()) }

// recover reads the log, cuts off an unfinished write, puts all operations over
// the pages as they are, and promises the result before it writes any page.
func (s *store) recover(dir string) error {
	image, err := io.ReadAll(s.log)
	if err != nil {
		return err
	}
	if len(image) == 0 {
		// The files' names must survive as well as what is put in them.
		return syncDir(dir)
	}
	bodies, end, err := scan(image)
	if err != nil {
		return err
	}
	s.end, s.records = int64(end), len(bodies)
	if end < len(image) {
		if err := s.cut(); err != nil {
			return err
		}
	}
	// A page file that is short was never written to its end: the rest is zeros.
	if _, err := s.pages.ReadAt(s.pool, 0); err != nil && err != io.EOF {
		return err
	}
	if err := s.redo(bodies); err != nil {
		return err
	}
	if err := s.again(bodies); err != nil {
		return err
	}
	if err := s.promise([]byte{recoveryRecord}, s.groups); err != nil {
		return err
	}
	return s.flush()
}

// again writes the last record once more. Its barrier may have failed, and then
// it is in the cache, where it was just read, and nowhere else: clean, so that
// no later barrier would write it. What lies before it was synced before it was
// written.
func (s *store) again(bodies [][]byte) error {
	n := len(bodies)
	if n == 0 {
		return nil
	}
	record := appendRecord(nil, uint64(n), bodies[n-1])
	_, err := s.write(record, s.end-int64(len(record)))
	return err
}

// cut removes an unfinished write, durably before anything is put in its
// place: what comes back of it could fit behind the new record.
func (s *store) cut() error {
	if err := s.log.Truncate(s.end); err != nil {
		return err
	}
	return s.barrier()
}

// redo puts the operations of all records over the pool.
func (s *store) redo(bodies [][]byte) error {
	for i, body := range bodies {
		if len(body) == 1 && body[0] == recoveryRecord {
			continue
		}
		group, err := decode(body)
		if err != nil {
			return fmt.Errorf("record %d of the log: %w", i+1, err)
		}
		s.change(group)
		s.groups++
	}
	return nil
}

// commit promises a group, and then changes the pages in memory.
func (s *store) commit(group []operation) error {
	if err := s.promise(encode(group), s.groups+1); err != nil {
		return err
	}
	s.change(group)
	s.groups++
	n := 0
	for _, d := range s.dirty {
		if d {
			n++
		}
	}
	if n < lazy {
		return nil
	}
	return s.flush()
}

// promise is the order of the whole lab: the record is written, the barrier
// returns, and only then is it acknowledged.
func (s *store) promise(body []byte, groups int) error {
	if s.failed != nil {
		return fmt.Errorf("the store has stopped: %w", s.failed)
	}
	if s.ackFirst {
		if err := s.ack(groups); err != nil {
			return err
		}
	}
	if err := s.at(beforeLogWrite); err != nil {
		return err
	}
	record := appendRecord(nil, uint64(s.records)+1, body)
	if _, err := s.write(record, s.end); err != nil {
		return s.stop(err)
	}
	if err := s.at(logWritten); err != nil {
		return err
	}
	if err := s.barrier(); err != nil {
		return err
	}
	s.end += int64(len(record))
	s.records++
	if err := s.at(logSynced); err != nil {
		return err
	}
	if !s.ackFirst {
		if err := s.ack(groups); err != nil {
			return err
		}
	}
	return s.at(acked)
}

// barrier syncs the log once. It is not called again after it has failed: the
// pages that it could not write are clean by then, and a second call would
// return nil for bytes that are nowhere.
func (s *store) barrier() error {
	if err := s.sync(); err != nil {
		return s.stop(err)
	}
	return nil
}

// stop makes a fault of the log final: what is in the file is unknown until a
// recovery has read it.
func (s *store) stop(err error) error {
	s.failed = err
	return err
}

func (s *store) change(group []operation) {
	for _, o := range group {
		o.apply(s.pool)
		s.dirty[o.page] = true
	}
}

// flush writes the dirty pages back. The one in the middle is written in two
// halves, so that a kill between them leaves some pages new, some old, and one
// torn.
func (s *store) flush() error {
	var todo []int
	for p, d := range s.dirty {
		if d {
			todo = append(todo, p)
		}
	}
	for i, p := range todo {
		at := p * pageSize
		half := at
		if i == len(todo)/2 {
			half += pageSize / 2
			if _, err := s.pages.WriteAt(s.pool[at:half], int64(at)); err != nil {
				return err
			}
			if err := s.at(halfApplied); err != nil {
				return err
			}
		}
		if _, err := s.pages.WriteAt(s.pool[half:at+pageSize], int64(half)); err != nil {
			return err
		}
		s.dirty[p] = false
	}
	return s.at(applied)
}
