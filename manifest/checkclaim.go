package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"envelope/internal/measure"
)

// Floating-point contraction may differ in the last bits between the machine
// that judged and the one that judges again.
const tolerance = 1e-9

// claimChecker judges one claim again.
type claimChecker struct {
	*labChecker
	claim *Claim
	path  string
}

func (c *claimChecker) check() {
	name := c.lab.Name + "/" + c.claim.Name
	versions := c.methods[name]
	m, ok := versions[c.claim.Version]
	switch {
	case len(versions) == 0:
		c.add(c.path+".name", "%s is not known to this version of envelope: its verdict can't be judged again", name)
		return
	case !ok:
		c.add(c.path+".version", "%d is not known to this version of envelope, which knows %s: its verdict can't be judged again",
			c.claim.Version, known(versions))
		return
	}
	c.method(m)
	c.preconditions(m)
	switch {
	case c.claim.Evidence == nil:
		c.unobserved(m)
	default:
		c.judge(m)
	}
}

// method compares the claim's terms with those that its version was published
// with.
func (c *claimChecker) method(m Method) {
	if got, want := describeTerms(c.claim.Terms), describeTerms(m.Terms); got != want {
		c.add(c.path+".terms", "%s in the file, %s in version %d of the method", printable(got), want, c.claim.Version)
	}
	if c.claim.Unit != m.Unit {
		c.add(c.path+".unit", "%q in the file, %q in version %d of the method", c.claim.Unit, m.Unit, c.claim.Version)
	}
	if c.claim.Scope != m.Scope {
		c.add(c.path+".scope", "%q in the file, %q in version %d of the method", c.claim.Scope, m.Scope, c.claim.Version)
	}
	if c.claim.System != m.System && c.claim.System != "" { // without it, it is let off nothing
		c.add(c.path+".system", "%q in the file, %q in version %d of the method", c.claim.System, m.System, c.claim.Version)
	}
	if goos := c.Program.GOOS; c.claim.Verdict != measure.Void && m.System != "" && m.System != goos {
		c.add(c.path+".verdict", "%s in the file, of what %s alone can tell; the run was on %s", c.verdict(), m.System, printable(goos))
	}
	if !slices.Equal(c.claim.RestsOn, m.RestsOn) {
		c.add(c.path+".rests_on", "[%s] in the file, [%s] in version %d of the method",
			printable(strings.Join(c.claim.RestsOn, " ")), strings.Join(m.RestsOn, " "), c.claim.Version)
	}
}

