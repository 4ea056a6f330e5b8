package buffered

import (
	_ "embed"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

//go:embed doc.go
var doc string

// Names of claims that the measurement reports on.
const (
	noSyscall   = "buffered-write-makes-no-syscall"
	oneSyscall  = "write-is-one-syscall-each"
	floorHolds  = "nothing-beats-the-floor"
	cachePays   = "page-cache-write-pays-for-its-copy"
	floorFinds  = "floor-test-catches-skipped-work"
	goingDown   = "layers-cost-more-going-down"
	realStorage = "measuring-real-storage"
)

// Lab finds out where bytes are when a write has returned.
var Lab = &lab.Lab{
	Name: "buffered", Title: "where is your megabyte?", Group: lab.Storage, Rule: 2, Doc: doc,
	Axioms:  []string{"function-call", "system-call", "cache-copy", "dram-copy", "nvme-write", "disk-write", "fsync-plp", "fsync-flash", "fsync-disk"},
	Seconds: 1.5, Barriers: 150,
	Measure: measureAll,
	Claims: []lab.Claim{
		{
			Name: noSyscall, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.Equal(0),
			Text:     "a buffered write of 1 MiB that fits the buffer makes no write system call",
			Observed: "write system calls during one buffered write, counted for the thread",
		}, {
			Name: oneSyscall, Version: 1, Scope: lab.Machine, Kind: measure.Exact, Unit: "1", Region: measure.Equal(1),
			Text:     "a direct write of 1 MiB makes exactly one write system call",
			Observed: "write system calls during one direct write, counted for the thread",
		}, {
			Name: floorHolds, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(0.5),
			Text:     "a buffered write of 1 MiB takes at least half the time of the fastest copy of 1 MiB",
			Observed: "time of a buffered write / time of a copy between two warm buffers",
		}, {
			Name: cachePays, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(0.5),
			Text:     "write(2) of 1 MiB into the page cache takes at least half the time of the fastest copy",
			Observed: "time of write(2) to new pages / time of a copy between two warm buffers",
		}, {
			Name: floorFinds, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(10),
			Text:     "16 MiB written to /dev/null return at least ten times sooner than 16 MiB can be copied",
			Observed: "time to copy 16 MiB / time to write 16 MiB to /dev/null",
		}, {
			Name: goingDown, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(4),
			Text:     "4 KiB into the page cache cost at least four times as much as 4 KiB into a buffer of the process",
			Observed: "time of write(2) of 4 KiB / time of a buffered write of 4 KiB",
		}, {
			Name: realStorage, Version: 1, Scope: lab.Machine, Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(3), Syncs: true,
			Text:     "a write of 4 KiB with an fsync costs at least three times as much as the write alone",
			Observed: "time of write and fsync / mean time of 16 writes",
			Guard: &lab.Guard{Region: measure.AtMost(10),
				Text: "a bare write costs at most ten times the same write to a file in memory: else the mount may be synchronous already, and a small ratio says nothing"},
		},
	},
	Controls: []lab.Control{
		{Name: "small-buffer", Breaks: []string{noSyscall}, Text: "the buffer is smaller than the payload"},
		{Name: "through-the-buffer", Breaks: []string{oneSyscall}, Text: "the direct write goes through the buffer"},
		{Name: "copy-skipped", Breaks: []string{floorHolds}, Text: "the buffered write is left out"},
		{Name: "sparse-extension", Breaks: []string{cachePays}, Text: "the file is extended by ftruncate instead of written"},
		{Name: "real-file", Breaks: []string{floorFinds}, Text: "the 16 MiB go to a file instead of /dev/null"},
		{Name: "both-buffered", Breaks: []string{goingDown}, Text: "both arms write to the buffer"},
		{Name: "noop-fsync", Breaks: []string{realStorage}, Text: "fsync does nothing"},
		{Name: "tmpfs", Breaks: []string{realStorage}, Text: "the directory is on tmpfs", Dir: "tmpfs"},
	},
	Questions: []lab.Question{
		{
			Name: "buffered-1mib", Unit: "s",
			Text: "1 MiB is handed to a buffered writer whose buffer has room for it and has been used before. " +
				"How long until the call returns?",
			Candidates: []lab.Candidate{
				{Text: "a copy that stays in the caches, 40 GB/s", Value: axioms.Seconds(mib / 40e9)},
				{Text: "a copy through memory, 10 GB/s", Value: axioms.Seconds(mib / 10e9)},
				{Text: "an NVMe drive, 2 GB/s", Value: axioms.Seconds(mib / 2e9)},
				{Text: "a spinning disk, 150 MB/s", Value: axioms.Seconds(mib / 150e6)},
			},
			Axioms: []string{"cache-copy", "dram-copy", "nvme-write", "disk-write", "seq-write"},
			Answer: lab.Answer{Series: floorHolds + "/a"},
			Derive: func(s axioms.Set) (lab.Derivation, error) {
				return divide(s, axioms.Bytes(mib), "cache-copy", "1 MiB / cache-copy")
			},
		}, {
			Name: "written-4kib", Unit: "s",
			Text: "4 KiB go to a file by write(2), with no sync, over bytes that the file already has. How long until the call returns?",
			Candidates: []lab.Candidate{
				{Text: "a copy within the process", Value: axioms.Seconds(100e-9)},
				{Text: "a system call and a copy", Value: axioms.Seconds(1e-6)},
				{Text: "an NVMe drive's write", Value: axioms.Seconds(20e-6)},
				{Text: "a spinning disk's turn", Value: axioms.Seconds(10e-3)},
			},
			Axioms: []string{"system-call", "cache-copy", "dram-copy"},
			Answer: lab.Answer{Series: goingDown + "/a"},
			Derive: deriveWrite,
		}, {
			Name: "fsync-over-write", Unit: "1",
			Text: "The same 4 KiB, once with an fsync behind each write and once without. How many times dearer is the write that is synced?",
			Candidates: []lab.Candidate{
				{Text: "no dearer: nothing is synced here", Value: axioms.Count(1)},
				{Text: "a drive with power-loss protection", Value: axioms.Count(10)},
				{Text: "consumer flash", Value: axioms.Count(1000)},
				{Text: "a spinning disk", Value: axioms.Count(10000)},
			},
			Axioms: []string{"system-call", "dram-copy", "fsync-plp", "fsync-flash", "fsync-disk"},
			Answer: lab.Answer{Claim: realStorage},
			Derive: deriveSynced,
		},
	},
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// divide is size / rate.
func divide(s axioms.Set, size axioms.Quantity, rate, steps string) (lab.Derivation, error) {
	g, err := s.Get(rate)
	if err != nil {
		return lab.Derivation{}, err
	}
	t, err := size.Div(g.Quantity)
	return lab.Derivation{Value: t, Steps: steps}, err
}

// deriveWrite takes a write for a system call and a copy in the caches.
func deriveWrite(s axioms.Set) (lab.Derivation, error) {
	d, err := divide(s, axioms.Bytes(4*kib), "cache-copy", "system-call + 4 KiB / cache-copy")
	if err != nil {
		return d, err
	}
	call, err := s.Get("system-call")
	if err != nil {
		return d, err
	}
	d.Value, err = d.Value.Add(call.Quantity)
	return d, err
}

// deriveSynced takes the barrier of consumer flash, the middle of the three
// classes, since no axiom says which drive this is.
func deriveSynced(s axioms.Set) (lab.Derivation, error) {
	w, err := deriveWrite(s)
	if err != nil {
		return w, err
	}
	barrier, err := s.Get("fsync-flash")
	if err != nil {
		return w, err
	}
	sum, err := w.Value.Add(barrier.Quantity)
	if err != nil {
		return w, err
	}
	ratio, err := sum.Div(w.Value)
	return lab.Derivation{Value: ratio, Steps: "(fsync-flash + write) / write, write = " + w.Steps}, err
}
