// Command kernels compares package envelope/internal/kernels with what a C compiler and OpenBLAS make of the same work on the
// same machine, in turn, and with the limits that it measures itself.
//
// A block is A B B A or B A A B in alternation, and its ratio that of the summed speeds; blocks of all comparisons are
// dealt in turn. What is printed is the median over the blocks, with the order-statistic interval of the median, and the
// ratio of the fastest runs.
//
// The status is 1 where the two sides disagree about a result, or where a rate is above what the clock allows: then the
// instrument is wrong, and its figures are void. A target that is missed is printed, and is no error.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"envelope/internal/kernels"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	flags := flag.NewFlagSet("kernels", flag.ContinueOnError)
	flags.SetOutput(errs)
	blocks := flags.Int("n", 15, "blocks of each comparison")
	patience := flags.Duration("patience", 200*time.Millisecond, "how long a block may wait for the machine to be quiet")
	path := flags.String("peer", "", "the C program to compare with (run.sh builds it)")
	only := flags.String("only", "", "run the comparisons whose name contains this")
	if flags.Parse(args) != nil {
		return 2
	}
	debug.SetGCPercent(-1)
	if err := compare(out, *path, *only, *blocks, *patience); err != nil {
		fmt.Fprintln(errs, "kernels:", err)
		return 1
	}
	return 0
}

func compare(out io.Writer, path, only string, blocks int, patience time.Duration) error {
	own, err := newOwn()
	if err != nil {
		return err
	}
	other, err := start(path)
	if err != nil {
		return err
	}
	defer other.stop()
	fmt.Fprintf(out, "ours: %s, %d threads; %s\n", kernels.Features(), kernels.Threads(), own.memory())
	fmt.Fprintf(out, "peer: %s\n", other.banner)
	fmt.Fprintf(out, "before: %s\n", state())
	var chosen []*comparison
	for _, c := range comparisons(own, other) {
		if strings.Contains(c.name, only) {
			chosen = append(chosen, c)
		}
	}
	disturbed := 0
	for block := range blocks {
		for _, c := range chosen {
			if !quiet(patience) {
				disturbed++
			}
			if err := c.block(block); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	fmt.Fprintf(out, "after:  %s; %d of %d blocks began beside others\n\n", state(), disturbed, blocks*len(chosen))
	report(out, chosen)
	return own.checkCeiling(out)
}

// state is what else the machine is doing.
func state() string {
	load, _ := os.ReadFile("/proc/loadavg")
	stat, _ := os.ReadFile("/proc/stat")
	first, _, _ := strings.Cut(string(stat), "\n")
	steal := "unknown"
	if fields := strings.Fields(first); len(fields) > 8 {
		steal = fields[8]
	}
	return fmt.Sprintf("load %s, steal %s ticks", strings.TrimSpace(string(load)), steal)
}

// quiet waits until nothing but this program has been runnable for some looks in a row, and reports whether that came to be
// within the time given. It looks at the machine and never at a result.
func quiet(patience time.Duration) bool {
	calm := 0
	for start := time.Now(); time.Since(start) < patience; time.Sleep(2 * time.Millisecond) {
		calm++
		if runnable() > 1 {
			calm = 0
		}
		if calm == 8 {
			return true
		}
	}
	return false
}

// runnable is the number of threads that run or could, this one among them.
func runnable() (n int) {
	load, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	if len(fields) < 4 {
		return 1
	}
	_, _ = fmt.Sscanf(fields[3], "%d/", &n)
	return n
}
