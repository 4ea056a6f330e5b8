package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/manifest"
	"envelope/predict"
	"envelope/predict/drill"
	"envelope/predict/ledger"
)

// predictFlags are the flags of predict that run has not.
type predictFlags struct {
	runFlags
	plain   bool
	answers []string
}

func (a *app) predictCommand() *cobra.Command {
	var f predictFlags
	run := a.runCommand()
	cmd := &cobra.Command{
		Use:   "predict [LAB or GROUP...]",
		Short: "commit to a number before each lab measures it",
		Long: "Asks for a prediction to each question of the named labs (or of the groups storage and serving), registers the\n" +
			"predictions, measures, and shows them beside the measurement. Each lab's run is appended to the results file with\n" +
			"its predictions. Without a terminal, or with --plain, the questions are asked as lines and answered on standard\n" +
			"input, one line each. Exit code as envelope run: how good a prediction was plays no part in it.",
		ValidArgsFunction: a.completeLabs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notEmpty(cmd); err != nil {
				return err
			}
			// The flags that it shares with run are run's own.
			if err := f.share(cmd); err != nil {
				return err
			}
			return a.predict(cmd.Context(), f, args)
		},
	}
	cmd.Flags().AddFlagSet(run.Flags())
	cmd.Flags().BoolVar(&f.plain, "plain", false, "ask line by line, with no terminal UI")
	cmd.Flags().StringArrayVar(&f.answers, "answer", nil, "answer a question beforehand: `LAB/QUESTION=VALUE`, such as barrier/fsync-8b=300us or =100us..1ms; may be repeated")
	return cmd
}

// share reads the flags that predict has from run.
func (f *predictFlags) share(cmd *cobra.Command) error {
	set := cmd.Flags()
	var errs []error
	keep := func(err error) { errs = append(errs, err) }
	var err error
	f.dir, err = set.GetString("dir")
	keep(err)
	f.state, err = set.GetString("state")
	keep(err)
	f.results, err = set.GetString("results")
	keep(err)
	f.format, err = set.GetString("format")
	keep(err)
	f.full, err = set.GetBool("full")
	keep(err)
	f.allowNoisy, err = set.GetBool("allow-noisy")
	keep(err)
	f.seed, err = set.GetUint64("seed")
	keep(err)
	f.budget, err = set.GetDuration("budget")
	keep(err)
	f.whenQuiet, err = set.GetDuration("when-quiet")
	keep(err)
	f.require, err = set.GetStringSlice("require")
	keep(err)
	f.device, err = set.GetStringSlice("device")
	keep(err)
	f.trace, err = set.GetString("trace")
	keep(err)
	f.redis, err = set.GetString("redis")
	keep(err)
	return errors.Join(errs...)
}

func (a *app) predict(ctx context.Context, f predictFlags, names []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	only, err := f.only(a)
	if err != nil {
		return err
	}
	a.busy.Store(true)
	o, err := a.sitting(f, names)
	if err != nil {
		return err
	}
	if err := a.waitIfAsked(ctx, f.dir, f.whenQuiet); err != nil {
		return err
	}
	r := newPredictRunner(a, f, names, only)
	defer r.close()
	o.Runner = r
	err = a.sit(ctx, f, o, r)
	end := r.sat()
	fmt.Fprint(a.err, end.said)
	if len(end.runs) > 0 {
		a.code = end.all(f).ExitCode
		if err := a.printPredicted(f, end); err != nil {
			a.err.row("envelope: ", "printing the results: "+err.Error())
		}
	}
	if errors.Is(err, predict.ErrStopped) {
		return errInterrupted
	}
	return err
}

// sitting reads what a sitting needs, before anything is asked or measured.
func (a *app) sitting(f predictFlags, names []string) (*predict.Options, error) {
	labs, err := driver.Labs(a.Labs, names)
	if err != nil {
		return nil, err
	}
	if err := a.checkTrace(f.trace, labs); err != nil {
		return nil, err
	}
	o := &predict.Options{Labs: labs, Answers: map[string]string{}, Rules: a.rulesByLab()}
	for _, text := range f.answers {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--answer %q: want LAB/QUESTION=VALUE", text)
		}
		if _, twice := o.Answers[name]; twice {
			return nil, fmt.Errorf("--answer %s is given twice", name)
		}
		o.Answers[name] = value
	}
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("--answer: %w", err)
	}
	dir, err := stateDir(f.state)
	if err != nil {
		return nil, err
	}
	l, messages, err := ledger.Open(dir)
	if err != nil {
		return nil, err
	}
	a.say(messages)
	o.Ledger = l
	return o, nil
}

// rulesByLab are the rules that each lab earns. A text that can't be read costs
// the rules alone.
func (a *app) rulesByLab() map[string][]string {
	out := map[string][]string{}
	deck, err := drill.Parse(a.Rules, a.Challenges)
	if err != nil {
		return out
	}
	for _, r := range deck.Rules {
		out[r.Lab] = append(out[r.Lab], fmt.Sprintf("Rule %d. %s", r.Number, r.Sentence))
	}
	return out
}

// sit holds the sitting on the screen where there is one, and in lines elsewhere.
func (a *app) sit(ctx context.Context, f predictFlags, o *predict.Options, r *predictRunner) error {
	term := a.getenv("TERM")
	seen := isatty.IsTerminal(os.Stdin.Fd())
	if !f.plain && seen && isatty.IsTerminal(os.Stdout.Fd()) && term != "dumb" && term != "" {
		reveals, err := predict.Screen(ctx, o, predict.Terminal{In: os.Stdin, Out: os.Stdout, Still: a.getenv("ENVELOPE_REDUCED_MOTION") != ""})
		if !errors.Is(err, predict.ErrNoScreen) {
			if f.format == "text" {
				for _, v := range reveals {
					printLines(a.out, append(v.Lines(a.out.prose()), ""))
				}
			}
			return err
		}
		a.err.row("envelope: ", err.Error()+"; asking line by line")
	}
	r.live = true
	out := a.out
	if f.format != "text" {
		out = a.err // standard output has the results alone
	}
	return predict.Lines(ctx, o, predict.Streams{In: os.Stdin, Out: out, Note: a.err, Interactive: seen, Width: out.prose()})
}

func printLines(w io.Writer, lines []string) {
	for _, line := range lines {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// printPredicted prints the end of the results, or all of them in another form.
func (a *app) printPredicted(f predictFlags, end sat) error {
	switch f.format {
	case "json":
		printUnmet(a.err, "envelope: not met: ", end.all(f), f.require)
		return writeJSON(a.out, manifest.Document{Format: manifest.Format, Runs: end.runs})
	case "junit":
		return writeJUnit(a.out, end.all(f), f.gate())
	case "github":
		return writeGitHub(a.out, end.all(f), f.gate())
	}
	all := &driver.Result{}
	for _, res := range end.results {
		all.Labs = append(all.Labs, res.Labs...)
	}
	printSummary(a.out, all, nil) // a reveal shows verdicts as they ended
	printUnmet(a.out, red.Render("not met:")+" ", end.all(f), f.require)
	return nil
}
