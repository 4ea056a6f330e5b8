package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// noArguments refuses any. Cobra's own check calls them unknown commands.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no arguments, got %s; %s --help says what it takes", cmd.Name(), quoted(args), cmd.CommandPath())
	}
	return nil
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
