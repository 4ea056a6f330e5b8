package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"envelope/internal/compare"
	"envelope/internal/lab"
	"envelope/manifest"
)

func (a *app) rerunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "rerun " + aRun, Short: "run what a given run has run, here, and compare the two",
		Long: "Measures on this machine what the given run has measured: the same labs and devices, with its seed, --full,\n" +
			"--budget, --require and --allow-noisy; then compares the two, as envelope compare does. " + aboutRuns + "\n" +
			"It refuses, before anything is measured, where this program has other versions of the claims' methods, or lacks\n" +
			"a lab. Where the sources of a lab differ under the same versions it warns and goes on. The new run is appended\n" +
			"like any other, under the command that it amounts to. With --format json there is one object with run and\n" +
			"comparison; with junit and github the comparison goes to standard error.\n\n" +
			"Exit code: that of envelope run; where that is 0, still 1 if a claim held in one of the two and failed in the other.",
		Example: "  envelope rerun theirs.json --results mine.json\n  envelope rerun results.json#1 --when-quiet",
		Args: func(cmd *cobra.Command, names []string) error {
			if err := spaced(a.args); err != nil {
				return err
			}
			return one("the name of one run, "+aRun, "envelope rerun results.json")(cmd, names)
		},
		RunE: func(cmd *cobra.Command, names []string) error {
			if err := notEmpty(cmd); err != nil {
				return err
			}
			return a.rerun(cmd.Context(), f, a.refer(names[0]))
		},
	}
	a.placeFlags(cmd, &f)
	return cmd
}

func (a *app) rerun(ctx context.Context, f runFlags, which reference) error {
	given, err := a.repeatable(which)
	if err != nil {
		return err
	}
	names, err := a.again(given, &f)
	if err != nil {
		return fmt.Errorf("%s: %w", which, err)
	}
	if err := f.check(a); err != nil {
		return err
	}
	m, err := a.measure(ctx, f, names, f.amountsTo(names))
	if err != nil {
		return err
	}
	c, err := compare.Of(given, m.record)
	if err != nil {
		return err
	}
	if a.code == manifest.ExitHeld && len(c.Reversed) > 0 {
		a.code = manifest.ExitFailed
	}
	if f.format == "json" {
		printUnmet(a.err, "envelope: not met: ", m.record, f.require)
		err = writeJSON(a.out, struct {
			Run        manifest.Run       `json:"run"`
			Comparison compare.Comparison `json:"comparison"`
		}{m.record, c})
		if err != nil {
			a.err.row("envelope: ", "printing the results: "+err.Error())
		}
		return a.keep(f, m.record)
	}
	a.printRun(f, m)
	w := a.out
	if f.format != "text" {
		w = page{Writer: &colorprofile.Writer{Forward: a.err, Profile: colorprofile.NoTTY}, fd: a.err.fd}
	}
	fmt.Fprintln(w)
	printComparisonText(w, c, []string{which.String(), "this run"})
	return a.keep(f, m.record)
}

// repeatable opens a run that this program can run again. What this program lacks
// comes before what does not verify, since a run of a newer one does not.
func (a *app) repeatable(which reference) (manifest.Run, error) {
	run, problems, err := which.read()
	if err != nil {
		return run, err
	}
	if others := a.others(run); len(others) > 0 {
		return run, fmt.Errorf("%s can't be run again by %s: %s; it was written by %s, which can",
			which, writtenBy(a.program()), strings.Join(others, "; "), writtenBy(run.Program))
	}
	if run, err = which.verified(run, problems, nil); err != nil {
		return run, err
	}
	if len(run.Labs) == 0 {
		return run, fmt.Errorf("%s: no lab was run in it", which)
	}
	mine := a.program().Sources
	var differ []string
	for _, l := range run.Labs {
		if manifest.SourceHash(mine["labs/"+l.Name]) != l.Source {
			differ = append(differ, l.Name)
		}
	}
	if len(differ) > 0 {
		a.err.row("envelope: warning: ", fmt.Sprintf("the sources of %s are not those of the given run, which was written by %s; the method versions are the same",
			strings.Join(differ, ", "), writtenBy(run.Program)))
	}
	return lean(run), nil
}

