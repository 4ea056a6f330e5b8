package groupcommit

import (
	"encoding/binary"
	"testing"
)

// The order of calls decides, however the committer keeps its books.
func TestJournal(t *testing.T) {
	const writes, begins, returns, tells = 'w', 'b', 'r', 'a'
	check := func(events string, want int) {
		t.Helper()
		j := newJournal(nil, 1)
		p := make([]byte, size)
		binary.LittleEndian.PutUint64(p, 0)
		var s span
		for _, e := range events {
			switch e {
			case writes:
				j.written(p)
			case begins:
				s = span{began: j.tick()}
			case returns:
				s.ended = j.tick()
				j.syncs = append(j.syncs, s)
			case tells:
				j.tell(0)
			}
		}
		if got := j.early(); got != want {
			t.Errorf("%s: got %d too soon, want %d", events, got, want)
		}
	}
	check("wbra", 0)
	check("brwbra", 0)
	check("wbrbra", 0)
	check("wbar", 1)   // before the fsync had returned
	check("wabr", 1)   // before it began
	check("awbr", 1)   // before the write
	check("bwra", 1)   // the fsync began before the write
	check("bwrabr", 1) // and another came too late
	check("wa", 1)
	check("a", 1)
	check("bra", 1) // never written
	check("w", 0)   // never acknowledged
}
