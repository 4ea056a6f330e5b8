package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

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

// waitForQuiet returns when load and pressure are low or the limit is over. Its
// error is ctx's.
func waitForQuiet(ctx context.Context, limit time.Duration, say io.Writer) error {
	end := time.After(limit)
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	last := ""
	for {
		why := loud(host.ReadVolatile(host.Root(), host.Local()), runtime.NumCPU())
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
