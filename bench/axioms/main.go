// Axioms holds the measured axioms of package envelope/internal/probe against a
// C program that measures the same quantities in its own way (peer/), against
// openssl for SHA-256, and against package testing for what is Go's alone:
//
//	go run ./bench/axioms [-dir DIR] [-rounds 60]
//
// In each round every quantity is sampled once by both, one right after the
// other and by turns the first, in shuffled order of the quantities: whatever
// else happens on the machine happens to both. A ratio is one of sums over two
// rounds; what is printed is the median of the ratios with its order-statistic
// interval, beside both medians, and the ratio among the shortest fifth of the
// samples of each.
//
// The status is 1 where something could not be measured, never for a ratio: a
// machine with neighbours may be noisier than the difference that is looked for.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"

	"envelope/internal/measure"
	"envelope/internal/probe"
)

func main() {
	dir := flag.String("dir", ".", "directory to measure")
	rounds := flag.Int("rounds", 60, "samples of each quantity; two make a ratio")
	source := flag.String("peer", "bench/axioms/peer", "where the C program's source is")
	flag.Parse()
	if err := setBenchtime(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/axioms:", err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *dir, *source, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench/axioms:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, source string, rounds int) error {
	dir, err := os.MkdirTemp(dir, ".envelope-axioms-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := start(ctx, source, dir)
	if err != nil {
		return err
	}
	defer p.stop()

	// As the driver does around a lab.
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	clock, rng := measure.NewClock(), rand.New(rand.NewPCG(1, 0))
	suite, err := probe.Open(ctx, clock, dir, rng)
	if err != nil {
		return err
	}
	defer suite.Close()
	series, rows, err := suite.Sample(ctx, measure.Options{Clock: clock, Rand: rng}, rounds, p.arms(suite.Rings(), rounds))
	if err != nil {
		return err
	}
	before, after := p.load, load()
	fmt.Printf("%d rounds on %d CPUs, load %s before and %s after\n\n", rounds, runtime.NumCPU(), before, after)
	report(os.Stdout, series, rows)
	for _, why := range suite.Skipped {
		fmt.Printf("\nnot measured: %v\n", why)
	}
	return nil
}
