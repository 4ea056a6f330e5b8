package writeahead

import (
	"context"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"

	"envelope/internal/lab"
)

// tornPages is how many pages the enumeration tears.
const tornPages = 4

// tornImages writes a page of which some sectors are new and some old, in every
// mixture, and has it judged by two checksums: one taken from the page as it is
// read back, one from the page in the pool.
func tornImages(ctx context.Context, r *lab.Run) error {
	f, err := os.OpenFile(filepath.Join(r.Dir, "page"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, rng := tornPages, r.Rand("torn")
	if r.Full {
		n *= 20
	}
	var images, again, fromPool []float64
	for range n {
		var t tear
		for i := range pageSize {
			t.old[i], t.pool[i] = byte(rng.Uint32()), byte(rng.Uint32())
		}
		if err := t.judge(f, r); err != nil {
			return errors.Join(err, f.Close())
		}
		images = append(images, float64(len(t.seen)))
		again = append(again, float64(t.caughtAgain))
		fromPool = append(fromPool, float64(t.caughtPool))
		if err := ctx.Err(); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	for _, s := range []lab.Series{
		{Name: seriesImages, Text: "torn images of a page of 8 sectors, told apart by their bytes", Samples: images},
		{Name: seriesReread, Text: "of them rejected by a checksum of the page as read back", Samples: again},
		{Name: seriesPool, Text: "of them rejected by a checksum of the page in the pool", Samples: fromPool},
	} {
		s.Unit, s.Conditions = "1", -1
		r.AddSeries(s)
	}
	return f.Close()
}

// tear is a page that was being written when something happened.
type tear struct {
	old, pool [pageSize]byte
	seen      map[[pageSize]byte]bool

	caughtAgain, caughtPool int
}

// judge goes through all mixtures but the two that are no tear.
func (t *tear) judge(f *os.File, r *lab.Run) error {
	t.seen = map[[pageSize]byte]bool{}
	for mixture := 1; mixture < 1<<sectors-1; mixture++ {
		image := t.image(mixture)
		t.seen[image] = true
		if _, err := f.WriteAt(image[:], 0); err != nil {
			return err
		}
		// The fault under study: the reference is what was found, so that it
		// certifies whatever that is.
		circular, err := readSum(f)
		if err != nil {
			return err
		}
		independent := crc32.Checksum(t.pool[:], castagnoli)
		if r.Sabotaged(exchanged) {
			circular, independent = independent, circular
		}
		later, err := readSum(f)
		if err != nil {
			return err
		}
		off := 0
		if later != circular {
			t.caughtAgain++
			off++
		}
		if later != independent {
			t.caughtPool++
		} else {
			off++
		}
		r.Observe(circularClaim, float64(off))
	}
	return nil
}

// image is the page with those sectors new whose bit is set.
func (t *tear) image(mixture int) (image [pageSize]byte) {
	for s := range sectors {
		from := &t.old
		if mixture>>s&1 == 1 {
			from = &t.pool
		}
		copy(image[s*sectorSize:(s+1)*sectorSize], from[s*sectorSize:])
	}
	return image
}

// readSum reads the page back and sums it up.
func readSum(f *os.File) (uint32, error) {
	var page [pageSize]byte
	if _, err := f.ReadAt(page[:], 0); err != nil {
		return 0, err
	}
	return crc32.Checksum(page[:], castagnoli), nil
}
