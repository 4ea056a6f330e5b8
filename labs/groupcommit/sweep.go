package groupcommit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// swept are the loads of the picture, in arrivals to an fsync time.
var swept = []float64{0.5, 1, 2, 4, 8, 16, 32}

// line is one policy of the picture.
type line struct {
	mark   rune
	name   string
	policy policy
}

func lines(f time.Duration) []line {
	return []line{
		{'c', "fixed count of 64", policy{count: large}},
		{'w', "fixed window of 4 F", policy{window: held * f}},
		{'h', "adaptive, held open for 4 F", policy{hold: held * f}},
		{'a', "adaptive", policy{}},
	}
}

// point is one episode of the picture, with what the twin makes of the same
// arrivals and the same fsyncs.
type point struct {
	load                 float64 // arrivals to an fsync time
	batch, twinBatch     float64
	latency, twinLatency float64 // p50, in fsync times
}

// arrivals is how many an episode of the picture has: about 24 fsync times of
// them, and whole batches where they are counted.
func (l line) arrivals(load float64) int {
	n := int(max(12, 24*load))
	if c := l.policy.count; c > 0 {
		n = (n + c - 1) / c * c
	}
	return n
}

// sweepCost is the time that the picture takes, about.
func sweepCost(f time.Duration) time.Duration {
	var sum float64
	for _, l := range lines(f) {
		for _, load := range swept {
			sum += float64(l.arrivals(load))/load + 2
		}
	}
	return time.Duration(sum * float64(f))
}

// timeOf is a time as people read it.
func timeOf(d time.Duration) axioms.Quantity { return axioms.Seconds(d.Seconds()) }

// sweep plays every policy under every load once, and draws what came of it.
func (b *bench) sweep() error {
	if b.Wanted != nil && len(b.Wanted) < len(b.Lab.Claims) {
		return nil
	}
	f := b.low.median()
	if cost := sweepCost(f); b.Budget > 0 && cost > b.Budget/4 {
		b.Note("no picture: on this disk its episodes would take %s", timeOf(cost))
		return nil
	}
	defer b.Watch()()
	points := map[rune][]point{}
	end := b.Clock.Now() + max(2*sweepCost(f), b.Budget/8)
	for _, load := range swept {
		if load/f.Seconds() > fastest {
			break
		}
		for _, l := range lines(f) {
			if b.Clock.Now() > end {
				b.Note("the picture is not whole: its fsyncs took much longer than those before")
				b.draw(f, points)
				return nil
			}
			p, err := b.point(l, load, f)
			if _, ok := err.(errMissed); ok {
				continue
			}
			if err != nil {
				return err
			}
			points[l.mark] = append(points[l.mark], p)
		}
	}
	b.draw(f, points)
	return nil
}

func (b *bench) point(l line, perFsync float64, f time.Duration) (point, error) {
	o, err := b.episode(load{policy: l.policy, perSecond: perFsync / f.Seconds(), n: l.arrivals(perFsync)})
	if err != nil {
		return point{}, err
	}
	twin := o.twin()
	return point{
		load: perFsync, batch: meanBatch(o.batches), twinBatch: meanBatch(twin),
		latency: o.p50() / f.Seconds(), twinLatency: measure.Summarize(waits(o.intended, twin)).P50 / f.Seconds(),
	}, nil
}

// twin plays the episode again in virtual time: the same arrivals, and batches
// that keep the committer as long as they did.
func (o *outcome) twin() []batch {
	handed := slices.Sorted(slices.Values(o.handed))
	return o.load.policy.twin(handed, func(i, _ int) time.Duration {
		b := o.batches[min(i, len(o.batches)-1)]
		return b.ended - b.closed
	})
}

