package groupcommit

import (
	"encoding/binary"

	"envelope/internal/disk"
)

// journal stands between a committer and its file and keeps the order of what
// was asked of the file and what the arrivals were told. It knows which record
// was written from the bytes alone, not from the committer's books.
type journal struct {
	file   *disk.File
	moment int // counts events
	wrote  []int
	acked  []int // by record; 0 for never
	syncs  []span
}

// span is an fsync: the moments of its call and of its return.
type span struct{ began, ended int }

func newJournal(file *disk.File, records int) *journal {
	return &journal{file: file, wrote: make([]int, records), acked: make([]int, records)}
}

func (j *journal) tick() int {
	j.moment++
	return j.moment
}

func (j *journal) append(p []byte) error {
	if _, err := j.file.Write(p); err != nil {
		return err
	}
	j.written(p)
	return nil
}

// written notes that the records in p have been written.
func (j *journal) written(p []byte) {
	at := j.tick()
	for ; len(p) >= size; p = p[size:] {
		j.wrote[binary.LittleEndian.Uint64(p)] = at
	}
}

func (j *journal) sync() error {
	s := span{began: j.tick()}
	if err := j.file.Sync(); err != nil {
		return err
	}
	s.ended = j.tick()
	j.syncs = append(j.syncs, s)
	return nil
}

// tell notes that a record was acknowledged.
func (j *journal) tell(id int) { j.acked[id] = j.tick() }

// early returns how many records were acknowledged with no fsync that began
// after they had been written and had returned by then.
func (j *journal) early() int {
	n := 0
	for id, acked := range j.acked {
		if acked != 0 && !j.covered(j.wrote[id], acked) {
			n++
		}
	}
	return n
}

func (j *journal) covered(wrote, acked int) bool {
	if wrote == 0 {
		return false
	}
	for _, s := range j.syncs {
		if s.began > wrote { // the first such fsync is also the first to return
			return s.ended < acked
		}
	}
	return false
}
