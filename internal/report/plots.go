package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"

	"envelope/internal/measure"
)

// figure is a drawing with what is said about it.
type figure struct {
	Drawing *drawing
	Title   string
	Keys    []key
	Note    string
}

// key explains a mark of a drawing in words.
type key struct{ Class, Glyph, Text string }

// hues are the classes of a drawing's first, second and further lines, each with
// a dash and a mark of its own.
var hues = []struct {
	class, line string
	shape       shape
}{{"a", "━━", circle}, {"b", "╍╍", triangle}, {"c", "┅┅", square}, {"d", "━ ╸", diamond}}

// distribution draws the shares of two series that are at most so much: one step
// up for each observation.
func distribution(title, unit string, arms ...arm) *figure {
	const left, right, top, bottom = 40, width - 8, 10, 108
	var all []float64
	for _, a := range arms {
		all = append(all, a.samples...)
	}
	x := logarithmic(left, right, 1.5, all...)
	y := scale{low: 0, hi: 1, from: bottom, to: top}
	d := &drawing{Width: width, Height: 144, Title: title}
	d.axisBelow(x, bottom, top, unit)
	for _, share := range []float64{0, 0.5, 1} {
		d.line("grid", left-3, y.at(share), right, y.at(share))
		d.words("label", "end", left-6, y.at(share)+3.5, fmt.Sprintf("%.0f %%", 100*share))
	}
	d.words("label axisname", "end", right, bottom+29, axisName(what(unit), x))
	f := &figure{Drawing: d, Title: title}
	var said []string
	for i, a := range arms {
		h := hues[i%len(hues)]
		d.path("line "+h.class, steps(sortedFinite(a.samples), x, y))
		mid := median(a.samples)
		d.mark(h.class, h.shape, x.at(mid), y.at(0.5), 3.6)
		text := fmt.Sprintf("%s: median %s, n %s", a.name, value(mid, unit), count(len(a.samples)))
		f.Keys = append(f.Keys, key{h.class, h.line + glyphs[h.shape], text})
		said = append(said, text)
	}
	d.Desc = "Share of the observations that are at most so much, by " + axisName(what(unit), x) + ". " + strings.Join(said, "; ") + "."
	return f
}

// arm is a series with its name.
type arm struct {
	name    string
	samples []float64
}

// what names the quantity that a unit measures.
func what(unit string) string {
	switch unit {
	case "s":
		return "time"
	case "B":
		return "bytes"
	case "B/s":
		return "bandwidth"
	case "FLOP/s":
		return "FLOP/s"
	case "1/s":
		return "rate"
	}
	return "number"
}

// steps is the path of an empirical distribution. Steps that would fall on one
// point of the drawing are drawn as one.
func steps(sorted []float64, x, y scale) string {
	if len(sorted) == 0 {
		return ""
	}
	var b strings.Builder
	n := float64(len(sorted))
	fmt.Fprintf(&b, "M%s %sH%s", num(x.from), num(y.at(0)), num(x.at(sorted[0])))
	at, up := x.at(sorted[0]), y.at(0)
	for i, v := range sorted {
		to, share := x.at(v), y.at(float64(i+1)/n)
		if to-at >= 0.4 {
			b.WriteString("V" + num(up) + "H" + num(to))
			at = to
		}
		up = share
	}
	b.WriteString("V" + num(up) + "H" + num(x.to))
	return b.String()
}

// row is one row of a drawing of rows: a name, and observations as ticks about
// their median.
type row struct {
	name    string
	samples []float64
	hue     int
}

// rule is a line across a drawing, at a value that has a name.
type rule struct {
	at   float64
	name string
}

