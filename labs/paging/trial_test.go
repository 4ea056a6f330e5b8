package paging

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMillion makes a million operations more than the lab does, on other sizes.
func TestMillion(t *testing.T) {
	each := 250_000
	if raceDetector {
		each /= 5
	}
	for _, c := range []config{
		{blocks: 40, size: 1, sequences: 9, seed: 3},
		{blocks: 300, size: 3, sequences: 60},
		{blocks: 60, size: 16, sequences: 30, seed: 5},
		{blocks: 7, size: 256, sequences: 12, seed: 7},
	} {
		tr, err := newTrial(c)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(c.size), 1))
		for i := range each {
			tr.random(rng)
			if i%1000 == 0 {
				tr.inspect()
			}
			if tr.off > 0 {
				t.Fatalf("%d blocks of %d, operation %d: %s", c.blocks, c.size, i, tr.first)
			}
		}
		if tr.m.kinds[hit] == 0 || tr.m.kinds[evicted] == 0 && c.size < 256 {
			t.Errorf("%d blocks of %d: %v, want hits and evictions", c.blocks, c.size, tr.m.kinds)
		}
	}
}

// TestAgainstModel makes any operations, in any sizes.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, err := newTrial(config{
			blocks:    rapid.IntRange(1, 40).Draw(t, "blocks"),
			size:      rapid.IntRange(1, 9).Draw(t, "size"),
			sequences: rapid.IntRange(1, 12).Draw(t, "sequences"),
			seed:      rapid.Uint64().Draw(t, "seed"),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Repeat(map[string]func(*rapid.T){
			"do": func(t *rapid.T) {
				tr.do(rapid.Byte().Draw(t, "op"), rapid.Uint16().Draw(t, "x"), rapid.Uint16().Draw(t, "y"))
			},
			"": func(t *rapid.T) {
				if tr.inspect(); tr.off > 0 {
					t.Fatal(tr.first)
				}
			},
		})
	})
}

// FuzzAllocator takes its sizes from the first bytes and an operation from every
// five that follow.
func FuzzAllocator(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{20, 4, 8, 0, 1, 0, 30, 0, 6, 0, 0, 0, 0, 20, 1, 0, 2, 0, 10, 0, 0, 0, 0, 15, 0, 0, 0, 0})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, sizes := range [][3]byte{{0, 0, 0}, {12, 2, 6}, {60, 15, 30}} {
		b := sizes[:]
		for range 5 * 400 {
			b = append(b, byte(rng.Uint32()))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var sizes [3]byte
		b = b[copy(sizes[:], b):]
		tr, err := newTrial(config{blocks: 1 + int(sizes[0]), size: 1 + int(sizes[1])%32, sequences: 1 + int(sizes[2])%64})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; len(b) >= 5; i++ {
			tr.do(b[0], uint16(b[1])|uint16(b[2])<<8, uint16(b[3])|uint16(b[4])<<8)
			b = b[5:]
			if i%64 == 0 {
				tr.inspect()
			}
			if tr.off > 0 {
				t.Fatalf("operation %d: %s", i, tr.first)
			}
		}
		if tr.inspect(); tr.off > 0 {
			t.Fatal(tr.first)
		}
		// Whatever happened, everything comes back.
		for _, p := range tr.live {
			if err := tr.a.release(p.h); err != nil {
				t.Fatal(err)
			}
		}
		if tr.a.used() != 0 || tr.a.available() != tr.a.blocks || len(tr.a.audit()) > 0 {
			t.Fatalf("%d of %d blocks in use by nobody: %v", tr.a.used(), tr.a.blocks, tr.a.audit())
		}
	})
}

// The comparison must see each fault that an allocator could have.
func TestTrialSeesFaults(t *testing.T) {
	check := func(f faults, want string) {
		t.Helper()
		tr, err := newTrial(config{blocks: 144, size: 8, sequences: 48, faults: f})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 100_000 {
			if tr.random(rng); tr.off > 0 {
				if !strings.Contains(tr.first, want) {
					t.Errorf("%+v: got %q, want something about %q", f, tr.first, want)
				}
				return
			}
		}
		t.Errorf("%+v: nothing was seen in 100,000 operations", f)
	}
	check(faults{lateDrop: true}, "held")
	check(faults{noSharing: true}, "held")
	check(faults{ownTokens: true}, "block")
}

