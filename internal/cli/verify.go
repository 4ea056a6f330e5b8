package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"envelope/internal/typeset"
	"envelope/manifest"
)

// shownProblems is how many problems of a file are printed; the rest is counted.
const shownProblems = 50

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify FILE...", Short: "check manifests, and judge every claim again",
		Long: "Checks schema, ids, hashes and percentiles, and judges every claim again from its stored samples with the region\n" +
			"of its method version. Exit 0: all good; 1: something is wrong, named with its path; 2: a file can't be read.",
		Args: some("the name of a results file", "envelope verify results.json"),
		RunE: func(_ *cobra.Command, files []string) error { return a.verify(files) },
	}
}

func (a *app) verify(files []string) error {
	for _, name := range files {
		problems, sum, err := verifyFile(name)
		if err != nil {
			var at *fs.PathError
			if errors.As(err, &at) && at.Path == name { // said already
				err = at.Err
			}
			text := name + ": " + err.Error()
			if file, _, one := strings.Cut(name, "#"); one && errors.Is(err, fs.ErrNotExist) {
				text += "; verify checks whole files: envelope verify " + file
			}
			a.err.row("envelope: ", text)
			a.code = manifest.ExitError
			continue
		}
		for i, p := range problems {
			if i == shownProblems {
				fmt.Fprintf(a.out, "%s: and %d more\n", typeset.Clean(name), len(problems)-i)
				break
			}
			fmt.Fprintf(a.out, "%s: %s\n", typeset.Clean(name), typeset.Clean(p.String()))
		}
		if len(problems) > 0 && a.code == 0 {
			a.code = manifest.ExitFailed
		}
		verdict := "all good"
		if len(problems) > 0 {
			verdict = plural(len(problems), "problem")
		}
		fmt.Fprintf(a.out, "%s: %s; %s, %s: %d held, %d failed, %d void\n",
			typeset.Clean(name), verdict, plural(sum.Runs, "run"), plural(sum.Claims, "claim"), sum.Held, sum.Failed, sum.Void)
	}
	return nil
}

func verifyFile(name string) ([]manifest.Problem, manifest.Summary, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, manifest.Summary{}, err
	}
	defer f.Close()
	return manifest.Verify(f, manifest.VerifyOptions{})
}

// plural counts things: "1 run", "2 runs".
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
