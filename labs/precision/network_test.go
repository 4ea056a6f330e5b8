package precision

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"envelope/internal/autograd"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// The claim speaks of every operation: each that the engine records is among the
// trials.
func TestTrialsCoverTheEngine(t *testing.T) {
	files, err := filepath.Glob("../../internal/autograd/*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`(?:Record|zip|apply|total)\("([^"]+)"|Node\[F\]\{name: "([^"]+)"`)
	names := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range made.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasSuffix(file, "_test.go") {
				names[m[1]+m[2]] = true
			}
		}
	}
	if len(names) < 20 {
		t.Errorf("found %d operations in %d files, want at least 20", len(names), len(files))
	}
	tried := trials()
	seen := map[string]bool{}
	for _, trial := range tried {
		if seen[trial.name] {
			t.Errorf("there are two trials %q: their numbers are the same", trial.name)
		}
		seen[trial.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !slices.ContainsFunc(tried, func(t trial) bool { return strings.HasPrefix(t.name, name) }) {
			t.Errorf("no trial is one of %s", name)
		}
	}
}

// The twin's gradients are the engine's, and both are those of the differences.
func TestTwinsAgreeOnGradients(t *testing.T) {
	for seed := range uint64(20) {
		rng := newRand(seed)
		s := sizes{context: 3, classes: 7, hidden: 5, batch: 6}
		b := newBatch(s)
		text := stream(rng, s.classes, 100)
		for i := range s.batch {
			b.set(s, i, text, s.context+rng.IntN(len(text)-s.context))
		}
		w := drawn[float64](s, rng)
		n := newNetwork(new(autograd.Graph[float64]), s, w, b)
		if off := autograd.Check(n.loss, []float64{1}, autograd.CheckStep); off > 1e-6 {
			t.Errorf("seed %d: the network is off its differences by %.2g", seed, off)
		}
		twin := newTwin(s, drawn[float64](s, newRand(seed)), adam[float64]{rate: 1})
		for i := range w {
			copy(twin.w[i], w[i])
		}
		twin.step(b)
		for i, p := range n.params {
			for k, want := range p.Grad() {
				if got := twin.grad[i][k]; math.Abs(got-want) > 1e-14 {
					t.Fatalf("seed %d: gradient %d of weights %d is %v, the engine's %v", seed, k, i, got, want)
				}
			}
		}
	}
}

// Both forms of the optimizer are one; without its correction it is another.
func TestOptimizersAgree(t *testing.T) {
	check := func(uncorrected bool, least, most float64) {
		t.Helper()
		g := new(autograd.Graph[float64])
		p := g.Param(autograd.Shape{2}, []float64{1, -1})
		o := autograd.NewAdamW(0.01, 0.1)
		a, w := adam[float64]{rate: 0.01, decay: 0.1, uncorrected: uncorrected}, weights[float64]{{1, -1}}
		rng := newRand(1)
		for range 50 {
			slopes := autograd.Normal[float64](rng, 2)
			g.Backward(p, slopes...)
			o.Step([]*autograd.Node[float64]{p})
			a.move(&w, &weights[float64]{slopes})
		}
		off := max(math.Abs(w[0][0]-p.Value()[0]), math.Abs(w[0][1]-p.Value()[1]))
		if off < least || off > most {
			t.Errorf("uncorrected %v: apart by %v, want %v to %v", uncorrected, off, least, most)
		}
	}
	check(false, 0, 1e-14)
	check(true, 1e-3, 1)
}

// A small number is not lost beside a large one that comes before it.
func TestBackwards(t *testing.T) {
	terms := []float64{1 << 53, 1, 1}
	if got := backwards(3, func(i int) float64 { return terms[i] }); got != 1<<53+2 {
		t.Errorf("got %v, want 2^53 + 2", got)
	}
}

// What comes next in the stream is known three times in four, and a bit more by
// chance.
func TestStream(t *testing.T) {
	const classes, n = 12, 40_000
	text := stream(newRand(1), classes, n)
	var counts [classes * classes][classes]int
	for i := 2; i < n; i++ {
		counts[text[i-2]*classes+text[i-1]][text[i]]++
	}
	right := 0
	for _, c := range counts {
		right += slices.Max(c[:])
	}
	if share := float64(right) / n; len(text) != n || share < 0.75 || share > 0.8 {
		t.Errorf("%d characters, of which %.3f can be known, want %d and 0.77", len(text), share, n)
	}
}

// An element of a broadcast array comes from where the engine takes it.
func TestSource(t *testing.T) {
	for _, from := range []shape{{}, {4}, {1}, {3, 1}, {2, 1, 4}, {1, 3, 1}, {2, 3, 4}} {
		g := new(autograd.Graph[float64])
		v := make([]float64, from.Size())
		for i := range v {
			v[i] = float64(i)
		}
		to := shape{2, 3, 4}
		spread := autograd.Add(g.Input(from, v), g.Input(to, nil))
		for i, want := range spread.Value() {
			if got := source(i, to, from); float64(got) != want {
				t.Fatalf("%v to %v: element %d comes from %d, want %v", from, to, i, got, want)
			}
		}
	}
}

func TestCorpus(t *testing.T) {
	prose := "// Package x counts.\n//\n" + strings.Repeat("// Aba bab.\n", 1000) + "package x\n"
	c, err := newCorpus([]string{prose, "\npackage y\n"})
	if err != nil {
		t.Fatal(err)
	}
	// a, b, full stop, space, end of line, and the rest together.
	if c.classes != 6 || len(c.held) != 2 || len(c.train) != 15 {
		t.Errorf("got %d classes, %d pieces and %d held out, want 6, 15 and 2", c.classes, len(c.train), len(c.held))
	}
	// "aba bab.\n" nine characters long: a is followed by b twice and by a space
	// once, b by a twice and by the stop once, everything else by one.
	entropy := -(2*math.Log(2.0/3) + math.Log(1.0/3))
	if got, want := c.bigram(6, 2*(piece-6)), 2*entropy/9; math.Abs(got-want) > 0.02 {
		t.Errorf("the bigram's loss is %v, want %v", got, want)
	}
	for _, short := range [][]string{nil, {"// Package x is short.\npackage x\n"}} {
		if c, err := newCorpus(short); err == nil {
			t.Errorf("%q: got %d pieces, want an error", short, len(c.train)+len(c.held))
		}
	}
}
