package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"envelope/axioms"
	"envelope/internal/driver"
	"envelope/internal/probe"
	"envelope/predict/ledger"
)

// stateFlag is the user's state directory.
func (a *app) stateFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "state", "", "keep the record of predictions, drills and axioms in this `DIR` (default: $XDG_STATE_HOME/envelope, or ~/.local/state/envelope)")
	cmd.MarkFlagDirname("state")
}

func stateDir(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	return ledger.DefaultDir()
}

// kept returns the axioms that were measured before, or nil. What stands in the
// way is said, and no error: the constants alone will do.
func (a *app) kept(state string) *probe.Taken {
	taken, err := keptIn(state)
	if err != nil {
		a.err.row("envelope: ", err.Error())
	}
	return taken
}

func keptIn(state string) (*probe.Taken, error) {
	dir, err := stateDir(state)
	if err != nil {
		return nil, fmt.Errorf("axioms that were measured before can't be looked up: %w", err)
	}
	taken, ok, err := probe.Load(dir)
	if err != nil || !ok {
		return nil, err
	}
	return &taken, nil
}

// known returns the constants with the kept axioms laid over them, as far as
// those hold for this machine and the file system of dir. What does not is said.
func (a *app) known(state, dir string) (axioms.Set, *probe.Taken) {
	set, taken, left := a.look(state, dir)
	if left != "" {
		a.err.row("envelope: ", left)
	}
	return set, taken
}

// look is known without a word: left says what of the kept axioms is not used.
func (a *app) look(state, dir string) (set axioms.Set, taken *probe.Taken, left string) {
	taken, err := keptIn(state)
	if err != nil {
		return set, nil, err.Error()
	}
	if taken == nil {
		return set, nil, ""
	}
	set, left = a.fit(taken, dir)
	if len(set.Measured()) == 0 {
		taken = nil
	}
	return set, taken, left
}

// fit lays over the constants what of taken holds here and now.
func (a *app) fit(taken *probe.Taken, dir string) (axioms.Set, string) {
	fit, left := taken.For(a.machine.Here(dir), time.Now())
	if left != "" {
		left = "of the axioms that were kept, not used: " + left
	}
	set, err := axioms.NewSet(fit...)
	if err != nil {
		return axioms.Set{}, "the axioms that were kept can't be used: " + err.Error()
	}
	return set, left
}

func (a *app) axiomsCommand() *cobra.Command {
	var dir, state, format string
	var measure bool
	var whenQuiet time.Duration
	cmd := &cobra.Command{
		Use: "axioms [NAME...]", Short: "the constants, beside this machine's measured ones",
		Long: "Lists the numbers that are taken as given: what is assumed of a class of hardware, and what was measured here. With\n" +
			"names, tells all of those: how each was measured, from how many observations, what it bounds, where the assumed\n" +
			"value comes from.",
		Example: "  envelope axioms --measure\n  envelope axioms mutex write-fsync\n  envelope axioms --format markdown",
		RunE: func(cmd *cobra.Command, names []string) error {
			if !slices.Contains([]string{"text", "markdown", "json"}, format) {
				return fmt.Errorf("--format %q is none of text, markdown, json", format)
			}
			if whenQuiet != 0 && !measure {
				return errors.New("--when-quiet waits before something is measured: it goes with --measure")
			}
			for _, name := range names {
				if _, err := (axioms.Set{}).Get(name); err != nil && !slices.Contains(probe.Names(), name) {
					return err
				}
			}
			if !measure {
				set, taken, left := a.look(state, dir)
				return a.printAxioms(set, taken, left, format, names)
			}
			taken, err := a.measureAxioms(cmd.Context(), dir, state, whenQuiet)
			if taken == nil {
				return err
			}
			set, left := a.fit(taken, dir)
			return errors.Join(a.printAxioms(set, taken, left, format, names), err)
		},
	}
	a.dirFlag(cmd, &dir)
	a.stateFlag(cmd, &state)
	cmd.Flags().BoolVar(&measure, "measure", false, "measure this machine's first, and keep them: floor, divide, run and predict use them")
	a.whenQuietFlag(cmd, &whenQuiet)
	cmd.Flags().StringVar(&format, "format", "text", "text, markdown or json")
	return cmd
}

// measureAxioms measures this machine's axioms and keeps them. On a machine that
// is not quiet it says so: they stand in for it until they are measured again.
// What it returns is what is kept now, with what was kept before; if that failed,
// what was measured, beside the error.
func (a *app) measureAxioms(ctx context.Context, dir, state string, whenQuiet time.Duration) (*probe.Taken, error) {
	where, err := stateDir(state)
	if err == nil {
		err = probe.CanSave(where)
	}
	if err != nil {
		return nil, err
	}
	if err := a.waitIfAsked(ctx, dir, whenQuiet); err != nil {
		return nil, err
	}
	if why := loud(a.machine.Load(), runtime.NumCPU()); why != "" {
		a.err.row("envelope: warning: ", "the machine is not quiet: "+why)
	}
	a.busy.Store(true)
	res, skipped, err := driver.Axioms(ctx, driver.Options{Dir: dir, Seed: 1, Machine: a.machine})
	a.busy.Store(false)
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	for _, why := range skipped {
		a.err.row("", "not measured: "+why.Error())
	}
	taken := &probe.Taken{Time: res.Finished, Environment: res.Environment, Axioms: res.Axioms}
	aside, err := probe.Save(where, *taken)
	if aside != "" {
		a.err.row("envelope: ", "the axioms kept before could not be read, and lie in "+aside+" now")
	}
	if err != nil {
		return taken, err
	}
	return keptIn(state)
}
