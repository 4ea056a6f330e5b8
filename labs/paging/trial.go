package paging

import (
	"errors"
	"fmt"
	"slices"
)

// trial does the same to an allocator and to the reference, and compares.
type trial struct {
	a      *allocator
	m      *reference
	live   []pair
	stale  handle  // the last that was released
	stands []*page // for each block, the page that it stands for
	off    int     // deviations so far
	first  string  // the first of them
	prompt []int32
}

// pair is one sequence, twice.
type pair struct {
	h handle
	w *writing
}

func newTrial(c config) (*trial, error) {
	a, err := newAllocator(c)
	if err != nil {
		return nil, err
	}
	return &trial{a: a, m: newReference(c.size, c.blocks), stands: make([]*page, c.blocks)}, nil
}

func (t *trial) wrong(format string, args ...any) {
	if t.off++; t.off == 1 {
		t.first = fmt.Sprintf(format, args...)
	}
}

// do makes one operation of the numbers given, whatever they are, on both sides.
// Of 64 operations 48 append a token; some name a sequence that is gone.
func (t *trial) do(op byte, x, y uint16) {
	op %= 64
	switch {
	case op < 6 || len(t.live) == 0:
		t.start(x, y)
	case op < 10:
		t.fork(int(x) % len(t.live))
	case op < 15:
		t.release(int(x) % len(t.live))
	case op < 16:
		t.late()
	default:
		t.append(int(x)%len(t.live), int32(y%3))
	}
	t.counters()
}

// start begins with one of eight prompts, up to a length, and may add a token of
// its own: prefixes that are shared, that part, and that end within a block.
func (t *trial) start(x, y uint16) {
	n := int(y) % (6*t.a.size + 2)
	t.prompt = t.prompt[:0]
	for i := range n {
		t.prompt = append(t.prompt, int32(mix(uint64(x%8), int32(i/5))%3))
	}
	if x&8 != 0 {
		t.prompt = append(t.prompt, int32(y%5))
	}
	crowd := len(t.live) == t.a.sequences
	h, err := t.a.start(t.prompt)
	if crowd {
		if !errors.Is(err, errCrowd) {
			t.wrong("starting one sequence too many: %v", err)
		}
		return
	}
	w := t.m.start(t.prompt)
	if (w == nil) != errors.Is(err, errFull) || (w != nil) != (err == nil) {
		t.wrong("starting with %d tokens: %v, and admitted is %v", len(t.prompt), err, w != nil)
		return
	}
	if w != nil {
		t.join(pair{h, w})
	}
}

func (t *trial) fork(i int) {
	h, err := t.a.fork(t.live[i].h)
	if len(t.live) == t.a.sequences {
		if !errors.Is(err, errCrowd) {
			t.wrong("forking one sequence too many: %v", err)
		}
		return
	}
	if err != nil {
		t.wrong("forking: %v", err)
		return
	}
	t.join(pair{h, t.m.fork(t.live[i].w)})
}

func (t *trial) join(p pair) {
	t.live = append(t.live, p)
	t.table(p)
}

func (t *trial) release(i int) {
	p := t.live[i]
	if err := t.a.release(p.h); err != nil {
		t.wrong("releasing: %v", err)
	}
	t.m.release(p.w)
	t.stale = p.h
	t.live[i] = t.live[len(t.live)-1]
	t.live = t.live[:len(t.live)-1]
}

// late uses a sequence after its end, in every way.
func (t *trial) late() {
	_, fork := t.a.fork(t.stale)
	for _, err := range []error{t.a.release(t.stale), t.a.append(t.stale, 1), fork} {
		if !errors.Is(err, errStale) {
			t.wrong("a sequence after its end: %v", err)
		}
	}
}

func (t *trial) append(i int, token int32) {
	p := t.live[i]
	err := t.a.append(p.h, token)
	if ok := t.m.append(p.w, token); ok != (err == nil) || !ok && !errors.Is(err, errFull) {
		t.wrong("appending: %v, and there was room is %v", err, ok)
		return
	}
	s := t.a.find(p.h)
	if s == nil || len(s.table) != len(p.w.pages) {
		t.wrong("a table of another length than %d", len(p.w.pages))
		return
	}
	if last := len(s.table) - 1; last >= 0 {
		t.stand(s.table[last], p.w.pages[last])
	}
}

// table compares all of a sequence's table.
func (t *trial) table(p pair) {
	s := t.a.find(p.h)
	if s == nil || len(s.table) != len(p.w.pages) || s.length != len(p.w.tokens) {
		t.wrong("a table that differs from %d pages with %d tokens", len(p.w.pages), len(p.w.tokens))
		return
	}
	for i, b := range s.table {
		t.stand(b, p.w.pages[i])
	}
}

// stand demands that a block stands for one page and no other as long as that
// page lasts: a block that two pages claim is owned twice.
func (t *trial) stand(b int32, p *page) {
	t.bury()
	if p.block == none && t.stands[b] == nil {
		p.block, t.stands[b] = b, p
	}
	if p.block != b || t.stands[b] != p {
		t.wrong("block %d stands for two pages, or one page in two blocks", b)
	}
}

// bury frees the blocks of pages that are gone for others.
func (t *trial) bury() {
	for _, p := range t.m.gone {
		if p.block != none {
			t.stands[p.block] = nil
		}
	}
	t.m.gone = t.m.gone[:0]
}

func (t *trial) counters() {
	t.bury()
	if a, m := t.a, t.m; a.used() != m.used || a.idles != len(m.idle) || a.frees != m.total-m.used-len(m.idle) {
		t.wrong("%d held, %d idle, %d free; want %d, %d of %d", a.used(), a.idles, a.frees, m.used, len(m.idle), m.total)
	}
}

// inspect compares everything: the audit, all tables, and every token read
// through them.
func (t *trial) inspect() {
	for _, fault := range t.a.audit() {
		t.wrong("audit: %s", fault)
	}
	for _, p := range t.live {
		t.table(p)
		s := t.a.find(p.h)
		if s == nil {
			continue
		}
		for i, b := range s.table {
			want := p.w.tokens[i*t.a.size : min((i+1)*t.a.size, len(p.w.tokens))]
			if !slices.Equal(t.a.tokens(b)[:len(want)], want) {
				t.wrong("block %d holds other tokens than were written", b)
			}
		}
	}
}
