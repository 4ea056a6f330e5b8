package writeahead

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// The log is records one after another, each framed as
//
//	 0  checksum  uint32  CRC-32C of all that follows in the record
//	 4  length    uint32  of the body, in bytes
//	 8  sequence  uint64  1 for the first record, then one more each time
//	16  body
//
// in little-endian order. The checksum covers the length, so that a length of
// garbage is never believed.
//
// A record is all that one barrier is paid for: a group of operations. The next
// one is written when the barrier has returned, so an unfinished write has
// nothing behind it, and a record behind a bad one means damage.
const (
	headerSize = 16
	maxBody    = 1 << 16
)

// castagnoli is the polynomial of CRC-32C; the library starts from ones.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is the error of a log with whole records behind a bad one.
var errDamaged = errors.New("the log is damaged in front of newer records: nothing was changed; restore it from a copy")

// appendRecord appends one framed record to buf.
func appendRecord(buf []byte, seq uint64, body []byte) []byte {
	at := len(buf)
	buf = append(buf, 0, 0, 0, 0)
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(body)))
	buf = binary.LittleEndian.AppendUint64(buf, seq)
	buf = append(buf, body...)
	binary.LittleEndian.PutUint32(buf[at:], crc32.Checksum(buf[at+4:], castagnoli))
	return buf
}

// recordAt returns the body of the record that an image begins with. A length
// is compared with what is there before anything is done with it.
func recordAt(image []byte, seq uint64) (body []byte, ok bool) {
	if len(image) < headerSize || binary.LittleEndian.Uint64(image[8:]) != seq {
		return nil, false
	}
	n := int64(binary.LittleEndian.Uint32(image[4:]))
	if n > maxBody || n > int64(len(image)-headerSize) {
		return nil, false
	}
	frame := image[:headerSize+n]
	if crc32.Checksum(frame[4:], castagnoli) != binary.LittleEndian.Uint32(frame) {
		return nil, false
	}
	return frame[headerSize:], true
}

// scan reads the records of a log's image up to the first that is not whole,
// and returns where that one begins. The bodies share the image's memory.
func scan(image []byte) (bodies [][]byte, end int, err error) {
	for {
		body, ok := recordAt(image[end:], uint64(len(bodies))+1)
		if !ok {
			break
		}
		bodies = append(bodies, body)
		end += headerSize + len(body)
	}
	if newer(image[end:], uint64(len(bodies))+1) {
		return nil, end, fmt.Errorf("at byte %d: %w", end, errDamaged)
	}
	return bodies, end, nil
}

// newer reports whether a whole record that is younger than the missing one
// lies anywhere behind it. A record k places on is at least k headers away;
// that refuses nearly all garbage before a checksum is computed.
func newer(tail []byte, missing uint64) bool {
	for at := headerSize; at+headerSize <= len(tail); at++ {
		seq := binary.LittleEndian.Uint64(tail[at+8:])
		if ahead := seq - missing; ahead == 0 || ahead > uint64(at/headerSize) {
			continue
		}
		if _, ok := recordAt(tail[at:], seq); ok {
			return true
		}
	}
	return false
}