// draw makes the table and the two pictures.
func (b *bench) draw(f time.Duration, points map[rune][]point) {
	t := lab.Table{Title: fmt.Sprintf("policies by load, F = %s; in brackets what virtual time makes of the same fsyncs", timeOf(f)),
		Header: []string{"arrivals in F", "policy", "records an fsync", "p50 in F"}}
	var measured, twins, loads, policies, batches []float64
	for i := range swept {
		for j, l := range lines(f) {
			for _, p := range points[l.mark] {
				if p.load != swept[i] {
					continue
				}
				measured, twins = append(measured, p.latency), append(twins, p.twinLatency)
				// An episode may be left out, so that its place tells neither load nor policy.
				loads, policies, batches = append(loads, p.load), append(policies, float64(j)), append(batches, p.batch)
				if i%2 == 0 { // every other load is enough for a table
					t.Rows = append(t.Rows, []string{fmt.Sprint(p.load), l.name,
						fmt.Sprintf("%.1f (%.1f)", p.batch, p.twinBatch), fmt.Sprintf("%.1f (%.1f)", p.latency, p.twinLatency)})
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return
	}
	b.AddSeries(lab.Series{Name: "p50-of-the-sweep", Text: "median latency in fsync times, every policy under every load", Unit: "1", Samples: measured, Conditions: -1})
	b.AddSeries(lab.Series{Name: "p50-of-the-twin", Text: "the same in virtual time", Unit: "1", Samples: twins, Conditions: -1})
	b.AddSeries(lab.Series{Name: "load-of-the-sweep", Text: "arrivals to an fsync time, of each episode of the sweep", Unit: "1", Samples: loads, Conditions: -1})
	b.AddSeries(lab.Series{Name: "policy-of-the-sweep", Text: "its policy: 0 fixed count of 64, 1 fixed window of 4 F, 2 adaptive and held open for 4 F, 3 adaptive",
		Unit: "1", Samples: policies, Conditions: -1})
	b.AddSeries(lab.Series{Name: "batch-of-the-sweep", Text: "its records for each fsync", Unit: "1", Samples: batches, Conditions: -1})
	b.AddTable(t)
	const legend = "c fixed count, w window, h held open, a adaptive, * several"
	b.AddTable(lab.Table{Title: "records for each fsync; " + legend, Rows: picture(points, func(p point) float64 { return p.batch })})
	b.AddTable(lab.Table{Title: "median latency in F; " + legend, Rows: picture(points, func(p point) float64 { return p.latency })})
}

// The picture's size in characters.
const (
	width  = 60
	height = 10
)

// picture draws a figure against the load, both axes logarithmic.
func picture(points map[rune][]point, figure func(point) float64) [][]string {
	low, high := math.Log2(swept[0]), math.Log2(swept[len(swept)-1])
	top := 0.0
	bottom := math.Inf(1)
	for _, line := range points {
		for _, p := range line {
			top, bottom = max(top, math.Log2(figure(p))), min(bottom, math.Log2(figure(p)))
		}
	}
	top = max(top, bottom+1)
	column := func(load float64) int { return int(math.Round((math.Log2(load) - low) / (high - low) * (width - 1))) }
	row := func(v float64) int {
		return int(math.Round((top - math.Log2(v)) / (top - bottom) * (height - 1)))
	}
	grid := make([][]rune, height)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", width))
	}
	for mark, line := range points {
		for _, p := range line {
			cell := &grid[row(figure(p))][column(p.load)]
			if *cell != ' ' {
				*cell = '*'
				continue
			}
			*cell = mark
		}
	}
	var rows [][]string
	for i, g := range grid {
		label := ""
		switch i {
		case 0:
			label = fmt.Sprintf("%.3g", math.Exp2(top))
		case height - 1:
			label = fmt.Sprintf("%.3g", math.Exp2(bottom))
		}
		rows = append(rows, []string{label, "|" + string(g)})
	}
	scale := []rune(strings.Repeat(" ", width))
	for _, load := range swept {
		text := []rune(fmt.Sprint(load))
		copy(scale[min(column(load), width-len(text)):], text)
	}
	return append(rows, []string{"to an F", " " + string(scale)})
}
