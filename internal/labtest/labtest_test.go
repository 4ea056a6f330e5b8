package labtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// lazy makes the test binary one whose tests start no child.
const lazy = "ENVELOPE_TEST_LAZY"

func TestMain(m *testing.M) {
	machine = driver.Machine{
		Environment: func(string) host.Environment { return host.Environment{} },
		Volatile:    func() host.Volatile { return host.Volatile{} },
		Barrier:     func(*measure.Clock, string, *rand.Rand) (time.Duration, error) { return time.Millisecond, nil },
		Axioms: func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
			return nil, nil
		},
	}
	Main(m, children())
}

// children is a lab with a child, which greets whoever started it.
func children() *lab.Lab {
	l := counting(func(_ context.Context, r *lab.Run) error {
		out, err := r.Child("greet", "you").Output()
		if string(out) != "hello you" {
			return fmt.Errorf("got %q, %w, want a greeting", out, err)
		}
		r.Observe("it-is-counted", 0)
		return nil
	})
	l.Name = "kin"
	l.Children = map[string]func([]string) int{"greet": func(args []string) int { fmt.Print("hello ", args[0]); return 0 }}
	return l
}

// counting is a lab with one exact claim, a control for it, and a claim of
// another lab that it rests on.
func counting(work func(context.Context, *lab.Run) error) *lab.Lab {
	return &lab.Lab{
		Name: "first", Group: lab.Storage, Seconds: 1, Measure: work,
		Claims: []lab.Claim{{
			Name: "it-is-counted", Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0),
			RestsOn: []string{"other/it-is-away"},
		}},
		Controls: []lab.Control{{Name: "sabotage", Breaks: []string{"it-is-counted"}}},
	}
}

// report is what a helper said of a lab to a test that it was given.
type report struct {
	testing.TB
	lines []string
}

func (r *report) Helper() {}
func (r *report) Errorf(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}
func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// reported runs a helper and demands what it said: nothing, or one line with
// each of these.
func reported(t *testing.T, call func(tb testing.TB), want ...string) {
	t.Helper()
	r := &report{TB: t}
	done := make(chan struct{})
	go func() { defer close(done); call(r) }()
	<-done
	if len(r.lines) != len(want) {
		t.Fatalf("got %q, want %q", r.lines, want)
	}
	for i := range want {
		if !strings.Contains(r.lines[i], want[i]) {
			t.Errorf("got %q, want %q in it", r.lines[i], want[i])
		}
	}
}

func TestRun(t *testing.T) {
	seen := uint64(0)
	l := counting(func(_ context.Context, r *lab.Run) error {
		seen = r.Seed
		r.Observe("it-is-counted", 0)
		return nil
	})
	res := Run(t, l, Seed(77))
	if got := res.By["it-is-counted"]; got.Verdict != measure.Held || seen != 77 {
		t.Errorf("got %v with the seed %d, want held with 77: what it rests on is left out", got, seen)
	}
	if len(l.Claims[0].RestsOn) != 1 {
		t.Error("the lab itself was changed")
	}
	reported(t, func(tb testing.TB) {
		Run(tb, counting(func(context.Context, *lab.Run) error { return errors.New("out of paper") }))
	}, "lab first: out of paper")
	reported(t, func(tb testing.TB) { Run(tb, l, Dir("/no/such/dir")) }, "lab first: directory to measure")
}

// A control that does not break its claim is a failure of the test, and so is
// one that leaves it void.
func TestBreaks(t *testing.T) {
	breaking := func(v float64) *lab.Lab {
		return counting(func(_ context.Context, r *lab.Run) error {
			if r.Sabotaged("sabotage") && !math.IsNaN(v) {
				r.Observe("it-is-counted", v)
			}
			return nil
		})
	}
	reported(t, func(tb testing.TB) { Breaks(tb, breaking(1), "sabotage") })
	reported(t, func(tb testing.TB) { Breaks(tb, breaking(0), "sabotage") }, "control sabotage: got it-is-counted held")
	reported(t, func(tb testing.TB) { Breaks(tb, breaking(math.NaN()), "sabotage") }, "got it-is-counted void (error)")
	reported(t, func(tb testing.TB) { Breaks(tb, breaking(1), "typo") }, `lab first has no control "typo"`)

	// A claim about the machine may hold now and then, one about a program may not.
	at := func(try int, scope lab.Scope) *lab.Lab {
		l := counting(func(_ context.Context, r *lab.Run) error {
			try--
			r.Observe("it-is-counted", map[bool]float64{true: 1}[try == 0])
			return nil
		})
		l.Claims[0].Scope = scope
		return l
	}
	reported(t, func(tb testing.TB) { Breaks(tb, at(tries, lab.Machine), "sabotage") })
	reported(t, func(tb testing.TB) { Breaks(tb, at(tries+1, lab.Machine), "sabotage") }, "got it-is-counted held")
	reported(t, func(tb testing.TB) { Breaks(tb, at(1, lab.Program), "sabotage") })
	reported(t, func(tb testing.TB) { Breaks(tb, at(2, lab.Program), "sabotage") }, "got it-is-counted held")
}

