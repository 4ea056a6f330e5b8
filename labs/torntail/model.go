package torntail

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// history is the plain model that recovery is held against: what was appended,
// and where it was put. It knows nothing of checksums, lengths or sequence
// numbers: a record is whole where the image still has the bytes that were
// written, and the truth is the whole records up to the first that is not.
type history struct {
	first    uint64
	payloads [][]byte
	start    []int  // where each record begins
	log      []byte // the undamaged image
}

// newHistory appends records of random bytes with the given payload sizes.
func newHistory(rng *rand.Rand, first uint64, sizes []int) *history {
	h := &history{first: first}
	for _, n := range sizes {
		h.append(randomBytes(rng, n))
	}
	return h
}

func (h *history) append(payload []byte) {
	h.start = append(h.start, len(h.log))
	h.payloads = append(h.payloads, payload)
	h.log = faults{}.appendRecord(h.log, h.first+uint64(len(h.payloads)-1), payload)
}

// end is where record i ends.
func (h *history) end(i int) int { return h.start[i] + headerSize + len(h.payloads[i]) }

// whole counts the records at the front of an image that are as written.
func (h *history) whole(image []byte) int {
	for i := range h.payloads {
		from, to := h.start[i], h.end(i)
		if to > len(image) || !bytes.Equal(image[from:to], h.log[from:to]) {
			return i
		}
	}
	return len(h.payloads)
}

// strayed is how far a recovery is from the truth: records too many or too few,
// and records that are not what was appended.
func (h *history) strayed(r recovery, truth int) int {
	off := max(len(r.payloads)-truth, truth-len(r.payloads))
	for i := range min(len(r.payloads), truth) {
		if !bytes.Equal(r.payloads[i], h.payloads[i]) {
			off++
		}
	}
	return off
}

// cycles returns two uses of one file, the second of which overwrites the
// first: the same sizes at the same places, sequence numbers that go on where
// the first use ended, and two more records behind the earlier ones.
func cycles(rng *rand.Rand, sizes ...int) (earlier, now *history) {
	earlier = newHistory(rng, 1, append(append([]int(nil), sizes...), 100, 50))
	return earlier, newHistory(rng, 1+uint64(len(earlier.payloads)), sizes)
}

// tail is what a reader finds where bytes of a write never arrived.
type tail int

const (
	endOfFile tail = iota
	zeros
	stale
	noise
	tails // how many there are
)

func (t tail) String() string {
	return [...]string{"end of file", "zeros", "stale records", "random bytes"}[t]
}

// filled appends n bytes of a tail to an image. lost are the bytes that should
// have been there, and differ from the noise in the first of them; before is
// the file's earlier content, for a stale tail.
func (t tail) filled(image []byte, n int, lost, before []byte, rng *rand.Rand) []byte {
	at := len(image)
	switch t {
	case zeros:
		return append(image, make([]byte, n)...)
	case stale:
		return append(image, before[min(at, len(before)):min(at+n, len(before))]...)
	case noise:
		image = append(image, randomBytes(rng, n)...)
		if n > 0 && len(lost) > 0 && image[at] == lost[0] {
			image[at] ^= 0xFF
		}
	}
	return image
}

func randomBytes(rng *rand.Rand, n int) []byte {
	p := make([]byte, n, n+8)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(p[i:i+8], rng.Uint64())
	}
	return p
}

// crash says what is left of a write that did not finish.
type crash struct {
	record int // the record that was being written
	cut    int // how many bytes of its frame arrived
	tail   tail
	until  int    // where the tail ends, in bytes from the start of the log
	before []byte // what the file held before, for a stale tail
}

// torn returns the image that a crash leaves.
func (h *history) torn(c crash, rng *rand.Rand) []byte {
	at := h.start[c.record] + c.cut
	image := append(make([]byte, 0, max(at, c.until)), h.log[:at]...)
	return c.tail.filled(image, max(0, c.until-at), h.log[at:], c.before, rng)
}

// misread is how far a recovery of a torn image is from the truth, its reason
// for stopping included: a tear that is taken for corruption keeps a sound log
// from starting.
func (h *history) misread(r recovery, image []byte) int {
	truth, end, want := h.whole(image), 0, tornTail
	if truth > 0 {
		end = h.end(truth - 1)
	}
	if len(image) == end {
		want = cleanEnd
	}
	return h.strayed(r, truth) + count(r.why != want)
}
