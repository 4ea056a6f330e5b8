package report

import (
	"fmt"
	"math"
	"strings"

	"envelope/internal/measure"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// The marks of verdicts, which tell them apart where colours don't.
var verdicts = map[measure.Verdict]struct {
	class, glyph string
	shape        shape
}{
	measure.Held:   {"held", "✓", circle},
	measure.Failed: {"failed", "✕", cross},
	measure.Void:   {"void", "○", ring},
}

// claimRuler draws a claim's region, and its estimate with both intervals. It is
// nil where there is no estimate.
func claimRuler(c *manifest.Claim) *drawing {
	e := c.Estimate
	if e == nil || e.Value == nil {
		return nil
	}
	region := c.Terms.Region
	values := append(finiteEnds(region), *e.Value)
	for _, v := range []*float64{e.Low, e.High, e.OuterLow, e.OuterHigh} {
		if v != nil {
			values = append(values, *v)
		}
	}
	const y, bottom = 14, 26
	least := 4.0
	if r := region.Max / region.Min; positive(r) && r > 1 {
		least = min(least, r*r) // a narrow region is not to be a line
	}
	s := logarithmic(6, width-6, least, values...)
	if s.zero { // a region that begins at zero has no logarithm
		s = linear(6, width-6, values...)
	}
	d := &drawing{Width: width, Height: 44, Title: "Region and estimate of " + c.Name}
	from, to := ends01(region, s)
	d.box("region", from, 4, to, bottom)
	for _, v := range finiteEnds(region) {
		d.line("bound", s.at(v), 2, s.at(v), bottom)
	}
	d.axisBelow(s, bottom, bottom, c.Unit)
	v := verdicts[c.Verdict]
	if e.OuterLow != nil && e.OuterHigh != nil {
		d.line("outer "+v.class, s.at(*e.OuterLow), y, s.at(*e.OuterHigh), y)
	}
	if e.Low != nil && e.High != nil {
		d.line("inner "+v.class, s.at(*e.Low), y, s.at(*e.High), y)
	}
	d.mark(v.class, v.shape, s.at(*e.Value), y, 5)
	d.Desc = fmt.Sprintf("The region is %s, on a %s scale; the estimate is %s.", typeset.Region(region, c.Unit), pick(s.log, "logarithmic", "linear"), estimateText(c))
	if e.OuterLow != nil && e.OuterHigh != nil {
		d.Desc += fmt.Sprintf(" The interval that failed would rest on is %s to %s.", value(*e.OuterLow, c.Unit), value(*e.OuterHigh, c.Unit))
	}
	return d
}

// estimateText is a claim's estimate with its interval and the number of
// observations.
func estimateText(c *manifest.Claim) string {
	e := c.Estimate
	if e == nil || e.Value == nil {
		return "no estimate"
	}
	text := value(*e.Value, c.Unit)
	if c.Terms.Kind == measure.Exact && e.Low != nil && e.High != nil {
		if *e.Low == *e.High {
			return fmt.Sprintf("%s in all of %s", text, count(e.N))
		}
		return fmt.Sprintf("%s, n %s", typeset.Span(*e.Low, *e.High, c.Unit), count(e.N))
	}
	if e.Low != nil && e.High != nil {
		text += fmt.Sprintf(" (%s to %s)", value(*e.Low, c.Unit), value(*e.High, c.Unit))
	}
	return fmt.Sprintf("%s, n %s", text, count(e.N))
}

// guess is one row of a question's ruler.
type guess struct {
	who       string
	class     string
	shape     shape
	at        float64
	low, high *float64
}

// questionRuler draws what was said of a question, and what was measured, a row
// each on one scale.
func questionRuler(name, unit string, guesses []guess) *drawing {
	var values []float64
	for _, g := range guesses {
		values = append(values, g.at)
		if g.low != nil && g.high != nil {
			values = append(values, *g.low, *g.high)
		}
	}
	const left, pitch = 70, 18
	s := logarithmic(left, width-8, 4, values...)
	bottom := float64(len(guesses))*pitch + 2
	d := &drawing{Width: width, Height: int(bottom) + 18, Title: "Predictions and measurement of " + name}
	d.axisBelow(s, bottom, 2, unit)
	var said []string
	for i, g := range guesses {
		y := 2 + (float64(i)+0.5)*pitch
		d.words("word", "start", 0, y+3.5, g.who)
		text := g.who + " " + value(g.at, unit)
		if g.low != nil && g.high != nil {
			d.line("inner "+g.class, s.at(*g.low), y, s.at(*g.high), y)
			text += fmt.Sprintf(" (%s to %s)", value(*g.low, unit), value(*g.high, unit))
		}
		d.mark(g.class, g.shape, s.at(g.at), y, 4.5)
		said = append(said, text)
	}
	d.Desc = "On a " + pick(s.log, "logarithmic", "linear") + " scale: " + strings.Join(said, ", ") + "."
	return d
}

// calibration draws by what factor each prediction of a run was off, under each
// other.
func calibration(list []*question) *figure {
	const left, right, pitch, top = 6, width - 6, 30, 18
	var scored []*question
	values := []float64{0.5, 2}
	for _, q := range list {
		if q.you == nil || !q.you.scored {
			continue
		}
		scored = append(scored, q)
		values = append(values, q.you.over)
		if q.division != nil && q.division.scored {
			values = append(values, q.division.over)
		}
		for _, v := range []*float64{q.you.overLow, q.you.overHigh} {
			if v != nil {
				values = append(values, *v)
			}
		}
	}
	if len(scored) == 0 {
		return nil
	}
	x := logarithmic(left, right, 10, values...)
	bottom := top + float64(len(scored))*pitch + 2
	d := &drawing{Width: width, Height: int(bottom) + 34, Title: "How far off the predictions were"}
	d.box("region", x.at(0.5), top, x.at(2), bottom)
	d.axisBelow(x, bottom, top, "1")
	d.line("bound", x.at(1), top-2, x.at(1), bottom)
	d.words("label", "middle", x.at(1), 10, "measured")
	d.words("label axisname", "end", right, bottom+29, axisName("predicted / measured", x))
	var said []string
	for i, q := range scored {
		y := top + float64(i)*pitch
		d.words("word", "start", left, y+11, q.Name)
		if q.division != nil && q.division.scored {
			d.mark("b", diamond, x.at(q.division.over), y+20, 4)
		}
		if q.you.overLow != nil && q.you.overHigh != nil {
			d.line("inner a", x.at(*q.you.overLow), y+20, x.at(*q.you.overHigh), y+20)
		}
		d.mark("a", circle, x.at(q.you.over), y+20, 4)
		said = append(said, q.Name+": "+q.you.Off)
	}
	d.Desc = "Predicted over measured, on a logarithmic scale; right is 1. " + strings.Join(said, "; ") + "."
	return &figure{Drawing: d, Title: d.Title, Keys: []key{{"a", "●", "prediction, with its 80 % interval where one was given"}, {"b", "◆", "the division"}},
		Note: "The band holds what is within a factor of two. Exact counts, and what was not measured, have no factor."}
}

// overMeasured is v / measured, if that is a number that can be drawn.
func overMeasured(v, measured float64) (float64, bool) {
	r := v / measured
	return r, positive(v, measured, r) && math.Abs(math.Log10(r)) < 300
}
