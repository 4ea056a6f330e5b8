package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"envelope/internal/durable"
	"envelope/internal/report"
)

func (a *app) reportCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use: "report " + aRun + " [-o PAGE]", Short: "one HTML page of a run, with pictures",
		Long: "Makes one HTML page of a run: verdicts first, then each claim with its region, interval and samples, predictions beside what\n" +
			"was measured, and the machine with the source of every fact. The page has no script, and refers to nothing outside\n" +
			"itself. " + aboutRuns + "\n\n" +
			"Exit 0: the page was made, whatever the run came to; 1: the run does not verify; 2: usage, or a file can't be read\n" +
			"or written.",
		Example: "  envelope report results.json -o page.html\n  envelope report results.json#1 > first.html",
		Args:    one("the name of a results file", "envelope report results.json -o page.html"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.report(args[0], to, cmd.Flags().Changed("output") && to != "-")
		},
	}
	cmd.Flags().StringVarP(&to, "output", "o", "", "file to write the page to; without it, or with -, standard output")
	return cmd
}

func (a *app) report(name, to string, toFile bool) error {
	if toFile && to == "" {
		return errors.New("--output is empty: name a file, such as page.html")
	}
	if !toFile && a.out.fd >= 0 {
		return errors.New("a page is no text for a terminal: name a file for it, with -o page.html, or redirect the output")
	}
	r := a.refer(name)
	var old fs.FileInfo
	if toFile {
		var err error
		if to, old, err = pageFile(to, r.file); err != nil {
			return err
		}
	}
	run, err := r.open()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.Write(&page, run); err != nil {
		return fmt.Errorf("making the page of %s: %w", r, err)
	}
	if !toFile {
		a.out.Write(page.Bytes()) // what becomes of it is told at the end of the program
		return nil
	}
	err = durable.Replace(to, durable.Options{Mode: 0o644, Like: old}, page.Bytes())
	var unsynced *durable.NotSyncedError
	switch {
	case errors.As(err, &unsynced):
		a.err.row("envelope: warning: ", fmt.Sprintf("%s: %v", to, err))
	case err != nil:
		return fmt.Errorf("%s: %w", to, err)
	}
	a.err.row("envelope: ", fmt.Sprintf("wrote %s", to))
	return nil
}

// pageFile finds the file that a page goes to, through a link, and what is there
// already: a file that may be written to, and not the one that the run is read
// from.
func pageFile(to, from string) (string, fs.FileInfo, error) {
	fail := func(format string, args ...any) (string, fs.FileInfo, error) {
		return "", nil, fmt.Errorf("--output %s: %w", to, fmt.Errorf(format, args...))
	}
	if info, err := os.Lstat(to); err == nil && info.Mode().Type() == fs.ModeSymlink {
		target, err := filepath.EvalSymlinks(to)
		if err != nil {
			return fail("it is a symbolic link that can't be followed: remove it, or make the file that it names")
		}
		to = target
	}
	info, err := os.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(to)); errors.Is(err, fs.ErrNotExist) {
			return fail("its directory does not exist: make it")
		}
		return to, nil, nil
	case err != nil:
		return fail("%w", err)
	case !info.Mode().IsRegular():
		return fail("it is no file: name one; what another program reads goes to standard output, without -o")
	}
	if source, err := os.Stat(from); err == nil && os.SameFile(info, source) {
		return fail("it is the file that the run is read from: name another")
	}
	f, err := os.OpenFile(to, os.O_WRONLY, 0)
	if err != nil {
		return fail("%w", errors.Unwrap(err))
	}
	return to, info, f.Close()
}
