package measure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a comparison on a fake clock that logs which arm ran when.
type bench struct {
	fakeTime
	log []string
}

// arm returns an arm that logs its name and takes d, and a little more or less.
func (b *bench) arm(name string, d time.Duration) Arm {
	n := 0
	return Arm{Name: name, Op: func() error {
		n++
		b.log = append(b.log, name)
		b.now += d + time.Duration(n*7919%101)
		return nil
	}}
}

// pair returns a pair whose ratio is about the given one, judged >= 3.
func (b *bench) pair(name string, ratio float64) Pair {
	return Pair{Name: name, Region: AtLeast(3),
		A: b.arm(name+"a", time.Duration(ratio*float64(time.Millisecond))), B: b.arm(name+"b", time.Millisecond)}
}

// options are those of a comparison whose order is always the same.
func (b *bench) options() Options {
	return Options{Clock: b.clock(), Rand: rand.New(rand.NewPCG(1, 2))}
}

func compare(t *testing.T, o Options, pairs []Pair, singles ...Single) ([]Result, []Row) {
	t.Helper()
	results, rows, err := Compare(context.Background(), o, pairs, singles)
	if err != nil {
		t.Fatal(err)
	}
	return results, rows
}

func TestOrderInABlock(t *testing.T) {
	check := func(p Pair, per int, want string) {
		t.Helper()
		b := &bench{}
		p.Name, p.A, p.B, p.Region = "pair", b.arm("A", 3*time.Millisecond), b.arm("B", time.Millisecond), AtLeast(3)
		o := b.options()
		o.MaxBlocks = 2
		results, _ := compare(t, o, []Pair{p})
		if got := strings.Join(b.log, ""); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if r := results[0]; len(r.Blocks.A) != 2*per || len(r.Blocks.B) != 2*per || r.Blocks.Per != per {
			t.Errorf("got %+v, want two blocks of %d each", r.Blocks, per)
		}
	}
	// Warm-up, then a block, twice.
	check(Pair{}, 2, "ABAB"+"ABBA"+"ABAB"+"BAAB")
	check(Pair{Warm: 1}, 2, "AB"+"ABBA"+"AB"+"BAAB")
	check(Pair{Warm: 3}, 2, "ABABAB"+"ABBA"+"ABABAB"+"BAAB")
	check(Pair{Episode: true}, 1, "AB"+"BA")
}

// Each sample lands on its own arm, whatever the order, and warm-up on none.
func TestSamplesOfABlock(t *testing.T) {
	n := 0.0
	next := func() (float64, error) { n++; return n, nil }
	p := Pair{Name: "pair", Region: AtLeast(3),
		A: Arm{Name: "A", Unit: "1", Count: next}, B: Arm{Name: "B", Unit: "1", Count: next}}
	o := (&bench{}).options()
	o.MaxBlocks = 2
	results, _ := compare(t, o, []Pair{p})
	if got, want := results[0].Blocks.A, []float64{5, 8, 14, 15}; !slices.Equal(got, want) {
		t.Errorf("arm A: got %v, want %v", got, want)
	}
	if got, want := results[0].Blocks.B, []float64{6, 7, 13, 16}; !slices.Equal(got, want) {
		t.Errorf("arm B: got %v, want %v", got, want)
	}
	if results[0].Blocks.Clocked {
		t.Error("counts: got clocked blocks")
	}
}

func TestComparisonEnds(t *testing.T) {
	check := func(ratio float64, blocks int, decided bool) {
		t.Helper()
		b := &bench{}
		results, _ := compare(t, b.options(), []Pair{b.pair("p", ratio)})
		r := results[0]
		if got := len(r.Blocks.A) / 2; got != blocks || r.Decided != decided || r.Err != nil {
			t.Errorf("ratio %g: got %d blocks, decided %v (%v), want %d, %v", ratio, got, r.Decided, r.Err, blocks, decided)
		}
	}
	check(9, 16, true)
	check(1, 16, true)
	check(2.7, 512, false)
}

