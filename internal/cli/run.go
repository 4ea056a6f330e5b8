package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"envelope/internal/driver"
	"envelope/internal/lab"
	"envelope/internal/typeset"
	"envelope/manifest"
)

// runFlags are the flags of run.
type runFlags struct {
	dir, results, format string
	trace, redis, state  string
	full, allowNoisy     bool
	seed                 uint64
	budget, whenQuiet    time.Duration
	require, device      []string
}

// formats are the forms in which a run's results can be printed.
var formats = []string{"text", "json", "junit", "github"}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [LAB or GROUP...]",
		Short: "measure, judge the claims, append the manifest",
		Long: "Runs the named labs, or the groups storage and serving, on the file system of DIR, prints the verdicts and\n" +
			"appends the run's manifest to the results file. Groups: " + strings.Join(driver.Groups(a.Labs), ", ") + ".",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := notEmpty(cmd); err != nil {
				return err
			}
			return a.run(cmd.Context(), f, args)
		},
	}
	a.placeFlags(cmd, &f)
	flags := cmd.Flags()
	flags.BoolVar(&f.full, "full", false, "larger n and budgets: at most 10 minutes")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of payloads, kills and orders")
	flags.DurationVar(&f.budget, "budget", 0, "time for all timing claims together; 0 leaves each lab its own")
	flags.StringSliceVar(&f.require, "require", nil, "`NAMES` of labs, LAB/CLAIM or devices that must be judged: void for any reason is then exit 3, but of a lab or device not what another system alone can tell")
	flags.StringSliceVar(&f.device, "device", nil, "`NAMES` of devices (cpu-1, cpu-all, uring, thread): leave out the claims about others")
	flags.BoolVar(&f.allowNoisy, "allow-noisy", false, "claims that are void for noise alone do not count against exit 0")
	flags.StringVar(&f.trace, "trace", "", "show what the schedulers of lab slots make of the requests in this CSV `FILE` (TIMESTAMP, ContextTokens, GeneratedTokens)")
	flags.StringVar(&f.redis, "redis", "", "compare the replies of lab pipelining with the Redis at this `ADDR` (HOST:PORT or a socket's path), which gets keys that begin with envelope: and loses them again; without it a redis-server in PATH is started")
	cmd.ValidArgsFunction = a.completeLabs
	return cmd
}

// placeFlags are the flags that say where and when to measure, and where the
// results go: they change nothing about what is measured.
func (a *app) placeFlags(cmd *cobra.Command, f *runFlags) {
	a.dirFlag(cmd, &f.dir)
	a.stateFlag(cmd, &f.state)
	flags := cmd.Flags()
	flags.StringVar(&f.results, "results", orDefault(a.getenv("ENVELOPE_RESULTS"), "results.json"), "append the manifest to this `FILE`; \"none\" keeps none (ENVELOPE_RESULTS)")
	flags.StringVar(&f.format, "format", "text", "how to print the results: "+strings.Join(formats, ", "))
	a.whenQuietFlag(cmd, &f.whenQuiet)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// notEmpty refuses flags that were given with nothing in them: a gate whose
// variable was not set must not stay open.
func notEmpty(cmd *cobra.Command) error {
	for _, name := range []string{"require", "device", "trace", "redis", "results"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && strings.Trim(f.Value.String(), "[]") == "" {
			return fmt.Errorf("--%s is empty: name something, or leave the flag out", name)
		}
	}
	return nil
}

// dirFlag is the directory under test.
func (a *app) dirFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "dir", orDefault(a.getenv("ENVELOPE_DIR"), "."), "measure the file system of this `DIR` (ENVELOPE_DIR)")
	cmd.MarkFlagDirname("dir")
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// only are the claims about the devices that were named; nil means all.
func (f *runFlags) only(a *app) (map[string]bool, error) {
	if len(f.device) == 0 {
		return nil, nil
	}
	return driver.OnDevices(a.Labs, f.device)
}

// spaced refuses a duration behind --when-quiet and a space. The flag may stand
// alone, so that what follows it is taken for a lab.
func spaced(args []string) error {
	i := slices.Index(args, "--when-quiet")
	if i < 0 || i+1 == len(args) {
		return nil
	}
	if _, err := time.ParseDuration(args[i+1]); err != nil {
		return nil
	}
	return fmt.Errorf("--when-quiet %s: write --when-quiet=%[1]s", args[i+1])
}

func (f *runFlags) check(a *app) error {
	if err := spaced(a.args); err != nil {
		return err
	}
	if !slices.Contains(formats, f.format) {
		return fmt.Errorf("--format %q is none of %s", f.format, strings.Join(formats, ", "))
	}
	if f.budget < 0 || f.whenQuiet < 0 {
		return errors.New("--budget and --when-quiet can't be negative")
	}
	if f.trace != "" {
		if info, err := os.Stat(f.trace); err != nil {
			return fmt.Errorf("--trace: %w", err)
		} else if !info.Mode().IsRegular() {
			return fmt.Errorf("--trace %s is not a regular file", f.trace)
		}
	}
	if err := checkResults(f.results); err != nil {
		return err
	}
	return driver.CheckRequire(a.Labs, f.require)
}

