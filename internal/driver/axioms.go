package driver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// suiteBudget is what the whole suite of axioms may take.
const suiteBudget = 15 * time.Second

// Axioms takes the environment and measures the numbers that people carry
// around, and nothing else: the result has no labs. What could not be measured
// here is told with its reason.
func Axioms(ctx context.Context, o Options) (res *Result, skipped []error, err error) {
	o, scratch, err := open(o)
	if err != nil {
		return nil, nil, err
	}
	defer scratch.remove()
	r := &run{Options: &o, scratch: scratch, Result: &Result{Options: &o, Started: time.Now().UTC()}}
	r.environment()
	dir, err := scratch.sub("axioms")
	if err != nil {
		return nil, nil, err
	}
	err = quiet(func() (err error) {
		r.Result.Axioms, skipped, err = o.Machine.Everything(ctx, r.clock, dir, rand.New(rand.NewPCG(o.Seed, 0)), suiteBudget)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("measuring the axioms: %w", err)
	}
	r.Finished = time.Now().UTC()
	return r.Result, skipped, nil
}
