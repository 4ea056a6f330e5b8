package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"envelope/internal/driver"
)

// noArguments refuses any. Cobra's own check calls them unknown commands.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %s; %s --help says what it takes", cmd.Name(), quoted(args), cmd.CommandPath())
	}
	return nil
}

// aCommand refuses what is no command, and says which may have been meant.
func aCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return fmt.Errorf("unknown command %q%s", args[0], driver.ThereAre(args[0], names))
}

// one demands one argument and says what it is.
func one(what, example string) cobra.PositionalArgs { return between(1, 1, what, example) }

// some demands one argument or more.
func some(what, example string) cobra.PositionalArgs { return between(1, math.MaxInt, what, example) }

func between(least, most int, what, example string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least:
			return fmt.Errorf("%s wants %s, such as: %s", cmd.Name(), what, example)
		case n > most:
			return fmt.Errorf("%s wants %s, got %d arguments (%s); such as: %s", cmd.Name(), what, n, quoted(args), example)
		}
		return nil
	}
}

// reckons are the commands whose arguments may be negative numbers.
var reckons = []string{"divide", "floor"}

// negative returns the arguments of a command that reckons with the sign of each
// that begins with a negative number spelt as a minus, which is no mark of a flag.
// What stands behind a flag without its value may be that value, and stays.
func negative(args []string) []string {
	if len(args) == 0 || !slices.Contains(reckons, args[0]) {
		return args
	}
	out := slices.Clone(args)
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		rest, minus := strings.CutPrefix(args[i], "-")
		value := strings.HasPrefix(args[i-1], "--") && !strings.Contains(args[i-1], "=")
		if minus && !value && rest != "" && strings.ContainsRune("0123456789.( ", rune(rest[0])) {
			out[i] = "−" + rest
		}
	}
	return out
}

// minusHint says what to do about an argument that begins with a minus and was
// taken for flags.
func minusHint(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "unknown shorthand flag") {
			return fmt.Errorf("%w; if it is no flag, put -- before it", err)
		}
		return err
	})
}

// quoted shows the first arguments as they came.
func quoted(args []string) string {
	const shown = 3
	var out []string
	for i, arg := range args {
		if i == shown {
			out = append(out, "...")
			break
		}
		out = append(out, fmt.Sprintf("%q", arg))
	}
	return strings.Join(out, ", ")
}