// writtenBy names the program of a run.
func writtenBy(p manifest.Program) string { return written(p.Version, p.Commit, p.Dirty) }

// others says what this program has not, or measures in another way.
func (a *app) others(run manifest.Run) []string {
	var lacking, versions []string
	for _, theirs := range run.Labs {
		i := slices.IndexFunc(a.Labs, func(l *lab.Lab) bool { return l.Name == theirs.Name })
		if i < 0 {
			lacking = append(lacking, "lab "+theirs.Name)
			continue
		}
		for _, c := range theirs.Claims {
			name := theirs.Name + "/" + c.Name
			if mine := a.Labs[i].Claim(c.Name); mine == nil {
				lacking = append(lacking, name)
			} else if mine.Version != c.Version {
				versions = append(versions, fmt.Sprintf("%s (version %d there, %d here)", name, c.Version, mine.Version))
			}
		}
	}
	var out []string
	if len(lacking) > 0 {
		out = append(out, "it lacks "+strings.Join(lacking, ", "))
	}
	if len(versions) > 0 {
		out = append(out, "it has other method versions of "+strings.Join(versions, ", "))
	}
	return out
}

// again sets the flags of a given run, and returns the labs that were asked for
// in it. What can't be carried over is said.
func (a *app) again(run manifest.Run, f *runFlags) ([]string, error) {
	f.seed, f.full = run.Labs[0].Seed, run.Labs[0].Full
	for _, l := range run.Labs {
		if l.Seed != f.seed || l.Full != f.full {
			return nil, errors.New("its labs were not run with one seed, or not all with --full: no command makes such a run")
		}
	}
	if len(run.Command) < 2 {
		return nil, errors.New("it records no command to repeat")
	}
	cmd := a.predictCommand() // which has the flags of run as well
	if err := cmd.ParseFlags(run.Command[2:]); err != nil {
		// Not wrapped: a recorded --help would be taken for one of this call, which is exit 0.
		return nil, fmt.Errorf("its command line can't be read: %v", err)
	}
	var theirs predictFlags
	if err := theirs.share(cmd); err != nil {
		return nil, err
	}
	f.budget, f.device, f.require, f.allowNoisy = theirs.budget, theirs.device, theirs.require, theirs.allowNoisy
	for _, name := range []string{"trace", "redis"} {
		if cmd.Flags().Changed(name) {
			a.err.row("envelope: ", fmt.Sprintf("--%s is left out: what the given run had there is not recorded", name))
		}
	}
	if run.Command[1] == "predict" {
		a.err.row("envelope: ", "the given run was made by predict: no predictions are asked for")
	}
	names := asked(run)
	if len(names) == 0 { // which would stand for all labs
		return nil, errors.New("it has no claim that could be judged again")
	}
	return names, nil
}

// asked are the labs that a run was made for: those with a claim that no other
// claim of the run rests on. The rest were run for the sake of those.
func asked(run manifest.Run) []string {
	rested := map[string]bool{}
	for _, l := range run.Labs {
		for _, c := range l.Claims {
			for _, name := range c.RestsOn {
				rested[name] = true
			}
		}
	}
	var out []string
	for _, l := range run.Labs {
		if slices.ContainsFunc(l.Claims, func(c manifest.Claim) bool { return !rested[l.Name+"/"+c.Name] }) {
			out = append(out, l.Name)
		}
	}
	return out
}

// amountsTo is the command line of run that does what the flags say of these labs.
func (f *runFlags) amountsTo(labs []string) []string {
	args := append([]string{"run"}, labs...)
	args = append(args, "--seed", strconv.FormatUint(f.seed, 10))
	if f.full {
		args = append(args, "--full")
	}
	if f.budget > 0 {
		args = append(args, "--budget", f.budget.String())
	}
	if len(f.device) > 0 {
		args = append(args, "--device", strings.Join(f.device, ","))
	}
	if len(f.require) > 0 {
		args = append(args, "--require", strings.Join(f.require, ","))
	}
	if f.allowNoisy {
		args = append(args, "--allow-noisy")
	}
	return append(args, "--dir", f.dir, "--results", f.results)
}
