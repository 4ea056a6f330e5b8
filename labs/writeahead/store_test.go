package writeahead

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// errCrash ends a store at a step, as SIGKILL would.
var errCrash = errors.New("crash")

// crashing are hooks of a store that crashes at the given step of the given
// call of it, and note what was promised.
func crashing(at step, call int, promised *int) hooks {
	return hooks{
		ack: func(n int) error { *promised = n; return nil },
		at: func(s step) error {
			if s == at {
				if call--; call < 0 {
					return errCrash
				}
			}
			return nil
		},
	}
}

// A store that crashes at random steps, in recoveries too, with the unsynced
// part of its log cut anywhere and any sectors of its pages lost, always comes
// back with what it had promised, or the one group more that it was writing.
func TestStoreAgainstModel(t *testing.T) {
	dirs := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(dirs, string(rune('a'+n%26))+strings.Repeat("x", n/26))
		if err := os.Mkdir(dir, 0o700); err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 0))
		promised, before := 0, snapshot(t, dir)
		for range rapid.IntRange(1, 6).Draw(rt, "crashes") {
			at, call := step(rapid.IntRange(0, int(steps)-1).Draw(rt, "step")), rapid.IntRange(0, 4).Draw(rt, "call")
			crashed := live(rt, dir, seed, crashing(at, call, &promised))
			lose(t, dir, before, crashed && at == logWritten, rng)
			before = snapshot(t, dir)
		}
		s, err := openStore(dir, crashing(steps, 0, new(int)))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.close()
		if s.groups != promised && s.groups != promised+1 {
			rt.Fatalf("%d groups were promised, %d are back", promised, s.groups)
		}
		onDisk, err := os.ReadFile(filepath.Join(dir, "pages"))
		if err != nil {
			rt.Fatal(err)
		}
		onDisk = append(onDisk, make([]byte, stateSize-len(onDisk))...)
		if want := model(seed, s.groups); !bytes.Equal(s.pool, want) || !bytes.Equal(onDisk, want) {
			rt.Fatalf("%d groups: %d bytes of the pool and %d of the pages are wrong", s.groups, differing(s.pool, want), differing(onDisk, want))
		}
	})
}

// live is one life of a store: it recovers, and goes on with the stream until
// it crashes or has written a few groups.
func live(t *rapid.T, dir string, seed uint64, h hooks) (crashed bool) {
	s, err := openStore(dir, h)
	for range 4 {
		if err == nil {
			err = s.commit(groupOf(seed, s.groups))
		}
	}
	if s != nil {
		s.close()
	}
	if err != nil && err != errCrash {
		t.Fatal(err)
	}
	return err != nil
}

// files are a store's at some time.
type files struct{ log, pages []byte }

func snapshot(t *testing.T, dir string) (f files) {
	t.Helper()
	for name, to := range map[string]*[]byte{"log": &f.log, "pages": &f.pages} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		*to = b
	}
	return f
}

