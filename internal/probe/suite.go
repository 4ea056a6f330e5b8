package probe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
)

// bench is what the probes of the whole suite are made on.
type bench struct {
	dir    string // an empty directory on the file system under test
	rng    *rand.Rand
	arena  *arena
	caches []host.Cache
	exe    func() (argv []string) // a program that ends at once; nil where there is none
}

// maker makes one probe, or says why it can't be made here.
type maker struct {
	name string
	make func(b *bench) (probe, error)
}

// suite lists the probes in the order in which people think of them: from the
// processor outwards.
var suite = []maker{
	{"function-call", functionCall}, {"branch-miss", branchMiss},
	{"l1-load", chase(1)}, {"l2-load", chase(2)}, {"l3-load", chase(3)}, {"memory-load", chase(0)},
	{"cache-read", cacheRead}, {"dram-read", dramRead},
	{"cache-write", cacheWrite}, {"dram-write", dramWrite},
	{"random-read", randomRead},
	{"core-peak", corePeak},
	{"mutex", mutex}, {"goroutine-switch", goroutineSwitch}, {"thread-handover", threadHandover},
	{"page-fault", pageFault}, {"process-start", processStart},
	{"crc32c", crc32c}, {"sha256", sha256Sum}, {"deflate", deflateFast},
	{"tcp-round-trip", tcpRoundTrip}, {"unix-round-trip", unixRoundTrip},
	{"file-read", fileRead}, {"direct-read", directRead}, {"write-fsync", fsync},
}

// dimOf returns the dimension of an axiom, and false where there is none of that
// name.
func dimOf(name string) (axioms.Dim, bool) {
	switch {
	case !slices.Contains(Names(), name):
		return axioms.Dim{}, false
	case name == "core-peak":
		return axioms.DimFLOPPerSecond, true
	case slices.Contains(byteRates, name):
		return axioms.DimBytePerSecond, true
	}
	return axioms.DimSecond, true
}

// byteRates are the axioms that are bytes a second.
var byteRates = []string{"cache-copy", "dram-copy", "seq-write", "cache-read", "dram-read", "cache-write", "dram-write",
	"random-read", "crc32c", "sha256", "deflate", "file-read"}

// Names lists every axiom that Everything may measure, in its order: the five
// of each run first.
func Names() []string {
	names := []string{"clock", "system-call", "cache-copy", "dram-copy", "seq-write"}
	for _, m := range suite {
		names = append(names, m.name)
	}
	return names
}

// fewest is the least observations of an axiom that is kept: of fewer no interval says anything.
const fewest = 5

// Everything measures the numbers that people carry around, this machine's own.
// What can't be measured here is left out, with the reason among the skipped.
// Preparation counts against the budget, but leaves at least a third of it; 0
// means all the time that it takes. dir is left with files in it.
func Everything(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand, budget time.Duration) (out []axioms.Measured, skipped []error, err error) {
	start := clock.Now()
	s, err := Open(ctx, clock, dir, rng)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	o := measure.Options{Clock: clock, Rand: rng}
	if budget > 0 {
		o.Budget = max(budget-(clock.Now()-start), budget/3, 1)
	}
	series, _, err := sample(ctx, o, s.probes, nil)
	if err != nil {
		return nil, nil, err
	}
	demand(series)
	out, failed := conclude(s.probes, series)
	return out, append(s.Skipped, failed...), nil
}

// demand makes a series of fewer than the least observations an error.
func demand(series []Series) {
	for i := range series {
		if n := len(series[i].Samples); series[i].Err == nil && n < fewest {
			series[i].Err = fmt.Errorf("the time of the suite was over after %d observations, and %d are the least", n, fewest)
		}
	}
}

// Suite is all probes of a machine, ready to be sampled.
type Suite struct {
	Skipped []error // what can't be measured here, each with its reason
	probes  []probe
	closers []func()
}

// Open prepares the suite: buffers, files, threads. While it is open the Go
// scheduler has processors to spare, so that a thread that comes back from a
// system call never waits for one.
func Open(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand) (_ *Suite, err error) {
	s := &Suite{}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	spare(s)
	file, payload, err := openRun(dir, rng)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, func() { file.Close() })
	a, err := newArena(rng)
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, a.free)
	s.probes = list(clock, file, payload, a)
	for i := range s.probes {
		s.probes[i].n *= 3 // here they need not be over before a lab can begin
	}
	b := &bench{dir: dir, rng: rng, arena: a, caches: a.caches, exe: endsAtOnce}
	if err := s.add(ctx, b, suite); err != nil {
		return nil, err
	}
	return s, nil
}

