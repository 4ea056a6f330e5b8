package slots

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func testEngine(t testing.TB) *engine {
	t.Helper()
	e := newEngine(rand.New(rand.NewPCG(1, 2)))
	t.Cleanup(func() { e.free() })
	return e
}

func served(t testing.TB, e *engine, p policy, all []request) *schedule {
	t.Helper()
	s := newSchedule(e, p, all)
	if err := s.serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// inBatches is the static scheduler as arithmetic over whole batches.
func inBatches(outputs []int) (c counts) {
	for b := range slices.Chunk(outputs, batch) {
		c.passes += slices.Max(b)
		c.steps += len(b) * slices.Max(b)
		c.tokens += total(b)
	}
	return c
}

// passByPass is the continuous scheduler as a list of what the live requests
// still have to do, one pass after another.
func passByPass(outputs []int, late int) (c counts) {
	waiting, live := slices.Clone(outputs), []int(nil)
	for len(waiting)+len(live) > 0 {
		n := min(batch-len(live), len(waiting))
		for _, o := range waiting[:n] {
			live = append(live, o+late)
		}
		waiting = waiting[n:]
		c.passes++
		c.steps += len(live)
		for i := range live {
			live[i]--
		}
		live = slices.DeleteFunc(live, func(left int) bool { return left == 0 })
	}
	c.tokens = total(outputs)
	return c
}

// The engine's schedules and the simulation against the models, and all of them
// against what no schedule can beat.
func TestSchedulesAgainstModels(t *testing.T) {
	e := testEngine(t)
	rapid.Check(t, func(rt *rapid.T) {
		outputs := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(1, 4), rapid.IntRange(1, 60)), 0, 40).Draw(rt, "outputs")
		all := ofLengths(outputs)
		sim := simulate(all)
		check := func(p policy, simulated, model counts) {
			s := newSchedule(e, p, all)
			if err := s.serve(t.Context()); err != nil {
				rt.Fatal(err)
			}
			if s.counts != model || simulated != model {
				rt.Fatalf("%v of %v: the engine counts %+v, the simulation %+v, want %+v", p, outputs, s.counts, simulated, model)
			}
			checkSpans(rt, s)
		}
		static, continuous := inBatches(outputs), passByPass(outputs, 0)
		check(policy{static: true}, sim.static.counts(), static)
		check(policy{}, sim.continuous.counts, continuous)
		check(policy{late: true}, sim.late.counts, passByPass(outputs, 1))
		most := 0
		if len(outputs) > 0 {
			most = slices.Max(outputs)
		}
		least := max(most, (total(outputs)+batch-1)/batch)
		if c := continuous.passes; c > static.passes || c < least || c > total(outputs)/batch+most {
			rt.Fatalf("%v: %d passes, want at least %d and at most those of static batches, %d, and %d and the longest", outputs, c, least, static.passes, total(outputs)/batch)
		}
	})
}

// checkSpans demands that no two requests are in one slot at once, that they are
// admitted in order, and that all tokens came out.
func checkSpans(t *rapid.T, s *schedule) {
	var until [batch]int
	before := 0
	for i, sp := range s.spans {
		if sp.from < before || sp.from < until[sp.slot] || sp.from+sp.rows > s.passes {
			t.Fatalf("%v: request %d is in slot %d from pass %d to %d of %d; the slot is free from %d, the last admission was at %d",
				s.policy, i, sp.slot, sp.from, sp.from+sp.rows, s.passes, until[sp.slot], before)
		}
		before, until[sp.slot] = sp.from, sp.from+sp.rows
		if len(s.emitted[i]) != s.requests[i].output {
			t.Fatalf("%v: request %d was given %d tokens, want %d", s.policy, i, len(s.emitted[i]), s.requests[i].output)
		}
	}
}

func TestQuestionsTrace(t *testing.T) {
	e := testEngine(t)
	check := func(p policy, want counts) {
		t.Helper()
		if got := served(t, e, p, ofLengths(asked)).counts; got != want {
			t.Errorf("%v: got %+v, want %+v", p, got, want)
		}
	}
	check(policy{static: true}, counts{passes: 120, steps: 960, tokens: 172})
	check(policy{}, counts{passes: 120, steps: 172, tokens: 172})
	check(policy{late: true}, counts{passes: 121, steps: 180, tokens: 172})
}

