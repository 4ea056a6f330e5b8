package ladder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var compare = cmp.AllowUnexported(outcome{})

// stream returns the first n records of a seed's stream, and where each ends.
func stream(seed uint64, n int) (all []byte, ends []int) {
	for seq := range n {
		record, _ := frame(nil, seed, seq)
		all = append(all, record...)
		ends = append(ends, len(all))
	}
	return all, ends
}

func TestFrame(t *testing.T) {
	for seq := range 10000 {
		if record, cut := frame(nil, 1, seq); cut < 1 || cut >= len(record) {
			t.Fatalf("cut at %d of %d: one of the two writes is empty", cut, len(record))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		seed, seq := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, streamEnd).Draw(t, "seq")
		record, cut := frame(nil, seed, seq)
		again, cutAgain := frame(make([]byte, 3, 5), seed, seq)
		if !bytes.Equal(record, again) || cut != cutAgain {
			t.Fatal("the two sides would not agree on a record")
		}
		if next, _ := frame(nil, seed, seq+1); bytes.Equal(record[frameHeader:], next[frameHeader:]) {
			t.Fatal("two records have one body")
		}
		if n, at := binary.LittleEndian.Uint32(record), binary.LittleEndian.Uint64(record[4:]); int(n) != len(record)-frameHeader || int(at) != seq {
			t.Fatalf("header says %d bytes, record %d; want %d, %d", n, at, len(record)-frameHeader, seq)
		}
	})
}

// Whatever length a file has, the acknowledged records behind its end are lost
// and no others.
func TestInspectCutsOfAStream(t *testing.T) {
	all, ends := stream(7, records)
	rapid.Check(t, func(t *rapid.T) {
		size, acked := rapid.IntRange(0, len(all)).Draw(t, "size"), rapid.IntRange(0, records).Draw(t, "acked")
		want := outcome{acked: acked, rest: size}
		for _, end := range ends {
			if end <= size {
				want.whole++
				want.rest = size - end
			}
		}
		want.lost = max(0, acked-want.whole)
		got := outcome{acked: acked}
		got.inspect(all[:size], 7)
		if d := cmp.Diff(want, got, compare); d != "" {
			t.Fatal(d)
		}
	})
}

func TestInspectDamage(t *testing.T) {
	all, ends := stream(7, 4)
	check := func(what string, damage func([]byte) []byte, want outcome) {
		t.Helper()
		got := outcome{acked: want.acked}
		got.inspect(damage(bytes.Clone(all)), 7)
		if d := cmp.Diff(want, got, compare); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	check("a flip in the second record", flip(ends[0]), outcome{acked: 4, whole: 1, lost: 1, rest: len(all) - ends[0]})
	check("a flip in the last byte", flip(ends[3]-1), outcome{acked: 4, whole: 3, lost: 1, rest: len(all) - ends[2]})
	check("a flip in a record that nobody promised", flip(ends[2]), outcome{acked: 3, whole: 3, rest: len(all) - ends[2]})
	check("the first byte is missing", func(b []byte) []byte { return b[1:] }, outcome{acked: 4, lost: 4, rest: len(all) - 1})
	check("a file of zeros", func(b []byte) []byte { clear(b); return b }, outcome{acked: 4, lost: 4, rest: len(all)})
	check("garbage behind the end", func(b []byte) []byte { return append(b, 1, 2, 3) }, outcome{acked: 4, whole: 4, rest: 3})
}

func TestDeduced(t *testing.T) {
	check := func(o outcome, want step) {
		t.Helper()
		if got := o.deduced(); got != want {
			t.Errorf("%+v: got %v, want %v", o, got, want)
		}
	}
	check(outcome{}, beforeWrite)
	check(outcome{rest: 1}, insideRecord)
	check(outcome{acked: 2, whole: 2, rest: 9}, insideRecord)
	check(outcome{acked: 2, whole: 3}, afterWrite)
	check(outcome{acked: 2, whole: 2}, afterAck)
	check(outcome{acked: 3, whole: 2}, beforeWrite)
}

// Where a writer says that it has stopped, its file must say so too.
func TestEveryStepIsWhereItSays(t *testing.T) {
	const seed, at = 99, 5
	_, ends := stream(seed, at+1)
	_, cut := frame(nil, seed, at)
	check := func(control string, s step, want outcome) {
		t.Helper()
		r := newRun(t, control)
		want.step = s
		got, err := aim{seed: seed, step: s, record: at}.fire(t.Context(), r, filepath.Join(r.Dir, "journal"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, compare); d != "" {
			t.Errorf("%s %v, file of %d bytes: %s", control, s, ends[at], d)
		}
	}
	check("", beforeWrite, outcome{acked: at, whole: at})
	check("", insideRecord, outcome{acked: at, whole: at, rest: cut})
	check("", afterWrite, outcome{acked: at, whole: at + 1})
	check("", afterAck, outcome{acked: at + 1, whole: at + 1})
	check(ackBeforeWrite, beforeWrite, outcome{acked: at + 1, whole: at, lost: 1})
	check(ackBeforeWrite, insideRecord, outcome{acked: at + 1, whole: at, lost: 1, rest: cut})
	check(ackBeforeWrite, afterWrite, outcome{acked: at + 1, whole: at + 1})
}

// A writer that runs says more than was read when it is killed, and all of it
// counts.
func TestRunningWriter(t *testing.T) {
	for seed := range uint64(8) {
		r := newRun(t, "")
		a := aim{seed: seed, step: anywhere, record: int(seed)}
		o, err := a.fire(t.Context(), r, filepath.Join(r.Dir, "journal"))
		if err != nil {
			t.Fatal(err)
		}
		if o.acked <= a.record || o.lost != 0 || o.whole < o.acked || o.whole > o.acked+1 || o.step == anywhere {
			t.Errorf("killed after %d acknowledgements: %+v", a.record+1, o)
		}
	}
}

func TestAims(t *testing.T) {
	check := func(control string, want string) {
		t.Helper()
		n := map[step]int{}
		seeds := map[uint64]bool{}
		for _, a := range aims(newRun(t, control), 80) {
			n[a.step]++
			seeds[a.seed] = true
			if a.record < 0 || a.record >= records {
				t.Errorf("aimed at record %d of %d", a.record, records)
			}
		}
		if got := fmt.Sprint(n); got != want || len(seeds) != 80 {
			t.Errorf("control %q: got %s and %d streams, want %s and 80", control, got, len(seeds), want)
		}
	}
	check("", "map[anywhere:40 before-write:10 inside-record:10 after-write:10 after-ack:10]")
	check(oneStep, "map[after-ack:80]")
}
