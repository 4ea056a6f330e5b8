package resp

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"time"
)

// The log is records one after another, each a change as a request:
//
//	 0  checksum  uint32  CRC-32C of all that follows in the record
//	 4  length    uint32  of the request, in bytes
//	 8  sequence  uint64  1 for the first, one more for each that follows
//	16  request
//
// in little-endian order.
const recordHeader = 16

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// AppendRecord appends a record to a log.
func AppendRecord(log []byte, sequence uint64, args ...[]byte) []byte {
	at := len(log)
	log = append(log, make([]byte, recordHeader)...)
	log = AppendRequest(log, args...)
	r := log[at:]
	binary.LittleEndian.PutUint32(r[4:], uint32(len(r)-recordHeader))
	binary.LittleEndian.PutUint64(r[8:], sequence)
	binary.LittleEndian.PutUint32(r, crc32.Checksum(r[4:], castagnoli))
	return log
}

// record returns the request of the record that data begins with, and its
// sequence. The length is compared with what is there before anything is done
// with it.
func record(data []byte) (request []byte, sequence uint64, ok bool) {
	if len(data) < recordHeader {
		return nil, 0, false
	}
	n := uint64(binary.LittleEndian.Uint32(data[4:]))
	if n == 0 || n > uint64(len(data)-recordHeader) {
		return nil, 0, false
	}
	r := data[:recordHeader+n]
	if crc32.Checksum(r[4:], castagnoli) != binary.LittleEndian.Uint32(r) {
		return nil, 0, false
	}
	return r[recordHeader:], binary.LittleEndian.Uint64(r[8:]), true
}

// DamageError says that a log is damaged where no crash of its writer can have
// damaged it. Nothing was changed: what is behind is worth more than a start.
type DamageError struct {
	At   int // where the damage is, in bytes from the start
	Next int // where the next whole record begins
	Size int // of the log
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("the log is damaged at byte %d of %d, and whole records follow at byte %d: this is no torn tail; restore it from a copy", e.At, e.Size, e.Next)
}

// Load repeats the changes of a log. end is where its truth stops: short of the
// end where the last record is torn. anywhere takes any damage for a tear, and is
// a fault. Damage in front of whole records is a *DamageError.
func Load(image []byte, anywhere bool) (d *Database, records int, end int, err error) {
	db := newDatabase(nil)
	db.replay = true
	defer func() { db.replay = false }()
	db.now = time.Now().UnixMilli()     // for the arithmetic of times alone: nothing is over
	p := parser{bulk: -1, extra: chunk} // a record says in absolute terms what its command said in relative ones
	var out []byte
	for end < len(image) {
		request, sequence, ok := record(image[end:])
		if ok && sequence == uint64(records)+1 {
			n, perr := p.next(request)
			if perr != nil || n != len(request) || len(p.args) == 0 {
				return nil, 0, 0, fmt.Errorf("record %d of the log holds no request", sequence)
			}
			if out = db.execute(p.args, out[:0]); out[0] == '-' {
				return nil, 0, 0, fmt.Errorf("record %d of the log can't be repeated: %s", sequence, out[1:len(out)-2])
			}
			records, end = records+1, end+recordHeader+len(request)
			continue
		}
		if at := wholeRecord(image, end, uint64(records)+1); at >= 0 && !anywhere {
			return nil, 0, 0, &DamageError{At: end, Next: at, Size: len(image)}
		}
		break
	}
	return db, records, end, nil
}

// wholeRecord looks behind a place at which there is none for a record that came
// later, and returns -1 where there is none either. A log's later records have
// sequences that its size has room for; to compare them first spares a checksum
// at every byte.
func wholeRecord(image []byte, from int, sequence uint64) int {
	room := uint64(len(image)-from)/recordHeader + 1
	for at := from; at+recordHeader <= len(image); at++ {
		s := binary.LittleEndian.Uint64(image[at+8:])
		if s < sequence || s-sequence > room {
			continue
		}
		if _, _, ok := record(image[at:]); ok {
			return at
		}
	}
	return -1
}
