package manifest

import (
	"fmt"
	"strings"

	"envelope/internal/measure"
)

// The exit codes of a run, the worst that applies; see ExitCode.
const (
	ExitHeld        = 0   // every claim that this machine can reach held
	ExitFailed      = 1   // a claim failed
	ExitError       = 2   // a measurement could not be made
	ExitUnjudged    = 3   // a claim could not be judged, or no machine claim was
	ExitInterrupted = 130 // the user stopped the run
)

// ExitCode returns the exit code that a run's verdicts lead to. What require
// names (a lab, LAB/CLAIM, or a device) must not be void, nor missing; of a lab or
// device, void claims that another operating system alone can tell are let pass.
// With allowNoisy, claims that are void for noise alone are let pass, but a run in
// which no machine claim was judged at all is not.
func ExitCode(run Run, require []string, allowNoisy bool) int {
	if run.Outcome == Interrupted {
		return ExitInterrupted
	}
	n := map[int]int{}
	for _, l := range run.Labs {
		for _, c := range l.Claims {
			n[ClaimExit(c, allowNoisy)]++
		}
	}
	for _, code := range []int{ExitInterrupted, ExitFailed, ExitError, ExitUnjudged} {
		if n[code] > 0 {
			return code
		}
	}
	if len(Unmet(run, require)) > 0 {
		return ExitUnjudged
	}
	return ExitHeld
}

// Unmet says, a sentence each, what keeps a run without a bad verdict from exit
// 0: a name that was required and not judged, or that no machine claim was
// judged at all.
func Unmet(run Run, require []string) []string {
	var out []string
	machine := false
	for _, l := range run.Labs {
		for _, c := range l.Claims {
			machine = machine || c.Scope == "machine" && c.Verdict != measure.Void
		}
	}
	if !machine {
		out = append(out, "no claim about this machine was judged, so nothing was found out about it")
	}
	for _, name := range require {
		if why := run.unjudged(name); why != "" {
			out = append(out, "--require "+name+": "+why)
		}
	}
	return out
}

// ClaimExit is the exit code that one claim leads to. Void for a precondition has
// none of its own: the claim that it rests on is in the run and counts.
func ClaimExit(c Claim, allowNoisy bool) int {
	switch {
	case c.Verdict == measure.Failed:
		return ExitFailed
	case c.Verdict == measure.Held:
		return ExitHeld
	case c.Reason == measure.Unreachable, c.Reason == measure.Precondition:
		return ExitHeld
	case c.Reason == measure.Noisy && allowNoisy:
		return ExitHeld
	case c.Reason == measure.Noisy, c.Reason == measure.Instrument, c.Reason == measure.Unfit:
		return ExitUnjudged
	case c.Reason == measure.Interrupted:
		return ExitInterrupted
	}
	return ExitError
}

// unjudged says what of the lab, claim or device of that name was not judged, with
// the reasons, or that there is nothing of it; "" where all of it was. A device is
// what stands behind @ in a claim's name.
func (r *Run) unjudged(name string) string {
	labName, claim, one := strings.Cut(name, "/")
	found, judged := false, false
	var void []string
	for _, l := range r.Labs {
		for _, c := range l.Claims {
			device := !one && strings.HasSuffix(c.Name, "@"+name)
			if !device && (l.Name != labName || one && c.Name != claim) {
				continue
			}
			found = true
			switch {
			case c.Verdict != measure.Void:
				judged = true
			case one || c.System == "" || c.System == r.Program.GOOS:
				void = append(void, fmt.Sprintf("%s/%s (%s: %s)", l.Name, c.Name, c.Reason, c.Detail))
			}
		}
	}
	switch {
	case len(void) > 0:
		return "not judged: " + strings.Join(void, "; ")
	case !found:
		return "nothing of it is in this run"
	case !judged:
		return "nothing of it can be told on " + r.Program.GOOS
	}
	return ""
}

// RequiredOf returns what the command line of a run required, and whether it
// let noise pass.
func RequiredOf(command []string) (require []string, allowNoisy bool) {
	for i, arg := range command {
		name, value, has := strings.Cut(arg, "=")
		switch name {
		case "--require":
			if !has && i+1 < len(command) {
				value = command[i+1]
			}
			for name := range strings.SplitSeq(value, ",") {
				if name = strings.TrimSpace(name); name != "" {
					require = append(require, name)
				}
			}
		case "--allow-noisy":
			allowNoisy = !has || value == "true" || value == "1"
		}
	}
	return require, allowNoisy
}