func TestRoundRobin(t *testing.T) {
	b := &bench{}
	o := b.options()
	o.MaxBlocks = 30
	pairs := []Pair{b.pair("p", 2.7), b.pair("q", 2.7), b.pair("r", 2.7)}
	compare(t, o, pairs)
	// A block of a pair is eight runs; a round is one block of each.
	orders := map[string]bool{}
	for round := range slices.Chunk(b.log, 3*8) {
		order := ""
		for block := range slices.Chunk(round, 8) {
			name := block[0][:1]
			for _, run := range block {
				if run[:1] != name {
					t.Fatalf("a block of %s is broken by %s", name, run)
				}
			}
			order += name
		}
		if !strings.Contains(order, "p") || !strings.Contains(order, "q") || !strings.Contains(order, "r") {
			t.Fatalf("round %s: want one block of each pair", order)
		}
		orders[order] = true
	}
	if len(b.log) != 30*3*8 || len(orders) != 6 {
		t.Errorf("got %d runs in orders %v, want 720 in all six", len(b.log), orders)
	}
}

func TestSameSeedSameOrder(t *testing.T) {
	run := func() []string {
		b := &bench{}
		compare(t, b.options(), []Pair{b.pair("p", 9), b.pair("q", 1)}, Single{Arm: b.arm("s", 5), N: 4})
		return b.log
	}
	if !slices.Equal(run(), run()) {
		t.Error("two runs of the same seed took different orders")
	}
}

// A pair that is decided leaves its turns to the others.
func TestDecidedPairIsLeftAlone(t *testing.T) {
	b := &bench{}
	o := b.options()
	o.MaxBlocks = 40
	results, _ := compare(t, o, []Pair{b.pair("p", 9), b.pair("q", 2.7)})
	for i, want := range []int{16, 40} {
		if got := len(results[i].Blocks.A) / 2; got != want {
			t.Errorf("pair %d: got %d blocks, want %d", i, got, want)
		}
	}
}

func TestErrorEndsItsOwnPair(t *testing.T) {
	b := &bench{}
	bad := b.pair("p", 9)
	calls, op := 0, bad.B.Op
	bad.B.Op = func() error {
		if calls++; calls > 15 { // in the fourth block
			return errBroken
		}
		return op()
	}
	results, rows := compare(t, b.options(), []Pair{bad, b.pair("q", 9)},
		Single{Arm: Arm{Name: "s", Op: func() error { return errBroken }}, N: 3}, Single{Arm: b.arm("u", 5), N: 3})
	if p := results[0]; !errors.Is(p.Err, errBroken) || p.Err.Error() != "pb: broken" || len(p.Blocks.A) != 6 || len(p.Blocks.B) != 6 || p.Decided {
		t.Errorf("got %+v, want its error and three whole blocks", p)
	}
	if q := results[1]; q.Err != nil || !q.Decided {
		t.Errorf("the other pair: got decided %v, error %v", q.Decided, q.Err)
	}
	if !errors.Is(rows[0].Err, errBroken) || len(rows[0].Samples) != 0 {
		t.Errorf("single: got %+v, want its error", rows[0])
	}
	if rows[1].Err != nil || len(rows[1].Samples) != 3 {
		t.Errorf("the other single: got %+v, want three samples", rows[1])
	}
}

func TestBudgetEnds(t *testing.T) {
	b := &bench{}
	o := b.options()
	o.Budget = 100 * time.Millisecond
	results, rows := compare(t, o, []Pair{b.pair("p", 2.7)}, Single{Arm: b.arm("s", 5), N: 1 << 30})
	// A block takes a little over 4 * (2.7 + 1) ms, and the last may begin
	// just before the end.
	if got := len(results[0].Blocks.A) / 2; got != 7 || results[0].Decided {
		t.Errorf("got %d blocks, decided %v, want 7 and undecided", got, results[0].Decided)
	}
	if got := len(rows[0].Samples); got == 0 || got > 8 {
		t.Errorf("got %d samples of the single, want one a round", got)
	}
	// It was not decided while it ran; now its time is up, and it is void.
	j := Judge(Terms{Kind: Comparison, Region: AtLeast(3)}, Evidence{Blocks: &results[0].Blocks}, 40e-9)
	judged(t, j, Void, Noisy, "7 blocks when the budget ended")
}

