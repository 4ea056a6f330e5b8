package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/manifest"
)

func (a *app) doctorCommand() *cobra.Command {
	var dir, format string
	cmd := &cobra.Command{
		Use: "doctor", Short: "the environment, and whether DIR is fit to measure", Args: noArguments,
		Long: "Prints the environment, as JSON with the source of every fact, then says whether DIR can be measured.\n" +
			"Exit 0: it can; 2: it can't be written; 3: it is known not to sync.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), dir, format) },
	}
	a.dirFlag(cmd, &dir)
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

func (a *app) doctor(ctx context.Context, dir, format string) error {
	env := a.machine.Here(dir)
	clock := measure.NewClock()
	env.Clock.Overhead = host.Known(clock.Overhead().Seconds(), "s", "measured")
	env.Clock.Resolution = host.Known(clock.Resolution().Seconds(), "s", "measured")
	switch format {
	case "json":
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		if err := e.Encode(env); err != nil {
			return err
		}
	case "text":
		a.out.environment(&env)
		if why := loud(env.Load, runtime.NumCPU()); why != "" {
			a.out.fact("warning", "the machine is not quiet: "+why)
		}
	default:
		return fmt.Errorf("--format %q is none of text, json", format)
	}
	if err := driver.Writable(dir); err != nil {
		return err
	}
	if _, unfit := env.Target.Unfit(); unfit {
		a.code = manifest.ExitUnjudged
		return nil
	}
	if format == "text" {
		if b, _ := env.Target.Boundary.Get(); b == "memory" {
			a.out.row("", "no storage is reached: the directory is kept in memory, so every claim about storage will be void; all else can be measured")
			return nil
		}
		a.out.row("", "the directory can be measured; whether it is real storage, the lab buffered finds out")
	}
	return nil
}
