package predict

import (
	"context"
	"errors"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/lab"
	"envelope/internal/measure"
	"envelope/manifest"
	"envelope/predict/ledger"
)

// fakeLabs are two labs with a question of each kind: scored by a factor, by an
// exact count, and by a claim that comes out void.
func fakeLabs() []*lab.Lab {
	derive := func(v axioms.Quantity, steps string) func(axioms.Set) (lab.Derivation, error) {
		return func(axioms.Set) (lab.Derivation, error) { return lab.Derivation{Value: v, Steps: steps}, nil }
	}
	return []*lab.Lab{{
		Name: "ferry", Title: "what does a crossing take?", Group: lab.Storage, Rule: 3,
		Claims: []lab.Claim{
			{Name: "crossing-beats-the-bridge", Kind: measure.Comparison, Unit: "1", Region: measure.AtLeast(2)},
			{Name: "nobody-is-left-behind", Kind: measure.Exact, Unit: "B", Region: measure.Equal(0)},
			{Name: "fog-is-rare", Kind: measure.Comparison, Unit: "1", Region: measure.AtMost(3)},
		},
		Questions: []lab.Question{
			{
				Name: "crossing", Unit: "s", Text: "A ferry takes a kilobyte across the river. How long until it is back?",
				Candidates: []lab.Candidate{
					{Text: "as fast as the current", Value: axioms.Seconds(1e-6)}, {Text: "with a stop half way", Value: axioms.Seconds(1e-3)},
				},
				Axioms: []string{"system-call", "dram-copy"},
				Answer: lab.Answer{Series: "crossing-beats-the-bridge/a"}, Derive: derive(axioms.Seconds(100e-6), "1 kB / current + one landing"),
			}, {
				Name: "left-behind", Unit: "B", Text: "How many bytes does it leave on the bank?",
				Candidates: []lab.Candidate{{Text: "none", Value: axioms.Bytes(0)}, {Text: "all", Value: axioms.Bytes(1024)}},
				Answer:     lab.Answer{Claim: "nobody-is-left-behind"}, Derive: derive(axioms.Bytes(0), "nobody is left"),
			},
		},
	}, {
		Name: "fog", Title: "how much does fog cost?", Group: lab.Storage, Rule: 9,
		Claims: []lab.Claim{{Name: "fog-is-rare", Kind: measure.Comparison, Unit: "1", Region: measure.AtMost(3)}},
		Questions: []lab.Question{{
			Name: "fog", Unit: "1", Text: "How many times dearer is a crossing in fog?",
			Candidates: []lab.Candidate{{Text: "no dearer", Value: axioms.Count(1)}, {Text: "ten times", Value: axioms.Count(10)}},
			Axioms:     []string{"system-call"}, Answer: lab.Answer{Claim: "fog-is-rare"}, Derive: derive(axioms.Count(4), "four times the way"),
		}},
	}}
}

// fakeRunner measures nothing and always comes to the same.
type fakeRunner struct {
	t        *testing.T
	dir      string // of the ledger
	progress Progress
	prepare  error
	run      error
	keep     error
	stopped  bool // what Run returns is interrupted
	calls    []string
	kept     []manifest.Run
	onRun    func() // called by Run
}

func (r *fakeRunner) Prepare(context.Context) (axioms.Set, error) {
	r.calls = append(r.calls, "prepare")
	low := axioms.Seconds(290e-9)
	set, err := axioms.NewSet(axioms.Measured{
		Name: "system-call", Quantity: axioms.Seconds(300e-9), Low: low, High: axioms.Seconds(310e-9), N: 9, Method: "counted", Bounds: "calls",
	})
	return set, errors.Join(r.prepare, err)
}

func (r *fakeRunner) Divide(l *lab.Lab) []manifest.Derivation {
	var out []manifest.Derivation
	for _, q := range l.Questions {
		d, _ := q.Derive(axioms.Set{})
		out = append(out, manifest.Derivation{Value: &d.Value.Value, Unit: q.Unit, Steps: d.Steps})
	}
	return out
}

// Run looks into the ledger as another process would: the predictions must be
// there.
func (r *fakeRunner) Run(ctx context.Context, l *lab.Lab) (Measured, error) {
	r.calls = append(r.calls, "run "+l.Name)
	other, _, err := ledger.Open(r.dir)
	if err != nil {
		r.t.Error(err)
	}
	found := 0
	for _, e := range other.History() {
		for _, q := range l.Questions {
			if e.Prediction.Question == l.Name+"/"+q.Name && e.Outcome == nil {
				found++
			}
		}
	}
	if found < len(l.Questions) {
		r.t.Errorf("%s runs with %d predictions on the disk, want %d", l.Name, found, len(l.Questions))
	}
	if r.onRun != nil {
		r.onRun()
	}
	return Measured{fakeRun(l, r.stopped || ctx.Err() != nil), fakeTables()}, r.run
}

func (r *fakeRunner) Progress() Progress { return r.progress }

func (r *fakeRunner) Keep(run manifest.Run) error {
	r.calls = append(r.calls, "keep")
	r.kept = append(r.kept, run)
	return r.keep
}

func fakeTables() []lab.Table {
	return []lab.Table{{Title: "crossings", Header: []string{"when", "p50"}, Rows: [][]string{{"at noon", "200 µs"}}}}
}

// fakeRun is what every run of a lab comes to.
func fakeRun(l *lab.Lab, stopped bool) manifest.Run {
	num := func(v float64) *float64 { return &v }
	run := manifest.Run{ID: "0193-run", Outcome: manifest.Complete}
	if stopped {
		run.Outcome = manifest.Interrupted
	}
	m := manifest.Lab{Name: l.Name, Notes: []string{"a note\x1b[31m with an escape"}}
	values := map[string]*float64{"crossing": num(200e-6), "left-behind": num(0)}
	for _, q := range l.Questions {
		v := values[q.Name]
		if stopped {
			v = nil
		}
		m.Questions = append(m.Questions, manifest.Question{Name: q.Name, Unit: q.Unit, Measured: v})
	}
	for _, c := range l.Claims {
		k := manifest.Claim{Name: c.Name, Unit: c.Unit, Terms: c.Terms(), Verdict: measure.Held,
			Estimate: &manifest.Estimate{Value: num(4), Low: num(3.5), High: num(4.5)}}
		switch {
		case stopped:
			k.Verdict, k.Reason, k.Detail, k.Estimate = measure.Void, measure.Interrupted, "the run was stopped", nil
		case c.Name == "nobody-is-left-behind":
			k.Estimate = &manifest.Estimate{Value: num(0), Low: num(0), High: num(0)}
		case c.Name == "fog-is-rare" && l.Name == "fog":
			k.Verdict, k.Reason, k.Detail, k.Estimate = measure.Void, measure.Noisy, "blocks on both sides of the bound", nil
		case c.Name == "fog-is-rare":
			k.Verdict = measure.Failed
		}
		m.Claims = append(m.Claims, k)
	}
	run.Labs = []manifest.Lab{m}
	return run
}

// options are a sitting with the fakes and a ledger in a directory of the test.
func options(t *testing.T) (*Options, *fakeRunner) {
	t.Helper()
	dir := t.TempDir()
	l, notices, err := ledger.Open(dir)
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	r := &fakeRunner{t: t, dir: dir}
	return &Options{
		Labs: fakeLabs(), Runner: r, Ledger: l, Answers: map[string]string{},
		Rules: map[string][]string{"ferry": {"Rule 3. Count the banks before the boats."}},
		Now:   func() time.Time { return time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC) },
	}, r
}
