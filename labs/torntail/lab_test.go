package torntail

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/labtest"
	"envelope/internal/measure"

	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { labtest.Main(m, Lab) }

func TestDoc(t *testing.T) { labtest.Doc(t, Lab) }

// TestGolden holds the run of seed 1 to its counts: how many observations each
// claim rests on is as much a part of its method as the region.
func TestGolden(t *testing.T) {
	res := labtest.Shape(t, Lab)
	var got []string
	for _, c := range Lab.Claims {
		j := res.By[c.Name]
		if j.Estimate == nil {
			t.Fatalf("%s: got %v (%s) %s, want an estimate", c.Name, j.Verdict, j.Reason, j.Detail)
		}
		got = append(got, fmt.Sprintf("%s %v: %g of %d", c.Name, j.Verdict, j.Estimate.Value, j.Estimate.N))
	}
	want := []string{
		"checksum-known-answers held: 0 of 2055",
		"every-cut-is-caught held: 0 of 5168",
		"stale-tail-fools-framing held: 1 of 204800",
		"zero-seed-accepts-zeros held: 0 of 2048",
		"empty-record-still-passes held: 0 of 2050",
		"damage-before-good-records-is-not-a-tear held: 0 of 513",
		"crc-match-after-a-hole-proves-nothing held: 0 of 1333",
		"second-crash-is-as-good-as-the-first held: 0 of 9212",
		"sixteen-bits-is-not-enough held: 497 of 67108864",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("claims (-want +got):\n%s", d)
	}
	notes := []string{
		"Of 204,800 payloads cut short over an older record, framing took 204,800 for whole and CRC-32C none: with 95 % confidence it takes at most 1 in 68,364.",
		"Of 67,108,864 altered messages the 16-bit check took 994 for sound, one in 67,513; CRC-32C took 0.",
	}
	if d := cmp.Diff(notes, res.Record.Notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	tables := []lab.Table{{
		Title: "71 of 200 bytes arrived", Header: []string{"what follows them", "length alone keeps", "this log keeps"},
		Rows: [][]string{
			{"end of file", "0 B", "0 B"},
			{"zeros", "200 B", "0 B"},
			{"stale records", "200 B", "0 B"},
			{"random bytes", "200 B", "0 B"},
		},
	}}
	if d := cmp.Diff(tables, res.Record.Tables); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	checkQuestions(t, res)
}

func TestControls(t *testing.T) { labtest.Controls(t, Lab) }

// A division is scored against what the run measured, so it must lie near it.
func checkQuestions(t *testing.T, res labtest.Result) {
	t.Helper()
	want := []struct {
		name              string
		derived, measured axioms.Quantity
	}{
		{"bytes-of-a-torn-record", axioms.Bytes(0), axioms.Bytes(0)},
		{"crc-of-nothing", axioms.Count(0), axioms.Count(0)},
		{"stale-tails-framed", axioms.Count(1), axioms.Count(1)},
		{"altered-past-16-bits", axioms.Count(512), axioms.Count(497)},
	}
	if len(res.Questions) != len(want) {
		t.Fatalf("got %d questions, want %d", len(res.Questions), len(want))
	}
	for i, q := range res.Questions {
		w := want[i]
		if q.Name != w.name || q.DeriveErr != nil || q.Derivation.Value != w.derived || q.Derivation.Steps == "" {
			t.Errorf("%s: derived %v by %q, %v; want %v of %s", q.Name, q.Derivation.Value, q.Derivation.Steps, q.DeriveErr, w.derived, w.name)
		}
		if q.Measured == nil || *q.Measured != w.measured.Value {
			t.Errorf("%s: measured %v, want %v", q.Name, q.Measured, w.measured)
		}
		for _, name := range q.Axioms {
			if _, err := axioms.Lookup(name); err != nil {
				t.Errorf("%s: %v", q.Name, err)
			}
		}
	}
}

// The shares have random numbers of their own, so what they add up to does not
// depend on how many of them run at once.
func TestSameOnOneProcessor(t *testing.T) {
	wanted := map[string]bool{"sixteen-bits-is-not-enough": true}
	many := bare(t, lab.Config{Seed: 7, Wanted: wanted}).Record()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one := bare(t, lab.Config{Seed: 7, Wanted: wanted}).Record()
	if d := cmp.Diff(many, one); d != "" {
		t.Errorf("on all processors and on one (-all +one):\n%s", d)
	}
}

// One acceptance too many by the strong check must fail the claim, whatever the
// weak one did.
func TestAtMost(t *testing.T) {
	check := func(a accepted, strong, want int) {
		t.Helper()
		if got := a.atMost(strong); got != want {
			t.Errorf("%+v with at most %d: got %d, want %d", a, strong, got, want)
		}
	}
	check(accepted{weak: 100, saved: 100}, 0, 100)
	check(accepted{weak: 100, strong: 1, saved: 99}, 0, 0)
	check(accepted{weak: 512, strong: 1, saved: 512}, 1, 512)
	check(accepted{weak: 512, strong: 2, saved: 510}, 1, 0)

	region := Lab.Claim("stale-tail-fools-framing").Region
	bad := accepted{weak: 1000, strong: 1, saved: 999}
	if j := measure.JudgeBinomial(measure.Trials{Successes: bad.atMost(0), N: 1000}, 1, region); j.Verdict != measure.Failed {
		t.Errorf("one acceptance in 1000 by CRC-32C: got %v, want failed", j.Verdict)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := lab.NewRun(lab.Config{Lab: Lab, Dir: t.TempDir()})
	if err := Lab.Measure(ctx, r); err != context.Canceled {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	if n := len(r.Record().Evidence); n != 0 {
		t.Errorf("got evidence for %d claims, want none", n)
	}
}

func TestSplitStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int64
	_, err := split(ctx, rand.New(rand.NewPCG(1, 1)), func(*rand.PCG) int {
		cancel()
		done.Add(1)
		return 0
	})
	if n := done.Load(); err != context.Canceled || n == shares {
		t.Errorf("stopped in the first share: got error %v after %d shares of %d", err, n, shares)
	}
}

// Where no file can be written, the claims that need none stand, and no message
// names the directory.
func TestUnwritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret-place")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inFiles := map[string]bool{
		"every-cut-is-caught":                      true,
		"damage-before-good-records-is-not-a-tear": true,
		"second-crash-is-as-good-as-the-first":     true,
		"crc-match-after-a-hole-proves-nothing":    false,
	}
	wanted := map[string]bool{}
	for name := range inFiles {
		wanted[name] = true
	}
	r := bare(t, lab.Config{Dir: file, Wanted: wanted})
	for name, want := range inFiles {
		v, voided := r.Record().Voids[name]
		if voided != want || voided && v.Reason != measure.Error {
			t.Errorf("%s: got void %v (%s), want %v", name, voided, v.Reason, want)
		}
		if strings.Contains(v.Detail, "secret-place") {
			t.Errorf("%s: the message names the directory: %s", name, v.Detail)
		}
	}
}

// bare runs the lab without the driver.
func bare(t *testing.T, c lab.Config) *lab.Run {
	t.Helper()
	c.Lab = Lab
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	r := lab.NewRun(c)
	if err := Lab.Measure(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}
