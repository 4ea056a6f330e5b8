package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// onEachPath runs a test once for each path that this processor has, the portable one always among them.
func onEachPath(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	chosen := active
	defer func() { active = chosen }()
	for _, p := range paths() {
		active = p
		t.Run(p.name, test)
	}
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6b65726e)) }

// A filling makes one value of test data.
type filling struct {
	name string
	next func(r *rand.Rand) float32
}

var (
	ordinary   = filling{"ordinary", func(r *rand.Rand) float32 { return r.Float32() - 0.5 }}
	subnormal  = filling{"subnormal", func(r *rand.Rand) float32 { return math.Float32frombits(r.Uint32() & 0x807fffff) }}
	wide       = filling{"wide", func(r *rand.Rand) float32 { return (r.Float32() - 0.5) * float32(math.Exp2(float64(r.IntN(100)-50))) }}
	positive   = filling{"positive", func(r *rand.Rand) float32 { return 1 + r.Float32() }}
	cancelling = filling{"cancelling", func(r *rand.Rand) float32 { return float32(1-2*r.IntN(2)) * (1 + float32(r.IntN(4))*0x1p-23) }}
)

func (f filling) fill(v []float32, r *rand.Rand) {
	for i := range v {
		v[i] = f.next(r)
	}
}

// agrees tells whether got is what rounding can make of the exact value want, when n terms whose sizes add up to size were
// summed: NaN for NaN, the same infinity, or n half units of float32 off.
func agrees(got float32, want, size float64, n int) bool {
	switch {
	case math.IsNaN(want):
		return got != got
	case math.IsInf(want, 0):
		return float64(got) == want
	}
	slack := float64(n+2) * (size*0x1p-24 + 0x1p-150)
	return math.Abs(float64(got)-want) <= slack
}

func TestFeaturesIsTheLastOfThePaths(t *testing.T) {
	all := paths()
	if got, want := Features(), all[len(all)-1].name; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if all[0] != portable {
		t.Errorf("got %q first, want the portable path", all[0].name)
	}
	t.Logf("path %s, %d threads", Features(), Threads())
}

func TestPathsFitTheScratch(t *testing.T) {
	for _, p := range paths() {
		if got := len(p.tiles) * p.width; got > largestTile {
			t.Errorf("%s: a tile of %d values, scratch for %d", p.name, got, largestTile)
		}
		if 4*p.width%16 != 0 {
			t.Errorf("%s: a panel of %d rows, want whole vectors", p.name, p.width)
		}
	}
}

func TestRead(t *testing.T) {
	sizes := []int{0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 255, 1000, 1023, 4097}
	onEachPath(t, func(t *testing.T) {
		for _, f := range []filling{ordinary, subnormal, wide, positive, cancelling} {
			for _, n := range sizes {
				for side, buf := range guarded(t, n) {
					f.fill(buf, source(uint64(n)))
					checkSum(t, fmt.Sprintf("%d %s values, side %d", n, f.name, side), buf, Read(buf, 1))
				}
			}
		}
	})
}

func checkSum(t *testing.T, what string, buf []float32, got float32) {
	t.Helper()
	var want, size float64
	for _, v := range buf {
		want += float64(v)
		size += math.Abs(float64(v))
	}
	if !agrees(got, want, size, len(buf)) {
		t.Errorf("%s: got %g, want %g", what, got, want)
	}
}

func TestReadSeesEveryValue(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		const n = 513
		buf := make([]float32, n)
		for i := range buf {
			for _, special := range []float32{1, 0x1p-149, float32(math.Inf(-1)), float32(math.NaN())} {
				buf[i] = special
				if got := Read(buf, 1); got != special && special == special || special != special && got == got {
					t.Errorf("%g at %d among zeros: got %g", special, i, got)
				}
			}
			buf[i] = 0
		}
	})
}

func TestReadIsTheSameForAnyThreads(t *testing.T) {
	onEachPath(t, func(t *testing.T) {
		buf := make([]float32, 5*minRead+37)
		ordinary.fill(buf, source(1))
		want := Read(buf, 1)
		checkSum(t, "one thread", buf, want)
		for _, threads := range []int{-1, 0, 2, 3, 8} {
			if got := Read(buf, threads); got != want {
				t.Errorf("%d threads: got %g, want %g", threads, got, want)
			}
		}
	})
}

func TestReadInPiecesAboveTheLeast(t *testing.T) {
	task := readTask{path: portable, size: maxRead + 5, buf: make([]float32, 2*maxRead)}
	for i := range task.buf {
		task.buf[i] = float32(i & 1)
	}
	task.piece(0, 0)
	task.piece(1, 0)
	if got, want := task.sums[0]+task.sums[1], float32(maxRead); got != want {
		t.Errorf("got %g, want %g", got, want)
	}
}
