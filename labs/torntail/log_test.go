package torntail

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// image frames payloads with sequence numbers from 1 up.
func image(payloads ...string) []byte {
	var log []byte
	for i, p := range payloads {
		log = faults{}.appendRecord(log, uint64(i+1), []byte(p))
	}
	return log
}

func TestLayout(t *testing.T) {
	got := hex.EncodeToString(faults{}.appendRecord(nil, 258, []byte("truth")))
	// CRC-32C, length 5, sequence 0x102, payload.
	want := "5e4b6db1" + "05000000" + "0201000000000000" + "7472757468"
	if got != want {
		t.Errorf("got frame %s, want %s", got, want)
	}
}

func TestRecover(t *testing.T) {
	check := func(name string, image []byte, payloads int, end int, why stop) {
		t.Helper()
		rec := faults{}.recover(image, 1)
		if len(rec.payloads) != payloads || rec.end != end || rec.why != why {
			t.Errorf("%s: got %d records, end %d, %v; want %d, %d, %v",
				name, len(rec.payloads), rec.end, rec.why, payloads, end, why)
		}
		if rec.next != uint64(payloads+1) {
			t.Errorf("%s: got next sequence number %d, want %d", name, rec.next, payloads+1)
		}
	}
	with := func(log []byte, at int, b ...byte) []byte {
		log = bytes.Clone(log)
		copy(log[at:], b)
		return log
	}
	two := image("one", "second")
	three := image("one", "second", "third of them")
	const first, second = 19, 19 + 22 // where the first and the second record end
	zeros := make([]byte, 100)

	check("nothing", nil, 0, 0, cleanEnd)
	check("whole", two, 2, second, cleanEnd)
	check("an empty record is a record", image("", "x"), 2, 16+17, cleanEnd)
	check("only zeros", zeros, 0, 0, tornTail)
	check("zeros behind", append(bytes.Clone(two), zeros...), 2, second, tornTail)
	check("less than a header behind", append(bytes.Clone(two), 1, 2, 3), 2, second, tornTail)
	check("short body", two[:second-1], 1, first, tornTail)
	check("header alone", two[:first+headerSize], 1, first, tornTail)
	check("half a header", two[:first+7], 1, first, tornTail)

	check("last length larger", with(two, first+4, 7), 1, first, tornTail)
	check("last length smaller", with(two, first+4, 5), 1, first, tornTail)
	check("length larger in the middle", with(three, first+4, 7), 1, first, corrupt)
	check("length zero in the middle", with(three, first+4, 0), 1, first, corrupt)
	check("length swallows the rest", with(three, 4, byte(len(three)-headerSize)), 0, 0, corrupt)
	check("length past the end", with(three, 4, 0xFF, 0xFF, 0xFF, 0x7F), 0, 0, corrupt)
	check("largest length", with(three, 4, 0xFF, 0xFF, 0xFF, 0xFF), 0, 0, corrupt)

	check("flip in the first payload", with(three, headerSize, 'O'), 0, 0, corrupt)
	check("flip in a checksum", with(three, first, three[first]^1), 1, first, corrupt)
	check("flip in a sequence number", with(three, first+8, 7), 1, first, corrupt)
	check("flip in the last record", with(three, second+headerSize, 'T'), 2, second, tornTail)
	check("damage with a tear behind it", with(three[:len(three)-1], headerSize, 'O'), 0, 0, corrupt)

	check("record missing", append(bytes.Clone(two[:first]), three[second:]...), 1, first, tornTail)
	check("record lost in a hole", append(append(bytes.Clone(two[:first]), zeros[:22]...), three[second:]...), 1, first, corrupt)
	check("an empty record behind the damage", with(image("one", "two", ""), first+headerSize, 'T'), 1, first, corrupt)
	check("old record behind", append(bytes.Clone(two), two...), 2, second, tornTail)
	check("the same record again", append(bytes.Clone(two), two[first:]...), 2, second, tornTail)
}

// A sequence number that is further ahead than records fit between is no record
// of this log, whatever its checksum says.
func TestNewerIsBoundedByDistance(t *testing.T) {
	check := func(gap int, seq uint64, want stop) {
		t.Helper()
		log := append(image("one"), make([]byte, gap)...)
		log = faults{}.appendRecord(log, seq, []byte("x"))
		if got := (faults{}).recover(log, 1).why; got != want {
			t.Errorf("record %d behind a hole of %d bytes: got %v, want %v", seq, gap, got, want)
		}
	}
	check(16, 3, corrupt)
	check(16, 4, tornTail)
	check(32, 4, corrupt)
	check(15, 3, tornTail)
	check(64, 2, tornTail) // the missing record itself, out of place
	check(64, 1, tornTail) // older
}

func TestLargestPayload(t *testing.T) {
	check := func(n, want int) {
		t.Helper()
		log := faults{}.appendRecord(nil, 1, make([]byte, n))
		if got := len(faults{}.recover(log, 1).payloads); got != want {
			t.Errorf("payload of %d bytes: got %d records, want %d", n, got, want)
		}
	}
	check(maxPayload, 1)
	check(maxPayload+1, 0)
}

func TestGarbageLengthAllocatesNothing(t *testing.T) {
	log := make([]byte, 4096)
	binary.LittleEndian.PutUint32(log[4:], maxPayload)
	binary.LittleEndian.PutUint64(log[8:], 1)
	if n := testing.AllocsPerRun(20, func() { faults{}.recover(log, 1) }); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	write := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(b []byte) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, b) {
			t.Errorf("got file\n%x, want\n%x", got, b)
		}
	}

	write(append(image("one", "two"), "garbage"...))
	l, rec, err := faults{}.open(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.payloads) != 2 {
		t.Errorf("got %d records, want 2", len(rec.payloads))
	}
	for _, p := range []string{"three", ""} {
		if err := l.append([]byte(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.append(make([]byte, maxPayload+1)); err == nil {
		t.Error("a record that recovery would refuse was written")
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	want(image("one", "two", "three", ""))

	broken := image("one", "two", "three")
	broken[headerSize]++
	write(broken)
	_, _, err = faults{}.open(path, 1)
	if refused := new(damaged); !errors.As(err, &refused) || !strings.Contains(err.Error(), "byte 0") {
		t.Errorf("got error %v, want damage at byte 0", err)
	}
	want(broken)

	if _, _, err := (faults{}).open(filepath.Join(path, "none"), 1); err == nil {
		t.Error("opening a file that does not exist: got no error")
	}
}
