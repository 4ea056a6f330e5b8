package groupcommit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The picture of the twin, with 1 ms for every fsync: it shows what the division
// says.
func TestPicture(t *testing.T) {
	const f = time.Millisecond
	points := map[rune][]point{}
	for _, l := range lines(f) {
		for _, load := range swept {
			arrivals := even(4*l.arrivals(load), load/f.Seconds())
			b := l.policy.twin(arrivals, constant(f))
			o := outcome{latencies: waits(arrivals, b)}
			points[l.mark] = append(points[l.mark], point{load: load, batch: meanBatch(b), latency: o.p50() / f.Seconds()})
		}
	}
	check := func(name string, figure func(point) float64, want ...string) {
		t.Helper()
		rows := picture(points, figure)
		var got []string
		for _, row := range rows {
			got = append(got, strings.TrimRight(fmt.Sprintf("%-6s%s", row[0], row[1]), " "))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	check("batch", func(p point) float64 { return p.batch },
		"128   |                                                           *",
		"      |c         c         c         c        c         *         c",
		"      |",
		"      |                                       *                   a",
		"      |                              *                  a",
		"      |                    *                  a",
		"      |          w                   a",
		"      |w         h",
		"      |h                   a",
		"1     |a         a",
		"to an F 0.5       1         2         4        8         16       32")
	check("latency", func(p point) float64 { return p.latency },
		"63    |c",
		"      |          c",
		"      |",
		"      |                    c",
		"      |                              c",
		"      |",
		"      |                                       c",
		"      |w         *         *         *        *         *         *",
		"      |                                       a         a         *",
		"1     |*         a         a         a",
		"to an F 0.5       1         2         4        8         16       32")
}

func TestSweepCost(t *testing.T) {
	if got := sweepCost(250 * time.Microsecond); got < 100*time.Millisecond || got > 400*time.Millisecond {
		t.Errorf("at 250 µs an fsync: got %v, want a fraction of a second", got)
	}
}
