package groupcommit

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"envelope/internal/disk"
	"envelope/internal/measure"
)

func newStage(t *testing.T) *stage {
	t.Helper()
	f, err := disk.Create(filepath.Join(t.TempDir(), "log"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &stage{clock: measure.NewClock(), file: f, payload: make([]byte, size)}
}

var policies = []policy{{}, {count: 8}, {window: 200 * time.Microsecond}, {hold: 200 * time.Microsecond}}

// playAll plays every policy with real goroutines and a real file.
func playAll(t *testing.T) {
	t.Helper()
	s := newStage(t)
	for _, p := range policies {
		for _, l := range []load{{spawn: true}, {}} {
			l.policy, l.perSecond, l.n = p, 20_000, 64
			o, err := s.play(t.Context(), l)
			if err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			records := 0
			for _, b := range o.batches {
				records += b.records
			}
			if records != l.n || len(o.latencies) != l.n || o.early != 0 {
				t.Errorf("%+v: got %d records in batches, %d latencies, %d too soon; want %d, %d, 0", p, records, len(o.latencies), o.early, l.n, l.n)
			}
			if p.count > 0 && len(o.batches) != l.n/p.count {
				t.Errorf("%+v: got %d batches, want %d", p, len(o.batches), l.n/p.count)
			}
			if o.elapsed <= 0 || o.p50() <= 0 || o.fsync() <= 0 {
				t.Errorf("%+v: got elapsed %v, p50 %g, fsync %g", p, o.elapsed, o.p50(), o.fsync())
			}
			if p.hold > 0 && float64(len(o.batches)) > o.elapsed.Seconds()/p.hold.Seconds()+1 {
				t.Errorf("%+v: got %d fsyncs in %v", p, len(o.batches), o.elapsed)
			}
		}
	}
}

func TestEpisodes(t *testing.T) { playAll(t) }

// With one processor of the scheduler an arrival may have to wait, but nothing
// may stand still.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	playAll(t)
	restore := enoughProcessors()
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("got %d processors, want 2", got)
	}
	restore()
	if got := runtime.GOMAXPROCS(0); got != 1 {
		t.Errorf("set back: got %d processors, want 1", got)
	}
}

// A measured episode, played again by the twin from its own arrivals and fsyncs,
// has the same batches wherever hand-over takes no time to speak of: a fixed
// count always, and the rest record by record.
func TestMeasuredIsItsTwin(t *testing.T) {
	s := newStage(t)
	o, err := s.play(t.Context(), load{policy: policy{count: 8}, perSecond: 20_000, n: 64})
	if err != nil {
		t.Fatal(err)
	}
	twin := o.twin()
	if len(twin) != len(o.batches) {
		t.Fatalf("got %d batches, the twin %d", len(o.batches), len(twin))
	}
	for i, b := range o.batches {
		if b.records != 8 || twin[i].records != 8 || b.closed < twin[i].closed {
			t.Errorf("batch %d: got %d records closed at %v, the twin %d at %v", i, b.records, b.closed, twin[i].records, twin[i].closed)
		}
	}
	if !slices.IsSorted(o.handed) || !slices.IsSorted(o.intended) {
		t.Error("arrivals are out of order")
	}
}

// The lock held across the fsync: as many fsyncs as records, whatever the load.
func TestHeldLock(t *testing.T) {
	o, err := newStage(t).play(t.Context(), load{perSecond: 50_000, n: 20, spawn: true, held: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.batches) != 20 || meanBatch(o.batches) != 1 || o.early != 0 {
		t.Errorf("got %d fsyncs for 20 records, %d too soon", len(o.batches), o.early)
	}
}

func TestAckAtTheStart(t *testing.T) {
	o, err := newStage(t).play(t.Context(), load{perSecond: 50_000, n: 20, early: true})
	if err != nil || o.early != 20 {
		t.Fatalf("got %v, error %v, want 20 too soon", o, err)
	}
}

// A file that refuses ends the episode, and its load.
func TestPlayFails(t *testing.T) {
	s := newStage(t)
	s.file.Close()
	start := s.clock.Now()
	_, err := s.play(t.Context(), load{perSecond: 1, n: 1000})
	if err == nil || !strings.Contains(err.Error(), "write of 64 bytes to log") {
		t.Errorf("got %v, want the write's error", err)
	}
	if took := s.clock.Now() - start; took > time.Minute {
		t.Errorf("the load went on for %v", took)
	}
	if _, err := s.play(t.Context(), load{perSecond: 50_000, n: 5, spawn: true, held: true}); err == nil {
		t.Error("with the lock held: got no error")
	}
	if _, err := s.play(t.Context(), load{perSecond: 0, n: 5}); err == nil {
		t.Error("no rate: got no error")
	}
}

// A stop ends an episode in every wait that it has.
func TestPlayStops(t *testing.T) {
	s := newStage(t)
	for _, l := range []load{
		{perSecond: 0.001, n: 2},
		{policy: policy{count: 5}, perSecond: 0.001, n: 2, spawn: true},
		{policy: policy{window: time.Hour}, perSecond: 1000, n: 2},
		{policy: policy{hold: time.Hour}, perSecond: 1000, n: 2},
		{delay: time.Hour, perSecond: 1000, n: 2},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(20*time.Millisecond, cancel)
		_, err := s.play(ctx, l)
		stop.Stop()
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: got %v, want %v", l, err, context.Canceled)
		}
	}
}
