package barrier

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"

	"envelope/axioms"
	"envelope/internal/disk"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// samplesOfMethod is how often each method of the table is tried.
const samplesOfMethod = 8

// methods are the ways of getting a block of 4 KiB down, each named by the
// system call that is issued. Nobody judges them.
func (b *bench) methods() []measure.Single {
	if b.Wanted != nil && len(b.Wanted) < len(b.Lab.Claims)-2 { // full flush and the counter may be out of reach
		return nil
	}
	var out []measure.Single
	add := func(name string, op func() error) {
		out = append(out, measure.Single{N: samplesOfMethod, Arm: measure.Arm{Name: name, Op: op}})
	}
	after := func(f *disk.File, then func() error) func() error {
		return func() error {
			if err := f.WriteAt(b.payload[:page], 0); err != nil {
				return err
			}
			return then()
		}
	}
	nothing := func() error { return nil }
	f := b.written("m-fsync", page, 0)
	add("pwrite, fsync", after(f, f.Sync))
	if disk.DataSyncCall != "fsync" {
		f := b.written("m-fdatasync", page, 0)
		add("pwrite, "+disk.DataSyncCall, after(f, f.DataSync))
	}
	add("pwrite, O_DSYNC", after(b.written("m-dsync", page, disk.DSyncFlag), nothing))
	add("pwrite, O_SYNC", after(b.written("m-sync", page, unix.O_SYNC), nothing))
	if disk.HasSyncRange {
		f := b.written("m-range", page, 0)
		add("pwrite, sync_file_range (no flush)", after(f, func() error { return f.SyncRange(0, page) }))
	}
	if disk.HasFullSync {
		f := b.written("m-barrier", page, 0)
		call, err := f.BarrierSync()
		if err == nil {
			add("pwrite, "+call, after(f, func() error { _, err := f.BarrierSync(); return err }))
		}
	}
	aligned := disk.Aligned(page)
	copy(aligned, b.payload)
	direct, err := disk.OpenDirect(filepath.Join(b.Dir, "m-direct"), aligned)
	if err != nil {
		b.Note("no row for O_DIRECT: %v", err)
		return out
	}
	b.open = append(b.open, direct)
	add("pwrite O_DIRECT, "+disk.DataSyncCall, func() error {
		if err := direct.WriteAt(aligned, 0); err != nil {
			return err
		}
		return direct.DataSync()
	})
	return out
}

// report makes the table of methods, and prints what appends cost.
func (b *bench) report(methods []measure.Single) {
	t := lab.Table{Title: "4 KiB overwritten, by method", Header: []string{"system calls", "p50", "n"}}
	for _, m := range methods {
		if samples := b.SeriesNamed(m.Arm.Name); len(samples) > 0 {
			p50 := axioms.Seconds(measure.Summarize(samples).P50)
			t.Rows = append(t.Rows, []string{m.Arm.Name, p50.String(), fmt.Sprint(len(samples))})
		}
	}
	if len(t.Rows) > 0 {
		b.AddTable(t)
	}
	four, eight := b.SeriesNamed(noDearer+"/b"), b.SeriesNamed(notBytes+"/b")
	if len(four) > 0 && len(eight) > 0 {
		p4, p8 := measure.Summarize(four).P50, measure.Summarize(eight).P50
		b.Note("appends also grow the file: 4 KiB %v, 8 B %v, ratio %.2f", axioms.Seconds(p4), axioms.Seconds(p8), p4/p8)
	}
}
