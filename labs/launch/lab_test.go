package launch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"
	"envelope/internal/uring"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// What is judged has its samples, and what answers a question is there where its mechanism is.
func TestShape(t *testing.T) {
	res := labtest.Shape(t, Lab)
	have := map[string]bool{}
	for _, s := range res.Record.Series {
		have[s.Name] = true
	}
	for _, c := range res.Claims {
		t.Logf("%s: %v %s %s", c.Name, c.Verdict, c.Reason, c.Detail)
		if c.Verdict != measure.Void && !(have[c.Name+"/a"] && have[c.Name+"/b"]) {
			t.Errorf("%s: %v, and a series of its arms is missing", c.Name, c.Verdict)
		}
	}
	for _, q := range Lab.Questions {
		_, name, _ := strings.Cut(q.Answer.Series, ", ")
		if j := res.By[floor+"@"+name]; j.Reason != measure.Unreachable && !have[q.Answer.Series] {
			t.Errorf("question %s: there is no series %q", q.Name, q.Answer.Series)
		}
	}
}

// Each device by itself: one that is out of reach skips its own test.
func TestControls(t *testing.T) {
	for _, d := range devices {
		one := *Lab
		one.Controls = slices.Clone(Lab.Controls)
		for i := range one.Controls {
			c := &one.Controls[i]
			c.Breaks = slices.DeleteFunc(slices.Clone(c.Breaks), func(claim string) bool { return !strings.HasSuffix(claim, "@"+d.name) })
			t.Run(c.Name+"@"+d.name, func(t *testing.T) { labtest.Breaks(t, &one, c.Name) })
		}
	}
}

// counter is a mechanism that does nothing but write down what it was handed.
type counter struct {
	submissions []string
	fault       error
}

func (c *counter) hand(count, size int) error {
	at := len(c.submissions) - 1
	text := fmt.Sprintf("%d of %d", count, size)
	if at >= 0 && strings.HasSuffix(c.submissions[at], " x "+text) {
		var n int
		fmt.Sscan(c.submissions[at], &n)
		c.submissions[at] = fmt.Sprintf("%d x %s", n+1, text)
	} else {
		c.submissions = append(c.submissions, "1 x "+text)
	}
	return c.fault
}

func (c *counter) close() error { return nil }

// run is one with a control or none, and without a machine.
func run(t *testing.T, control string) *lab.Run {
	c := lab.Config{Lab: Lab, Dir: t.TempDir(), Seed: 1, Control: control, Clock: measure.NewClock(), Budget: 10 * time.Second,
		Environment: &host.Environment{}}
	if control != "" && Lab.Control(control).Dose != nil {
		c.Dose = Lab.Control(control).Dose.Default
	}
	return lab.NewRun(c)
}

// Every arm hands over what its claim says it does: 280 in 280 submissions, or in one.
func TestWhatIsSubmitted(t *testing.T) {
	const alone, mean16 = "280 x 1 of 0", "16 x 280 of 0"
	check := func(control, claim, a, b string, extraA, extraB time.Duration) {
		t.Helper()
		c := &counter{}
		o := &opened{device: byRing, mechanism: c, reads: true, dispatch: 1e-6}
		bench := &bench{Run: run(t, control), weights: memory(t, 64<<20)}
		for _, p := range bench.pairs(o) {
			if p.Claim != claim+"@uring" {
				continue
			}
			for i, want := range []string{a, b} {
				arm, extra := p.A, extraA
				if i == 1 {
					arm, extra = p.B, extraB
				}
				ops := operations
				if want == mean16 {
					ops *= 16
				}
				c.submissions = nil
				if err := arm.Op(); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(c.submissions, ", "); got != want || arm.Extra != extra || arm.Ops != ops {
					t.Errorf("%s %s, arm %d: %d operations in %q and %v, want %d in %q and %v", claim, control, i, arm.Ops, got, arm.Extra, ops, want, extra)
				}
			}
			return
		}
		t.Errorf("there is no pair for %s", claim)
	}
	check("", beats, alone, mean16, 0, 0)
	check(bothAlone, beats, alone, alone, 0, 0)
	check("", divides, "280 x 1 of 16384", "1 x 280 of 16384, 280 x 1 of 0", 0, 0)
	check(delayed, divides, "280 x 1 of 16384", "1 x 280 of 16384, 280 x 1 of 0", 280*6*time.Microsecond, 0)
	check("", floor, "1 x 280 of 131072", "1 x 1 of 0", 0, 0)
	check(sevenExtra, floor, "8 x 280 of 131072", "1 x 1 of 0", 0, 0)
	less, more := "280 x 1 of 8192, 1 x 280 of 16384", "280 x 1 of 16384, 1 x 280 of 8192"
	check("", leaves, less, more, 0, 0)
	check(growing, leaves, less, more, 280*4*time.Microsecond, 280*8*time.Microsecond)
}

