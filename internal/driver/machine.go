package driver

import (
	"context"
	"math/rand/v2"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/internal/probe"
)

// Machine is what a run asks of the machine by itself, before the first lab and
// after the last. A field that is nil asks the real one: only tests set any, so
// that a run of theirs neither takes a second nor depends on where it is made.
type Machine struct {
	Environment func(dir string) host.Environment
	Volatile    func() host.Volatile
	Barrier     func(clock *measure.Clock, dir string, rng *rand.Rand) (time.Duration, error)
	Axioms      func(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand, budget time.Duration) ([]axioms.Measured, error)
	// Everything is Axioms for the whole suite of them.
	Everything func(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand, budget time.Duration) (all []axioms.Measured, skipped []error, err error)
}

// Here returns the environment of this machine and the file system of dir.
func (m Machine) Here(dir string) host.Environment { return m.withDefaults().Environment(dir) }

// Load returns what of this machine's environment changes from one moment to the next.
func (m Machine) Load() host.Volatile { return m.withDefaults().Volatile() }

func (m Machine) withDefaults() Machine {
	if m.Environment == nil {
		m.Environment = host.Here
	}
	if m.Volatile == nil {
		m.Volatile = func() host.Volatile { return host.ReadVolatile(host.Root(), host.Local()) }
	}
	if m.Barrier == nil {
		m.Barrier = probe.Barrier
	}
	if m.Axioms == nil {
		m.Axioms = probe.Axioms
	}
	if m.Everything == nil {
		m.Everything = probe.Everything
	}
	return m
}
