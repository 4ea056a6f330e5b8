package paging

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// made returns an allocator that is audited when the test ends.
func made(t *testing.T, c config) *allocator {
	t.Helper()
	a, err := newAllocator(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sound(t, a) })
	return a
}

func sound(t *testing.T, a *allocator) {
	t.Helper()
	for _, fault := range a.audit() {
		t.Errorf("audit: %s", fault)
	}
}

// begun starts a sequence that must be admitted.
func begun(t *testing.T, a *allocator, prompt ...int32) handle {
	t.Helper()
	h, err := a.start(prompt)
	if err != nil {
		t.Fatalf("starting with %v: %v", prompt, err)
	}
	return h
}

func ended(t *testing.T, a *allocator, live ...handle) {
	t.Helper()
	for _, h := range live {
		if err := a.release(h); err != nil {
			t.Fatal(err)
		}
	}
}

func table(a *allocator, h handle) []int32 { return slices.Clone(a.find(h).table) }

func TestDoubleFree(t *testing.T) {
	a := made(t, config{blocks: 4, size: 2, sequences: 2})
	h := begun(t, a, 1, 2, 3)
	ended(t, a, h)
	err := a.release(h)
	if !errors.Is(err, errStale) || !strings.Contains(err.Error(), "releasing sequence 1 of place 0") {
		t.Errorf("releasing twice: got %v, want an error that names the sequence", err)
	}
	// The place is taken by another sequence, which the old handle must not reach.
	next := begun(t, a, 9)
	if next.slot != h.slot {
		t.Fatalf("got place %d, want %d again", next.slot, h.slot)
	}
	_, fork := a.fork(h)
	for what, err := range map[string]error{"release": a.release(h), "append": a.append(h, 1), "fork": fork} {
		if !errors.Is(err, errStale) {
			t.Errorf("%s by the handle of an ended sequence: got %v, want %v", what, err, errStale)
		}
	}
	for _, never := range []handle{{}, {slot: 1}, {slot: 1, turn: 1}, {slot: -1, turn: 1}, {slot: 7, turn: 1}, {slot: math.MaxInt32, turn: 1}} {
		if err := a.release(never); !errors.Is(err, errStale) {
			t.Errorf("%+v: got %v, want %v", never, err, errStale)
		}
	}
	if place, used := a.held(h); place != 0 || used != 0 {
		t.Errorf("an ended sequence holds place for %d with %d used, want none", place, used)
	}
	free := a.free
	if err := a.drop(free); !errors.Is(err, errOwners) || a.free != free || a.block[free].owners != 0 {
		t.Errorf("freeing a free block: got %v, and %d is free with %d owners; want %v", err, a.free, a.block[free].owners, errOwners)
	}
}

// The old block must be held, and stay in the table, until its content is
// copied: given up before, it could be handed out and overwritten.
func TestCopyOnWriteOrder(t *testing.T) {
	var a *allocator
	var first, twin handle
	moves := 0
	a = made(t, config{blocks: 4, size: 4, sequences: 2, move: func(to, from int32, n int) {
		moves++
		if n != 2 || !slices.Equal(a.tokens(to)[:n], a.tokens(from)[:n]) {
			t.Errorf("moving %d tokens %v, want the 2 of %v", n, a.tokens(to), a.tokens(from))
		}
		if a.block[from].owners != 2 || a.block[to].owners != 1 || a.block[to].cached {
			t.Errorf("during the copy: %d owners of the old block and %d of the new one, want 2 and 1", a.block[from].owners, a.block[to].owners)
		}
		if a.find(twin).table[0] != from || a.find(first).table[0] != from {
			t.Error("during the copy the table has the new block already")
		}
	}})
	first = begun(t, a, 1, 2)
	twin, err := a.fork(first)
	if err != nil {
		t.Fatal(err)
	}
	old := a.find(first).table[0]
	if err := a.append(twin, 7); err != nil {
		t.Fatal(err)
	}
	// The last owner left writes where it is.
	if err := a.append(first, 8); err != nil {
		t.Fatal(err)
	}
	own := a.find(twin).table[0]
	if moves != 1 || own == old || a.find(first).table[0] != old || a.block[old].owners != 1 || a.used() != 2 {
		t.Errorf("%d moves, blocks %d and %d, %d in use; want one move and two blocks", moves, old, own, a.used())
	}
	if got := [][]int32{a.tokens(old)[:3], a.tokens(own)[:3]}; !slices.Equal(got[0], []int32{1, 2, 8}) || !slices.Equal(got[1], []int32{1, 2, 7}) {
		t.Errorf("got tokens %v, want 1 2 8 and 1 2 7", got)
	}
}

