package writeahead

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// image is a log of the given bodies.
func image(bodies ...string) (log []byte) {
	for i, b := range bodies {
		log = appendRecord(log, uint64(i)+1, []byte(b))
	}
	return log
}

func TestScan(t *testing.T) {
	check := func(what string, log []byte, records, end int, damaged bool) {
		t.Helper()
		bodies, at, err := scan(log)
		if len(bodies) != records || at != end || errors.Is(err, errDamaged) != damaged || (err != nil) != damaged {
			t.Errorf("%s: got %d records, the end at %d, %v; want %d, %d, damaged %v", what, len(bodies), at, err, records, end, damaged)
		}
	}
	flip := func(log []byte, at int) []byte { log[at] ^= 1; return log }
	whole := image("one", "two", "three")
	const first, second = headerSize + 3, 2 * (headerSize + 3)
	check("nothing", nil, 0, 0, false)
	check("three records", whole, 3, len(whole), false)
	check("zeros", make([]byte, 100), 0, 0, false)
	check("zeros behind", append(image("one"), make([]byte, 100)...), 1, first, false)
	check("a length of garbage", append(image("one"), bytes.Repeat([]byte{0xFF}, 40)...), 1, first, false)
	check("a torn body", whole[:len(whole)-1], 2, second, false)
	check("a torn header", whole[:second+5], 2, second, false)
	check("a flip in the last record", flip(image("one", "two", "three"), second+20), 2, second, false)
	check("a flip in the length of the first", flip(image("one", "two", "three"), 4), 0, 0, true)
	check("a flip in the body of the second", flip(image("one", "two", "three"), first+17), 0, first, true)
	check("a record of an earlier use of the file", append(image("one", "two"), image("one")...), 2, second, false)
	check("an empty record", image(""), 1, headerSize, false)
	check("a record that is too long", image(string(make([]byte, maxBody+1))), 0, 0, false)
}

// Wherever a log is cut and whatever follows, the records in front of the cut
// come back.
func TestScanCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "bodies")
		log := image(all...)
		cut := rapid.IntRange(0, len(log)).Draw(t, "cut")
		bodies, end, err := scan(append(bytes.Clone(log[:cut]), rapid.SliceOf(rapid.Byte()).Draw(t, "tail")...))
		if err != nil {
			t.Fatal(err)
		}
		whole, at := 0, 0
		for _, b := range all {
			if at+headerSize+len(b) > cut {
				break
			}
			at += headerSize + len(b)
			whole++
		}
		// A tail can complete the record that was cut, by chance or by shrinking.
		if len(bodies) < whole || end < at {
			t.Fatalf("cut at %d: got %d records and the end at %d, want %d and %d", cut, len(bodies), end, whole, at)
		}
		for i := range whole {
			if string(bodies[i]) != all[i] {
				t.Fatalf("record %d is %q, want %q", i, bodies[i], all[i])
			}
		}
	})
}

// FuzzScan offers any bytes as a log. What is kept, framed again, is the image
// up to the end, byte for byte.
func FuzzScan(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, 64))
	f.Add(image("one", "", "three"))
	f.Add(append(image("one")[:17], image("one", "two")...))
	f.Add(append(image("one", "two"), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F))
	f.Fuzz(func(t *testing.T, data []byte) {
		bodies, end, err := scan(data)
		if err != nil {
			return
		}
		var again []byte
		for i, b := range bodies {
			again = appendRecord(again, uint64(i)+1, b)
		}
		if !bytes.Equal(again, data[:end]) {
			t.Fatalf("kept %d records that are not the first %d bytes of %d", len(bodies), end, len(data))
		}
	})
}

// FuzzDecode offers any bytes as the body of a record with a right checksum.
// What is accepted fits into the pages, and is written again the same way.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{groupRecord})
	f.Add(encode(groupOf(1, 1)))
	f.Add(encode([]operation{{page: pageCount - 1, offset: pageSize - 1, data: []byte{1}, add: true}}))
	f.Add(binary.LittleEndian.AppendUint64([]byte{groupRecord}, 1<<63))
	f.Fuzz(func(t *testing.T, body []byte) {
		group, err := decode(body)
		if err != nil {
			return
		}
		state := make([]byte, stateSize)
		for _, o := range group {
			o.apply(state) // must not panic
		}
		if again := encode(group); !bytes.Equal(again, body) {
			t.Fatalf("%x was read as %x", body, again)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	check := func(what string, body []byte) {
		t.Helper()
		if group, err := decode(body); err == nil {
			t.Errorf("%s: got %v, want an error", what, group)
		}
	}
	good := operation{page: 1, offset: 2, data: []byte{3}}
	spoil := func(change func(*operation)) []byte {
		o := good
		change(&o)
		return encode([]operation{o})
	}
	check("nothing", nil)
	check("another kind", []byte{'x'})
	check("a recovery", []byte{recoveryRecord})
	check("an operation cut short", encode([]operation{good})[:5])
	check("data cut short", encode([]operation{good})[:9])
	check("a page too far", spoil(func(o *operation) { o.page = pageCount }))
	check("bytes behind the page", spoil(func(o *operation) { o.offset = pageSize }))
}

// No two groups in a row leave the same state, or losing one would go unseen.
func TestEveryGroupCounts(t *testing.T) {
	for seed := range uint64(20) {
		last := model(seed, 0)
		for n := 1; n <= 10; n++ {
			now := model(seed, n)
			if bytes.Equal(now, last) {
				t.Fatalf("seed %d: group %d changes nothing", seed, n)
			}
			last = now
		}
		if d := cmp.Diff(groupOf(seed, 3), groupOf(seed, 3), cmp.AllowUnexported(operation{})); d != "" {
			t.Fatal(d)
		}
	}
}