// The caller reads as many bytes itself as 280 operations do.
func TestFloorReadsTheSameBytes(t *testing.T) {
	b := &bench{Run: run(t, ""), weights: memory(t, 64<<20)}
	if err := b.bytes().Op(); err != nil {
		t.Fatal(err)
	}
	if got := b.weights.at; got != 280*heavy {
		t.Errorf("it read %d bytes, want %d", got, 280*heavy)
	}
}

// A fault of the mechanism ends an arm.
func TestArmsReportFaults(t *testing.T) {
	c := &counter{fault: errors.New("broken")}
	o := &opened{device: byRing, mechanism: c}
	for _, a := range []measure.Arm{o.alone(0), rounds(3, o.together(0)), after(o.together(0), o.alone(0)), after(o.one(), o.alone(0))} {
		c.submissions = nil
		if err := a.Op(); !errors.Is(err, c.fault) || len(c.submissions) != 1 || !strings.HasPrefix(c.submissions[0], "1 x") {
			t.Errorf("%s: %v after %q, want the fault of the first submission", a.Name, err, c.submissions)
		}
	}
}

func voids(r *lab.Run) (out []string) {
	for name, j := range r.Record().Voids {
		out = append(out, fmt.Sprintf("%s %s: %s", name, j.Reason, j.Detail))
	}
	slices.Sort(out)
	return out
}

// Where nothing can be said to come from memory, empty operations are all there is.
func TestWithoutCachesNothingIsRead(t *testing.T) {
	r := run(t, "")
	if err := measureAll(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		for _, name := range of(d, true) {
			if j := r.Record().Voids[name]; j.Reason != measure.Unreachable {
				t.Errorf("%s: got %v (%s), want void for want of a cache", name, j.Reason, j.Detail)
			}
		}
	}
	if e := r.Record().Evidence[beats+"@thread"]; e.Blocks == nil || len(e.Blocks.A) < 8 {
		t.Errorf("empty operations for a thread: got %+v, want blocks", e.Blocks)
	}
}

// A mechanism that is not to be had voids its own claims, and says why.
func TestMechanismsThatDoNotStart(t *testing.T) {
	check := func(err error, want string) {
		t.Helper()
		r := run(t, "")
		b := &bench{Run: r, barred: map[string]bool{}}
		d := byRing
		d.start = func(*weights, int) (mechanism, error) { return nil, err }
		b.start(d, -1)
		var all []string
		for _, name := range of(byRing, false) {
			all = append(all, name+" "+want)
		}
		slices.Sort(all)
		if diff := cmp.Diff(all, voids(r)); diff != "" || len(b.open) > 0 {
			t.Error(diff)
		}
	}
	check(fmt.Errorf("%w: no kernel", uring.ErrUnavailable), "unreachable: io_uring is out of reach: no kernel")
	check(errors.New("no pipe"), "error: no pipe")

	r := run(t, "")
	b := &bench{Run: r, barred: map[string]bool{}}
	d := byThread
	d.start = func(*weights, int) (mechanism, error) { return &counter{fault: errors.New("broken")}, nil }
	b.start(d, -1)
	if got := voids(r); len(got) != 4 || !strings.HasSuffix(got[0], "error: broken") || len(b.open) > 0 {
		t.Errorf("got %q, want four claims void by the fault of its first operation", got)
	}
}

// A run that is over before it begins says so.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := measureAll(ctx, run(t, "")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context canceled", err)
	}
}

// No candidate gives the answer away, and each derivation is the arithmetic that it shows.
func TestQuestions(t *testing.T) {
	given := func(name string, q axioms.Quantity) axioms.Measured {
		return axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: 9, Method: "given", Bounds: "nothing"}
	}
	set, err := axioms.NewSet(given("system-call", axioms.Seconds(100e-9)), given("thread-handover", axioms.Seconds(3e-6)),
		given("dram-copy", axioms.BytesPerSecond(16384e7)))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{100e-9, 6e-6, 280 * 6.1e-6, 2}
	for i, q := range questions {
		d, err := q.Derive(set)
		if err != nil || !near(d.Value.Value, want[i]) || d.Steps == "" {
			t.Errorf("%s: got %v, %v, %q; want %g", q.Name, d.Value, err, d.Steps, want[i])
		}
		for n, c := range q.Candidates[1:] {
			if before := q.Candidates[n].Value.Value; c.Value.Value < 1.75*before {
				t.Errorf("%s: candidates %g and %g are hardly apart", q.Name, before, c.Value.Value)
			}
		}
	}
}

func near(got, want float64) bool { return got > 0.999*want && got < 1.001*want }

// memory is weights that nobody has written.
func memory(t *testing.T, size int64) *weights {
	t.Helper()
	f, err := unnamed(t.TempDir())
	if err == nil {
		err = f.Truncate(size)
	}
	w := &weights{size: size, target: make([]byte, piece)}
	if err := w.open(f, err); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.close() })
	return w
}

// written is weights of random bytes.
func written(t *testing.T, size int64) *weights {
	t.Helper()
	w := memory(t, size)
	w.source = make([]byte, 1<<20)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range w.source {
		w.source[i] = byte(rng.Uint32())
	}
	if err := w.fill(size); err != nil {
		t.Fatal(err)
	}
	return w
}
