package paging

import "slices"

// reference is the same promise written down plainly: pages that know their
// tokens, a map by whole prefix, a list of idle pages that is searched. It knows
// no block numbers, no hash of its own and no list of free blocks: how many are
// free is a subtraction.
type reference struct {
	size, total int
	cache       map[prefix]*page
	idle        []*page // oldest first
	used        int     // pages with an owner
	gone        []*page // since the last look, pages that hold nothing any more
	kinds       [kinds]int
}

// prefix is a whole prefix: the page that it ends behind stands for all before.
type prefix struct {
	parent *page
	own    string
}

type page struct {
	prefix prefix // where it is cached
	tokens []int32
	owners int
	cached bool
	block  int32 // of the allocator's that it was first seen as; none before
}

// writing is a sequence of the reference.
type writing struct {
	tokens []int32 // all of them
	pages  []*page
}

// kind is something that a run must have met with to have tested anything.
type kind int

const (
	hit kind = iota
	merged
	copied
	evicted
	refusedStart
	refusedAppend
	kinds
)

func (k kind) String() string {
	return [...]string{"blocks found by their prefix", "blocks merged when full", "copies on write", "evictions",
		"prompts refused", "appends refused"}[k]
}

func newReference(size, total int) *reference {
	return &reference{size: size, total: total, cache: map[prefix]*page{}}
}

// key is tokens as a string that a map can be asked for.
func key(tokens []int32) string {
	b := make([]byte, 0, 4*len(tokens))
	for _, t := range tokens {
		b = append(b, byte(t), byte(t>>8), byte(t>>16), byte(t>>24))
	}
	return string(b)
}

func (m *reference) hold(p *page) {
	if p.owners++; p.owners > 1 {
		return
	}
	m.used++
	if i := slices.Index(m.idle, p); i >= 0 {
		m.idle = slices.Delete(m.idle, i, i+1)
	}
}

func (m *reference) drop(p *page) {
	if p.owners--; p.owners > 0 {
		return
	}
	m.used--
	if p.cached {
		m.idle = append(m.idle, p)
	} else {
		m.gone = append(m.gone, p)
	}
}

// page returns a new one, at the price of the oldest idle one if need be.
func (m *reference) page() *page {
	if m.used == m.total {
		return nil
	}
	if m.used+len(m.idle) == m.total {
		old := m.idle[0]
		m.idle = m.idle[1:]
		delete(m.cache, old.prefix)
		m.gone = append(m.gone, old)
		m.kinds[evicted]++
	}
	p := &page{tokens: make([]int32, 0, m.size), block: none}
	m.hold(p)
	return p
}

func (m *reference) start(prompt []int32) *writing {
	w := &writing{}
	at := prefix{}
	for rest := prompt; len(rest) >= m.size; rest = rest[m.size:] {
		at.own = key(rest[:m.size])
		p := m.cache[at]
		if p == nil {
			break
		}
		m.hold(p)
		w.pages = append(w.pages, p)
		w.tokens = append(w.tokens, p.tokens...)
		at.parent = p
	}
	m.kinds[hit] += len(w.pages)
	rest := prompt[len(w.tokens):]
	if (len(rest)+m.size-1)/m.size > m.total-m.used {
		m.kinds[refusedStart]++
		m.release(w)
		return nil
	}
	for _, t := range rest {
		m.append(w, t)
	}
	return w
}

func (m *reference) append(w *writing, token int32) bool {
	last := len(w.pages) - 1
	if last < 0 || len(w.pages[last].tokens) == m.size {
		p := m.page()
		if p == nil {
			m.kinds[refusedAppend]++
			return false
		}
		w.pages = append(w.pages, p)
		last++
	} else if old := w.pages[last]; old.owners > 1 {
		p := m.page()
		if p == nil {
			m.kinds[refusedAppend]++
			return false
		}
		p.tokens = append(p.tokens, old.tokens...)
		w.pages[last] = p
		m.drop(old)
		m.kinds[copied]++
	}
	p := w.pages[last]
	p.tokens = append(p.tokens, token)
	w.tokens = append(w.tokens, token)
	if len(p.tokens) == m.size {
		w.pages[last] = m.full(w, p)
	}
	return true
}

// full caches a page, or gives the one that is cached for the same prefix.
func (m *reference) full(w *writing, p *page) *page {
	at := prefix{own: key(p.tokens)}
	if n := len(w.pages); n > 1 {
		at.parent = w.pages[n-2]
	}
	if twin := m.cache[at]; twin != nil {
		m.hold(twin)
		m.drop(p)
		m.kinds[merged]++
		return twin
	}
	p.prefix, p.cached = at, true
	m.cache[at] = p
	return p
}

func (m *reference) fork(w *writing) *writing {
	for _, p := range w.pages {
		m.hold(p)
	}
	return &writing{tokens: slices.Clone(w.tokens), pages: slices.Clone(w.pages)}
}

// release lets the pages at the front stay longest, as they serve most prompts.
func (m *reference) release(w *writing) {
	for _, p := range slices.Backward(w.pages) {
		m.drop(p)
	}
}
