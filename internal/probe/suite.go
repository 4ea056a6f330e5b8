package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"envelope/axioms"
	"envelope/internal/measure"
)

// bench is what the probes of the whole suite are made on.
type bench struct {
	clock *measure.Clock
	dir   string // an empty directory on the file system under test
	rng   *rand.Rand
	exe   func() (argv []string) // a program that ends at once; nil where there is none
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
	{"l1-load", chase("l1-load", 1)}, {"l2-load", chase("l2-load", 2)}, {"l3-load", chase("l3-load", 3)}, {"memory-load", chase("memory-load", 0)},
	{"cache-read", read("cache-read", hot)}, {"dram-read", read("dram-read", cold)},
	{"cache-write", write("cache-write", hot)}, {"dram-write", write("dram-write", cold)},
	{"random-read", randomRead},
	{"mutex", mutex}, {"goroutine-switch", goroutineSwitch}, {"thread-handover", threadHandover},
	{"page-fault", pageFault}, {"process-start", processStart},
	{"crc32c", crc32c}, {"sha256", sha256Sum}, {"deflate", deflateFast},
	{"tcp-round-trip", tcpRoundTrip}, {"unix-round-trip", unixRoundTrip},
	{"file-read", fileRead}, {"direct-read", directRead}, {"write-fsync", fsync},
}

// Names lists every axiom that Everything may measure, in its order: the five
// of each run first.
func Names() []string {
	names := []string{"clock", "system-call", "cache-copy", "dram-copy", "seq-write"}
	for _, m := range suite {
		names = append(names, m.name)
	}
	return names
}

// Everything measures the numbers that people carry around, this machine's own.
// What can't be measured here is left out, with the reason among the skipped.
func Everything(ctx context.Context, clock *measure.Clock, dir string, rng *rand.Rand, budget time.Duration) (out []axioms.Measured, skipped []error, err error) {
	file, payload, err := openRun(dir, rng)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	probes := list(clock, file, payload)
	b := &bench{clock: clock, dir: dir, rng: rng, exe: endsAtOnce}
	for _, m := range suite {
		p, err := m.make(b)
		if err != nil {
			skipped = append(skipped, fmt.Errorf("%s: %w", m.name, err))
			continue
		}
		if p.close != nil {
			defer p.close()
		}
		p.name, p.arm.Name = m.name, m.name
		probes = append(probes, p)
	}
	out, failed, err := take(ctx, measure.Options{Clock: clock, Rand: rng, Budget: budget}, probes)
	return out, append(skipped, failed...), err
}
