package driver

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// machine stands in for the real one: nothing is measured, nothing is known.
func machine() Machine {
	return Machine{
		Environment: func(string) host.Environment { return host.Environment{} },
		Volatile:    func() host.Volatile { return host.Volatile{} },
		Barrier: func(*measure.Clock, string, *rand.Rand) (time.Duration, error) {
			return time.Millisecond, nil
		},
		Axioms: func(context.Context, *measure.Clock, string, *rand.Rand, time.Duration) ([]axioms.Measured, error) {
			return nil, nil
		},
	}
}

// counted is an exact claim that holds where only 0 was observed.
func counted(name string, restsOn ...string) lab.Claim {
	return lab.Claim{Name: name, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0), RestsOn: restsOn}
}

// compared is a claim on the ratio of two arms that holds from 3 up.
func compared(name string, restsOn ...string) lab.Claim {
	return lab.Claim{Name: name, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(3), RestsOn: restsOn}
}

// fake is a lab with those claims and, for its timing claims, more time than any
// test takes: what is counted here must not depend on the machine's mood.
func fake(name string, work func(ctx context.Context, r *lab.Run) error, claims ...lab.Claim) *lab.Lab {
	return &lab.Lab{Name: name, Group: lab.Storage, Seconds: 100, Measure: work, Claims: claims}
}

// observing is the work of a lab that observes a value for each claim.
func observing(values map[string]float64) func(context.Context, *lab.Run) error {
	return func(_ context.Context, r *lab.Run) error {
		for claim, v := range values {
			r.Observe(claim, v)
		}
		return nil
	}
}

// ratio takes blocks for a claim whose arms always stand in that ratio.
func ratio(ctx context.Context, r *lab.Run, claim string, v float64) error {
	arm := func(name string, v float64) measure.Arm {
		return measure.Arm{Name: name, Unit: "1", Count: func() (float64, error) { return v, nil }}
	}
	return r.Compare(ctx, []lab.Pair{{Claim: claim, Episode: true, A: arm("a", v), B: arm("b", 1)}})
}

// options run all of the labs in a fresh directory.
func options(t testing.TB, labs ...*lab.Lab) Options {
	return Options{All: labs, Select: []string{"all"}, Dir: t.TempDir(), Seed: 1, Machine: machine()}
}

// run runs, and demands that the directory is left as it was found.
func mustRun(t testing.TB, ctx context.Context, o Options) *Result {
	t.Helper()
	res, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	left(t, o.Dir)
	return res
}

// left demands that a directory holds these names and no others.
func left(t testing.TB, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("in the directory (- want, + got):\n%s", diff)
	}
}

// verdicts writes each claim of a result as "held", "failed" or "void (reason)".
func verdicts(res *Result) map[string]string {
	out := map[string]string{}
	for _, l := range res.Labs {
		for _, c := range l.Claims {
			text := c.Verdict.String()
			if c.Verdict == measure.Void {
				text = fmt.Sprintf("void (%s)", c.Reason)
			}
			out[l.Lab.Name+"/"+c.Name] = text
		}
	}
	return out
}

// same demands verdicts.
func same(t testing.TB, res *Result, want map[string]string) {
	t.Helper()
	if got := verdicts(res); !maps.Equal(got, want) {
		t.Errorf("verdicts (- want, + got):\n%s", cmp.Diff(want, got))
	}
}

// detail returns what is said of a claim.
func detail(t testing.TB, res *Result, name string) *Claim {
	t.Helper()
	labName, claim, _ := strings.Cut(name, "/")
	for _, l := range res.Labs {
		for _, c := range l.Claims {
			if l.Lab.Name == labName && c.Name == claim {
				return c
			}
		}
	}
	t.Fatalf("%s is not in the result", name)
	return nil
}

// says demands that a claim's detail contains the text.
func says(t testing.TB, res *Result, name, want string) {
	t.Helper()
	if got := detail(t, res, name).Detail; !strings.Contains(got, want) {
		t.Errorf("%s: got the detail %q, want it to contain %q", name, got, want)
	}
}