// A run that never met a kind of event says so.
func TestUnmet(t *testing.T) {
	tr, err := newTrial(config{blocks: 144, size: 8, sequences: 48})
	if err != nil {
		t.Fatal(err)
	}
	if got := tr.unmet(); got != int(kinds) {
		t.Errorf("before any operation %d kinds were not met, want all %d", got, kinds)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50_000 {
		tr.random(rng)
	}
	if got := tr.unmet(); got != 0 {
		t.Errorf("%d kinds were not met in 50,000 operations: %v", got, tr.m.kinds)
	}
}

// The audit must find what is planted, without the reference.
func TestAudit(t *testing.T) {
	check := func(want string, plant func(a *allocator, h handle)) {
		t.Helper()
		a, err := newAllocator(config{blocks: 12, size: 2, sequences: 4})
		if err != nil {
			t.Fatal(err)
		}
		h := begun(t, a, 1, 2, 3, 4, 5)
		ended(t, a, begun(t, a, 7, 8, 9, 9))
		sound(t, a)
		plant(a, h)
		if got := strings.Join(a.audit(), "; "); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	check("in 0 states", func(a *allocator, h handle) { a.free = a.block[a.free].next; a.frees-- })
	check("in 2 states", func(a *allocator, h handle) { a.give(a.find(h).table[0]) })
	check("counts 2 owners", func(a *allocator, h handle) { a.block[a.find(h).table[1]].owners++ })
	check("counts 0 owners", func(a *allocator, h handle) { a.block[a.find(h).table[1]].owners = 0 })
	check("are counted as", func(a *allocator, h handle) { a.frees++ })
	check("are counted as", func(a *allocator, h handle) { a.idles-- })
	check("does not end", func(a *allocator, h handle) { a.block[a.free].next = a.free })
	check("does not end", func(a *allocator, h handle) { b := a.find(h).table[0]; a.block[b].chain = b })
	check("found 0 times", func(a *allocator, h handle) { b := a.find(h).table[2]; a.block[b].cached = true })
	check("found 1 times", func(a *allocator, h handle) { b := a.find(h).table[0]; a.block[b].cached = false })
	check("is free and cached", func(a *allocator, h handle) { a.block[a.free].cached = true })
	check("is idle and not cached", func(a *allocator, h handle) { a.block[a.block[a.blocks].next].cached = false })
	check("which is not cached", func(a *allocator, h handle) {
		s := a.find(h)
		a.block[s.table[1]].parent = s.table[2]
	})
	check("in bucket", func(a *allocator, h handle) { a.block[a.find(h).table[0]].key ^= 1 << 63 })
	check("room for", func(a *allocator, h handle) { a.find(h).length++ })
	check("has block 99", func(a *allocator, h handle) { a.find(h).table[2] = 99 })
	check("vacant places", func(a *allocator, h handle) { a.vacant = a.vacant[1:] })
	check("for the same prefix", func(a *allocator, h handle) {
		b := a.take()
		k, twin := &a.block[b], a.block[a.find(h).table[0]]
		copy(a.tokens(b), []int32{1, 2})
		k.key, k.parent, k.cached, k.chain = twin.key, twin.parent, true, a.bucket[twin.key>>a.shift]
		a.bucket[twin.key>>a.shift] = b
	})
}

// ordered notes in which order sequences come.
type ordered struct {
	*allocator
	came map[handle]int
}

func (o ordered) start(prompt []int32) (handle, error) {
	h, err := o.allocator.start(prompt)
	if err == nil {
		o.came[h] = len(o.came)
	}
	return h, err
}

// A server that runs out of blocks sends its youngest sequence away and goes on.
func TestServerSendsTheYoungestAway(t *testing.T) {
	o := ordered{made(t, config{blocks: 140, size: 16, sequences: 24}), map[handle]int{}}
	n, away := 0, 0
	v := &server{scheme: o, size: 16, rng: rand.New(rand.NewPCG(1, 1))}
	v.ended = func(low, high float64) {
		n++
		if low < 0 || high >= 1 {
			t.Errorf("a sequence held %v to %v blocks unused, want less than one", low, high)
		}
		if v.last.left <= 0 {
			return
		}
		away++
		for _, q := range v.live {
			if o.came[q.h] > o.came[v.last.h] {
				t.Errorf("sequence %d was sent away, and the younger %d not", o.came[v.last.h], o.came[q.h])
			}
		}
	}
	if err := v.serve(t.Context(), 300); err != nil || n < 300 || away == 0 || away == n {
		t.Errorf("%d ended, %d of them sent away, %v; want 300 and some", n, away, err)
	}
}
