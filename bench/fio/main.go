// Fio holds the labs' fsync against fio's, in turn, in the same directory, with
// the same pattern, and prints the ratio of the medians:
//
//	go run ./bench/fio [-dir DIR] [-rounds 10] [-ops 300]
//
// fio reports the write and the sync apart; their medians are added, since the
// labs time both as one.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"envelope/internal/disk"
	"envelope/internal/measure"
)

const page = 4096

// pattern is one way of writing and syncing, as both programs do it.
type pattern struct {
	name string
	fio  []string
	own  func(dir string, payload []byte, ops int) (op func() error, done func(), err error)
}

var patterns = []pattern{
	{"overwrite 4 KiB of written blocks, fdatasync", []string{"--fdatasync=1", "--overwrite=1"}, overwrite},
	{"append 4 KiB, fsync", []string{"--fsync=1", "--fallocate=none", "--file_append=1"}, grow},
	{"write 4 KiB into allocated, unwritten blocks, fdatasync", []string{"--fdatasync=1", "--fallocate=posix"}, allocated},
}

func main() {
	dir := flag.String("dir", ".", "directory to measure")
	rounds := flag.Int("rounds", 10, "turns of each program")
	ops := flag.Int("ops", 300, "writes in a turn")
	flag.Parse()
	if err := run(*dir, *rounds, *ops); err != nil {
		fmt.Fprintln(os.Stderr, "bench/fio:", err)
		os.Exit(1)
	}
}

func run(dir string, rounds, ops int) error {
	runtime.LockOSThread()
	debug.SetGCPercent(-1)
	clock := measure.NewClock()
	for _, p := range patterns {
		var ratios, theirs, ours []float64
		for i := range rounds {
			t, o, err := turn(p, dir, ops, clock, i%2 == 0)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			theirs, ours, ratios = append(theirs, t), append(ours, o), append(ratios, o/t)
		}
		low, high, _ := measure.MedianInterval(ratios, 0.95)
		fmt.Printf("%s: own / fio %.3f (%.3f to %.3f, n %d); own %.0f µs, fio %.0f µs\n", p.name,
			mid(ratios), low, high, rounds, mid(ours)*1e6, mid(theirs)*1e6)
	}
	return nil
}

func mid(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

// turn runs both programs once, in either order, and returns both medians in
// seconds.
func turn(p pattern, dir string, ops int, clock *measure.Clock, fioFirst bool) (theirs, ours float64, err error) {
	dir, err = os.MkdirTemp(dir, "bench-fio-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if !fioFirst {
		if ours, err = runOwn(p, dir, ops, clock); err != nil {
			return 0, 0, err
		}
	}
	if theirs, err = runFio(p, dir, ops); err != nil {
		return 0, 0, err
	}
	if fioFirst {
		ours, err = runOwn(p, dir, ops, clock)
	}
	return theirs, ours, err
}

// report is the part of fio's JSON that is read.
type report struct {
	Jobs []struct {
		Error int
		Write struct {
			Latency struct{ Percentile map[string]float64 } `json:"clat_ns"`
		}
		Sync struct {
			Latency struct{ Percentile map[string]float64 } `json:"lat_ns"`
		}
	}
}

func runFio(p pattern, dir string, ops int) (float64, error) {
	args := append([]string{"--name=envelope", "--directory=" + dir, "--filename=fio", "--rw=write", "--bs=4k", "--ioengine=psync",
		fmt.Sprintf("--size=%d", ops*page), fmt.Sprintf("--number_ios=%d", ops), "--output-format=json", "--randrepeat=0", "--refill_buffers=0"}, p.fio...)
	out, err := exec.Command("fio", args...).Output()
	if err != nil {
		return 0, fmt.Errorf("running fio: %w", err)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		return 0, fmt.Errorf("reading fio's report: %w", err)
	}
	if len(r.Jobs) != 1 || r.Jobs[0].Error != 0 {
		return 0, fmt.Errorf("fio's report has no job that succeeded")
	}
	const p50 = "50.000000"
	w, s := r.Jobs[0].Write.Latency.Percentile[p50], r.Jobs[0].Sync.Latency.Percentile[p50]
	if w == 0 || s == 0 {
		return 0, fmt.Errorf("fio's report lacks the median of a write or a sync")
	}
	return (w + s) / 1e9, nil
}

func runOwn(p pattern, dir string, ops int, clock *measure.Clock) (float64, error) {
	payload := make([]byte, page)
	for i := range payload {
		payload[i] = byte(i*7 + i>>3)
	}
	op, done, err := p.own(dir, payload, ops)
	if err != nil {
		return 0, err
	}
	defer done()
	samples := make([]float64, 0, ops)
	for range ops {
		start := clock.Now()
		if err := op(); err != nil {
			return 0, err
		}
		samples = append(samples, (clock.Now() - start).Seconds())
	}
	return measure.Summarize(samples).P50, nil
}

func sequence(f *disk.File, payload []byte, sync func() error) (func() error, func(), error) {
	at := int64(0)
	return func() error {
		if err := f.WriteAt(payload, at); err != nil {
			return err
		}
		at += page
		return sync()
	}, func() { f.Close() }, nil
}

func overwrite(dir string, payload []byte, ops int) (func() error, func(), error) {
	f, err := disk.Written(filepath.Join(dir, "own"), payload, ops*page, 0)
	if err != nil {
		return nil, nil, err
	}
	return sequence(f, payload, f.DataSync)
}

func grow(dir string, payload []byte, _ int) (func() error, func(), error) {
	f, err := disk.Create(filepath.Join(dir, "own"), 0)
	if err != nil {
		return nil, nil, err
	}
	return sequence(f, payload, f.Sync)
}

func allocated(dir string, payload []byte, ops int) (func() error, func(), error) {
	f, err := disk.Create(filepath.Join(dir, "own"), 0)
	if err != nil {
		return nil, nil, err
	}
	if err := f.Allocate(int64(ops * page)); err != nil {
		return nil, nil, err
	}
	return sequence(f, payload, f.DataSync)
}