// A copy that finds no block leaves everything as it was.
func TestCopyOnWriteWithoutABlock(t *testing.T) {
	a := made(t, config{blocks: 2, size: 2, sequences: 3})
	first := begun(t, a, 1)
	other := begun(t, a, 5)
	twin, err := a.fork(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.append(twin, 2); !errors.Is(err, errFull) {
		t.Fatalf("got %v, want %v", err, errFull)
	}
	sound(t, a)
	if s := a.find(twin); s.length != 1 || s.table[0] != a.find(first).table[0] || a.block[s.table[0]].owners != 2 {
		t.Errorf("a refused append changed the sequence: %+v", s)
	}
	ended(t, a, other)
	if err := a.append(twin, 2); err != nil {
		t.Errorf("appending after a block was freed: %v", err)
	}
}

// A prompt is admitted whole or not at all.
func TestStartIsAllOrNothing(t *testing.T) {
	a := made(t, config{blocks: 4, size: 2, sequences: 3})
	h := begun(t, a, 1, 2, 3)
	for _, prompt := range [][]int32{{9, 9, 9, 9, 9}, {1, 2, 9, 9, 9, 9, 9}} {
		if _, err := a.start(prompt); !errors.Is(err, errFull) || a.used() != 2 || len(a.vacant) != 2 {
			t.Errorf("%v: got %v with %d blocks in use and %d vacant places, want %v, 2 and 2", prompt, err, a.used(), len(a.vacant), errFull)
		}
		sound(t, a)
	}
	// The shared block is no new one: of three more, two are to be had.
	if fits := begun(t, a, 1, 2, 9, 9, 9); a.used() != 4 || table(a, fits)[0] != table(a, h)[0] {
		t.Errorf("%d blocks in use, want 4, one of them shared", a.used())
	}
}

func TestSizes(t *testing.T) {
	refused := func(c config) {
		t.Helper()
		if a, err := newAllocator(c); err == nil || a != nil {
			t.Errorf("%d blocks of %d for %d: got no error", c.blocks, c.size, c.sequences)
		}
	}
	refused(config{size: 1, sequences: 1})
	refused(config{blocks: 1, sequences: 1})
	refused(config{blocks: 1, size: 1})
	refused(config{blocks: -1, size: -1, sequences: 1})
	refused(config{blocks: 1 << 20, size: 1 << 20, sequences: 1})
	refused(config{blocks: math.MaxInt, size: math.MaxInt, sequences: 1})
	refused(config{blocks: 1, size: 1, sequences: math.MaxInt})

	// The least of everything.
	a := made(t, config{blocks: 1, size: 1, sequences: 1})
	h := begun(t, a)
	if _, err := a.start(nil); !errors.Is(err, errCrowd) {
		t.Errorf("a second sequence of one: got %v, want %v", err, errCrowd)
	}
	if _, err := a.fork(h); !errors.Is(err, errCrowd) {
		t.Errorf("a fork beyond the sequences: got %v, want %v", err, errCrowd)
	}
	for _, token := range []int32{math.MinInt32, math.MaxInt32} {
		err := a.append(h, token)
		if want := token > 0; want != errors.Is(err, errFull) {
			t.Errorf("token %d of a pool of one: got %v", token, err)
		}
	}
	ended(t, a, h)
	// A prompt as long as the pool, and one token more.
	whole := made(t, config{blocks: 3, size: 5, sequences: 2})
	long := make([]int32, 16)
	if _, err := whole.start(long); !errors.Is(err, errFull) {
		t.Errorf("16 tokens in a pool of 15: got %v, want %v", err, errFull)
	}
	h = begun(t, whole, long[:15]...)
	if err := whole.append(h, 1); !errors.Is(err, errFull) {
		t.Errorf("a 16th token: got %v, want %v", err, errFull)
	}
	// A block that is never full is never cached.
	one := made(t, config{blocks: 2, size: 1 << 20, sequences: 2})
	ended(t, one, begun(t, one, 1, 2, 3))
	if one.frees != 2 || one.idles != 0 {
		t.Errorf("%d free and %d idle, want 2 and 0", one.frees, one.idles)
	}
}

// The allocator must not allocate: neither to append nor to start, fork and end
// sequences in places that were used before.
func TestAllocates(t *testing.T) {
	a := made(t, config{blocks: 256, size: 4, sequences: 4})
	prompt := make([]int32, 200)
	once := func() {
		h, err := a.start(prompt)
		if err != nil {
			t.Fatal(err)
		}
		twin, err := a.fork(h)
		if err != nil {
			t.Fatal(err)
		}
		for i := range int32(50) {
			if a.append(h, i) != nil || a.append(twin, -i) != nil {
				t.Fatal("no block")
			}
		}
		if a.release(h) != nil || a.release(twin) != nil {
			t.Fatal("not live")
		}
	}
	once()
	if n := testing.AllocsPerRun(10, once); n != 0 {
		t.Errorf("got %v allocations a round, want 0", n)
	}
}

func TestReserver(t *testing.T) {
	for _, bad := range [][2]int{{10, 0}, {10, 11}, {0, 1}, {-5, -5}, {math.MaxInt, 1}} {
		if _, err := newReserver(bad[0], bad[1]); err == nil {
			t.Errorf("reserving %d of %d: got no error", bad[1], bad[0])
		}
	}
	r, err := newReserver(23, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.start(make([]int32, 11)); !errors.Is(err, errFull) {
		t.Errorf("a prompt that is too long: got %v, want %v", err, errFull)
	}
	h, _ := r.start(make([]int32, 9))
	other, _ := r.start([]int32{5})
	if _, err := r.start(nil); !errors.Is(err, errFull) {
		t.Errorf("a third of two reservations: got %v, want %v", err, errFull)
	}
	if err := r.append(h, 7); err != nil {
		t.Error(err)
	}
	if err := r.append(h, 7); !errors.Is(err, errFull) {
		t.Errorf("an 11th token of 10: got %v, want %v", err, errFull)
	}
	if r.text[int(other.slot)*10] != 5 || r.text[int(h.slot)*10+9] != 7 {
		t.Errorf("one reservation reached into the other: %v", r.text)
	}
	if place, used := r.held(other); place != 10 || used != 1 {
		t.Errorf("got %d tokens in place for %d, want 1 in 10", used, place)
	}
	if err := r.release(h); err != nil {
		t.Error(err)
	}
	for _, err := range []error{r.release(h), r.append(h, 1), r.release(handle{})} {
		if !errors.Is(err, errStale) {
			t.Errorf("an ended sequence: got %v, want %v", err, errStale)
		}
	}
	if _, err := r.start(nil); err != nil {
		t.Errorf("a reservation given back: %v", err)
	}
}