// A schedule that is served again counts anew and says the same.
func TestServeAgain(t *testing.T) {
	e := testEngine(t)
	all := trace(rand.New(rand.NewPCG(5, 5)), 40)
	s := served(t, e, policy{}, all)
	first, answer := s.counts, slices.Clone(s.emitted[7])
	if err := s.serve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.counts != first || !slices.Equal(s.emitted[7], answer) {
		t.Errorf("the second time %+v and %v, the first %+v and %v", s.counts, s.emitted[7], first, answer)
	}
	if n := testing.AllocsPerRun(3, func() { s.serve(context.Background()) }); n != 0 {
		t.Errorf("serving allocates %v times: a collection may fall into a timed episode", n)
	}
}

// The same prompt gives the same tokens in every slot and company, another
// prompt others, and they don't settle down to a few.
func TestEngine(t *testing.T) {
	e := testEngine(t)
	q := request{id: 9, prompt: 30, output: 150}
	single, err := alone(t.Context(), e, []request{q})
	if err != nil {
		t.Fatal(err)
	}
	for slot := range batch {
		all := trace(rand.New(rand.NewPCG(uint64(slot), 3)), batch)
		all[slot] = q
		for _, p := range []policy{{}, {static: true}, {late: true}} {
			if n := differences(q.output, single[0], served(t, e, p, all).emitted[slot]); n != 0 {
				t.Errorf("in slot %d, %v, %d of %d tokens are others than alone", slot, p, n, q.output)
			}
		}
	}
	for _, other := range []request{{id: 10, prompt: 30, output: 150}, {id: 9, prompt: 31, output: 150}} {
		answer, _ := alone(t.Context(), e, []request{other})
		if n := differences(q.output, single[0], answer[0]); n < q.output/2 {
			t.Errorf("%+v is answered like %+v but for %d tokens", other, q, n)
		}
	}
	seen := map[token]bool{}
	for _, tok := range single[0] {
		seen[tok] = true
	}
	if len(seen) < width/4 {
		t.Errorf("an answer of %d tokens has %d different ones", q.output, len(seen))
	}
}

// A prompt goes in as the sum of its tokens' rows, the last token too.
func TestRead(t *testing.T) {
	e := testEngine(t)
	sum := func(n int) []float64 {
		e.clear(0)
		e.read(0, request{id: 9, prompt: n})
		out := make([]float64, width)
		for i, v := range e.row(0) {
			out[i] = float64(v) * math.Sqrt(float64(max(1, n)))
		}
		return out
	}
	for _, n := range []int{0, 1, 40} {
		short, long, found := sum(n), sum(n+1), 0
		for tok := range width {
			far := 0.0
			for i, v := range e.embedding(token(tok)) {
				far = max(far, math.Abs(long[i]-short[i]-float64(v)))
			}
			if far < 1e-4 {
				found++
			}
		}
		if found != 1 {
			t.Errorf("what token %d adds is the row of %d tokens, want one", n+1, found)
		}
	}
}

// A pass is the product that it says: against float64, row by row.
func TestPass(t *testing.T) {
	e := testEngine(t)
	w := make([]float64, width*width)
	for c := range width { // the packed weights, one column after another
		clear(e.in)
		e.in[c] = 1
		e.weights.Mul(e.out, e.in, 1, 1)
		for r := range width {
			w[r*width+c] = float64(e.out[r])
		}
	}
	for slot := range batch {
		e.clear(slot)
		e.read(slot, request{id: uint64(slot), prompt: 1 + 3*slot})
	}
	slots := []int{6, 1, 3}
	var want [][]float64
	for _, slot := range slots {
		y := make([]float64, width)
		for r := range y {
			for c, v := range e.row(slot) {
				y[r] += w[r*width+c] * float64(v)
			}
		}
		want = append(want, y)
	}
	untouched := slices.Clone(e.row(2))
	for i, got := range e.pass(slots) {
		best := slices.Index(want[i], slices.Max(want[i]))
		if int(got) != best {
			t.Errorf("slot %d: got token %d, want %d", slots[i], got, best)
		}
		for c, v := range e.row(slots[i]) {
			next := want[i][c]/(1+math.Abs(want[i][c])) + float64(e.embedding(got)[c])
			if math.Abs(float64(v)-next) > 1e-4 {
				t.Fatalf("slot %d: element %d is %v, want %v", slots[i], c, v, next)
			}
		}
	}
	if !slices.Equal(untouched, e.row(2)) {
		t.Error("a pass changed a slot that was not in it")
	}
}

