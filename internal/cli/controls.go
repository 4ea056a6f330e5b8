package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
)

// controlFlags are the flags of controls.
type controlFlags struct {
	dir, only string
	dose      float64
	seed      uint64
}

func (a *app) controlsCommand() *cobra.Command {
	var f controlFlags
	cmd := &cobra.Command{
		Use: "controls [LAB...]", Short: "run each control and demand that its claim fails",
		Long: "Sabotages each lab in every way that it names and demands that the claim comes out failed. A claim that its\n" +
			"control can't break could not have failed. Exit 0: all broke; 1: one did not; 3: none could be tried.",
		ValidArgsFunction: a.completeLabs,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.controls(cmd.Context(), f, args) },
	}
	a.dirFlag(cmd, &f.dir)
	cmd.Flags().StringVar(&f.only, "only", "", "run this `CONTROL` alone")
	cmd.Flags().Float64Var(&f.dose, "dose", 0, "strength of a control that takes a dose, in its own unit; 0 means its default")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "seed of payloads, kills and orders")
	return cmd
}

// outcome is what came of one control and one of the claims that it must break.
type outcome struct {
	lab, control, claim, unit string
	measure.Judgement
}

func (a *app) controls(ctx context.Context, f controlFlags, names []string) error {
	if len(names) == 0 {
		names = []string{"all"}
	}
	labs, err := driver.Labs(a.Labs, names)
	if err != nil {
		return err
	}
	if !(f.dose >= 0) || math.IsInf(f.dose, 1) {
		return errors.New("--dose is a finite number that is not negative")
	}
	a.busy.Store(true)
	broke, tried, known := 0, 0, false
	for _, l := range labs {
		for i := range l.Controls {
			c := &l.Controls[i]
			if f.only != "" && f.only != c.Name {
				continue
			}
			known = true
			for _, claim := range c.Breaks {
				o, err := a.control(ctx, f, l, c, claim)
				if err != nil {
					return err
				}
				if ctx.Err() != nil {
					return errInterrupted
				}
				a.printControl(o)
				if o.Reason == measure.Unreachable || o.Reason == measure.Precondition {
					continue
				}
				tried++
				if o.Verdict == measure.Failed {
					broke++
				}
			}
		}
	}
	if !known {
		return fmt.Errorf("--only: no control of these labs is called %q; envelope show LAB lists them", f.only)
	}
	fmt.Fprintf(a.out, "\n%d of %d controls broke their claim\n", broke, tried)
	switch {
	case broke < tried:
		a.code = manifest.ExitFailed
	case tried == 0:
		a.code = manifest.ExitUnjudged
	}
	return nil
}

// control runs one control for one claim. One that comes out void is repeated
// once with more time.
func (a *app) control(ctx context.Context, f controlFlags, l *lab.Lab, c *lab.Control, claim string) (outcome, error) {
	o := outcome{lab: l.Name, control: c.Name, claim: claim, unit: l.Claim(claim).Unit}
	dir, why := f.dir, ""
	if c.Dir != "" {
		if dir, why = anotherDir(c.Dir); dir == "" {
			o.Judgement = measure.VoidFor(measure.Unreachable, "%s", why)
			return o, nil
		}
	}
	for _, budget := range []time.Duration{0, 30 * time.Second} {
		res, err := driver.Run(ctx, driver.Options{
			All: a.Labs, Select: []string{l.Name}, Only: map[string]bool{l.Name + "/" + claim: true},
			Dir: dir, Seed: f.seed, Control: c.Name, ControlOf: l.Name, Dose: f.dose, Budget: budget, Machine: a.machine,
		})
		if err != nil {
			return o, err
		}
		for _, ran := range res.Labs {
			for _, k := range ran.Claims {
				if ran.Lab == l && k.Name == claim {
					o.Judgement = k.Judgement
				}
			}
		}
		if o.Verdict != measure.Void || o.Reason == measure.Unreachable || o.Reason == measure.Precondition || ctx.Err() != nil {
			break
		}
	}
	return o, nil
}

func (a *app) printControl(o outcome) {
	mark, what := red.Render("NOT BROKEN"), o.Verdict.String()
	switch {
	case o.Verdict == measure.Failed:
		mark = green.Render("broken    ")
		what = estimateText(o.Estimate, "", o.unit)
	case o.Reason == measure.Unreachable, o.Reason == measure.Precondition:
		mark = yellow.Render("untried   ")
		fallthrough
	case o.Verdict == measure.Void:
		what = fmt.Sprintf("void (%s): %s", o.Reason, o.Detail)
	}
	a.out.row(mark+"  ", fmt.Sprintf("%s/%s by %s: %s", o.lab, o.claim, o.control, what))
}

// anotherDir finds a writable directory on a file system of that kind, or says
// why there is none.
func anotherDir(kind string) (dir, why string) {
	for _, d := range []string{"/dev/shm", os.TempDir()} {
		if fs, ok := host.Here(d).Target.Filesystem.Get(); ok && fs == kind {
			return d, ""
		}
	}
	return "", "no directory on " + kind + " was found here"
}