// checkTrace has the labs that use a trace look at it, and warns where none does.
func (a *app) checkTrace(path string, labs []*lab.Lab) error {
	if path == "" {
		return nil
	}
	used := false
	for _, l := range labs {
		if l.CheckTrace == nil {
			continue
		}
		used = true
		if err := l.CheckTrace(path); err != nil {
			return fmt.Errorf("--trace %s: %w", path, err)
		}
	}
	if used {
		return nil
	}
	var users []string
	for _, l := range a.Labs {
		if l.CheckTrace != nil {
			users = append(users, l.Name)
		}
	}
	text := "none of these labs uses a --trace"
	if len(users) > 0 {
		text += "; " + strings.Join(users, ", ") + " does"
	}
	a.err.row("envelope: warning: ", text)
	return nil
}

// checkResults finds out before anything is measured whether the manifest could
// be appended.
func checkResults(name string) error {
	if name == "none" {
		return nil
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return fmt.Errorf("--results: %w", err)
	}
	if err := manifest.Appendable(path); err != nil {
		return fmt.Errorf("--results %s: %w; \"none\" keeps no record", name, err)
	}
	return nil
}

func (a *app) run(ctx context.Context, f runFlags, names []string) error {
	if err := f.check(a); err != nil {
		return err
	}
	labs, err := driver.Labs(a.Labs, names)
	if err != nil {
		return err
	}
	if err := a.checkTrace(f.trace, labs); err != nil {
		return err
	}
	m, err := a.measure(ctx, f, names, a.args)
	if err != nil {
		return err
	}
	a.printRun(f, m)
	return a.keep(f, m.record)
}

// measurement is a run that was made, and what its text has shown so far.
type measurement struct {
	result *driver.Result
	shown  verdicts
	record manifest.Run
}

// measure runs labs as the flags say. args are the command line that is recorded.
// The exit code is set by what it comes to.
func (a *app) measure(ctx context.Context, f runFlags, names, args []string) (measurement, error) {
	only, err := f.only(a)
	if err != nil {
		return measurement{}, err
	}
	if err := a.waitIfAsked(ctx, f.dir, f.whenQuiet); err != nil {
		return measurement{}, err
	}
	a.busy.Store(true)
	text := &a.out
	if f.format != "text" {
		text = nil
	}
	w := newWatcher(text, a.err, a.getenv)
	res, err := driver.Run(ctx, driver.Options{
		All: a.Labs, Select: names, Only: only, Dir: f.dir, Trace: f.trace, Redis: f.redis, Full: f.full, Seed: f.seed, Budget: f.budget,
		Kept: a.kept(f.state), Watcher: w, Machine: a.machine,
	})
	if err != nil {
		return measurement{}, err
	}
	record := res.Manifest(a.program(), redacted(args, f.dir))
	record.ExitCode = manifest.ExitCode(record, f.require, f.allowNoisy)
	if record, err = manifest.Seal(record); err != nil {
		return measurement{}, err
	}
	a.code = record.ExitCode
	return measurement{res, w.shown, record}, nil
}

// printRun prints a run's results. The run is still worth keeping where that fails:
// what became of the output is told at the end.
func (a *app) printRun(f runFlags, m measurement) {
	if err := a.print(f, m.result, m.shown, m.record); err != nil {
		a.err.row("envelope: ", "printing the results: "+err.Error())
	}
}

// program is what the manifest says of this program.
func (a *app) program() manifest.Program {
	p := manifest.Here(a.Sources)
	p.Version = version
	return p
}

// command is the command line as the manifest keeps it: no path of it.
func (a *app) command(dir string) []string { return redacted(a.args, dir) }

func redacted(args []string, dir string) []string {
	home, _ := os.UserHomeDir()
	cwd, _ := os.Getwd()
	return manifest.Redact(append([]string{"envelope"}, args...), dir, home, cwd)
}

// print writes the end of the results, or all of them in another form.
func (a *app) print(f runFlags, res *driver.Result, seen verdicts, record manifest.Run) error {
	switch f.format {
	case "json":
		printUnmet(a.err, "envelope: not met: ", record, f.require)
		return writeJSON(a.out, record)
	case "junit":
		return writeJUnit(a.out, record, f.gate())
	case "github":
		return writeGitHub(a.out, record, f.gate())
	}
	printSummary(a.out, res, seen)
	printUnmet(a.out, red.Render("not met:")+" ", record, f.require)
	if f.allowNoisy && record.ExitCode == manifest.ExitHeld && manifest.ExitCode(record, f.require, false) != manifest.ExitHeld {
		fmt.Fprintln(a.out, "claims that are void for noise were let pass: --allow-noisy")
	}
	return nil
}

// printUnmet says what the run had to come to and has not. Of JSON, which has the
// exit code alone, it is said beside the results.
func printUnmet(w page, head string, run manifest.Run, require []string) {
	for _, why := range manifest.Unmet(run, require) {
		w.row(head, why)
	}
}

// gate is what the exit code depends on beside the verdicts.
func (f *runFlags) gate() gate { return gate{f.require, f.allowNoisy} }

// keep appends the manifest.
func (a *app) keep(f runFlags, record manifest.Run) error {
	if f.results == "none" {
		return nil
	}
	path, err := filepath.Abs(f.results)
	if err != nil {
		return fmt.Errorf("results file: %w", err)
	}
	written, err := manifest.Append(path, record, manifest.AppendOptions{Fallback: os.Stderr})
	if err != nil && !errors.Is(err, manifest.ErrNotSynced) {
		return err
	}
	if err != nil {
		a.err.row("envelope: ", err.Error())
	}
	fmt.Fprintf(a.err, "run %s appended to %s\n", record.ID, typeset.Clean(written))
	return nil
}

func (a *app) completeLabs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	names := driver.Groups(a.Labs)
	for _, l := range a.Labs {
		names = append(names, l.Name+"\t"+l.Title)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
