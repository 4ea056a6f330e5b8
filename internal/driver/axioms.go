package driver

import (
	"context"
	"time"
)

// Axioms takes the environment and measures the axioms in dir, and nothing
// else: the result has no labs.
func Axioms(ctx context.Context, o Options) (*Result, error) {
	scratch, err := newScratch(o.Dir)
	if err != nil {
		return nil, err
	}
	defer scratch.remove()
	if o.Watcher == nil {
		o.Watcher = silent{}
	}
	o.Machine = o.Machine.withDefaults()
	r := &run{Options: &o, scratch: scratch, judged: map[string]*Claim{},
		Result: &Result{Options: &o, Started: time.Now().UTC()}}
	if err := r.look(ctx); err != nil {
		return nil, err
	}
	r.Finished = time.Now().UTC()
	return r.Result, nil
}
