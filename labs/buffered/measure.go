package buffered

import (
	"bufio"
	"context"
	"path/filepath"

	"envelope/internal/disk"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// files are what the arms write to, each opened once and of its full size.
type files struct {
	buffered, direct, small, synced, bare, memory, null, sparse *disk.File
}

func openFiles(dir string, payload []byte) (*files, func(), error) {
	var fs files
	var open []*disk.File
	closeAll := func() {
		for _, f := range open {
			f.Close()
		}
	}
	var err error
	written := func(name string, n int) *disk.File {
		if err != nil {
			return nil
		}
		var f *disk.File
		if f, err = disk.Written(filepath.Join(dir, name), payload, n, 0); f != nil {
			open = append(open, f)
		}
		return f
	}
	fs.buffered, fs.direct = written("buffered", mib), written("direct", mib)
	fs.small, fs.synced, fs.bare = written("small", 4*kib), written("synced", mib), written("bare", mib)
	fs.sparse = written("sparse", 0)
	if err == nil {
		if fs.null, err = disk.Open("/dev/null", 0); err == nil {
			open = append(open, fs.null)
		}
	}
	if err == nil {
		fs.memory, err = disk.Memory()
		if fs.memory == nil && err == nil {
			// No file in memory here: the guard compares with a second
			// file of the same directory, and so rules out nothing.
			fs.memory = written("memory", mib)
		} else if err == nil {
			open = append(open, fs.memory)
		}
	}
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return &fs, closeAll, nil
}

func measureAll(ctx context.Context, r *lab.Run) error {
	payload := r.Payload("payload", mib)
	fs, closeAll, err := openFiles(r.Dir, payload)
	if err != nil {
		return err
	}
	defer closeAll()
	if r.Wants(noSyscall, oneSyscall) {
		if err := countCalls(r, fs, payload); err != nil {
			return err
		}
	}
	table, err := newHeadline(r, fs, payload)
	if err != nil {
		return err
	}
	defer table.close()
	if err := r.Compare(ctx, pairs(r, fs, payload), table.singles()...); err != nil {
		return err
	}
	return table.report()
}

// pairs are the arms of the timing claims.
func pairs(r *lab.Run, fs *files, payload []byte) []lab.Pair {
	src, dst := append([]byte(nil), payload...), append([]byte(nil), payload...)
	fastest := measure.Arm{Name: "copy of 1 MiB between warm buffers", Repeat: true, Op: func() error {
		copy(dst, src)
		return nil
	}}
	return []lab.Pair{
		{Claim: floorHolds, A: bufferedArm(r, fs, payload), B: fastest},
		{Claim: cachePays, A: pageCacheArm(r, fs, payload), B: fastest},
		floorFindsPair(r, fs, payload, dst),
		goingDownPair(r, fs, payload),
		realStoragePair(r, fs, payload),
		{Claim: realStorage, Guard: true, A: bareWrites(fs.bare, payload, "16 writes of 4 KiB"),
			B: bareWrites(fs.memory, payload, "16 writes of 4 KiB to a file in memory")},
	}
}

// bufferedArm writes 1 MiB to a buffer that is larger, and reused.
func bufferedArm(r *lab.Run, fs *files, payload []byte) measure.Arm {
	w := bufio.NewWriterSize(fs.buffered, mib+4*kib)
	skip := r.Sabotaged("copy-skipped")
	return measure.Arm{Name: "buffered write of 1 MiB", Repeat: true, Op: func() error {
		w.Reset(fs.buffered)
		if skip {
			return nil
		}
		_, err := w.Write(payload)
		return err
	}}
}

// pageCacheArm writes to pages that the page cache does not hold yet: the file
// is emptied before each call, untimed.
func pageCacheArm(r *lab.Run, fs *files, payload []byte) measure.Arm {
	if r.Sabotaged("sparse-extension") {
		size := int64(0)
		return measure.Arm{Name: "ftruncate, 1 MiB longer", Op: func() error {
			size += mib
			return fs.sparse.Truncate(size)
		}}
	}
	return measure.Arm{
		Name:   "write(2) of 1 MiB",
		Before: func() error { return fs.direct.Truncate(0) },
		Op:     func() error { return fs.direct.WriteAt(payload, 0) },
	}
}

// floorFindsPair holds the time of a copy against a write that skips it.
func floorFindsPair(r *lab.Run, fs *files, payload, dst []byte) lab.Pair {
	big := make([]byte, 0, 16*mib)
	for len(big) < 16*mib {
		big = append(big, payload...)
	}
	floor := measure.Arm{Name: "16 copies of 1 MiB between warm buffers", Op: func() error {
		for range 16 {
			copy(dst, payload)
		}
		return nil
	}}
	target, name := fs.null, "write(2) of 16 MiB to /dev/null"
	if r.Sabotaged("real-file") {
		target, name = fs.sparse, "write(2) of 16 MiB to a file"
	}
	return lab.Pair{Claim: floorFinds, A: floor, B: measure.Arm{Name: name, Repeat: true, Op: func() error {
		return target.WriteAt(big, 0)
	}}}
}

// goingDownPair writes 4 KiB to the page cache and to a buffer.
func goingDownPair(r *lab.Run, fs *files, payload []byte) lab.Pair {
	small := payload[:4*kib]
	w := bufio.NewWriterSize(fs.small, 64*kib)
	buffer := func() error {
		if w.Available() < len(small) {
			w.Reset(fs.small) // dropped, not flushed: the kernel stays out of it
		}
		_, err := w.Write(small)
		return err
	}
	a := measure.Arm{Name: "write(2) of 4 KiB", Repeat: true, Op: func() error { return fs.small.WriteAt(small, 0) }}
	if r.Sabotaged("both-buffered") {
		a.Op = buffer
	}
	return lab.Pair{Claim: goingDown, A: a, B: measure.Arm{Name: "buffered write of 4 KiB", Repeat: true, Op: buffer}}
}

// realStoragePair overwrites 4 KiB blocks with and without an fsync. The two
// arms have files of their own, so that the fsync does not pay for the bare
// writes.
func realStoragePair(r *lab.Run, fs *files, payload []byte) lab.Pair {
	sync := fs.synced.Sync
	if r.Sabotaged("noop-fsync") {
		sync = func() error { return nil }
	}
	at := rotation(mib)
	return lab.Pair{Claim: realStorage, Warm: r.WarmUps(),
		// Where an fsync is free the pair is as short as a write, and has to be
		// batched like one, or the clock would be counted as an fsync.
		A: measure.Arm{Name: "write(2) of 4 KiB and fsync", Repeat: true, Op: func() error {
			off := at()
			if err := fs.synced.WriteAt(payload[off:off+4*kib], off); err != nil {
				return err
			}
			return sync()
		}},
		B: bareWrites(fs.bare, payload, "write(2) of 4 KiB, mean of 16"),
	}
}

// bareWrites overwrites sixteen 4 KiB blocks of a file.
func bareWrites(f *disk.File, payload []byte, name string) measure.Arm {
	at := rotation(mib)
	return measure.Arm{Name: name, Ops: 16, Op: func() error {
		for range 16 {
			off := at()
			if err := f.WriteAt(payload[off:off+4*kib], off); err != nil {
				return err
			}
		}
		return nil
	}}
}

// rotation returns the offsets of 4 KiB blocks one after another, around and
// around.
func rotation(size int64) func() int64 {
	next := int64(0)
	return func() int64 {
		off := next
		next = (next + 4*kib) % size
		return off
	}
}
