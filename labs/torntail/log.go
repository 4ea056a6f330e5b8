package torntail

import (
	"encoding/binary"
	"hash/crc32"
)

// A log is records one after another, each framed as
//
//	 0  checksum  uint32  CRC-32C of all that follows in the frame
//	 4  length    uint32  of the payload, in bytes
//	 8  sequence  uint64  one more than the record before
//	16  payload
//
// in little-endian order. The checksum stands first so that what it covers is
// one stretch: a check of the payload alone takes 16 zero bytes for a record.
const (
	headerSize = 16
	maxPayload = 1 << 20
)

// faults are what a log gets wrong on purpose. The zero value gets nothing
// wrong; each field is one control, or one half of a claim about two checks.
type faults struct {
	framing     bool // a record is one whose length fits: no checksum is compared
	bareLength  bool // the checksum covers the payload alone
	zeroSeed    bool // the checksum's register starts at zero
	anySequence bool // any sequence number will do
	allTears    bool // whatever recovery stops at is taken for a tear
	keepGarbage bool // what is behind the truth stays, and appends go behind it
}

// stop is why recovery went no further. The zero value is the one under which
// nothing is truncated and nothing appended.
type stop int

const (
	corrupt  stop = iota // a newer record lies behind: this is no unfinished write
	tornTail             // nothing newer lies behind: the last write, unfinished
	cleanEnd             // the log ends where its last record ends
)

func (s stop) String() string {
	return [...]string{corrupt: "corruption", tornTail: "torn tail", cleanEnd: "clean end"}[s]
}

// recovery is what a log image turned out to hold.
type recovery struct {
	payloads [][]byte // of the records before the stop; they share the image's memory
	end      int      // where the truth stops, in bytes from the start
	next     uint64   // sequence number of the record that is not there
	why      stop
}

// appendRecord appends one framed record to a log.
func (f faults) appendRecord(log []byte, seq uint64, payload []byte) []byte {
	at := len(log)
	log = append(log, make([]byte, headerSize)...)
	log = append(log, payload...)
	frame := log[at:]
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(payload)))
	binary.LittleEndian.PutUint64(frame[8:], seq)
	binary.LittleEndian.PutUint32(frame, f.sum(frame))
	return log
}

// sum is the checksum of a frame that holds one record and nothing else.
func (f faults) sum(frame []byte) uint32 {
	covered := frame[4:]
	if f.bareLength {
		covered = frame[headerSize:]
	}
	if f.zeroSeed {
		return zeroSeeded(covered, castagnoli)
	}
	return crc32.Checksum(covered, castagnoli)
}

// record returns the payload of the record at the start of data. The length is
// compared with what is there before anything is done with it, so a length of
// garbage costs neither memory nor a read past the end.
func (f faults) record(data []byte, seq uint64) (payload []byte, ok bool) {
	if len(data) < headerSize {
		return nil, false
	}
	n := binary.LittleEndian.Uint32(data[4:])
	if n > maxPayload || int(n) > len(data)-headerSize {
		return nil, false
	}
	if !f.anySequence && binary.LittleEndian.Uint64(data[8:]) != seq {
		return nil, false
	}
	frame := data[:headerSize+int(n)]
	if !f.framing && f.sum(frame) != binary.LittleEndian.Uint32(frame) {
		return nil, false
	}
	return frame[headerSize:], true
}

// recover reads the records of an image from its start to the first one that is
// not whole. Nothing behind that one is replayed, however whole it is: the
// record in the hole may be what gave it its meaning. The sequence number of
// the first record is the caller's to know: a log that uses its file again
// keeps it beside its checkpoint.
func (f faults) recover(image []byte, first uint64) recovery {
	r := recovery{next: first}
	for r.end < len(image) {
		payload, ok := f.record(image[r.end:], r.next)
		if !ok {
			break
		}
		r.payloads = append(r.payloads, payload)
		r.end += headerSize + len(payload)
		r.next++
	}
	switch {
	case r.end == len(image):
		r.why = cleanEnd
	case f.allTears || !f.newer(image[r.end:], r.next):
		r.why = tornTail
	}
	return r
}

// newer reports whether a whole record that was written after the missing one
// lies anywhere behind the stop. Every byte is a possible start, because the
// length of the damaged record is not to be trusted. A record k places on is
// at least k headers away, which refuses nearly every sequence number that
// garbage spells before any checksum is computed, and all that are old.
func (f faults) newer(data []byte, missing uint64) bool {
	for at := headerSize; at+headerSize <= len(data); at++ {
		seq := binary.LittleEndian.Uint64(data[at+8:])
		ahead := seq - missing // wraps to a huge number for older records
		if ahead == 0 || ahead > uint64(at/headerSize) {
			continue
		}
		if _, ok := f.record(data[at:], seq); ok {
			return true
		}
	}
	return false
}

// size is how many bytes of an image stay when the log is opened to append to
// it. Only a tear is cut off.
func (f faults) size(r recovery, image int) int {
	if r.why == tornTail && !f.keepGarbage {
		return r.end
	}
	return image
}