func TestCancel(t *testing.T) {
	b := &bench{}
	ctx, cancel := context.WithCancel(context.Background())
	p := b.pair("p", 2.7)
	calls, op := 0, p.A.Op
	p.A.Op = func() error {
		if calls++; calls == 10 { // in its third block, of four calls each
			cancel()
		}
		return op()
	}
	results, _, err := Compare(ctx, b.options(), []Pair{p, b.pair("q", 2.7)}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	// The block in progress is finished, and nothing begins after it.
	if got := len(results[0].Blocks.A); got != 6 || calls != 12 || b.log[len(b.log)-1][:1] != "p" {
		t.Errorf("got %d samples of %d calls, the last run %s; want 6 of 12, and p's", got, calls, b.log[len(b.log)-1])
	}
	if results[0].Err != nil {
		t.Errorf("got %v: a stop is no error of the arm", results[0].Err)
	}
}

func TestBatchesInAComparison(t *testing.T) {
	f := &fakeTime{}
	arm := func(d time.Duration) Arm {
		return Arm{Name: "arm", Repeat: true, Ops: 4, Op: func() error { f.now += d; return nil }}
	}
	o := Options{Clock: f.clock(), Rand: rand.New(rand.NewPCG(1, 2)), MaxBlocks: 3}
	results, rows := compare(t, o, []Pair{{Name: "p", A: arm(100), B: arm(10), Region: AtLeast(3)}}, Single{Arm: arm(1000), N: 5})
	r := results[0]
	if r.CallsA != 64*4 || r.CallsB != 512*4 || rows[0].Calls != 4*4 {
		t.Errorf("got spans of %d, %d and %d operations, want 256, 2048 and 16", r.CallsA, r.CallsB, rows[0].Calls)
	}
	if a, b := r.Blocks.A[0], r.Blocks.B[0]; math.Abs(a-25e-9) > 1e-15 || math.Abs(b-2.5e-9) > 1e-15 {
		t.Errorf("got samples of %g and %g, want 25 and 2.5 ns an operation", a, b)
	}
}

func TestEpisodesRunOnce(t *testing.T) {
	b := &bench{}
	o := b.options()
	o.MaxBlocks = 4
	p := b.pair("p", 3)
	p.Episode, p.A.Repeat, p.B.Repeat = true, true, true
	p.A.Op, p.B.Op = b.arm("A", 10).Op, b.arm("B", 10).Op
	results, _ := compare(t, o, []Pair{p})
	if len(b.log) != 8 || results[0].CallsA != 1 {
		t.Errorf("got %d runs in spans of %d, want 8 of one", len(b.log), results[0].CallsA)
	}
}

func TestExcess(t *testing.T) {
	b := &bench{}
	p := b.pair("p", 9)
	p.Form, p.Unit, p.Region = Excess, 1e-3, Within(7, 9)
	results, _ := compare(t, b.options(), []Pair{p})
	if got := results[0].Blocks.Observations()[0]; math.Abs(got-8) > 1e-3 || !results[0].Decided {
		t.Errorf("got %g, decided %v, want (9 - 1) ms / 1 ms", got, results[0].Decided)
	}
}

func TestSingles(t *testing.T) {
	b := &bench{}
	prepared := 0
	s := b.arm("s", time.Millisecond)
	s.Before = func() error { prepared++; return nil }
	_, rows := compare(t, b.options(), nil, Single{Arm: s, N: 5}, Single{Arm: b.arm("none", 1)})
	// One warm-up, then one a round.
	if len(rows[0].Samples) != 5 || prepared != 6 || len(b.log) != 6 {
		t.Errorf("got %d samples, %d preparations and %d runs, want 5, 6 and 6", len(rows[0].Samples), prepared, len(b.log))
	}
	if rows[0].Arm.Name != "s" || rows[0].Calls != 1 || len(rows[1].Samples) != 0 {
		t.Errorf("got %+v", rows)
	}
}

func TestSinglesAreWarmedAgain(t *testing.T) {
	b := &bench{}
	compare(t, b.options(), nil, Single{Arm: b.arm("s", time.Millisecond), N: 5, Warm: true})
	if len(b.log) != 10 {
		t.Errorf("%d calls for 5 samples, want 10", len(b.log))
	}
}

func TestGroupsStayTogether(t *testing.T) {
	b := &bench{}
	single := func(name, group string) Single {
		return Single{Arm: b.arm(name, time.Millisecond), N: 8, Group: group}
	}
	compare(t, b.options(), nil, single("x", ""), single("A", "g"), single("y", ""), single("B", "g"), single("z", ""))
	text := strings.Join(b.log, "")
	for _, name := range []string{"A", "B", "x", "y", "z"} {
		text = strings.Replace(text, name, "", 1) // what warmed it
	}
	for round := range 8 {
		want := []string{"AB", "BA"}[round%2]
		if got := text[5*round:][:5]; !strings.Contains(got, want) {
			t.Errorf("round %d: got %s, want %s in it", round, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	check := func(budget time.Duration, ratio float64) {
		t.Helper()
		b := &bench{}
		o := b.options()
		o.Budget = budget
		var last float64
		o.Progress = func(done float64) {
			if math.IsNaN(done) || done < 0 || done > 1 {
				t.Errorf("got %g done", done)
			}
			last = done
		}
		compare(t, o, []Pair{b.pair("p", ratio)}, Single{Arm: b.arm("s", 5), N: 2}, Single{Arm: b.arm("none", 1)})
		if last < 0.9 {
			t.Errorf("budget %v: got %g done at the end", budget, last)
		}
	}
	check(0, 9)
	check(time.Hour, 9)
	check(200*time.Millisecond, 2.7)
}

func TestCompareRefuses(t *testing.T) {
	b := &bench{}
	check := func(change func(*Pair), want string) {
		t.Helper()
		p := b.pair("p", 9)
		change(&p)
		_, _, err := Compare(context.Background(), b.options(), []Pair{p}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	count := func() (float64, error) { return 1, nil }
	check(func(p *Pair) { p.Name = "" }, "a pair has no name")
	check(func(p *Pair) { p.A.Name = "" }, "pair p: an arm has no name")
	check(func(p *Pair) { p.B.Op = nil }, `pair p: arm "pb"`)
	check(func(p *Pair) { p.B = Arm{Name: "b", Count: count, Unit: "1"} }, "different units")
	check(func(p *Pair) { p.B.Unit = "B" }, "different units")
	check(func(p *Pair) { p.A.Unit, p.B = "s", Arm{Name: "b", Count: count, Unit: "s"} }, "different units")
	check(func(p *Pair) { p.Form = Excess }, "a divisor belongs to an excess")
	check(func(p *Pair) { p.Unit = 2 }, "a divisor belongs to an excess")
	check(func(p *Pair) { p.Region = Region{-inf, inf} }, "nothing can fail it")
	check(func(p *Pair) { p.Warm = -1 }, "-1 rounds of warm-up")

	if _, _, err := Compare(context.Background(), b.options(), nil, []Single{{}}); err == nil {
		t.Error("a single without an operation: got no error")
	}
	for _, o := range []Options{{Clock: b.clock()}, {Rand: rand.New(rand.NewPCG(1, 2))}} {
		if _, _, err := Compare(context.Background(), o, nil, nil); err == nil {
			t.Errorf("%+v: got no error", o)
		}
	}
	if len(b.log) != 0 {
		t.Errorf("got %d runs, want none", len(b.log))
	}
}
