package manifest

import (
	"fmt"
	"slices"

	"envelope/internal/measure"
)

// again judges evidence of the file anew. It reports false, having said why,
// where the evidence is not what the method asks for.
func (c *claimChecker) again(m Method, e *Evidence, field string) (measure.Judgement, bool) {
	evidence, ok := c.evidence(m, e, c.path+field)
	if !ok {
		return measure.Judgement{}, false
	}
	overhead, known := c.Environment.Clock.Overhead.Get()
	if e.clocked() && !known {
		c.add(c.path+field+".clocked", "the environment does not say what reading the clock cost: its verdict can't be judged again")
		return measure.Judgement{}, false
	}
	return measure.Judge(m.Terms, evidence, overhead), true
}

// evidence collects the samples that evidence names.
func (c *claimChecker) evidence(m Method, e *Evidence, path string) (measure.Evidence, bool) {
	var out measure.Evidence
	if kind := e.kind(); kind != "" && kind != m.Terms.Kind {
		c.add(path, "is that of a claim of the kind %s, but the claim is of the kind %s", kind, m.Terms.Kind)
		return out, false
	}
	ok := true
	switch e.kind() {
	case measure.Exact:
		var s *Series
		s, ok = c.named(e.Values, path+".values")
		out.Values = samples(s)
	case measure.Binomial:
		if ok = e.Successes != nil && e.Trials != nil; !ok {
			c.add(path, "has successes or trials, but not both")
			return out, false
		}
		out.Trials = measure.Trials{Successes: *e.Successes, N: *e.Trials}
	case measure.Comparison:
		if len(e.Parts) > 0 {
			break
		}
		a, ok1 := c.named(e.A, path+".a")
		b, ok2 := c.named(e.B, path+".b")
		ok = ok1 && ok2
		if ok {
			out.CallsA, out.CallsB = a.Calls, b.Calls
			out.Blocks = &measure.Blocks{A: a.Samples, B: b.Samples, Per: e.Per, Form: m.Terms.Form, Unit: e.Divisor, Clocked: e.Clocked}
			ok = c.arms(e, a, b, path)
		}
	}
	for i, p := range e.Parts {
		part, sound := c.part(m, p, fmt.Sprintf("%s.parts[%d]", path, i))
		out.Parts, ok = append(out.Parts, part), ok && sound
	}
	if e.GuardA != "" || e.GuardB != "" {
		a, ok1 := c.named(e.GuardA, path+".guard_a")
		b, ok2 := c.named(e.GuardB, path+".guard_b")
		ok = ok && ok1 && ok2
		if ok1 && ok2 {
			out.Guard = &measure.Blocks{A: a.Samples, B: b.Samples, Per: e.GuardPer, Form: measure.Ratio, Clocked: e.GuardClocked}
		}
	}
	return out, ok
}

// part collects the samples of one of several pairs of arms.
func (c *claimChecker) part(m Method, p Part, path string) (measure.Part, bool) {
	a, ok1 := c.named(p.A, path+".a")
	b, ok2 := c.named(p.B, path+".b")
	if !ok1 || !ok2 {
		return measure.Part{}, false
	}
	out := measure.Part{
		Name: p.Name, CallsA: a.Calls, CallsB: b.Calls,
		Blocks: measure.Blocks{A: a.Samples, B: b.Samples, Per: p.Per, Form: m.Terms.Form, Unit: p.Divisor, Clocked: p.Clocked},
	}
	return out, c.arms(&Evidence{Per: p.Per, Divisor: p.Divisor, Clocked: p.Clocked}, a, b, path)
}

// kind tells of which kind of claim the evidence is, "" where it is of none: a
// guard alone, of arms that could not be measured.
func (e *Evidence) kind() measure.Kind {
	switch {
	case e.A != "" || e.B != "" || len(e.Parts) > 0:
		return measure.Comparison
	case e.Successes != nil || e.Trials != nil:
		return measure.Binomial
	case e.Values != "":
		return measure.Exact
	}
	return ""
}

// clocked reports whether any of the samples are times.
func (e *Evidence) clocked() bool {
	return e.Clocked || slices.ContainsFunc(e.Parts, func(p Part) bool { return p.Clocked })
}

// arms checks that two arms can be compared at all.
func (c *claimChecker) arms(e *Evidence, a, b *Series, path string) bool {
	switch {
	case a.Unit != b.Unit:
		c.add(path+".b", "its unit is %q, that of a is %q", b.Unit, a.Unit)
	case e.Per < 1:
		c.add(path+".per", "%d samples of each arm in a block", e.Per)
	case c.claim.Terms.Form.Divides() != (e.Divisor > 0):
		c.add(path+".divisor", "%v: a divisor belongs to an excess or an extra, and to nothing else", e.Divisor)
	case e.Clocked && !(timed(a) && timed(b)):
		c.add(path+".clocked", "its arms were not timed")
	case !e.Clocked && a.Unit == "s" && a.Calls > 0:
		c.add(path+".clocked", "its arms were timed, so it is to be judged as times are")
	case e.Per > 2:
		c.add(path+".per", "%d samples of each arm in a block: there are one or two", e.Per)
	default:
		return true
	}
	return false
}

// timed reports whether a series can be of timed calls. An arm that never got
// its turn has none.
func timed(s *Series) bool { return s.Unit == "s" && (s.Calls > 0 || s.N == 0) }

// named returns a series of the lab.
func (c *claimChecker) named(name, path string) (*Series, bool) {
	if s := c.series[name]; s != nil {
		return s, true
	}
	c.add(path, "the lab has no series %q", printable(name))
	return nil, false
}

func samples(s *Series) []float64 {
	if s == nil {
		return nil
	}
	return s.Samples
}