// lose takes from the files what a power cut could take. Of the log that is the
// last record where its barrier had not been reached, cut at any byte; the pages
// are never synced, so any sector may be as it was before.
func lose(t *testing.T, dir string, before files, unsynced bool, rng *rand.Rand) {
	t.Helper()
	now := snapshot(t, dir)
	if unsynced {
		bodies, end, err := scan(now.log)
		if err != nil || len(bodies) == 0 || end != len(now.log) {
			t.Fatalf("a log of %d bytes has %d records up to byte %d, %v", len(now.log), len(bodies), end, err)
		}
		size := headerSize + len(bodies[len(bodies)-1])
		now.log = now.log[:end-rng.IntN(size+1)]
	}
	old := append(bytes.Clone(before.pages), make([]byte, max(0, len(now.pages)-len(before.pages)))...)
	for s := 0; s < len(now.pages); s += sectorSize {
		if rng.IntN(2) == 0 {
			copy(now.pages[s:min(s+sectorSize, len(now.pages))], old[s:])
		}
	}
	for name, b := range map[string][]byte{"log": now.log, "pages": now.pages} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// newStore opens a store in an empty directory.
func newStore(t *testing.T, h hooks) (*store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := openStore(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s, dir
}

// The order of the lab, step by step: nothing is promised before the barrier
// has returned.
func TestOrder(t *testing.T) {
	var got []string
	s, dir := newStore(t, hooks{
		ack: func(n int) error { got = append(got, promised(n)); return nil },
		at:  func(st step) error { got = append(got, st.String()); return nil },
	})
	sync := s.sync
	s.sync = func() error { got = append(got, "barrier"); return sync() }
	if err := s.commit([]operation{{page: 0, data: []byte{1}}, {page: 3, data: []byte{1}}, {page: 5, data: []byte{1}}}); err != nil {
		t.Fatal(err)
	}
	want := "before-log-write log-written barrier log-synced promised 1 acked half-applied applied"
	if g := strings.Join(got, " "); g != want {
		t.Errorf("a group: got %s, want %s", g, want)
	}
	got, h := nil, s.hooks
	s.close()
	again, err := openStore(dir, h)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	if g, want := strings.Join(got, " "), strings.Replace(want, " barrier", "", 1); g != want {
		t.Errorf("its recovery: got %s, want %s", g, want)
	}
}

// Pages are written when enough are dirty, and not again; a crash half way
// leaves whole ones, a torn one, and old ones.
func TestHalfApplied(t *testing.T) {
	s, dir := newStore(t, crashing(halfApplied, 0, new(int)))
	full := func(page int) operation {
		return operation{page: page, data: bytes.Repeat([]byte{byte(1 + page)}, pageSize)}
	}
	check := func(what string, page, from int, want byte) {
		t.Helper()
		pages := append(snapshot(t, dir).pages, make([]byte, stateSize)...)
		if got := pages[page*pageSize+from]; got != want {
			t.Errorf("%s: byte %d of page %d is %d, want %d", what, from, page, got, want)
		}
	}
	if err := s.commit([]operation{full(1), full(2)}); err != nil {
		t.Fatal(err)
	}
	check("two dirty pages", 1, 0, 0)
	if err := s.commit([]operation{full(4)}); err != errCrash {
		t.Fatalf("got %v, want a crash", err)
	}
	check("the first page", 1, pageSize-1, 2)
	check("the torn page", 2, pageSize/2-1, 3)
	check("the torn page", 2, pageSize/2, 0)
	check("the last page", 4, 0, 0)
	s.at = func(step) error { return nil }
	if err := s.flush(); err != nil {
		t.Fatal(err)
	}
	check("written to the end", 2, pageSize-1, 3)
	if err := s.commit([]operation{full(6)}); err != nil {
		t.Fatal(err)
	}
	check("one dirty page behind them", 6, 0, 0)
}

// A second replay is what an addition betrays itself by, where the first found
// the pages as they had been at the start.
func TestReplayTwice(t *testing.T) {
	check := func(add bool, cut int, off bool) {
		t.Helper()
		if got, err := newHistory(3, 5, add).replayTwice(0, cut); err != nil || (got > 0) != off {
			t.Errorf("add %v, cut at %d: got %d bytes off, %v", add, cut, got, err)
		}
	}
	check(false, 0, false)
	check(false, stateSize, false)
	check(true, 0, true)
	check(true, stateSize, true)
}

// A barrier that has failed is never called again, and nothing is promised
// after it: the rule that the lab earns.
func TestFailedBarrierIsFinal(t *testing.T) {
	acks, calls := 0, 0
	s, _ := newStore(t, hooks{ack: func(int) error { acks++; return nil }, at: func(step) error { return nil }})
	s.sync = func() error {
		if calls++; calls == 1 {
			return os.ErrInvalid
		}
		return nil
	}
	for range 3 {
		if err := s.commit(groupOf(1, 0)); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("got %v, want the barrier's error", err)
		}
	}
	if acks != 0 || calls != 1 || differing(s.pool, model(1, 0)) != 0 {
		t.Errorf("got %d acknowledgements and %d barriers, want 0 and 1", acks, calls)
	}
}

// A recovery takes no record's word for it that it was synced: the last one is
// made dirty again, so that the recovery's own barrier is about it too.
func TestRecoveryWritesTheLastRecordAgain(t *testing.T) {
	none := crashing(steps, 0, new(int))
	s, dir := newStore(t, none)
	for g := range 3 {
		if err := s.commit(groupOf(5, g)); err != nil {
			t.Fatal(err)
		}
	}
	s.close()
	again, err := openFiles(dir, none)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	was, dirty, write, sync := snapshot(t, dir).log, []byte(nil), again.write, again.sync
	again.write = func(p []byte, at int64) (int, error) {
		dirty = append(dirty, p...)
		if n := int(at) + len(p); n > len(was)+headerSize+1 {
			t.Errorf("wrote up to byte %d of a log of %d", n, len(was))
		}
		return write(p, at)
	}
	again.sync = func() error {
		if last := appendRecord(nil, 3, encode(groupOf(5, 2))); !bytes.HasPrefix(dirty, last) {
			t.Errorf("the barrier is about %d bytes, and not about the last record of %d", len(dirty), len(last))
		}
		return sync()
	}
	if err := again.recover(dir); err != nil {
		t.Fatal(err)
	}
	if now := snapshot(t, dir).log; !bytes.HasPrefix(now, was) || len(now) != len(was)+headerSize+1 {
		t.Errorf("a log of %d bytes became one of %d", len(was), len(now))
	}
}

// A log that is damaged is left alone, as are the pages.
func TestDamagedLogIsLeftAlone(t *testing.T) {
	none := crashing(steps, 0, new(int))
	s, dir := newStore(t, none)
	for g := range 5 {
		if err := s.commit(groupOf(9, g)); err != nil {
			t.Fatal(err)
		}
	}
	s.close()
	was := snapshot(t, dir)
	was.log[headerSize+1] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "log"), was.log, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(dir, none); !errors.Is(err, errDamaged) {
		t.Errorf("got %v, want %v", err, errDamaged)
	}
	if now := snapshot(t, dir); !bytes.Equal(now.log, was.log) || !bytes.Equal(now.pages, was.pages) {
		t.Error("the files were changed")
	}
}

