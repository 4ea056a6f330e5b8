package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

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

// waitIfAsked waits for quiet where --when-quiet asks for that. What would be
// refused after the wait is refused before it.
func (a *app) waitIfAsked(ctx context.Context, f runFlags) error {
	if f.whenQuiet == 0 {
		return nil
	}
	if err := driver.Writable(f.dir); err != nil {
		return err
	}
	if err := waitForQuiet(ctx, f.whenQuiet, a.machine.Load, a.err); err != nil {
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