func TestParts(t *testing.T) {
	work := func(ctx context.Context, _ *lab.Run) error { return ctx.Err() }
	part := lab.Part{Claim: "it-is-counted", Observe: work}
	l := counting(work)
	reported(t, func(tb testing.TB) { Parts(tb, l, []lab.Part{part}) })
	reported(t, func(tb testing.TB) { Parts(tb, l, nil) }, "it-is-counted is measured by 0 parts of 0, want 1 of 1")
	reported(t, func(tb testing.TB) { Parts(tb, l, []lab.Part{part, part}) }, "measured by 2 parts of 2")
	reported(t, func(tb testing.TB) { Parts(tb, l, []lab.Part{part, {Claim: "other"}}) }, "measured by 1 parts of 2")

	reported(t, func(tb testing.TB) { Cancelled(tb, lab.Config{Lab: l}, []lab.Part{part}) })
	deaf := func(_ context.Context, r *lab.Run) error { r.Observe("it-is-counted", 0); return nil }
	reported(t, func(tb testing.TB) { Cancelled(tb, lab.Config{Lab: counting(deaf)}, nil) }, "got error <nil> and evidence for 1 claims")
	reported(t, func(tb testing.TB) {
		Cancelled(tb, lab.Config{Lab: l}, []lab.Part{{Claim: "it-is-counted", Observe: deaf}})
	}, "it-is-counted: got error <nil>")
}

func TestShape(t *testing.T) {
	check := func(work func(r *lab.Run), want ...string) {
		t.Helper()
		reported(t, func(tb testing.TB) {
			Shape(tb, counting(func(_ context.Context, r *lab.Run) error { work(r); return nil }))
		}, want...)
	}
	check(func(r *lab.Run) { r.Observe("it-is-counted", 0) })
	check(func(r *lab.Run) { r.Void("it-is-counted", measure.Unreachable, "not here") })
	check(func(*lab.Run) {}, "claim it-is-counted: void by an error: the lab did not report on it")
	row := func(r *lab.Run, s lab.Series) { r.Observe("it-is-counted", 0); r.AddSeries(s) }
	check(func(r *lab.Run) { row(r, lab.Series{Name: "it-is-counted", Unit: "1", Samples: []float64{1}}) }, "there are two of that name")
	check(func(r *lab.Run) { row(r, lab.Series{Name: "row", Samples: []float64{1}}) }, `series row: 1 samples, unit ""`)
	check(func(r *lab.Run) { row(r, lab.Series{Name: "row", Unit: "1"}) }, `series row: 0 samples, unit "1"`)
	// What is no number is left out by the run itself, so nothing is left.
	check(func(r *lab.Run) { row(r, lab.Series{Name: "row", Unit: "1", Samples: []float64{math.NaN()}}) }, `series row: 0 samples, unit "1"`)
	check(func(r *lab.Run) { row(r, lab.Series{Name: "row", Unit: "s", Samples: []float64{-1}}) }, "series row: sample -1")
	check(func(r *lab.Run) { row(r, lab.Series{Name: "row", Unit: "1", Samples: []float64{-1}}) })
}

func TestDoc(t *testing.T) {
	const good = "// # Question\n// # Axioms\n// # Division\n// # Measurement\n// # Claims\n//\n// it-is-counted.\n// # Limits\n"
	check := func(doc string, want ...string) {
		t.Helper()
		l := counting(nil)
		l.Doc = doc
		reported(t, func(tb testing.TB) { Doc(tb, l) }, want...)
	}
	check(good)
	check(strings.Replace(good, "// # Division\n", "", 1), `heading "Division" is missing or out of order`)
	check("// # Axioms\n"+strings.Replace(good, "// # Axioms\n", "", 1), `heading "Axioms" is missing or out of order`)
	check(strings.Replace(good, "it-is-counted", "it-is", 1), "does not name claim it-is-counted under Claims")
	check("// it-is-counted\n"+strings.Replace(good, "// it-is-counted.\n", "", 1), "does not name claim it-is-counted under Claims")
}

// A child is this binary again; Main fails a test run that never started one.
func TestChildren(t *testing.T) {
	if os.Getenv(lazy) != "" {
		t.SkipNow()
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	if got := Run(t, children()).By["it-is-counted"]; got.Verdict != measure.Held {
		t.Errorf("got %v (%s), want held", got.Verdict, got.Detail)
	}
}

func TestMainMissesChildren(t *testing.T) {
	if os.Getenv(lazy) != "" {
		t.SkipNow()
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	check := func(want string, code int, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), exe, args...)
		cmd.Env = append(os.Environ(), lazy+"=1", marks+"=", "GORACE=atexit_sleep_ms=0")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = io.Discard, &out
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != code || !strings.Contains(out.String(), want) {
			t.Errorf("%q: got exit code %d (%v), %q; want %d, %q", args, cmd.ProcessState.ExitCode(), err, &out, code, want)
		}
	}
	const missed = "FAIL: child kin/greet was never started by a test"
	check(missed, 1)
	check("", 0, "-test.run=TestDoc") // some of the tests may start none
	check("", 0, "-test.short")
}
