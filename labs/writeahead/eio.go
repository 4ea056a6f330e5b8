package writeahead

import (
	"context"
	"errors"
	"strconv"
	"syscall"

	"github.com/dustin/go-humanize"

	"envelope/internal/lab"
	"envelope/internal/measure"
)

// eioTrials is how many files are written and synced twice.
const eioTrials = 5

// payloadSize is what each trial writes: 16 pages.
const payloadSize = 65536

// backing is what the file system under the client's file does with a write
// that the kernel hands down to it.
type backing string

const (
	failing backing = "failing" // refuses it with EIO
	healthy backing = "healthy" // the control: carries it out
)

// eioOutcome is what one trial saw.
type eioOutcome struct {
	first, second syscall.Errno // of the two fsyncs
	cached        int           // bytes of the payload that a read shows after them
	reread        int           // the same once the cached pages are dropped
	stored        int           // bytes of the payload in the backing file
}

// deviations are the three facts, each 0 where it is as claimed.
func (o eioOutcome) deviations() []float64 {
	is := func(bad bool) float64 {
		if bad {
			return 1
		}
		return 0
	}
	return []float64{is(o.first != syscall.EIO), is(o.second != 0), is(o.stored > 0)}
}

// retryLies has a client write through a file system whose backing store fails,
// and sync twice.
func retryLies(ctx context.Context, r *lab.Run) error {
	store := failing
	if r.Sabotaged(healthyStore) {
		store = healthy
	}
	n := eioTrials
	if r.Full {
		n *= 10
	}
	out, how, err := syncTwice(ctx, r, store, n)
	if no := (*unreachable)(nil); errors.As(err, &no) {
		r.Void(eioClaim, measure.Unreachable, "%s", no.why)
		return nil
	}
	if err != nil {
		return err
	}
	t := lab.Table{Title: "What the client was told, and what was there: " + how,
		Header: []string{"trial", "first fsync", "second fsync", "a read shows", "cache dropped", "the disk has"}}
	var stored, cached []float64
	for i, o := range out {
		r.Observe(eioClaim, o.deviations()...)
		stored = append(stored, float64(o.stored))
		cached = append(cached, float64(o.cached))
		t.Rows = append(t.Rows, []string{strconv.Itoa(i + 1), said(o.first), said(o.second),
			bytesOf(o.cached), bytesOf(o.reread), bytesOf(o.stored)})
	}
	r.AddSeries(lab.Series{Name: seriesStored, Text: "bytes of 65,536 in the backing file after EIO and a retry", Unit: "B", Samples: stored, Conditions: -1})
	r.AddSeries(lab.Series{Name: seriesCached, Text: "bytes of them that a read through the cache shows", Unit: "B", Samples: cached, Conditions: -1})
	r.AddTable(t)
	return nil
}

func bytesOf(n int) string { return humanize.Comma(int64(n)) + " B" }

func said(e syscall.Errno) string {
	switch e {
	case 0:
		return "0"
	case syscall.EIO:
		return "EIO"
	}
	return e.Error()
}

// unreachable is why this machine has no file system to fail.
type unreachable struct{ why string }

func (u *unreachable) Error() string { return u.why }
