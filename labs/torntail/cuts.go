package torntail

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"envelope/internal/lab"
)

// everyCut cuts the last record of logs in memory at every byte, with each kind
// of tail behind the cut up to the end of a 4 KiB block; some of them in files
// as well.
func everyCut(ctx context.Context, r *lab.Run) error {
	f := faults{framing: r.Sabotaged("framing-only")}
	rng := r.Rand("every-cut")
	sizes := []int{0, 1, 200, 1000}
	if r.Full {
		sizes = append(sizes, 17, 64, 4080, 9000)
	}
	for _, size := range sizes {
		earlier, now := cycles(rng, rng.IntN(300), rng.IntN(300), rng.IntN(300), size)
		for cut := range headerSize + size {
			for t := range tails {
				image := now.torn(crash{record: 3, cut: cut, tail: t, until: blockEnd(len(now.log)), before: earlier.log}, rng)
				r.Observe("every-cut-is-caught", float64(now.misread(f.recover(image, now.first), image)))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return everyCutInFiles(r, f)
}

// everyCutInFiles does the same to a file, every few bytes, and looks at the
// file again after it was opened. The question's own cut is one of them.
func everyCutInFiles(r *lab.Run, f faults) error {
	const size, real = 200, 71
	rng := r.Rand("cuts-in-files")
	earlier, now := cycles(rng, 120, 80, size)
	var kept, framed []float64
	for cut := real % 8; cut < headerSize+size; cut += 8 {
		for t := range tails {
			image := now.torn(crash{record: 2, cut: cut, tail: t, until: blockEnd(len(now.log)), before: earlier.log}, rng)
			rec, left, err := reopened(r.Dir, f, image, now.first)
			if err != nil {
				return err
			}
			off := now.misread(rec, image) + count(!bytes.Equal(left, now.log[:now.end(now.whole(image)-1)]))
			r.Observe("every-cut-is-caught", float64(off))
			if cut == headerSize+real {
				kept = append(kept, lastBytes(rec, 2))
				framed = append(framed, lastBytes(faults{framing: true}.recover(image, now.first), 2))
			}
		}
	}
	headline(r, kept, framed)
	return nil
}

// reopened writes an image to a file, opens the log in it, and returns what it
// recovered and what is then in the file.
func reopened(dir string, f faults, image []byte, first uint64) (recovery, []byte, error) {
	path := filepath.Join(dir, "log")
	if err := lay(path, image); err != nil {
		return recovery{}, nil, err
	}
	l, rec, err := f.open(path, first)
	if refused := new(damaged); err != nil && !errors.As(err, &refused) {
		return rec, nil, err
	}
	if l != nil {
		if err := l.close(); err != nil {
			return rec, nil, err
		}
	}
	left, err := os.ReadFile(path)
	return rec, left, err
}

// lastBytes is how many payload bytes of record i recovery returned.
func lastBytes(rec recovery, i int) float64 {
	if len(rec.payloads) <= i {
		return 0
	}
	return float64(len(rec.payloads[i]))
}

// damage changes each byte of all records but the last to every other value.
func damage(ctx context.Context, r *lab.Run) error {
	const claim = "damage-before-good-records-is-not-a-tear"
	f := faults{allTears: r.Sabotaged("treated-as-a-tear")}
	rng := r.Rand("damage")
	h := newHistory(rng, 1, []int{rng.IntN(100), 0, rng.IntN(100), 1, rng.IntN(200), rng.IntN(100), 40})
	image := bytes.Clone(h.log)
	for i := range len(h.payloads) - 1 {
		for at := h.start[i]; at < h.end(i); at++ {
			off := 0
			for change := 1; change < 256; change++ {
				image[at] = h.log[at] ^ byte(change)
				off += count(!f.leaves(image, h.first, i))
			}
			image[at] = h.log[at]
			r.Observe(claim, float64(off))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		image[h.start[i]+rng.IntN(h.end(i)-h.start[i])] ^= 1 << rng.IntN(8)
		rec, left, err := reopened(r.Dir, f, image, h.first)
		if err != nil {
			return err
		}
		r.Observe(claim, float64(count(rec.why != corrupt || !bytes.Equal(left, image))))
		copy(image, h.log)
	}
	return nil
}

// leaves reports whether an image damaged in record i is read up to there,
// called corrupt and kept whole.
func (f faults) leaves(image []byte, first uint64, i int) bool {
	rec := f.recover(image, first)
	return rec.why == corrupt && len(rec.payloads) == i && f.size(rec, len(image)) == len(image)
}

// holes puts a tear into records that have whole ones behind them, as writes
// that reach the medium out of order do, and ends logs in records of the file's
// earlier use. All in memory.
func holes(ctx context.Context, r *lab.Run) error {
	const claim = "crc-match-after-a-hole-proves-nothing"
	f := faults{anySequence: r.Sabotaged("sequence-unchecked")}
	rng := r.Rand("holes")
	earlier, now := cycles(rng, rng.IntN(100), rng.IntN(100), 200, rng.IntN(100), 0, rng.IntN(100))
	replayed := func(image []byte) {
		r.Observe(claim, float64(now.strayed(f.recover(image, now.first), now.whole(image))))
	}
	for i := range len(now.payloads) - 1 {
		for cut := range now.end(i) - now.start[i] {
			// End of file is no hole: with nothing in it, the records
			// behind would move up.
			for t := zeros; t < tails; t++ {
				image := now.torn(crash{record: i, cut: cut, tail: t, until: now.end(i), before: earlier.log}, rng)
				replayed(append(image, now.log[now.end(i):]...))
			}
		}
	}
	replayed(earlier.log)
	for i := range now.payloads {
		replayed(append(bytes.Clone(now.log[:now.end(i)]), earlier.log[now.end(i):]...))
	}
	return ctx.Err()
}

func blockEnd(n int) int { return (n + 4095) / 4096 * 4096 }
