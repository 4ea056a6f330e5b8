package torntail

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"envelope/internal/lab"
)

// secondCrashes tears a log, opens it, appends a record, and tears that one:
// every cut of the first with every cut of the second, in memory, and a few of
// them in files. What the first recovery cut off may come back behind the
// second cut.
func secondCrashes(ctx context.Context, r *lab.Run) error {
	const claim = "second-crash-is-as-good-as-the-first"
	f := faults{keepGarbage: r.Sabotaged("append-after-garbage")}
	rng := r.Rand("second-crash")
	earlier, now := cycles(rng, 30, 20, 40)
	addition := randomBytes(rng, 24)
	for cut := range headerSize + 40 {
		for t := range tails {
			image := now.torn(crash{record: 2, cut: cut, tail: t, until: len(now.log) + headerSize, before: earlier.log}, rng)
			h := now.continued(f, image, addition)
			for second := range headerSize + len(addition) + 1 {
				off := 0
				for t := range tails {
					again := h.torn(h.last(second, t, image), rng)
					off += h.lost(f.recover(again, h.first), again)
				}
				r.Observe(claim, float64(off))
			}
			if cut%8 != 0 {
				continue
			}
			again := h.torn(h.last(rng.IntN(headerSize+len(addition)+1), t, image), rng)
			off, err := h.inFile(r.Dir, f, image, again)
			if err != nil {
				return err
			}
			r.Observe(claim, float64(off))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// continued is the model after a torn image was opened and one record appended:
// the records that were whole, and the new one where this log puts it.
func (h *history) continued(f faults, image, payload []byte) *history {
	rec := f.recover(image, h.first)
	truth := h.whole(image)
	after := &history{
		first:    h.first,
		payloads: append([][]byte(nil), h.payloads[:truth]...),
		start:    append([]int(nil), h.start[:truth]...),
		log:      append([]byte(nil), image[:f.size(rec, len(image))]...),
	}
	after.append(payload)
	return after
}

// last is a crash in the last record, behind which the file's content of before
// may show.
func (h *history) last(cut int, t tail, before []byte) crash {
	return crash{record: len(h.payloads) - 1, cut: cut, tail: t, before: before,
		until: max(len(h.log), len(before)) + headerSize}
}

// lost is how far a recovery is from the truth, where a tear that is taken for
// corruption loses the log.
func (h *history) lost(r recovery, image []byte) int {
	return h.strayed(r, h.whole(image)) + count(r.why == corrupt)
}

// inFile does with a file what the model says: opens the first image, appends
// the last record, and opens what a second crash leaves of it.
func (h *history) inFile(dir string, f faults, image, again []byte) (off int, err error) {
	path := filepath.Join(dir, "log")
	if err := lay(path, image); err != nil {
		return 0, err
	}
	l, _, err := f.open(path, h.first)
	if refused := new(damaged); errors.As(err, &refused) {
		return 1, nil
	} else if err != nil {
		return 0, err
	}
	if err := errors.Join(l.append(h.payloads[len(h.payloads)-1]), l.close()); err != nil {
		return 0, err
	}
	written, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	rec, _, err := reopened(dir, f, again, h.first)
	return count(!bytes.Equal(written, h.log)) + h.lost(rec, again), err
}