// spare gives the Go scheduler at least as many processors as the suite has
// threads that wait in system calls, and takes them away at the end.
func spare(s *Suite) {
	const threads = 6 // the measuring one, three that echo, and what else the program does
	if procs := runtime.GOMAXPROCS(0); procs < threads {
		runtime.GOMAXPROCS(threads)
		s.closers = append(s.closers, func() { runtime.GOMAXPROCS(procs) })
	}
}

// add makes the probes one by one. The error is the context's.
func (s *Suite) add(ctx context.Context, b *bench, makers []maker) error {
	for _, m := range makers {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := m.make(b)
		if err != nil {
			s.Skipped = append(s.Skipped, fmt.Errorf("%s: %w", m.name, err))
			continue
		}
		if p.close != nil {
			s.closers = append(s.closers, p.close)
		}
		p.name, p.arm.Name = m.name, m.name
		s.probes = append(s.probes, p)
	}
	return nil
}

// Close gives back what Open took, last first. Later calls do nothing.
func (s *Suite) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers, s.probes = nil, nil
}

// Series is what was observed of one axiom.
type Series struct {
	Name    string
	Dim     axioms.Dim
	Samples []float64 // in seconds; in seconds a byte or FLOP where the axiom is a rate
	Err     error
}

// Sample takes n samples of each probe, and of each of the others in the same
// rounds: the i-th of all belong together. Others whose group is a probe's name
// are sampled right before or after it.
func (s *Suite) Sample(ctx context.Context, o measure.Options, n int, others []measure.Single) ([]Series, []measure.Row, error) {
	probes := make([]probe, len(s.probes))
	copy(probes, s.probes)
	for i := range probes {
		probes[i].n = n
	}
	series, rows, err := sample(ctx, o, probes, others)
	for i := range series {
		for j := range series[i].Samples {
			series[i].Samples[j] /= float64(probes[i].work())
		}
	}
	return series, rows, err
}

// Rate reports whether the axiom is so much a second.
func (s Series) Rate() bool { return s.Dim != axioms.DimSecond }

// Rings tells how many bytes each of the chases goes round in.
func (s *Suite) Rings() map[string]int {
	rings := map[string]int{}
	for _, p := range s.probes {
		if p.ring > 0 {
			rings[p.name] = p.ring
		}
	}
	return rings
}

// sample takes the samples of all probes in turn, and of the others with them.
// What fails for one ends that one only; the error is the context's.
func sample(ctx context.Context, o measure.Options, probes []probe, others []measure.Single) ([]Series, []measure.Row, error) {
	series := make([]Series, len(probes))
	var turns []measure.Single
	var owners []*Series // of each turn, in order
	for i := range probes {
		p := &probes[i]
		series[i] = Series{Name: p.name, Dim: p.dim()}
		if p.alone {
			if err := alone(ctx, o, p, &series[i]); err != nil {
				return nil, nil, err
			}
			continue
		}
		turns, owners = append(turns, measure.Single{Arm: p.arm, N: p.n, Group: p.name}), append(owners, &series[i])
		if p.less != nil {
			turns, owners = append(turns, measure.Single{Arm: *p.less, N: p.n, Group: p.name}), append(owners, &series[i])
		}
	}
	_, rows, err := measure.Compare(ctx, o, nil, append(turns, others...))
	if err != nil {
		return nil, nil, err
	}
	for i, s := range owners {
		if i > 0 && owners[i-1] == s {
			s.Samples, s.Err = less(s.Samples, rows[i].Samples), errors.Join(s.Err, rows[i].Err)
		} else {
			s.Samples, s.Err = rows[i].Samples, rows[i].Err
		}
	}
	return series, rows[len(turns):], nil
}

// alone samples one probe on a single processor of the Go scheduler, from a
// goroutine that owns no thread: the caller usually does, and every switch to
// or from it would be one between threads.
func alone(ctx context.Context, o measure.Options, p *probe, s *Series) error {
	procs := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(procs)
	done := make(chan error)
	go func() {
		_, rows, err := measure.Compare(ctx, o, nil, []measure.Single{{Arm: p.arm, N: p.n}})
		if err == nil {
			s.Samples, s.Err = rows[0].Samples, rows[0].Err
		}
		done <- err
	}()
	return <-done
}
