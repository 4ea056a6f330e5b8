package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"envelope/axioms"
	"envelope/internal/host"
	"envelope/internal/measure"
	"envelope/manifest"
)

// claim is one of a run, with an estimate of three numbers or none.
func claim(name string, kind measure.Kind, v measure.Verdict, estimate ...float64) manifest.Claim {
	c := manifest.Claim{Name: name, Version: 1, Unit: "1", Terms: measure.Terms{Kind: kind}, Verdict: v}
	if len(estimate) == 3 {
		c.Estimate = &manifest.Estimate{Value: &estimate[0], Low: &estimate[1], High: &estimate[2], Confidence: 0.95, N: 16}
	}
	if v == measure.Void {
		c.Reason = measure.Noisy
	}
	return c
}

func blocks(name string, v measure.Verdict, estimate ...float64) manifest.Claim {
	return claim(name, measure.Comparison, v, estimate...)
}

// run is a run with the claims of one lab.
func run(id string, claims ...manifest.Claim) manifest.Run {
	at := time.Date(2026, 5, 17, 9, 30, 0, 0, time.UTC)
	return manifest.Run{
		ID: id, Digest: "digest of " + id, Started: at, Finished: at.Add(10 * time.Second), Outcome: manifest.Complete,
		Command: []string{"envelope", "run"},
		Labs:    []manifest.Lab{{Name: "barrier", Source: "s1", Seed: 1, Claims: claims}},
	}
}

