package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"envelope/internal/measure"
)

func TestExitCode(t *testing.T) {
	claim := func(scope string, v measure.Verdict, r measure.Reason) Claim {
		return Claim{Name: fmt.Sprintf("c%d%s", v, r), Scope: scope, Verdict: v, Reason: r}
	}
	held := claim("machine", measure.Held, "")
	failed := claim("machine", measure.Failed, "")
	void := func(r measure.Reason) Claim { return claim("machine", measure.Void, r) }
	check := func(name string, want int, allowNoisy bool, require []string, claims ...Claim) {
		t.Helper()
		run := Run{Outcome: Complete, Labs: []Lab{{Name: "x", Claims: claims}}}
		if got := ExitCode(run, require, allowNoisy); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
		run.Outcome = Interrupted
		if got := ExitCode(run, require, allowNoisy); got != ExitInterrupted {
			t.Errorf("%s, interrupted: got %d, want 130", name, got)
		}
	}
	check("held", 0, false, nil, held)
	check("nothing", 3, false, nil)
	check("program claims alone", 3, false, nil, claim("program", measure.Held, ""))
	check("failed", 1, false, nil, held, failed)
	check("failed before error", 1, false, nil, void(measure.Error), failed, void(measure.Noisy))
	check("unreachable", 0, false, nil, held, void(measure.Unreachable))
	check("precondition", 0, false, nil, held, void(measure.Precondition))
	check("noisy", 3, false, nil, held, void(measure.Noisy))
	check("noisy, allowed", 0, true, nil, held, void(measure.Noisy))
	check("all noisy, allowed", 3, true, nil, void(measure.Noisy))
	check("instrument, noise allowed", 3, true, nil, held, void(measure.Instrument))
	check("unfit", 3, false, nil, held, void(measure.Unfit))
	check("error", 2, false, nil, held, void(measure.Error), void(measure.Noisy))
	check("no reason at all", 2, false, nil, held, void(""))
	check("interrupted claim", 130, false, nil, held, void(measure.Interrupted))
	check("required lab", 0, false, []string{"x"}, held)
	check("required lab with a void claim", 3, false, []string{"x"}, held, void(measure.Unreachable))
	check("required claim beside it", 0, false, []string{"x/c1"}, held, void(measure.Unreachable))
	check("required claim", 3, false, []string{"x/c0unreachable"}, held, void(measure.Unreachable))
	check("required noise, allowed", 3, true, []string{"x"}, held, void(measure.Noisy))
	check("required device that is not there", 3, false, []string{"gpu0"}, held)
}

// A lab that is required lets a claim pass that another system alone can tell, and
// no other void; the claim itself, if it is named, does not pass.
func TestExitCodeElsewhere(t *testing.T) {
	void := func(name, system string, r measure.Reason) Claim {
		return Claim{Name: name, System: system, Scope: "machine", Verdict: measure.Void, Reason: r, Detail: "because"}
	}
	held := Claim{Name: "held@cpu-1", Scope: "machine", Verdict: measure.Held}
	away, here := void("away@cpu-1", "darwin", measure.Unreachable), void("here", "linux", measure.Unreachable)
	check := func(name string, want int, says string, require string, claims ...Claim) {
		t.Helper()
		run := Run{Outcome: Complete, Program: Program{GOOS: "linux"}, Labs: []Lab{{Name: "x", Claims: claims},
			{Name: "y", Claims: []Claim{{Name: "c", Scope: "machine", Verdict: measure.Held}}}}}
		if got := ExitCode(run, []string{require}, false); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
		if got := strings.Join(Unmet(run, []string{require}), "; "); got != says {
			t.Errorf("%s: got %q, want %q", name, got, says)
		}
	}
	check("lab", 0, "", "x", held, away)
	check("device", 0, "", "cpu-1", held, away)
	check("claim", 3, "--require x/away@cpu-1: not judged: x/away@cpu-1 (unreachable: because)", "x/away@cpu-1", held, away)
	check("of this system", 3, "--require x: not judged: x/here (unreachable: because)", "x", held, away, here)
	check("of any", 3, "--require x: not judged: x/any (precondition: because); x/here (unreachable: because)", "x",
		held, void("any", "", measure.Precondition), here)
	check("all of another", 3, "--require x: nothing of it can be told on linux", "x", away)
	check("not there", 3, "--require z: nothing of it is in this run", "z", held)
}

func TestRequiredOf(t *testing.T) {
	check := func(line string, want []string, allow bool) {
		t.Helper()
		got, gotAllow := RequiredOf(strings.Fields(line))
		if !slices.Equal(got, want) || gotAllow != allow {
			t.Errorf("%s: got %v and %v, want %v and %v", line, got, gotAllow, want, allow)
		}
	}
	check("envelope run barrier", nil, false)
	check("envelope run --require a,b/c --allow-noisy", []string{"a", "b/c"}, true)
	check("envelope run --require=a --require b", []string{"a", "b"}, false)
	check("envelope run --allow-noisy=false --require", nil, false)
}
