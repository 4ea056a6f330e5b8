package manifest

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"time"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// NewID returns a UUID of version 7 (RFC 9562, section 5.7): milliseconds since
// 1970, then 74 random bits.
func NewID(at time.Time) string {
	var b [16]byte
	rand.Read(b[:]) // never fails; it ends the program instead
	ms := uint64(max(0, at.UnixMilli()))
	binary.BigEndian.PutUint16(b[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(b[2:], uint32(ms))
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func validID(id string) bool { return uuid7.MatchString(id) }

// timeOfID returns the time that a valid id carries.
func timeOfID(id string) time.Time {
	b, err := hex.DecodeString("0000" + id[:8] + id[9:13])
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b)))
}