// FuzzRecovery offers any bytes as a store's files. Opening it is refused, or
// gives a store that opens again as the same.
func FuzzRecovery(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(newHistory(1, 3, false).log, model(1, 2))
	f.Add(newHistory(1, 3, false).log[:200], make([]byte, 5000))
	f.Add(image("not a group"), []byte{1})
	f.Add(appendRecord(image(string([]byte{recoveryRecord})), 2, encode(groupOf(1, 0))), []byte{})
	f.Fuzz(func(t *testing.T, log, pages []byte) {
		dir, none := t.TempDir(), crashing(steps, 0, new(int))
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "log"), log, 0o600),
			os.WriteFile(filepath.Join(dir, "pages"), pages, 0o600)); err != nil {
			t.Fatal(err)
		}
		s, err := openStore(dir, none)
		if err != nil {
			return
		}
		s.close()
		again, err := openStore(dir, none)
		if err != nil {
			t.Fatalf("opened once, and then not: %v", err)
		}
		defer again.close()
		if again.groups != s.groups || again.records != s.records+1 && len(log) > 0 || !bytes.Equal(again.pool, s.pool) && len(log) > 0 {
			t.Fatalf("%d groups in %d records, then %d in %d; %d bytes differ", s.groups, s.records, again.groups, again.records, differing(s.pool, again.pool))
		}
	})
}
