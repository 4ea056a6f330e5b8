package torntail

import (
	"bytes"
	"testing"
)

// FuzzRecover offers any bytes as a log. What recovery keeps, framed again, is
// the image up to the stop, byte for byte; reading that again ends clean.
func FuzzRecover(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add(make([]byte, 64), uint64(0))
	f.Add(image("one", "", "three"), uint64(1))
	f.Add(append(image("one", "two"), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F), uint64(1))
	f.Add(append(image("one")[:17], image("one", "two")...), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, first uint64) {
		rec := faults{}.recover(data, first)
		var again []byte
		for i, p := range rec.payloads {
			again = faults{}.appendRecord(again, first+uint64(i), p)
		}
		if rec.end > len(data) || !bytes.Equal(again, data[:rec.end]) {
			t.Fatalf("kept %d records that are not the first %d of %d bytes", len(rec.payloads), rec.end, len(data))
		}
		if (rec.why == cleanEnd) != (rec.end == len(data)) {
			t.Fatalf("%v at byte %d of %d", rec.why, rec.end, len(data))
		}
		if second := (faults{}).recover(again, first); second.why != cleanEnd || len(second.payloads) != len(rec.payloads) {
			t.Fatalf("a second recovery found %d records and %v, the first %d", len(second.payloads), second.why, len(rec.payloads))
		}
		// A fault reads more, never past the end.
		for _, loose := range []faults{{framing: true}, {bareLength: true}, {zeroSeed: true}, {anySequence: true}, {framing: true, anySequence: true}} {
			if end := loose.recover(data, first).end; end > len(data) {
				t.Fatalf("%+v read to byte %d of %d", loose, end, len(data))
			}
		}
	})
}

// FuzzTail cuts a sound log anywhere and puts any bytes behind the cut. What is
// kept begins with all records before the cut; more is kept only where the bytes
// say so with a checksum.
func FuzzTail(f *testing.F) {
	f.Add([]byte("a payload"), uint16(20), []byte{})
	f.Add([]byte{}, uint16(3), make([]byte, 40))
	f.Add([]byte("123456789"), uint16(70), image("one", "two"))
	f.Fuzz(func(t *testing.T, payload []byte, cut uint16, tail []byte) {
		h := &history{first: 1}
		for i := range 4 {
			h.append(payload[:len(payload)*i/3])
		}
		at := int(cut) % (len(h.log) + 1)
		image := append(bytes.Clone(h.log[:at]), tail...)
		rec := faults{}.recover(image, h.first)
		truth := h.whole(image)
		if len(rec.payloads) < truth {
			t.Fatalf("kept %d of %d whole records", len(rec.payloads), truth)
		}
		for i := range truth {
			if !bytes.Equal(rec.payloads[i], h.payloads[i]) {
				t.Fatalf("record %d is not what was appended", i)
			}
		}
		if len(tail) == 0 && (len(rec.payloads) != truth || rec.why == corrupt) {
			t.Fatalf("cut at %d: %d records, %v; want %d", at, len(rec.payloads), rec.why, truth)
		}
	})
}