// rows draws series under each other on one scale, which has what the axis says:
// each observation is a tick, the median a mark.
func rows(title, axis, unit string, region *measure.Region, rules []rule, list ...row) *figure {
	const left, right, pitch = 6, width - 6, 30
	var all []float64
	for _, r := range list {
		all = append(all, r.samples...)
	}
	for _, r := range rules {
		all = append(all, r.at)
	}
	if region != nil {
		all = append(all, finiteEnds(*region)...)
	}
	x := logarithmic(left, right, 4, all...)
	if unit == "1" && x.log && x.hi/x.low < 8 {
		x = linear(left, right, all...)
	}
	top := 4 + 13*float64(len(rules))
	bottom := top + float64(len(list))*pitch + 4
	d := &drawing{Width: width, Height: int(bottom) + 34, Title: title}
	if region != nil {
		a, b := ends01(*region, x)
		d.box("region", a, top, b, bottom)
	}
	d.axisBelow(x, bottom, top, unit)
	d.words("label axisname", "end", right, bottom+29, axisName(axis, x))
	for i, r := range rules {
		y := 4 + 13*float64(i)
		d.line("rule", x.at(r.at), y+2, x.at(r.at), bottom)
		anchor, dx := "start", 3.0
		if x.at(r.at) > width/2 {
			anchor, dx = "end", -3.0
		}
		d.words("label", anchor, x.at(r.at)+dx, y+9, r.name+" "+value(r.at, unit))
	}
	var said []string
	for i, r := range list {
		y := top + float64(i)*pitch
		h := hues[r.hue%len(hues)]
		mid := median(r.samples)
		text := fmt.Sprintf("%s: %s, n %s", r.name, value(mid, unit), count(len(r.samples)))
		said = append(said, text)
		d.words("word", "start", left, y+12, text)
		s := sortedFinite(r.samples)
		if len(s) > 0 {
			d.line("span "+h.class, x.at(s[0]), y+21, x.at(s[len(s)-1]), y+21)
		}
		d.path("spike "+h.class, spikes(s, x, y+21))
		d.mark(h.class, h.shape, x.at(mid), y+21, 4)
	}
	d.Desc = "By " + axisName(axis, x) + ", medians: " + strings.Join(said, "; ") + "."
	for _, r := range rules {
		d.Desc += " Line: " + r.name + ", " + value(r.at, unit) + "."
	}
	f := &figure{Drawing: d, Title: title, Note: "Each tick is an observation, the mark their median."}
	if region != nil {
		f.Note += " Shaded is the claim's region."
	}
	return f
}

func spikes(sorted []float64, x scale, y float64) string {
	var b strings.Builder
	last := math.Inf(-1)
	for _, v := range sorted {
		if at := x.at(v); at-last >= 0.4 {
			b.WriteString("M" + num(at) + " " + num(y-4) + "v8")
			last = at
		}
	}
	return b.String()
}

// bar is a bar from zero, in one part or two.
type bar struct {
	name  string
	parts []part
	said  string // behind the name
}

// part of a bar, with its class.
type part struct {
	value float64
	class string
}

// bars draws bars that begin at zero, of what the axis says.
func bars(title, axis, unit string, list ...bar) *figure {
	const left, right, pitch = 6, width - 6, 28
	var all []float64
	for _, b := range list {
		sum := 0.0
		for _, p := range b.parts {
			sum = bounded(sum + max(p.value, 0))
		}
		all = append(all, sum)
	}
	x := upFromZero(left, right, all...)
	bottom := 4 + float64(len(list))*pitch + 4
	d := &drawing{Width: width, Height: int(bottom) + 34, Title: title}
	d.axisBelow(x, bottom, 4, unit)
	d.words("label axisname", "end", right, bottom+29, axisName(axis, x))
	var said []string
	for i, b := range list {
		y := 4 + float64(i)*pitch
		d.words("word", "start", left, y+11, b.name+": "+b.said)
		said = append(said, b.name+": "+b.said)
		from := 0.0
		for _, p := range b.parts {
			to := bounded(from + max(p.value, 0))
			d.box("bar "+p.class, x.at(from), y+15, x.at(to), y+25)
			from = to
		}
	}
	d.Desc = strings.Join(said, "; ") + "."
	return &figure{Drawing: d, Title: title}
}

// curve is a line through points of a plane, or the points alone.
type curve struct {
	name   string
	hue    int
	points []point
	marks  bool // points are marked
	lines  bool // points are joined
	faint  bool // it is a reference and no measurement
}

// point has the ends of its interval, which are its own value where it has none.
type point struct{ x, y, low, high float64 }

// at is a point without an interval.
func at(x, y float64) point { return point{x, y, y, y} }

