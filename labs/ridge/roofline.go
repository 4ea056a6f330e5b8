package ridge

import (
	"fmt"
	"math"
	"strings"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// swept are the rows of the sweep; the last is a prompt that is read at once,
// where the first is a token that is generated.
var swept = []int{1, 2, 4, 8, 16, 32, 64, 128, most, text}

// called is what the ends of the sweep are in a model that serves one user.
func called(rows int) string {
	switch rows {
	case 1:
		return "1, decode"
	case text:
		return fmt.Sprintf("%d, prefill", text)
	}
	return fmt.Sprint(rows)
}

// sweep is the product for every batch, which the roofline is drawn from.
func (b *bench) sweep(m *machine) []measure.Single {
	var out []measure.Single
	for _, batch := range swept {
		arm := b.productArm(m, m.ringFor(batch), batch)
		arm.Name = sweepName(m, batch)
		out = append(out, measure.Single{Arm: arm, N: 5, Warm: true})
	}
	return out
}

func sweepName(m *machine, batch int) string { return fmt.Sprintf("sweep, %d rows, %s", batch, m.name) }

// point is one batch of the sweep.
type point struct {
	intensity float64 // FLOP/B
	attained  float64 // FLOP/s
	roof      float64 // FLOP/s
	rows      int
}

// draw makes the table and the picture of a device's sweep.
func (b *bench) draw(m *machine) {
	var points []point
	var flop []float64
	t := lab.Table{
		Title:  fmt.Sprintf("%s: %s, %s, ridge at %.1f FLOP/B: %.0f rows of float32", m.name, flops(m.peak), axioms.BytesPerSecond(m.bandwidth), m.peak/m.bandwidth, m.ridgeRows()),
		Header: []string{"rows", "FLOP/B", "attained", "of the roof", "of the peak"},
	}
	for _, batch := range swept {
		samples := b.SeriesNamed(sweepName(m, batch))
		if len(samples) == 0 {
			continue
		}
		r := m.ringFor(batch)
		p := point{rows: batch, intensity: float64(batch) / 2, attained: float64(r.flops(batch)) / measure.Summarize(samples).P50}
		p.roof = math.Min(m.peak, p.intensity*m.bandwidth)
		points, flop = append(points, p), append(flop, float64(r.flops(batch)))
		t.Rows = append(t.Rows, []string{
			called(batch), fmt.Sprintf("%.1f", p.intensity), flops(p.attained),
			ofRoof(p), fmt.Sprintf("%.0f %%", 100*p.attained/m.peak),
		})
	}
	if len(points) == 0 {
		return
	}
	// Parts of the weights grow with the threads, and with a batch that is short: the times alone don't tell FLOP/s.
	b.AddSeries(lab.Series{Name: "sweep, FLOP of a product, " + m.name, Text: "FLOP of one product of the sweep, in the order of its rows", Unit: "FLOP", Samples: flop, Conditions: -1})
	b.AddTable(t)
	b.AddTable(lab.Table{Title: m.name + ": roofline, / the bandwidth, - the peak, o the product", Rows: picture(m, points)})
}

// ofRoof is the share of the roof that was attained. More than all of it is no triumph: the roof was measured too low, in a busier
// moment for one.
func ofRoof(p point) string {
	share := fmt.Sprintf("%.0f %%", 100*p.attained/p.roof)
	if p.attained > 1.05*p.roof {
		share += " (roof too low)"
	}
	return share
}

func flops(v float64) string { return axioms.Quantity{Value: v, Dim: axioms.DimFLOPPerSecond}.String() }

// The picture's size in characters.
const (
	width  = 60
	height = 12
)

// picture draws the roof and the points, both axes logarithmic: intensity from
// 0.25 to 512 FLOP/B to the right, FLOP/s upwards to the peak.
func picture(m *machine, points []point) [][]string {
	low, high := math.Log2(0.25), math.Log2(512)
	top := math.Log2(m.peak * 1.2)
	bottom := math.Log2(m.bandwidth * 0.25)
	column := func(intensity float64) int {
		return int(math.Round((math.Log2(intensity) - low) / (high - low) * (width - 1)))
	}
	line := func(v float64) int {
		return int(math.Round((top - math.Log2(v)) / (top - bottom) * (height - 1)))
	}
	grid := make([][]rune, height)
	for i := range grid {
		grid[i] = []rune(strings.Repeat(" ", width))
	}
	put := func(c, l int, r rune) {
		if c >= 0 && c < width && l >= 0 && l < height {
			grid[l][c] = r
		}
	}
	for c := range width {
		intensity := math.Exp2(low + (high-low)*float64(c)/(width-1))
		if roof := intensity * m.bandwidth; roof < m.peak {
			put(c, line(roof), '/')
		} else {
			put(c, line(m.peak), '-')
		}
	}
	for _, p := range points {
		put(column(p.intensity), line(p.attained), 'o')
	}
	var rows [][]string
	for i, g := range grid {
		label := ""
		switch i {
		case line(m.peak):
			label = flops(m.peak)
		case height - 1:
			label = flops(math.Exp2(bottom))
		}
		rows = append(rows, []string{label, "|" + string(g)})
	}
	scale := []rune(strings.Repeat(" ", width))
	for _, mark := range []float64{0.25, 1, 4, 16, 64, 256} {
		text := []rune(fmt.Sprint(mark))
		at := min(column(mark), width-len(text))
		copy(scale[at:], text)
	}
	return append(rows, []string{"FLOP/B", " " + string(scale)})
}
