package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/spf13/cobra"

	"envelope/internal/compare"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// comparisons are the forms in which a comparison can be printed.
var comparisons = []string{"text", "json", "markdown"}

func (a *app) compareCommand() *cobra.Command {
	var format string
	var changes bool
	cmd := &cobra.Command{
		Use: "compare " + aRun + "...", Short: "runs side by side: verdicts, claims, and what else differs",
		Long: "Lines up the claims of two runs or more and holds each against the first: the estimate with its interval, and\n" +
			"the ratio. Above that stands what differs between the machines and the programs and could explain the figures,\n" +
			"then the claims whose verdicts changed. " + aboutRuns + " Of a single FILE the last two runs are compared. Runs\n" +
			"that were interrupted are left out, unless they are named. A run that does not verify is refused. Predictions are\n" +
			"not compared.\n\n" + tildeHelp + "\n\n" + aboutComparison + "\n\n" +
			"Exit 0: the runs were compared, and no claim held in one and failed in another; 1: there are such claims, which\n" +
			"are named first, or a run does not verify; 2: usage, or a file can't be read.",
		Example: "  envelope compare results.json\n  envelope compare a.json b.json --changes\n  envelope compare a.json#1 a.json#2 b.json",
		Args:    some("the names of results files", "envelope compare before.json after.json"),
		RunE: func(_ *cobra.Command, names []string) error {
			if !slices.Contains(comparisons, format) {
				return fmt.Errorf("--format %q is none of %s", format, strings.Join(comparisons, ", "))
			}
			return a.compare(names, format, changes)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "how to print the comparison: "+strings.Join(comparisons, ", "))
	cmd.Flags().BoolVar(&changes, "changes", false, "leave out what came out alike: equal, or with intervals that overlap, and the same verdict")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(comparisons, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// aboutComparison says in the help text what the JSON looks like.
const aboutComparison = "The JSON is one object: format (" + compare.Format + "), runs (which they are), differences (name, unit, a value\n" +
	"for each run, null beside the reason where it is unknown), reversed and changed (claims whose verdict did), labs\n" +
	"with their claims, axioms, counts. A claim has name, unit, kind, relation, and in: for each run null or version,\n" +
	"verdict, reason, detail, estimate (value, low, high, confidence, n), relation to the first run that has it (first,\n" +
	"none, equal, differs, overlap, apart, method) and ratio. Numbers are in base units; what there is none of is null."

func (a *app) compare(names []string, format string, changes bool) error {
	refs, runs, err := a.named(names)
	if err != nil {
		return err
	}
	c, err := compare.Of(runs...)
	if err != nil {
		return err
	}
	if len(c.Reversed) > 0 {
		a.code = manifest.ExitFailed
	}
	if changes {
		c = c.OnlyChanges()
	}
	var called []string
	for _, r := range refs {
		called = append(called, r.String())
	}
	return printComparison(a.out, c, format, called)
}

// named opens the runs that were named. A single file stands for its last two.
func (a *app) named(names []string) (refs []reference, runs []manifest.Run, err error) {
	for _, name := range names {
		refs = append(refs, a.refer(name))
	}
	switch {
	case len(refs) == 1 && refs[0].file == names[0]:
		return a.lastTwo(refs[0])
	case len(refs) == 1:
		return nil, nil, fmt.Errorf("compare wants two runs, got one: name another beside %s, or the file alone for its last two", names[0])
	}
	for i, r := range refs {
		var run manifest.Run
		if r.file == names[i] {
			refs[i], run, err = a.complete(r, -1, reference.read)
		} else {
			run, err = r.open()
		}
		if err != nil {
			return nil, nil, err
		}
		runs = append(runs, lean(run))
	}
	return refs, runs, nil
}

// reader is how the run that is meant is read.
type reader func(reference) (manifest.Run, []manifest.Problem, error)

// lastTwo opens the last two complete runs of a file. One that can be read once
// only, as a pipe can, is kept meanwhile.
func (a *app) lastTwo(of reference) ([]reference, []manifest.Run, error) {
	read := reader(reference.read)
	if opened(of.file) {
		text, err := of.bytes()
		if err != nil {
			return nil, nil, err
		}
		read = func(r reference) (manifest.Run, []manifest.Problem, error) { return r.pick(bytes.NewReader(text)) }
	}
	last, second, err := a.complete(of, -1, read)
	if err != nil {
		return nil, nil, err
	}
	before, first, err := a.complete(of, last.back()-1, read)
	if errors.Is(err, errNoneComplete) {
		err = fmt.Errorf("%s: there is one complete run in it, and a comparison takes two", of.file)
	}
	if err != nil {
		return nil, nil, err
	}
	return []reference{before, last}, []manifest.Run{lean(first), lean(second)}, nil
}

var errNoneComplete = errors.New("no run in it came to its end")

// complete opens the last run of a file that came to its end, of those from the
// given one backwards: -1 is the last. Those that were interrupted are left out,
// unless they are named, and it says so.
func (a *app) complete(r reference, from int, read reader) (reference, manifest.Run, error) {
	for n := from; ; n-- {
		r.which = strconv.Itoa(n)
		run, problems, err := read(r)
		if errors.Is(err, manifest.ErrNoRun) && n < -1 { // an empty document has another error
			return r, run, fmt.Errorf("%s: %w", r.file, errNoneComplete)
		}
		if run, err = r.verified(run, problems, err); err != nil {
			return r, run, err
		}
		if run.Outcome != manifest.Interrupted {
			return r, run, nil
		}
		a.err.row("envelope: ", fmt.Sprintf("%s was interrupted, and is left out: name it to have it compared", r))
	}
}

// lean is a run without its samples, which may take far more memory than all else
// and are not compared.
func lean(run manifest.Run) manifest.Run {
	for i := range run.Labs {
		run.Labs[i].Series = nil
	}
	return run
}

// printComparison prints a comparison in one of the forms. names are those that
// the runs were called by. What becomes of the output is told at the end of the
// program.
func printComparison(w page, c compare.Comparison, format string, names []string) error {
	var out bytes.Buffer
	switch format {
	case "json":
		if err := writeJSON(&out, c); err != nil {
			return err
		}
	case "markdown":
		if err := writeComparison(&out, c, names); err != nil {
			return err
		}
	default:
		printComparisonText(w, c, names)
	}
	out.WriteTo(w)
	return nil
}

// writeJSON writes a value as JSON that can be read on a terminal: what would
// speak to it, or reorder or hide text, stands there by its number, which a reader
// takes for the same character.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, r := range text.String() { // what is outside ASCII stands in strings alone
		switch {
		case r == '\n' || ' ' <= r && r < unicode.MaxASCII || typeset.Clean(string(r)) == string(r):
			out.WriteRune(r)
		case r < 1<<16:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// mark is the letter that a run goes by: A to Z, then AA, AB and so on.
func mark(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return mark(i/26-1) + mark(i%26)
}

// tildeHelp says in the help text what "~" means. The figures are of runs of
// release 0.1.0 on a virtual machine of 2 CPUs with ext4: ten in a row while nothing
// else ran, ten at a load of 10 to 15, and two while it rose from 2 to 7.
const tildeHelp = "Behind a ratio, ~ says that the 95 % intervals of the two runs overlap. Where they lie apart, the figures of these runs\n" +
	"differ, and whether by what changed between them or by the moment, no interval can say. Of ten runs in a row of one\n" +
	"program on a quiet machine, any two had 2 of 37 such claims apart in the mean and 6 at most, by up to 1.6 times, and no\n" +
	"verdict changed. Beside other work intervals are wider: 11 of 45 pairs of runs had one claim apart, by up to 5.4 times,\n" +
	"and two runs around a rise of the load three, one of them, with an fsync in it, by 19 times. None turned from held to\n" +
	"failed. Exact claims differ where the count depends on the moment (where kills land, fsyncs in a second, pages in\n" +
	"memory): four did in most pairs. What matters is measured again, with --when-quiet."
