package torntail

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestWhole(t *testing.T) {
	h := newHistory(rand.New(rand.NewPCG(3, 3)), 1, []int{10, 0, 20})
	check := func(what string, image []byte, want int) {
		t.Helper()
		if got := h.whole(image); got != want {
			t.Errorf("%s: got %d whole records, want %d", what, got, want)
		}
	}
	damaged := bytes.Clone(h.log)
	damaged[h.start[1]]++
	check("all", h.log, 3)
	check("more than all", append(bytes.Clone(h.log), 7), 3)
	check("without the last byte", h.log[:len(h.log)-1], 2)
	check("nothing", nil, 0)
	check("damaged in the second", damaged, 1)
}

// Where bytes of a tail happen to be the lost ones, the record is whole, and
// recovery must keep it.
func TestTailThatRestoresTheRecord(t *testing.T) {
	h := &history{first: 1}
	h.append([]byte{1, 2, 3, 0, 0})
	image := h.torn(crash{record: 0, cut: headerSize + 3, tail: zeros, until: len(h.log)}, nil)
	if got := h.misread((faults{}).recover(image, 1), image); got != 0 || h.whole(image) != 1 {
		t.Errorf("got a deviation of %d and %d whole records, want 0 and 1", got, h.whole(image))
	}
}

func TestTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	lost, before := []byte{9, 9, 9, 9}, []byte("abcdefgh")
	check := func(kind tail, want string) {
		t.Helper()
		got := kind.filled([]byte("AB"), 4, lost, before, rng)
		if string(got) != want {
			t.Errorf("%v: got %q, want %q", kind, got, want)
		}
	}
	check(endOfFile, "AB")
	check(zeros, "AB\x00\x00\x00\x00")
	check(stale, "ABcdef")
	for range 1000 {
		got := noise.filled([]byte("AB"), 4, lost, before, rng)
		if len(got) != 6 || got[2] == lost[0] {
			t.Fatalf("noise: got %q, want 4 bytes of which the first is not %d", got, lost[0])
		}
	}
}

// TestAgainstModel appends, crashes and opens again in any order. What comes
// back is always what the model says, and a crash in the last write is never
// taken for corruption.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		h := &history{first: rapid.Uint64Range(0, 1<<40).Draw(t, "first")}
		before := randomBytes(rng, 4096)
		sizes := rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 300))
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				h.append(randomBytes(rng, sizes.Draw(t, "size")))
			},
			"crash": func(t *rapid.T) {
				// Only the record that is being written can tear: what a
				// recovery has returned once is on the medium.
				last := len(h.payloads)
				h.append(randomBytes(rng, sizes.Draw(t, "size")))
				image := h.torn(crash{
					record: last,
					cut:    rapid.IntRange(0, h.end(last)-h.start[last]).Draw(t, "cut"),
					tail:   tail(rapid.IntRange(0, int(tails)-1).Draw(t, "tail")),
					until:  h.end(last) + sizes.Draw(t, "more"),
					before: before,
				}, rng)
				rec := faults{}.recover(image, h.first)
				if off := h.misread(rec, image); off != 0 {
					t.Fatalf("off by %d: %d records, %v; %d are whole", off, len(rec.payloads), rec.why, h.whole(image))
				}
				if rec.next != h.first+uint64(len(rec.payloads)) {
					t.Fatalf("next is %d after %d records from %d", rec.next, len(rec.payloads), h.first)
				}
				// What is cut off may come back behind the next crash. A mix
				// of what several crashes left is another matter: see Limits.
				before = image
				h.payloads, h.start = h.payloads[:len(rec.payloads)], h.start[:len(rec.payloads)]
				h.log = bytes.Clone(image[:faults{}.size(rec, len(image))])
			},
			"": func(t *rapid.T) {
				rec := faults{}.recover(h.log, h.first)
				if rec.why != cleanEnd || h.strayed(rec, len(h.payloads)) != 0 {
					t.Fatalf("%d records, %v; want %d", len(rec.payloads), rec.why, len(h.payloads))
				}
			},
		})
	})
}
