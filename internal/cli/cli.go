// Package cli is the command line: it reads flags, calls the driver and the
// manifest, and prints. It neither measures nor judges.
//
// Results go to standard output, everything else to standard error. What comes
// from a file or from the machine is stripped of control characters before it
// reaches a terminal.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/internal/durable"
	"envelope/internal/lab"
	"envelope/manifest"
)

// Program is what the binary is made of.
type Program struct {
	Labs       []*lab.Lab
	Sources    fs.FS
	Rules      []byte // RULES.md
	Challenges []byte // CHALLENGES.md
	// Methods are what compare, rerun and report verify runs by; nil means those
	// that are published.
	Methods manifest.Methods
}

// app is one call of the program.
type app struct {
	Program
	out    page // results, colours already fitted to it
	err    page
	args   []string
	getenv func(string) string
	// machine stands in for this one where a test says so.
	machine driver.Machine
	code    int         // exit code of a command that ran to its end
	busy    atomic.Bool // measuring: a signal has to leave time to clean up
}

// Main runs the command line and returns the exit code.
func Main(p Program, args []string) int { return mainOn(driver.Machine{}, p, args) }

func mainOn(m driver.Machine, p Program, args []string) int {
	out := &sticky{w: os.Stdout, terminal: isatty.IsTerminal(os.Stdout.Fd())} // asked before it may have gone
	a := &app{
		Program: p, getenv: os.Getenv, machine: m,
		out: on(os.Stdout, &colorprofile.Writer{Forward: out, Profile: colours(os.Stdout)}),
		err: on(os.Stderr, os.Stderr),
	}
	ctx, stop := a.interruptible()
	defer stop()
	code := a.main(ctx, args)
	// Results that did not get out were not given.
	if out.err != nil && !out.left() {
		fmt.Fprintf(os.Stderr, "envelope: writing the results: %v\n", out.err)
		return max(code, manifest.ExitError)
	}
	return code
}

// colours says which ones a file can show. Inside tmux it is not asked for more
// than its name tells: that starts another program, for colours that are not used.
func colours(f *os.File) colorprofile.Profile {
	return colorprofile.Detect(f, slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "TMUX=") }))
}

// sticky keeps the first error of a writer.
type sticky struct {
	w        io.Writer
	terminal bool
	err      error
}

// left says that the reader has left, by closing a pipe or a terminal. That is no
// fault: he has seen what he wanted.
func (s *sticky) left() bool {
	return errors.Is(s.err, syscall.EPIPE) || s.terminal && errors.Is(s.err, syscall.EIO)
}

func (s *sticky) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	if s.err == nil {
		s.err = err
	}
	return n, err
}

func (a *app) main(ctx context.Context, args []string) int {
	a.args = args
	root := a.root()
	root.SetArgs(negative(args))
	root.SetOut(a.out)
	root.SetErr(a.err)
	if err := root.ExecuteContext(ctx); err != nil {
		a.err.row("envelope: ", err.Error())
		var coded *exitError
		if errors.As(err, &coded) {
			return coded.code
		}
		return manifest.ExitError
	}
	return a.code
}

// exitError is an error with an exit code other than 2.
type exitError struct {
	code int
	err  error
}

var errInterrupted = &exitError{manifest.ExitInterrupted, errors.New("interrupted")}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "envelope",
		Short:         "back-of-the-envelope systems labs: predict a number, measure it, judge the claims that rest on it",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          aCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(a.runCommand(), a.listCommand(), a.showCommand(), a.controlsCommand(), a.doctorCommand(), a.verifyCommand(),
		a.compareCommand(), a.rerunCommand(), a.reportCommand(),
		a.axiomsCommand(), a.divideCommand(), a.floorCommand(), a.kvCommand(), a.calibrationCommand(), a.drillCommand(), a.predictCommand())
	for _, cmd := range append(root.Commands(), root) {
		cmd.Long = reflow(cmp.Or(cmd.Long, cmd.Short), a.out.prose())
	}
	askable(root)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", a.out.prose())))
	root.SetVersionTemplate("{{.Version}}\n")
	root.Version = version
	return root
}

// askable has help and completion, which come with the library, refuse what there
// is no help or completion for.
func askable(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				about, rest, err := root.Find(args)
				if err != nil || len(rest) == 0 {
					return err
				}
				if about.HasSubCommands() {
					return aCommand(about, rest)
				}
				return fmt.Errorf("help wants the name of a command, got %s behind %s", quoted(rest), about.Name())
			}
		case "completion":
			cmd.Args = aCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// version is the release that the CHANGELOG describes.
const version = manifest.Release

// again is how soon after the first signal another one is taken for the same
// wish: service managers send two, and a key may bounce.
const again = 300 * time.Millisecond

// interruptible returns a context that ends at the first signal that asks to
// stop. Where nothing is being measured, that is the end, and a file that was
// being replaced stays as it was. Otherwise the run
// gets to clean up, and a second signal removes the scratch files and ends at
// once: a disk that hangs must not hold the user.
// A closed pipe is no reason to stop: the measurement still goes to the
// manifest, so SIGPIPE is caught and a write returns its error. A signal that
// the caller had ignored, as nohup does, stays ignored.
func (a *app) interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	go func() {
		<-signals
		if !a.busy.Load() {
			durable.Abandon()
			os.Exit(manifest.ExitInterrupted)
		}
		cancel()
		fmt.Fprintln(os.Stderr, "\nenvelope: stopping; once more to stop at once")
		for first := time.Now(); time.Since(first) < again; {
			<-signals
		}
		driver.Abandon()
		durable.Abandon()
		os.Exit(manifest.ExitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); signal.Stop(pipe); cancel() }
}
