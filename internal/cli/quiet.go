package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/internal/host"
)

// loud says what stands in the way of a quiet measurement, or nothing: more
// than a quarter of the processors busy, or tasks that wait for processor or
// disk more than a twentieth of the time. What is unknown counts as quiet.
func loud(v host.Volatile, cpus int) string {
	if load, ok := v.Load1.Get(); ok && load > float64(cpus)/4 {
		return fmt.Sprintf("load %.2f on %d processors", load, cpus)
	}
	for _, p := range []struct {
		name string
		host.Pressure
	}{{"processor", v.PressureCPU}, {"disk", v.PressureIO}, {"memory", v.PressureMemory}} {
		if share, ok := p.Avg10.Get(); ok && share > 0.05 {
			return fmt.Sprintf("%s pressure %.0f %%", p.name, 100*share)
		}
	}
	return ""
}

// whenQuietFlag is how long to wait for quiet before anything is measured.
func (a *app) whenQuietFlag(cmd *cobra.Command, limit *time.Duration) {
	cmd.Flags().DurationVar(limit, "when-quiet", 0, "wait until load and pressure are low, at most this long")
	cmd.Flags().Lookup("when-quiet").NoOptDefVal = "10m"
}

// waitIfAsked waits for quiet where --when-quiet asks for that. What would be
// refused after the wait is refused before it.
func (a *app) waitIfAsked(ctx context.Context, dir string, limit time.Duration) error {
	if limit == 0 {
		return nil
	}
	if limit < 0 {
		return errors.New("--when-quiet can't be negative")
	}
	if err := spaced(a.args); err != nil {
		return err
	}
	if err := driver.Writable(dir); err != nil {
		return err
	}
	if err := waitForQuiet(ctx, limit, a.machine.Load, a.err); err != nil {
		return errInterrupted
	}
	return nil
}

// waitForQuiet returns when load and pressure are low or the limit is over. Its
// error is ctx's.
func waitForQuiet(ctx context.Context, limit time.Duration, look func() host.Volatile, say io.Writer) error {
	end := time.After(limit)
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	last := ""
	for {
		why := loud(look(), runtime.NumCPU())
		if why == "" {
			return nil
		}
		if last == "" {
			fmt.Fprintf(say, "waiting for quiet, at most %v: %s\n", limit, why)
		}
		last = why
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end:
			fmt.Fprintf(say, "still %s after %v: measuring all the same\n", last, limit)
			return nil
		case <-tick.C:
		}
	}
}
