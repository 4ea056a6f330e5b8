package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"envelope/internal/compare"
	"envelope/internal/lab"
	"envelope/internal/typeset"
)

// headings are those of the columns behind a name: "A", "B", "B / A", and so on.
func headings(runs int) []string {
	out := []string{mark(0)}
	for i := 1; i < runs; i++ {
		out = append(out, mark(i), mark(i)+" / "+mark(0))
	}
	return out
}

// printFigures prints the figures: a row for each claim where there is room for
// all of them; otherwise, lab by lab, the names above the rows, or above a line for
// each run.
func printFigures(w page, c compare.Comparison) {
	all := allFigures(c)
	header := headings(len(c.Runs))
	rows := [][]string{append([]string{"claim"}, header...)}
	for _, f := range all {
		for _, row := range f.rows {
			rows = append(rows, append([]string{row.name}, row.cells...))
		}
	}
	lines := typeset.Table(nil, rows)
	wide := fit(w, lines, 2)
	if wide && len(lines) > 1 {
		fmt.Fprintf(w, "\n  %s\n", faint.Render(lines[0]))
	}
	lines = lines[1:]
	for _, f := range all {
		fmt.Fprintf(w, "\n%s\n", bold.Render(typeset.Clean(f.title)))
		if f.about != "" {
			w.row("  ", f.about)
		}
		if !wide {
			printBeneath(w, f.rows, header)
			continue
		}
		for i := range f.rows {
			fmt.Fprintln(w, "  "+lines[i])
		}
		lines = lines[len(f.rows):]
	}
}

// printBeneath prints figures under their names.
func printBeneath(w page, figures []figure, header []string) {
	rows := [][]string{header}
	for _, f := range figures {
		rows = append(rows, f.cells)
	}
	lines := typeset.Table(nil, rows)
	if !fit(w, lines, 4) {
		for _, f := range figures {
			printByRun(w, f)
		}
		return
	}
	if len(figures) > 0 {
		fmt.Fprintf(w, "    %s\n", faint.Render(lines[0]))
	}
	for i, f := range figures {
		w.row("  ", f.name)
		fmt.Fprintln(w, "    "+lines[i+1])
	}
}

// fit reports whether lines have room behind an indent.
func fit(w page, lines []string, indent int) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return typeset.Width(line)+indent > w.columns() })
}

// printByRun prints a row of figures with a line for each run.
func printByRun(w page, row figure) {
	w.row("  ", row.name)
	for i, cell := range row.cells {
		switch {
		case i == 0:
			w.row("    "+mark(0)+"  ", cell)
		case i%2 == 1:
			w.row("    "+mark((i+1)/2)+"  ", strings.TrimSuffix(cell+", "+row.cells[i+1], ", -"))
		}
	}
}

// writeComparison writes a comparison as Markdown.
func writeComparison(w io.Writer, c compare.Comparison, names []string) error {
	var rows [][]string
	for i := range c.Runs {
		rows = append(rows, []string{mark(i), markdown(runText(c, i, names[i]))})
	}
	if err := writeMarkdown(w, lab.Table{Header: []string{"", "run"}, Rows: rows}); err != nil {
		return err
	}
	for i := range c.Runs {
		if _, text := twin(c, i); text != "" {
			fmt.Fprintf(w, "\n%s.\n", text)
		}
	}
	if c.Same() {
		return nil
	}
	sections := []figures{{title: "What else differs"}, {title: "Verdicts that changed"}}
	for _, f := range factLines(c.Differences) {
		sections[0].rows = append(sections[0].rows, figure{f.label, []string{f.text}})
	}
	for _, v := range verdictLines(c) {
		sections[1].rows = append(sections[1].rows, figure{strings.Join(v.names, ", "), []string{v.text}})
	}
	for _, s := range sections {
		if err := writeSection(w, s, []string{"what", "runs"}); err != nil {
			return err
		}
	}
	if gaps := append(gapLines(c), methodLines(c)...); len(gaps) > 0 {
		fmt.Fprintf(w, "\n### Not compared\n\n")
		for _, line := range gaps {
			fmt.Fprintf(w, "- %s\n", markdown(line))
		}
	}
	for _, f := range allFigures(c) {
		if err := writeSection(w, f, append([]string{"claim"}, headings(len(c.Runs))...)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%s\n\n%s\n", markdown(countText(c)), markdown(tilde))
	return err
}

// writeSection writes rows as a table of Markdown under a title. One without rows
// and text is left out.
func writeSection(w io.Writer, f figures, header []string) error {
	if len(f.rows) == 0 && f.about == "" {
		return nil
	}
	fmt.Fprintf(w, "\n### %s\n\n", markdown(f.title))
	if f.about != "" {
		fmt.Fprintf(w, "%s\n\n", markdown(f.about))
	}
	if len(f.rows) == 0 {
		return nil
	}
	t := lab.Table{Header: header}
	for _, row := range f.rows {
		cells := []string{markdown(row.name)}
		for _, cell := range row.cells {
			cells = append(cells, markdown(cell))
		}
		t.Rows = append(t.Rows, cells)
	}
	return writeMarkdown(w, t)
}

// markdown has text from a file mean nothing but itself. "|" is left to the table.
func markdown(text string) string { return inMarkdown.Replace(typeset.Clean(text)) }

var inMarkdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "~", `\~`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`,
	"#", `\#`, "&", `\&`, "!", `\!`)