// describeTerms writes terms as results.json has them.
func describeTerms(t measure.Terms) string {
	text, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// preconditions checks the verdict against those of the claims that it rests
// on.
func (c *claimChecker) preconditions(m Method) {
	unmet := ""
	for _, name := range m.RestsOn {
		on := c.verdicts[name]
		switch {
		case on == nil:
			c.add(c.path+".rests_on", "%s is not in the run", name)
			return
		case on.Verdict == measure.Failed:
			unmet = name + " failed"
		case on.Verdict == measure.Void:
			unmet = fmt.Sprintf("%s is void (%s)", name, on.Reason)
		}
	}
	reason, unfit := c.Environment.Target.Unfit()
	switch {
	case c.claim.Verdict != measure.Void && unmet != "":
		c.add(c.path+".verdict", "%s in the file, void (precondition): %s", c.verdict(), unmet)
	case c.claim.Reason == measure.Precondition && unmet == "":
		c.add(c.path+".reason", "precondition in the file, but all that it rests on held")
	case c.claim.Reason == measure.Unfit && !unfit:
		c.add(c.path+".reason", "unfit in the file, but the environment knows nothing against the directory")
	case c.claim.Verdict != measure.Void && unfit && m.Syncs:
		c.add(c.path+".verdict", "%s in the file, void (unfit): %s", c.verdict(), printable(reason))
	case c.claim.Reason == measure.Interrupted && c.Outcome != Interrupted:
		c.add(c.path+".reason", "interrupted in the file, but the run was complete")
	}
}

// unobserved checks a claim that was void before anything could be judged.
func (c *claimChecker) unobserved(m Method) {
	switch {
	case c.claim.Verdict != measure.Void:
		c.add(c.path+".verdict", "%s in the file, but it has no evidence", c.verdict())
	case c.claim.Estimate != nil:
		c.add(c.path+".estimate", "an estimate without evidence")
	case c.claim.Retest != nil:
		c.add(c.path+".retest", "a retest without a first measurement")
	}
}

// judge applies the method to the samples in the file, and compares.
func (c *claimChecker) judge(m Method) {
	first, ok := c.again(m, c.claim.Evidence, ".evidence")
	if !ok {
		return
	}
	want := first
	switch {
	case c.claim.Retest != nil && first.Verdict != measure.Failed:
		c.add(c.path+".retest", "a retest of what had not failed: it is %s judged from its samples", describe(first))
		return
	case c.claim.Retest != nil:
		second, ok := c.again(m, c.claim.Retest, ".retest")
		if !ok {
			return
		}
		want = measure.Retest(first, second)
	case first.Verdict == measure.Failed && m.Terms.Kind == measure.Comparison && c.Outcome == Complete:
		// It failed, and was measured again with nothing to show for it.
		want = measure.Retest(first, measure.VoidFor(measure.Error, "not measured"))
	}
	if c.beyondSamples(want) {
		return
	}
	if c.claim.Verdict != want.Verdict {
		c.add(c.path+".verdict", "%s in the file, %s judged from its samples", c.verdict(), describe(want))
		return
	}
	if c.claim.Reason != want.Reason {
		c.add(c.path+".reason", "%s in the file, %s judged from its samples", c.claim.Reason, want.Reason)
		return
	}
	c.estimate(want.Estimate)
}

// beyondSamples reports whether the claim is void for something that its
// samples don't tell, and rightly: then there is no estimate.
func (c *claimChecker) beyondSamples(want measure.Judgement) bool {
	var ok bool
	switch c.claim.Reason {
	case measure.Precondition:
		ok = true // preconditions has looked into it
	case measure.Interrupted:
		ok = c.Outcome == Interrupted
	case measure.Unreachable, measure.Unfit, measure.Error:
		ok = want.Verdict == measure.Void && want.Reason != c.claim.Reason
	case measure.Instrument:
		ok = want.Verdict != measure.Void && c.claim.Evidence.clocked() && c.clockChanged()
	}
	if ok && c.claim.Estimate != nil {
		c.add(c.path+".estimate", "an estimate of what is void (%s)", c.claim.Reason)
	}
	return ok
}

// clockChanged reports whether the kernel changed its clock source in the run.
func (c *claimChecker) clockChanged() bool {
	before, ok1 := c.Environment.Load.ClockSource.Get()
	after, ok2 := c.EnvironmentEnd.ClockSource.Get()
	return ok1 && ok2 && before != after
}

// estimate compares the interval in the file with the one that was computed.
func (c *claimChecker) estimate(want *measure.Estimate) {
	got, again := c.claim.Estimate, NewEstimate(want)
	if got == nil || again == nil {
		if got != again {
			c.add(c.path+".estimate", "%s in the file, %s computed from its samples", isNull(got), isNull(again))
		}
		return
	}
	for _, f := range []struct {
		name      string
		got, want *float64
	}{
		{"value", got.Value, again.Value}, {"low", got.Low, again.Low}, {"high", got.High, again.High},
		{"outer_low", got.OuterLow, again.OuterLow}, {"outer_high", got.OuterHigh, again.OuterHigh},
		{"confidence", &got.Confidence, &again.Confidence},
	} {
		if !equal(f.got, f.want, tolerance) {
			c.add(c.path+".estimate."+f.name, "%s in the file, %s computed from its samples", number(f.got), number(f.want))
		}
	}
	if got.N != again.N {
		c.add(c.path+".estimate.n", "%d in the file, %d computed from its samples", got.N, again.N)
	}
}

func isNull(e *Estimate) string {
	if e == nil {
		return "null"
	}
	return "an estimate"
}

// verdict is the claim's verdict as the file has it.
func (c *claimChecker) verdict() string {
	return describe(measure.Judgement{Verdict: c.claim.Verdict, Reason: c.claim.Reason})
}

func describe(j measure.Judgement) string {
	if j.Verdict == measure.Void {
		return fmt.Sprintf("void (%s)", j.Reason)
	}
	return j.Verdict.String()
}