func TestDifferences(t *testing.T) {
	check := func(want, n int, answers ...[]token) {
		t.Helper()
		if got := differences(n, answers...); got != want {
			t.Errorf("%v of %d: got %d differences, want %d", answers, n, got, want)
		}
	}
	a := []token{1, 2, 3}
	check(0, 3, a, a, a)
	check(1, 3, a, []token{1, 9, 3}, a)
	check(1, 3, a, a, []token{1, 2, 9})
	check(2, 3, a, []token{9, 2, 3}, []token{1, 2, 9})
	check(1, 3, a, a, a[:2])
	check(1, 3, a[:2], a, a)
	check(1, 3, a[:2], a[:2], a[:2]) // all are short of one
	check(1, 3, a, a, []token{1, 2, 3, 4})
}

func TestLengths(t *testing.T) {
	if d := cmp.Diff([]int{8, 2, 1, 1}, lengths(4)); d != "" {
		t.Errorf("four lengths (-want +got):\n%s", d)
	}
	all := lengths(requests)
	for _, k := range []int{1, 2, 4, 10, 50, 200, 201} {
		n := 0
		for _, l := range all {
			if l >= k {
				n++
			}
		}
		if want := float64(requests) / float64(k); k <= longest && math.Abs(float64(n)-want) > 1 || k > longest && n > 0 {
			t.Errorf("%d of %d lengths are %d or more, want about %.1f, and none over %d", n, requests, k, want, longest)
		}
	}
}

// Against every subset of a few lengths.
func TestMeanLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 9).Draw(t, "lengths")
		sum, n := 0, 0
		for i := range l {
			for j := range i {
				for k := range j {
					sum += max(l[i], l[j], l[k])
					n++
				}
			}
		}
		if got, want := meanLongest(l, 3), float64(sum)/float64(n); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%v: got %v, want %v", l, got, want)
		}
	})
}

func TestShades(t *testing.T) {
	check := func(used, held int, want byte) {
		t.Helper()
		if got := shade(used, held); got != want {
			t.Errorf("%d of %d: got %q, want %q", used, held, got, want)
		}
	}
	check(0, 0, ' ')
	check(0, 6, '.')
	check(2, 6, '.')
	check(3, 6, '+')
	check(4, 6, '+')
	check(5, 6, '#')
	check(1, 1, '#')
}

func TestPicture(t *testing.T) {
	rows := picture(served(t, testEngine(t), policy{static: true}, ofLengths(asked)), 2)
	if len(rows) != batch+1 {
		t.Fatalf("got %d lines, want one for each slot and the scale", len(rows))
	}
	want := [][]string{
		{"slot 1", "|##+.........................................................|"},
		{"slot 4", "|############################################################|"},
		{"", "                                                   120 passes"},
	}
	for i, at := range []int{0, 3, batch} {
		if d := cmp.Diff(want[i], rows[at]); d != "" {
			t.Errorf("line %d (-want +got):\n%s", at, d)
		}
	}
	// The second of two batches begins in the middle.
	again := served(t, testEngine(t), policy{static: true}, ofLengths(slices.Concat(asked, asked)))
	for i, line := range map[int]string{3: "##############################", 4: "##............................"} {
		slot := again.spans[batch+i].slot
		if got := picture(again, 4)[slot][1][31:61]; got != line {
			t.Errorf("request %d, in slot %d: got %q, want %q", batch+i, slot+1, got, line)
		}
	}
}