// plane is what a drawing of curves is told about its axes.
type plane struct {
	title        string
	x, y         string // what they have
	xUnit, yUnit string
	linear       bool // both from zero; otherwise both logarithmic
	rules        []rule
}

// curves draws lines over two axes.
func curves(p plane, list ...curve) *figure {
	const right, top, bottom = width - 10, 20, 196
	var xs, ys []float64
	for _, c := range list {
		for _, pt := range c.points {
			xs, ys = append(xs, pt.x), append(ys, pt.y, pt.low, pt.high)
		}
	}
	for _, r := range p.rules {
		xs = append(xs, r.at)
	}
	y := logarithmic(bottom, top, 2, ys...)
	if p.linear {
		y = upFromZero(bottom, top, ys...)
	}
	left := min(y.labelled(p.yUnit)+8, width/3)
	x := logarithmic(left, right, 2, xs...)
	if p.linear {
		x = upFromZero(left, right, xs...)
	}
	d := &drawing{Width: width, Height: 232, Title: p.title}
	d.axisBelow(x, bottom, top, p.xUnit)
	d.axisLeft(y, left, right, p.yUnit)
	d.words("label axisname", "start", 0, 11, axisName(p.y, y))
	d.words("label axisname", "end", right, bottom+29, axisName(p.x, x))
	for _, r := range p.rules {
		d.line("rule", x.at(r.at), top, x.at(r.at), bottom)
		d.words("label", pick(x.at(r.at) > width/2, "end", "start"), x.at(r.at)+pick(x.at(r.at) > width/2, -4.0, 4.0), bottom-6, r.name)
	}
	f := &figure{Drawing: d, Title: p.title}
	var said []string
	for _, c := range list {
		f.Keys = append(f.Keys, d.curve(c, x, y))
		if c.faint {
			said = append(said, c.name+", for comparison")
			continue
		}
		var at []string
		for _, pt := range c.points {
			at = append(at, value(pt.x, p.xUnit)+": "+value(pt.y, p.yUnit))
		}
		said = append(said, c.name+": "+strings.Join(at, ", "))
	}
	d.Desc = axisName(p.y, y) + ", by " + axisName(p.x, x) + ". " + strings.Join(said, "; ") + "."
	return f
}

// curve draws one curve and returns what explains it.
func (d *drawing) curve(c curve, x, y scale) key {
	h := hues[c.hue%len(hues)]
	class := h.class
	if c.faint {
		class += " faint"
	}
	var path strings.Builder
	for i, p := range c.points {
		fmt.Fprintf(&path, "%s%s %s", pick(i == 0, "M", "L"), num(x.at(p.x)), num(y.at(p.y)))
	}
	if c.lines && len(c.points) > 1 {
		d.path("line "+class, path.String())
	}
	for _, p := range c.points {
		if !c.marks {
			break
		}
		if p.low != p.high {
			d.line("span "+class, x.at(p.x), y.at(p.low), x.at(p.x), y.at(p.high))
		}
		d.mark(class, h.shape, x.at(p.x), y.at(p.y), 3.6)
	}
	glyph := ""
	if c.lines {
		glyph = h.line
	}
	if c.marks {
		glyph += glyphs[h.shape]
	}
	return key{class, glyph, c.name}
}

func median(samples []float64) float64 { return measure.Summarize(samples).P50 }

func count(n int) string { return humanize.Comma(int64(n)) }

// finiteEnds are the ends of a region that bound something.
func finiteEnds(r measure.Region) []float64 {
	var out []float64
	for _, v := range []float64{r.Min, r.Max} {
		if isFinite(v) {
			out = append(out, v)
		}
	}
	return out
}

// ends01 are where a region begins and ends on a scale; an end that does not bound
// is that of the scale.
func ends01(r measure.Region, s scale) (from, to float64) {
	from, to = min(s.from, s.at(0)), s.to
	if !s.zero {
		from = s.from
	}
	if isFinite(r.Min) {
		from = s.at(r.Min)
	}
	if isFinite(r.Max) {
		to = s.at(r.Max)
	}
	if to-from < 3 { // one value, which would not be seen
		from, to = from-1.5, to+1.5
	}
	return from, to
}
