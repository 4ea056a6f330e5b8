package measure

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Pair is what a lab hands over for one claim: two arms and how their samples
// make an observation.
type Pair struct {
	Name   string
	A, B   Arm
	Form   Form    // "" means Ratio
	Unit   float64 // divisor of Excess and Extra
	Region Region
	// Episode says that an arm is a long run of its own: a block is A B or
	// B A in alternation, with no warm-up.
	Episode bool
	// Warm is how many untimed A B come before each block; 0 means 2.
	Warm int
}

// Single is an arm that is sampled beside the pairs and judged by nobody: a row
// of a table.
type Single struct {
	Arm Arm
	N   int // samples wanted; fewer where the budget ends first

	// Warm makes a call that is not timed before every sample, and not before the first alone: for what must find its
	// threads awake.
	Warm bool

	// Group has the singles that share it follow each other in every round, in the order given and its reverse by turns: over
	// two rounds no place in it is better than another. Empty means alone.
	Group string
}

// Options say how long to go on.
type Options struct {
	Clock  *Clock
	Rand   *rand.Rand
	Budget time.Duration // 0 means until every pair is decided or has MaxBlocks
	// MaxBlocks ends a claim that stays undecided. 0 means 512.
	MaxBlocks int
	// Progress, if set, is told the share that is done, from 0 to 1.
	Progress func(done float64)
}

// Result is what was observed of one pair.
type Result struct {
	Pair           *Pair
	Blocks         Blocks
	CallsA, CallsB int // operations in one timed span
	Err            error
	Decided        bool
}

// Row is what was observed of one single.
type Row struct {
	Arm     *Arm
	Samples []float64
	Calls   int
	Err     error
}

// Compare deals blocks of all pairs round-robin in shuffled order until each is
// decided or the budget is spent, and samples the singles between them. An
// error of an arm ends its own pair only. When ctx is done, what was taken so
// far is returned with ctx's error.
func Compare(ctx context.Context, o Options, pairs []Pair, singles []Single) ([]Result, []Row, error) {
	if o.MaxBlocks == 0 {
		o.MaxBlocks = 512
	}
	if o.Clock == nil || o.Rand == nil {
		return nil, nil, fmt.Errorf("comparing takes a clock and random numbers")
	}
	d := &deal{Options: o, start: o.Clock.Now()}
	for i := range pairs {
		p := &pairs[i]
		if err := p.valid(); err != nil {
			return nil, nil, err
		}
		d.hands = append(d.hands, newHand(p, o.Clock))
	}
	for i := range singles {
		s := &singles[i]
		if err := s.Arm.valid(); err != nil {
			return nil, nil, err
		}
		d.rows = append(d.rows, &row{want: s.N, group: s.Group, rewarm: s.Warm, timer: timer{Arm: &s.Arm, clock: o.Clock}})
	}
	err := d.run(ctx)
	results := make([]Result, len(d.hands))
	for i, h := range d.hands {
		results[i] = h.result()
	}
	rows := make([]Row, len(d.rows))
	for i, r := range d.rows {
		rows[i] = Row{Arm: r.Arm, Samples: r.samples, Calls: r.operations(), Err: r.err}
	}
	return results, rows, err
}

func (p *Pair) valid() error {
	if p.Name == "" {
		return fmt.Errorf("a pair has no name")
	}
	for _, a := range []*Arm{&p.A, &p.B} {
		if err := a.valid(); err != nil {
			return fmt.Errorf("pair %s: %w", p.Name, err)
		}
	}
	if (p.A.Count == nil) != (p.B.Count == nil) || p.A.Unit != p.B.Unit {
		return fmt.Errorf("pair %s: its arms have different units", p.Name)
	}
	if p.Warm < 0 {
		return fmt.Errorf("pair %s: %d rounds of warm-up", p.Name, p.Warm)
	}
	if p.Form.Divides() != (p.Unit > 0) {
		return fmt.Errorf("pair %s: a divisor belongs to an excess or an extra, and to nothing else", p.Name)
	}
	return p.Region.Valid()
}

// deal is one Compare in progress.
type deal struct {
	Options
	start time.Duration
	hands []*hand
	rows  []*row
}

// row is a single in progress.
type row struct {
	timer
	want    int
	group   string
	rewarm  bool
	samples []float64
	err     error
}

func (r *row) done() bool { return r.err != nil || len(r.samples) >= r.want }

