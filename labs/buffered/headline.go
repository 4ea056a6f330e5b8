package buffered

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"envelope/axioms"
	"envelope/internal/disk"
	"envelope/internal/lab"
	"envelope/internal/measure"
)

// headline is the table of one megabyte, layer by layer: for each method its
// median and the candidates that this time rules out, or is too near to tell.
type headline struct {
	run     *lab.Run
	arms    []measure.Single
	refused string // why O_DIRECT is missing
	direct  *disk.File
}

func newHeadline(r *lab.Run, fs *files, payload []byte) (*headline, error) {
	h := &headline{run: r}
	if r.Wanted != nil && len(r.Wanted) < len(r.Lab.Claims) {
		return h, nil // a probe or a retest: nobody reads the table
	}
	w := bufio.NewWriterSize(fs.buffered, mib+4*kib)
	add := func(name string, n int, op func() error) *measure.Arm {
		h.arms = append(h.arms, measure.Single{N: n, Arm: measure.Arm{Name: name, Op: op}})
		return &h.arms[len(h.arms)-1].Arm
	}
	empty := func() error { return fs.direct.Truncate(0) }
	add("1 MiB buffered", 32, func() error {
		w.Reset(fs.buffered)
		_, err := w.Write(payload)
		return err
	})
	add("1 MiB written", 32, func() error { return fs.direct.WriteAt(payload, 0) }).Before = empty
	add("1 MiB written and synced", 8, func() error {
		if err := fs.direct.WriteAt(payload, 0); err != nil {
			return err
		}
		return fs.direct.Sync()
	}).Before = empty
	aligned := disk.Aligned(mib)
	copy(aligned, payload)
	f, err := disk.OpenDirect(filepath.Join(r.Dir, "o_direct"), aligned)
	if err != nil {
		h.refused = err.Error()
		return h, nil
	}
	h.direct = f
	add("1 MiB O_DIRECT", 8, func() error { return f.WriteAt(aligned, 0) })
	return h, nil
}

func (h *headline) singles() []measure.Single { return h.arms }

func (h *headline) close() {
	if h.direct != nil {
		h.direct.Close()
	}
}

// report makes the table of what was sampled. A candidate is out only where the
// time is under half its floor: a measured floor is itself a sample.
func (h *headline) report() error {
	if len(h.arms) == 0 {
		return nil
	}
	layers, err := axioms.Floor(axioms.Bytes(mib), h.run.Axioms)
	if err != nil {
		return err
	}
	// A method is a column: there are fewer of them than layers.
	t := lab.Table{Title: "one megabyte, layer by layer: what its time rules out", Header: []string{""}, Rows: [][]string{{"p50"}, {"n"}}}
	for _, l := range layers {
		t.Rows = append(t.Rows, []string{l.Name})
	}
	for _, a := range h.arms {
		samples := h.run.SeriesNamed(a.Arm.Name)
		if len(samples) == 0 {
			continue
		}
		took := axioms.Seconds(measure.Summarize(samples).P50)
		column := []string{strings.TrimPrefix(a.Arm.Name, "1 MiB "), took.String(), fmt.Sprint(len(samples))}
		rulings, err := axioms.RuledOut(took, layers)
		if err != nil {
			return err
		}
		for _, ruling := range rulings {
			cell := "possible"
			switch {
			case ruling.Factor >= 2:
				cell = fmt.Sprintf("out, %.3gx", ruling.Factor)
			case ruling.Out:
				cell = "too near"
			}
			column = append(column, cell)
		}
		t.Header = append(t.Header, column[0])
		for i, cell := range column[1:] {
			t.Rows[i] = append(t.Rows[i], cell)
		}
	}
	h.run.AddTable(t)
	if h.refused != "" {
		h.run.Note("no row for O_DIRECT: %s", h.refused)
	}
	return nil
}
