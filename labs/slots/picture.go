package slots

import (
	"context"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
)

// show adds the table and the pictures of a run that was not sabotaged.
func (b *bench) show(ctx context.Context) error {
	if b.Config.Control != "" {
		return nil
	}
	t := countsTable(fmt.Sprintf("%d requests of %s tokens in %d slots", requests, humanize.Comma(int64(tokens(b.trace))), batch))
	for _, p := range []policy{{static: true}, {}, {late: true}} {
		if s := b.served[p]; s != nil {
			t.Rows = append(t.Rows, countsRow(p, s.counts))
		}
	}
	if len(t.Rows) > 0 {
		b.AddTable(t)
	}
	if !b.Wants(fewerPasses) {
		return nil
	}
	return b.draw(ctx)
}

func countsTable(title string) lab.Table {
	return lab.Table{Title: title, Header: []string{"scheduler", "passes", "slot-steps", "used"}}
}

func countsRow(p policy, c counts) []string {
	return []string{p.String(), humanize.Comma(int64(c.passes)), humanize.Comma(int64(c.steps)), fmt.Sprintf("%.1f %%", 100*c.used())}
}

// table is what a simulation came to.
func (s *simulation) table(title string) lab.Table {
	t := countsTable(title)
	t.Rows = [][]string{
		countsRow(policy{static: true}, s.static.counts()),
		countsRow(policy{}, s.continuous.counts),
		countsRow(policy{late: true}, s.late.counts),
	}
	return t
}

const (
	drawn = 64 // requests in a picture
	wide  = 60 // columns
)

// draw pictures the first requests of the trace under both schedulers, at one
// scale.
func (b *bench) draw(ctx context.Context) error {
	each := 0 // passes in a column
	for _, p := range []policy{{static: true}, {}} {
		s := newSchedule(b.engine, p, b.trace[:drawn])
		if err := s.serve(ctx); err != nil {
			return err
		}
		if each == 0 {
			each = (s.passes + wide - 1) / wide
		}
		b.AddTable(lab.Table{
			Title: fmt.Sprintf("%v: the first %d requests, %d passes to a column; %s", p, drawn, each, legend),
			Rows:  picture(s, each),
		})
	}
	return nil
}

// legend says what the characters of a picture stand for.
const legend = "# a slot whose rows became tokens, + one to two thirds of them did, . fewer, blank free"

// picture draws a line for each slot: # where its rows became tokens, + where a
// third to two thirds of them did, a dot where it was held for less, and nothing
// where it was free. The last line says how far the passes go.
func picture(s *schedule, each int) [][]string {
	var held, used [batch][wide]int
	for i, sp := range s.spans {
		for n := range sp.rows {
			column := (sp.from + n) / each
			held[sp.slot][column]++
			if n < len(s.emitted[i]) {
				used[sp.slot][column]++
			}
		}
	}
	var rows [][]string
	for slot := range batch {
		var line strings.Builder
		for c, h := range held[slot] {
			line.WriteByte(shade(used[slot][c], h))
		}
		rows = append(rows, []string{fmt.Sprintf("slot %d", slot+1), "|" + line.String() + "|"})
	}
	end := humanize.Comma(int64(s.passes)) + " passes"
	at := max(0, min((s.passes-1)/each, wide-1)-len(end)+1)
	return append(rows, []string{"", " " + strings.Repeat(" ", at) + end})
}

func shade(used, held int) byte {
	switch {
	case held == 0:
		return ' '
	case 3*used > 2*held:
		return '#'
	case 3*used > held:
		return '+'
	}
	return '.'
}