func (r *row) step() {
	if r.calls == 0 || r.rewarm {
		if r.err = r.warm(); r.err != nil {
			return
		}
	}
	v, err := r.sample()
	if r.err = err; err == nil {
		r.samples = append(r.samples, v)
	}
}

func (d *deal) run(ctx context.Context) error {
	for round := 0; ; round++ {
		open := d.open()
		if len(open) == 0 {
			return nil
		}
		d.Rand.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		if round%2 == 1 {
			for _, group := range open {
				slices.Reverse(group)
			}
		}
		for _, step := range slices.Concat(open...) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if d.Budget > 0 && d.Clock.Now()-d.start > d.Budget {
				return nil
			}
			step()
		}
		if d.Progress != nil {
			d.Progress(d.share())
		}
	}
}

// open returns the next step of everything that is not done, in groups of what belongs together.
func (d *deal) open() [][]func() {
	var open [][]func()
	for _, h := range d.hands {
		if !h.done(d.MaxBlocks) {
			open = append(open, []func(){h.step})
		}
	}
	groups := map[string]int{}
	for _, r := range d.rows {
		if r.done() {
			continue
		}
		if at, ok := groups[r.group]; ok && r.group != "" {
			open[at] = append(open[at], r.step)
			continue
		}
		groups[r.group] = len(open)
		open = append(open, []func(){r.step})
	}
	return open
}

// share estimates how much is done: by time, or by what is decided or has
// reached the first look, whichever is further.
func (d *deal) share() float64 {
	byTime, byCount, n := 0.0, 0.0, len(d.hands)+len(d.rows)
	if d.Budget > 0 {
		byTime = (d.Clock.Now() - d.start).Seconds() / d.Budget.Seconds()
	}
	for _, h := range d.hands {
		if h.done(d.MaxBlocks) {
			byCount++
		} else {
			byCount += min(0.9, float64(h.blocks)/float64(Looks[0]))
		}
	}
	for _, r := range d.rows {
		if r.done() {
			byCount++
		} else {
			byCount += float64(len(r.samples)) / float64(r.want)
		}
	}
	return min(1, max(byTime, byCount/float64(max(n, 1))))
}

// hand is a pair in progress.
type hand struct {
	pair    *Pair
	a, b    timer
	out     Blocks
	blocks  int
	err     error
	decided bool
}

func newHand(p *Pair, clock *Clock) *hand {
	per, form := 2, p.Form
	if p.Episode {
		per = 1
	}
	if form == "" {
		form = Ratio
	}
	return &hand{
		pair: p,
		a:    timer{Arm: &p.A, clock: clock}, b: timer{Arm: &p.B, clock: clock},
		out: Blocks{Per: per, Form: form, Unit: p.Unit, Clocked: p.A.Op != nil},
	}
}

func (h *hand) done(limit int) bool { return h.err != nil || h.decided || h.blocks >= limit }

// step takes one block, then looks if it is time to.
func (h *hand) step() {
	if h.err = h.block(); h.err != nil {
		return
	}
	h.blocks++
	_, h.decided = JudgeBlocks(h.out, h.pair.Region, false)
}

func (h *hand) block() error {
	if h.pair.Episode {
		h.a.calls, h.b.calls = 1, 1
	} else {
		for range cmp.Or(h.pair.Warm, 2) {
			if err := h.a.warm(); err != nil {
				return err
			}
			if err := h.b.warm(); err != nil {
				return err
			}
		}
	}
	var a, b []float64
	for _, first := range order(h.blocks, h.out.Per) {
		t, dst := &h.b, &b
		if first {
			t, dst = &h.a, &a
		}
		v, err := t.sample()
		if err != nil {
			return err
		}
		*dst = append(*dst, v)
	}
	h.out.A = append(h.out.A, a...)
	h.out.B = append(h.out.B, b...)
	return nil
}

// order says for each sample of a block whether it is arm A's: A B B A, then
// B A A B; or A B, then B A.
func order(block, per int) []bool {
	a := block%2 == 0
	if per == 1 {
		return []bool{a, !a}
	}
	return []bool{a, !a, !a, a}
}

func (h *hand) result() Result {
	return Result{
		Pair: h.pair, Blocks: h.out, Err: h.err, Decided: h.decided,
		CallsA: h.a.operations(), CallsB: h.b.operations(),
	}
}
