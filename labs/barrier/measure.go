package barrier

import (
	"context"
	"path/filepath"
	"time"

	"envelope/axioms"
	"envelope/internal/disk"
	"envelope/internal/host"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// bench makes the arms' files and closes them again.
type bench struct {
	*lab.Run
	payload []byte
	open    []*disk.File
	err     error
}

func (b *bench) keep(f *disk.File, err error) *disk.File {
	if f != nil {
		b.open = append(b.open, f)
	}
	if b.err == nil {
		b.err = err
	}
	return f
}

// growing is an empty file that appends make longer.
func (b *bench) growing(name string) *disk.File {
	return b.keep(disk.Create(filepath.Join(b.Dir, name), 0))
}

// written is a file of n bytes, all of them on the disk, opened again with flags.
func (b *bench) written(name string, n, flags int) *disk.File {
	return b.keep(disk.Written(filepath.Join(b.Dir, name), b.payload, n, flags))
}

func (b *bench) close() {
	for _, f := range b.open {
		f.Close()
	}
}

func measureAll(ctx context.Context, r *lab.Run) error {
	b := &bench{Run: r, payload: r.Payload("payload", large)}
	defer b.close()
	pairs := []lab.Pair{
		b.eightBytesPair(), b.samePricePair(), b.notBytesPair(), b.oneBarrierPair(), b.noDearerPair(),
	}
	if p, ok := b.reachesPair(); ok {
		pairs = append(pairs, p)
	}
	if p, ok := b.fullFlushPair(); ok {
		pairs = append(pairs, p)
	}
	for i := range pairs {
		pairs[i].Warm = r.WarmUps()
	}
	methods := b.methods()
	if b.err != nil {
		return b.err
	}
	if err := r.Compare(ctx, pairs, methods...); err != nil {
		return err
	}
	b.report(methods)
	return nil
}

// appendArm appends n bytes and syncs with fsync, or with what stands in for it.
func (b *bench) appendArm(file, name string, n int, sync func(*disk.File) error) measure.Arm {
	f := b.growing(file)
	return measure.Arm{Name: name, Op: func() error {
		if _, err := f.Write(b.payload[:n]); err != nil {
			return err
		}
		return sync(f)
	}}
}

// overwriteArm overwrites n bytes at the start of one block after another and
// calls fdatasync.
func (b *bench) overwriteArm(file, name string, n int) measure.Arm {
	const size = 1 << 20
	f := b.written(file, size, 0)
	at := int64(0)
	return measure.Arm{Name: name, Op: func() error {
		off := at
		at = (at + page) % size
		if err := f.WriteAt(b.payload[off:off+int64(n)], off); err != nil {
			return err
		}
		return f.DataSync()
	}}
}

// fsync is the call under test, or nothing under the control.
func (b *bench) fsync() func(*disk.File) error {
	if b.Sabotaged("noop-fsync") {
		return func(*disk.File) error { return nil }
	}
	return (*disk.File).Sync
}

// perByte is what the control charges for n bytes.
func (b *bench) perByte(n int) time.Duration {
	if !b.Sabotaged("delay-per-byte") {
		return 0
	}
	return time.Duration(float64(b.Barrier) * b.Dose * float64(n))
}

func (b *bench) eightBytesPair() lab.Pair {
	f := b.growing("eight-unsynced")
	p := lab.Pair{Claim: eightBytes,
		A: b.appendArm("eight-synced", "append of 8 B and fsync", tiny, b.fsync()),
		B: measure.Arm{Name: "append of 8 B, mean of 16", Ops: 16, Op: func() error {
			for range 16 {
				if _, err := f.Write(b.payload[:tiny]); err != nil {
					return err
				}
			}
			return nil
		}},
	}
	rate, err := b.Axioms.Get("seq-write")
	if err != nil {
		b.Void(eightBytes, measure.Error, "its floor needs the measured sequential write: %v", err)
		return p
	}
	floor, err := axioms.Bytes(tiny).Div(rate.Quantity)
	if err != nil {
		b.Void(eightBytes, measure.Error, "its floor: %v", err)
	}
	p.Unit = floor.Value
	return p
}

func (b *bench) samePricePair() lab.Pair {
	p := lab.Pair{Claim: samePrice,
		A: b.overwriteArm("page", "overwrite of 4 KiB and "+disk.DataSyncCall, page),
		B: b.overwriteArm("tiny", "overwrite of 8 B and "+disk.DataSyncCall, tiny),
	}
	p.A.Extra, p.B.Extra = b.perByte(page), b.perByte(tiny)
	return p
}

func (b *bench) notBytesPair() lab.Pair {
	f := b.written("large", large, 0)
	p := lab.Pair{Claim: notBytes,
		A: measure.Arm{Name: "write of 8 MiB and fsync", Op: func() error {
			if err := f.WriteAt(b.payload, 0); err != nil {
				return err
			}
			return f.Sync()
		}},
		B: b.appendArm("not-bytes", "append of 8 B and fsync", tiny, (*disk.File).Sync),
	}
	p.A.Extra, p.B.Extra = b.perByte(large), b.perByte(tiny)
	return p
}

func (b *bench) oneBarrierPair() lab.Pair {
	// Under the control a hundred records stand for the thousand: the price
	// of a record is the same, and the arm takes a tenth of the barriers.
	records, parts, name := group, 1, "append of 1000 records in one write and fsync, per record"
	if b.Sabotaged("four-at-a-time") {
		records, parts, name = 100, 25, "append of 4 records in one write and fsync, per record"
	}
	f := b.growing("group")
	return lab.Pair{Claim: oneBarrier,
		A: b.appendArm("alone", "append of one record of 100 B and fsync", record, (*disk.File).Sync),
		B: measure.Arm{Name: name, Ops: records, Op: func() error {
			for range parts {
				if _, err := f.Write(b.payload[:record*records/parts]); err != nil {
					return err
				}
				if err := f.Sync(); err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

func (b *bench) noDearerPair() lab.Pair {
	p := lab.Pair{Claim: noDearer,
		A: b.overwriteArm("overwritten", "overwrite of 4 KiB and "+disk.DataSyncCall, page),
		B: b.appendArm("appended", "append of 4 KiB and fsync", page, (*disk.File).Sync),
	}
	if b.Sabotaged("barriers-per-overwrite") {
		once := p.A.Op
		p.A.Op = func() error {
			for range int(b.Dose) {
				if err := once(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return p
}

// reachesPair counts flushes of the disks during a few fsyncs and during an
// idle window that is as long. It is missing where no disk says that it has a
// cache to flush.
func (b *bench) reachesPair() (lab.Pair, bool) {
	const fsyncs = 4
	back := b.Target.WriteBack()
	switch yes, known := back.Get(); {
	case !known:
		b.Void(reaches, measure.Unreachable, "whether the disk has a write cache is unknown: %s", back.Unknown)
		return lab.Pair{}, false
	case !yes:
		b.Void(reaches, measure.Unreachable, "the disk says write through: there is no cache to flush")
		return lab.Pair{}, false
	}
	count, why := b.Target.FlushCounter(host.Root())
	if count == nil {
		b.Void(reaches, measure.Unreachable, "flushes can't be counted: %s", why)
		return lab.Pair{}, false
	}
	f, sync := b.growing("reaches"), b.fsync()
	took := fsyncs * b.Barrier // until the first episode has been timed
	window := func(do func() error) (float64, error) {
		before, err := count()
		if err != nil {
			return 0, err
		}
		if err := do(); err != nil {
			return 0, err
		}
		after, err := count()
		return float64(after - before), err
	}
	return lab.Pair{Claim: reaches, Episode: true, Unit: fsyncs,
		A: measure.Arm{Name: "flushes during 4 appends of 8 B, each with fsync", Unit: "1", Count: func() (float64, error) {
			start := b.Clock.Now()
			defer func() { took = b.Clock.Now() - start }()
			return window(func() error {
				for range fsyncs {
					if _, err := f.Write(b.payload[:tiny]); err != nil {
						return err
					}
					if err := sync(f); err != nil {
						return err
					}
				}
				return nil
			})
		}},
		B: measure.Arm{Name: "flushes during an equally long idle window", Unit: "1", Count: func() (float64, error) {
			return window(func() error { b.idle(took); return nil })
		}},
	}, true
}

// idle lets d pass. The end is spun: a sleep of half a millisecond takes more
// than one here and there, and the window must not be longer than the episode.
func (b *bench) idle(d time.Duration) {
	end := b.Clock.Now() + d
	if d > 4*time.Millisecond {
		time.Sleep(d - 3*time.Millisecond)
	}
	for b.Clock.Now() < end {
	}
}

// fullFlushPair exists where the system has a flush beyond fsync, the machine
// is real, and the volume does not refuse.
func (b *bench) fullFlushPair() (lab.Pair, bool) {
	if !disk.HasFullSync {
		b.Void(fullFlush, measure.Unreachable, "this system has no flush beyond fsync: F_FULLFSYNC belongs to macOS")
		return lab.Pair{}, false
	}
	if guest, known := b.Target.Guest.Get(); guest || !known {
		b.Void(fullFlush, measure.Unreachable, "in a virtual machine, or where that is unknown, F_FULLFSYNC reaches the host at best")
		return lab.Pair{}, false
	}
	f := b.growing("full")
	if f == nil {
		return lab.Pair{}, false
	}
	call, err := f.FullSync()
	if err != nil {
		b.Void(fullFlush, measure.Error, "%v", err)
		return lab.Pair{}, false
	}
	b.Note("full flush made by %s", call)
	if call != "F_FULLFSYNC" {
		b.Void(fullFlush, measure.Unreachable, "this volume has no full flush: %s", call)
		return lab.Pair{}, false
	}
	full := func(f *disk.File) error { _, err := f.FullSync(); return err }
	name := "append of 8 B and F_FULLFSYNC"
	if b.Sabotaged("both-fsync") {
		full, name = (*disk.File).Sync, "append of 8 B and fsync"
	}
	return lab.Pair{Claim: fullFlush,
		A: b.appendArm("full-flush", name, tiny, full),
		B: b.appendArm("plain-fsync", "append of 8 B and fsync", tiny, (*disk.File).Sync),
	}, true
}