// of compares runs and demands that it can be written.
func of(t *testing.T, runs ...manifest.Run) Comparison {
	t.Helper()
	c, err := Of(runs...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOneRunIsNoComparison(t *testing.T) {
	for _, runs := range [][]manifest.Run{nil, {run("a")}} {
		if _, err := Of(runs...); err == nil {
			t.Errorf("%d runs were compared", len(runs))
		}
	}
}

func TestRelate(t *testing.T) {
	const nothing = 0
	check := func(exact bool, a, b []float64, want Relation, wantRatio float64) {
		t.Helper()
		side := func(v []float64) *Interval {
			if v == nil {
				return nil
			}
			return &Interval{Value: v[0], Low: v[1], High: v[2]}
		}
		got, ratio := relate(exact, side(a), side(b))
		r := float64(nothing)
		if ratio != nil {
			r = *ratio
		}
		if got != want || r != wantRatio || ratio != nil && r == 0 {
			t.Errorf("%v and %v: got %s with the ratio %v, want %s with %v", a, b, got, r, want, wantRatio)
		}
	}
	check(false, []float64{10, 9, 11}, []float64{20, 11, 21}, Overlap, 2) // they touch
	check(false, []float64{10, 9, 11}, []float64{20, 11.5, 21}, Apart, 2)
	check(false, []float64{20, 11.5, 21}, []float64{10, 9, 11}, Apart, 0.5)
	check(false, []float64{-10, -11, -9}, []float64{-5, -6, -4}, Apart, 0.5)
	check(false, nil, []float64{1, 1, 1}, None, nothing)
	check(false, []float64{1, 1, 1}, nil, None, nothing)
	check(true, nil, nil, None, nothing)
	check(true, []float64{0, 0, 0}, []float64{0, 0, 0}, Equal, nothing)
	check(true, []float64{0, 0, 0}, []float64{12, 0, 12}, Differs, nothing)
	check(true, []float64{3, 1, 3}, []float64{3, 2, 3}, Differs, nothing)                              // other observations
	check(true, []float64{0.3, 0.3, 0.3}, []float64{math.Nextafter(0.3, 1), 0.3, 0.3}, Equal, nothing) // added in another order
	// Zero in an interval: the ratio may be anything.
	check(false, []float64{0, 0, 0}, []float64{5, 4, 6}, Apart, nothing)
	check(false, []float64{5, 4, 6}, []float64{0, 0, 0}, Apart, nothing)
	check(false, []float64{0.1, -0.1, 0.3}, []float64{0.2, 0.1, 0.3}, Overlap, nothing)
	check(false, []float64{-2, -3, -1}, []float64{2, 1, 3}, Apart, nothing)
	// A ratio that is no number.
	check(false, []float64{1e-308, 1e-308, 1e-308}, []float64{1e308, 1e308, 1e308}, Apart, nothing)
	check(false, []float64{1e308, 1e308, 1e308}, []float64{1e-308, 1e-308, 1e-308}, Apart, nothing)
}

// An interval that is open on one side reaches as far as numbers go.
func TestOpenInterval(t *testing.T) {
	a, b := blocks("c", measure.Held, 5, 4, 6), blocks("c", measure.Held, 50, 40, 60)
	a.Estimate.High = nil
	c := of(t, run("a", a), run("b", b))
	if got := c.Labs[0].Claims[0].Relation; got != Overlap {
		t.Errorf("got %s, want %s", got, Overlap)
	}
	text, err := json.Marshal(c.Labs[0].Claims[0].In[0].Estimate)
	if want := `{"value":5,"low":4,"high":null,"confidence":0.95,"n":16}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
}

func TestVerdicts(t *testing.T) {
	check := func(name string, want string, in ...manifest.Claim) {
		t.Helper()
		var runs []manifest.Run
		for i, c := range in {
			runs = append(runs, run(string(rune('a'+i)), c))
		}
		c := of(t, runs...)
		got := "same"
		switch cl := c.Labs[0].Claims[0]; {
		case cl.Reversed && cl.Changed && slices.Equal(c.Reversed, []string{"barrier/c"}) && len(c.Changed) == 0:
			got = "reversed"
		case cl.Changed && !cl.Reversed && slices.Equal(c.Changed, []string{"barrier/c"}) && len(c.Reversed) == 0:
			got = "changed"
		case cl.Changed || cl.Reversed:
			t.Errorf("%s: got %+v, reversed %v, changed %v", name, cl, c.Reversed, c.Changed)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	held, failed, void := blocks("c", measure.Held), blocks("c", measure.Failed), blocks("c", measure.Void)
	other := void
	other.Reason = measure.Unfit
	second := failed
	second.Version = 2
	check("held twice", "same", held, held)
	check("held, failed", "reversed", held, failed)
	check("failed, held", "reversed", failed, held)
	check("held, void", "changed", held, void)
	check("failed, void", "changed", failed, void)
	check("two reasons", "changed", void, other)
	check("another method", "same", held, second)
	check("failed between", "reversed", void, failed, held)
	check("failed by another method between", "same", held, second, held)
}

func TestMethodVersions(t *testing.T) {
	second := blocks("c", measure.Held, 1, 1, 1)
	second.Version = 2
	unit := blocks("c", measure.Held, 1, 1, 1)
	unit.Unit = "s"
	for _, other := range []manifest.Claim{second, unit, claim("c", measure.Exact, measure.Held, 1, 1, 1)} {
		c := of(t, run("a", blocks("c", measure.Held, 2, 2, 2)), run("b", other))
		s := c.Labs[0].Claims[0].In[1]
		if s.Relation != Method || s.Ratio != nil || c.Counts.Claims[Method] != 1 {
			t.Errorf("%+v: got %s with the ratio %v, want it not compared", other.Terms, s.Relation, s.Ratio)
		}
		if got := len(c.OnlyChanges().Labs); got != 1 {
			t.Errorf("got %d labs among the changes, want the one", got)
		}
	}
}

// Claims are found by name, whatever their order and whoever has them.
func TestLineUp(t *testing.T) {
	a := run("a", blocks("one", measure.Held, 1, 1, 1), blocks("two", measure.Held, 2, 2, 2))
	b := run("b", blocks("three", measure.Held, 3, 3, 3), blocks("two", measure.Held, 4, 4, 4))
	b.Labs = append([]manifest.Lab{{Name: "ladder", Source: "s", Claims: []manifest.Claim{blocks("four", measure.Held)}}}, b.Labs...)
	c := of(t, a, b)
	var got []string
	for _, l := range c.Labs {
		for _, cl := range l.Claims {
			in := ""
			for _, s := range cl.In {
				in += map[bool]string{true: "-", false: "+"}[s == nil]
			}
			got = append(got, l.Name+"/"+cl.Name+in)
		}
	}
	if got, want := strings.Join(got, " "), "barrier/one+- barrier/two++ barrier/three-+ ladder/four-+"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if r := c.Labs[0].Claims[1].In[1].Ratio; r == nil || *r != 2 || c.Counts.Missing != 3 {
		t.Errorf("got the ratio %v and %d missing, want 2 and 3", r, c.Counts.Missing)
	}
	// Where the first run lacks a claim, the next that has it takes its place.
	third := of(t, run("x"), a, b).Labs[0].Claims[1]
	if third.In[0] != nil || third.In[1].Relation != First || third.In[2].Relation != Apart || *third.In[2].Ratio != 2 {
		t.Errorf("got %+v, want the third run held against the second", third.In)
	}
}

func TestSameRun(t *testing.T) {
	a, b := run("a", blocks("c", measure.Held)), run("b", blocks("c", measure.Held))
	altered := run("a", blocks("c", measure.Failed))
	altered.Digest = "another"
	if c := of(t, a, a, a); !c.Same() || *c.Runs[2].SameAs != 0 {
		t.Errorf("got %+v, want one run three times", c.Runs)
	}
	if c := of(t, a, b, b); c.Same() || c.Runs[1].SameAs != nil || *c.Runs[2].SameAs != 1 {
		t.Errorf("got %+v, want the last two to be one", c.Runs)
	}
	if c := of(t, a, altered, altered); c.Same() || c.Runs[2].Altered != nil || *c.Runs[2].SameAs != 1 {
		t.Errorf("an altered run given twice: got %+v", c.Runs)
	}
	if c := of(t, a, altered); c.Same() || c.Runs[1].SameAs != nil || *c.Runs[1].Altered != 0 {
		t.Errorf("got %+v, want an altered run", c.Runs)
	}
}

func TestAxioms(t *testing.T) {
	m := func(name string, v float64, n int, method string) axioms.Measured {
		q := axioms.Seconds(v)
		return axioms.Measured{Name: name, Quantity: q, Low: q, High: q, N: n, Method: method}
	}
	a, b := run("a"), run("b")
	kept := m("kept", 1, 9, "m")
	kept.Taken = a.Started.Add(-time.Hour)
	a.Axioms = []axioms.Measured{m("one", 1, 9, "m"), m("way", 1, 9, "m"), m("few", 1, 4, "m (4 samples: the interval is their range)"), kept, m("only", 1, 9, "m")}
	old := m("only", 5, 9, "m")
	old.Taken = kept.Taken // is no figure of b's own
	b.Axioms = []axioms.Measured{old, m("few", 1, 3, "m (3 samples: the interval is their range)"), m("one", 3, 9, "m"), m("way", 1, 9, "another"), kept}
	c := of(t, a, b)
	check := func(i int, name string, relation Relation, ratio float64) {
		t.Helper()
		x := c.Axioms[i]
		got := 0.0
		if x.In[1].Ratio != nil {
			got = *x.In[1].Ratio
		}
		if x.Name != name || x.Relation != relation || got != ratio {
			t.Errorf("got %s %s with the ratio %v, want %s %s with %v", x.Name, x.Relation, got, name, relation, ratio)
		}
	}
	if len(c.Axioms) != 3 {
		t.Fatalf("got %+v, want three axioms", c.Axioms)
	}
	check(0, "one", Apart, 3)
	check(1, "way", Method, 0)
	check(2, "few", Overlap, 1)
	if got := []float64{c.Axioms[0].In[0].Estimate.Confidence, c.Axioms[2].In[0].Estimate.Confidence}; got[0] != 0.95 || got[1] != 0.875 {
		t.Errorf("got the confidences %v, want 0.95 of nine samples and 0.875 of the range of four", got)
	}
}

func TestOnlyChanges(t *testing.T) {
	a := run("a", blocks("same", measure.Held, 1, 0.9, 1.1), blocks("moved", measure.Held, 1, 0.9, 1.1), claim("count", measure.Exact, measure.Held, 1, 1, 1), blocks("gone", measure.Held))
	b := run("b", blocks("same", measure.Held, 1, 0.9, 1.1), blocks("moved", measure.Held, 2, 1.9, 2.1), claim("count", measure.Exact, measure.Held, 2, 2, 2))
	c := of(t, a, b)
	only := c.OnlyChanges()
	var got []string
	for _, cl := range only.Labs[0].Claims {
		got = append(got, cl.Name)
	}
	if want := "moved count gone"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if len(c.Labs[0].Claims) != 4 {
		t.Errorf("the comparison itself has lost claims: %v", c.Labs)
	}
	if got := of(t, a, run("b", a.Labs[0].Claims...)).OnlyChanges().Labs; len(got) != 0 {
		t.Errorf("got %v of two equal runs, want nothing", got)
	}
	b.Labs[0].Source = "s2"
	if d := of(t, a, b).Labs[0].Differences; len(d) != 1 || d[0].Values[1].Value != "s2" {
		t.Errorf("got %v, want the other sources of the lab", d)
	}
}

// Whatever is in the runs, what comes out is written: no NaN, no infinity.
func TestAlwaysJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	odd := []float64{0, math.Copysign(0, -1), 1, -1, 5e-324, math.MaxFloat64, -math.MaxFloat64, 1e-300}
	any := func() float64 { return odd[rng.IntN(len(odd))] }
	for range 2000 {
		var runs []manifest.Run
		for i := range 3 {
			kind := []measure.Kind{measure.Exact, measure.Comparison, measure.Binomial}[rng.IntN(3)]
			r := run(string(rune('a'+i)), claim("c", kind, measure.Verdict(rng.IntN(3)), any(), any(), any()))
			if rng.IntN(4) == 0 {
				r.Labs[0].Claims[0].Estimate.Low = nil
			}
			r.Finished = r.Started.Add(time.Duration(rng.IntN(3)-1) * time.Second)
			r.Environment.Load.Steal, r.EnvironmentEnd.Steal = host.Known(any(), "s", "t"), host.Known(any(), "s", "t")
			r.Environment.CPU.Logical = host.Known(rng.IntN(3)-1, "1", "t")
			runs = append(runs, r)
		}
		of(t, runs...)
	}
}

// As many things as a document may hold are lined up in one pass: holding each
// against each would take minutes.
func TestManyThings(t *testing.T) {
	const n = 50_000
	a, b := run("a"), run("b")
	for i := range n {
		name := strconv.Itoa(i)
		a.Labs = append(a.Labs, manifest.Lab{Name: name})
		b.Labs = append(b.Labs, manifest.Lab{Name: "b" + name})
		a.Axioms = append(a.Axioms, axioms.Measured{Name: name, N: 1})
		b.Axioms = append(b.Axioms, axioms.Measured{Name: name, N: 1})
	}
	c, err := Of(a, b)
	if err != nil || len(c.Labs) != 2*n+1 || len(c.Axioms) != n {
		t.Errorf("got %d labs and %d axioms, want %d and %d; %v", len(c.Labs), len(c.Axioms), 2*n+1, n, err)
	}
}
