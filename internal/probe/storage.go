package probe

import (
	"path/filepath"

	"envelope/internal/disk"
	"envelope/internal/measure"
)

const page = 4096

func fileRead(b *bench) (probe, error) {
	f, err := disk.Written(filepath.Join(b.dir, "file-read"), random(b.rng, chunk), chunk, 0)
	if err != nil {
		return probe{}, err
	}
	buf := make([]byte, chunk)
	op := func() error { return f.ReadAt(buf, 0) }
	return probe{
		method: "pread of 1 MiB that the page cache holds", n: 51, bytes: chunk,
		bounds: "files that were read or written a moment ago",
		arm:    measure.Arm{Before: op, Op: op}, close: func() { f.Close() },
	}, nil
}

// directRead reads 4 KiB at random places of a file past the page cache.
func directRead(b *bench) (probe, error) {
	const size = 64 << 20
	path := filepath.Join(b.dir, "direct-read")
	whole, err := disk.Written(path, random(b.rng, chunk), size, 0)
	if err != nil {
		return probe{}, err
	}
	if err := whole.Close(); err != nil {
		return probe{}, err
	}
	f, err := disk.OpenDirectRead(path)
	if err != nil {
		return probe{}, err
	}
	buf := disk.Aligned(page)
	return probe{
		method: "pread of 4 KiB with O_DIRECT at a random place of 64 MiB", n: 51,
		bounds: "a page that is in no cache",
		arm: measure.Arm{Op: func() error {
			return f.ReadAt(buf, int64(b.rng.IntN(size/page))*page)
		}},
		close: func() { f.Close() },
	}, nil
}

func fsync(b *bench) (probe, error) {
	payload := random(b.rng, page)
	f, err := disk.Written(filepath.Join(b.dir, "fsync"), payload, page, 0)
	if err != nil {
		return probe{}, err
	}
	return probe{
		method: "4 KiB overwritten and fsync, with other work between two of them: back to back they may take a fraction", n: 31, bounds: "every promise that survives a crash",
		arm: measure.Arm{Op: func() error {
			if err := f.WriteAt(payload, 0); err != nil {
				return err
			}
			return f.Sync()
		}},
		close: func() { f.Close() },
	}, nil
}
