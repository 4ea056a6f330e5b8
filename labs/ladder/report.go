package ladder

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// notReached is the cell of a failure that no trial caused. What zero trials leave
// possible is said under the table.
const notReached = "not reached"

// report adds what people read: who owns the bytes and which failure takes
// them, where the kills landed, and what no failure in so many trials leaves
// possible.
func report(r *lab.Run, g *rungs, k *kills) {
	r.AddTable(grid(g, k))
	if len(k.trials) == 0 {
		return
	}
	stopped, running := k.landed()
	t := lab.Table{Title: "Where the kills landed", Header: []string{"step", "the writer had stopped there", "it ran"}}
	for s := range steps {
		t.Rows = append(t.Rows, []string{s.String(), strconv.Itoa(stopped[s]), strconv.Itoa(running[s])})
	}
	r.AddTable(t)
	r.Note("%s", bound(len(k.trials), k.losing()))
	r.Note("kernel crash, power cut: no trial reached either, so up to %.0f %% of what was acknowledged may be lost to them",
		100*measure.ZeroFailureBound(0))
}

// bound says what n trials say about the one failure that they caused, of which
// bad lost something.
func bound(n, bad int) string {
	if bad > 0 {
		return fmt.Sprintf("SIGKILL: %s of %s kills lost acknowledged records", humanize.Comma(int64(bad)), humanize.Comma(int64(n)))
	}
	return fmt.Sprintf("SIGKILL: 0 of %s kills lost an acknowledged record: at most 1 in %s does, with 95 %% confidence",
		humanize.Comma(int64(n)), humanize.Comma(int64(math.Round(1/measure.ZeroFailureBound(n)))))
}

// losing counts the kills that lost anything acknowledged.
func (k *kills) losing() int {
	n := 0
	for _, o := range k.trials {
		if o.lost > 0 {
			n++
		}
	}
	return n
}

// grid is the ladder: a rung a row, a failure a column.
func grid(g *rungs, k *kills) lab.Table {
	t := lab.Table{
		Title:  "What is left, by who owns the bytes when the failure comes",
		Header: []string{"owner", "how", "SIGKILL", "kernel crash", "power cut"},
	}
	row := func(owner, how, left string) {
		t.Rows = append(t.Rows, []string{owner, how, left, notReached, notReached})
	}
	row("process", "buffered", g.buffered.cell())
	row("kernel", "written", g.written.cell())
	if g.mapped.wanted {
		row("kernel", "mapped", g.mapped.cell())
	}
	if n := len(k.trials); n > 0 {
		row("kernel", "acknowledged", fmt.Sprintf("lost in %d of %d", k.losing(), n))
	}
	row("device", "synced", g.synced.cell())
	row("medium", "", "as the device")
	return t
}

// cell sums up an arm: the fewest bytes that any trial left.
func (a *arm) cell() string {
	switch {
	case a.refused != "":
		return "refused here"
	case len(a.bytes) == 0:
		return "not measured"
	}
	low, high := slices.Min(a.bytes), slices.Max(a.bytes)
	span := humanize.Comma(int64(low))
	if high != low {
		span += " to " + humanize.Comma(int64(high))
	}
	return fmt.Sprintf("%s of %s B, n %d", span, humanize.Comma(payloadSize), len(a.bytes))
}
