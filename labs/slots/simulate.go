package slots

// simulation counts what the schedulers would come to, without arithmetic and
// without going through the passes: a request moves the end of its batch, or
// of the slot that is free first. It keeps no request, so a trace may be longer
// than memory.
type simulation struct {
	static     batches
	continuous line
	late       line
	requests   int
	prompt     int // tokens
	longest    int // output
}

func newSimulation() *simulation { return &simulation{late: line{late: 1}} }

func (s *simulation) add(q request) {
	s.static.add(q.output)
	s.continuous.add(q.output)
	s.late.add(q.output)
	s.requests++
	s.prompt += q.prompt
	s.longest = max(s.longest, q.output)
}

// batches is the static scheduler: eight requests last as long as the longest.
type batches struct {
	done    counts // of the full batches
	n       int    // requests in the one that is being filled
	longest int
}

func (b *batches) add(output int) {
	b.n++
	b.longest = max(b.longest, output)
	b.done.tokens += output
	if b.n == batch {
		b.done = b.counts()
		b.n, b.longest = 0, 0
	}
}

func (b *batches) counts() counts {
	c := b.done
	c.passes += b.longest
	c.steps += b.n * b.longest
	return c
}

// line is the iteration-level scheduler: one line of requests, eight slots, and
// the first of the line goes to the slot that is free first.
type line struct {
	late int // passes that a slot is held after the end
	free [batch]int
	counts
}

func (l *line) add(output int) {
	first := 0
	for i, at := range l.free {
		if at < l.free[first] {
			first = i
		}
	}
	l.free[first] += output + l.late
	l.passes = max(l.passes, l.free[first])
	l.steps += output + l.late
	l.tokens += output
}

// simulate counts one list of requests.
func simulate(all []request) *simulation {
	s := newSimulation()
	for _, q := range all {
		s.add(q)
	}
	return s
}
