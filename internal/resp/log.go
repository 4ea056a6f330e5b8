package resp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"envelope/internal/disk"
	"envelope/internal/durable"
)

// Policy is when the log is synced.
type Policy string

// The policies, by the names that Redis has for them.
const (
	Always      Policy = "always"   // before the replies of each turn
	EverySecond Policy = "everysec" // a second after the last time
	Never       Policy = "no"       // when the kernel does
)

// logFile is the log as it is written.
type logFile struct {
	file     *disk.File
	policy   Policy
	pending  []byte // records of this turn
	records  int    // in pending
	last     int    // where the last of them begins
	sequence uint64
	unsynced bool
	synced   time.Duration // when it last was, by the server's clock
	failed   error         // of a sync: the pages it was about are gone (rule 6)
	counts   *Counts
	at       func(Step, uint64) error
	each     bool // the fault: every record has a sync of its own
}

// openLog reads the log at path, or makes one, cuts a torn tail off, and returns
// what its changes come to.
func openLog(path string, policy Policy, anywhere bool) (*Database, *logFile, error) {
	image, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := disk.Create(path, unix.O_APPEND)
		if err != nil {
			return nil, nil, fmt.Errorf("making the log: %w", err)
		}
		if err := durable.SyncDir(filepath.Dir(path)); err != nil {
			f.Close()
			return nil, nil, fmt.Errorf("making the log: %w", err)
		}
		return newDatabase(nil), &logFile{file: f, policy: policy}, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the log: %w", err)
	}
	d, records, end, err := Load(image, anywhere)
	if err != nil {
		return nil, nil, err
	}
	f, err := disk.Open(path, unix.O_APPEND)
	if err != nil {
		return nil, nil, fmt.Errorf("opening the log: %w", err)
	}
	l := &logFile{file: f, policy: policy, sequence: uint64(records)}
	if end < len(image) {
		if err := f.Truncate(int64(end)); err != nil {
			f.Close()
			return nil, nil, fmt.Errorf("cutting a torn tail off the log: %w", err)
		}
		// What is appended must not be found behind the garbage again.
		if err := l.fsync(); err != nil {
			f.Close()
			return nil, nil, err
		}
	}
	return d, l, nil
}

// add takes a change into this turn's records.
func (l *logFile) add(args ...[]byte) {
	l.sequence++
	l.last = len(l.pending)
	l.pending = AppendRecord(l.pending, l.sequence, args...)
	l.records++
}

// commit writes the records of a turn, all at once, and syncs them if the policy
// asks for it. An error ends the server: what a failed write or sync left behind
// is not known, and a second try would not tell.
func (l *logFile) commit(now time.Duration) error {
	if l.failed != nil {
		return l.failed
	}
	if l.records > 0 {
		if err := l.write(); err != nil {
			return err
		}
		l.unsynced = true
	}
	if l.unsynced && (l.policy == Always || l.policy == EverySecond && now-l.synced >= time.Second) {
		n := 1
		if l.each {
			n = max(l.records, 1)
		}
		for range n {
			if err := l.fsync(); err != nil {
				return err
			}
		}
		l.synced = now
		if err := l.step(Synced); err != nil {
			return err
		}
	}
	l.records = 0
	return nil
}

func (l *logFile) write() error {
	if err := l.step(BeforeLog); err != nil {
		return err
	}
	rest := l.pending
	if l.at != nil { // two writes, so that there is something between them
		half := (l.last + len(l.pending)) / 2
		if err := l.put(rest[:half]); err != nil {
			return err
		}
		if err := l.step(InsideRecord); err != nil {
			return err
		}
		rest = rest[half:]
	}
	if err := l.put(rest); err != nil {
		return err
	}
	if l.pending = l.pending[:0]; cap(l.pending) > spare {
		l.pending = nil
	}
	return l.step(Logged)
}

func (l *logFile) put(data []byte) error {
	l.counts.LogWrites++
	if _, err := l.file.Write(data); err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	return nil
}

func (l *logFile) step(s Step) error {
	if l.at == nil || l.records == 0 {
		return nil
	}
	return l.at(s, l.sequence)
}

// fsync has the drive take what was written.
func (l *logFile) fsync() error {
	if l.counts != nil {
		l.counts.Syncs++
	}
	var err error
	if disk.HasFullSync {
		_, err = l.file.FullSync()
	} else {
		err = l.file.DataSync()
	}
	if err != nil {
		l.failed = fmt.Errorf("syncing the log: %w", err)
		return l.failed
	}
	l.unsynced = false
	return nil
}
