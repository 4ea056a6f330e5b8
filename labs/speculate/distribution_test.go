package speculate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyDist draws a distribution in which some tokens may be impossible.
func anyDist(t *rapid.T, name string) (d dist) {
	sum := 0.0
	for i := range d {
		// Small whole weights, so that equal and zero ones are common.
		d[i] = float64(rapid.IntRange(0, 6).Draw(t, name))
		sum += d[i]
	}
	if sum == 0 {
		return certain(token(rapid.IntRange(0, vocabulary-1).Draw(t, name)))
	}
	for i := range d {
		d[i] /= sum
	}
	return d
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func sums(d *dist) bool {
	sum := 0.0
	for _, p := range d {
		if p < 0 {
			return false
		}
		sum += p
	}
	return near(sum, 1)
}

// Whatever p and q are, the residual is a distribution, gives nothing that q
// gives often enough, and makes up for what acceptance leaves out.
func TestResidual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := anyDist(t, "p"), anyDist(t, "q")
		accept, rest, common := acceptance(&p, &q), residual(&p, &q), overlap(&p, &q)
		if !sums(&rest) {
			t.Fatalf("the residual %v is no distribution", rest)
		}
		for i := range p {
			if p[i] < q[i] && rest[i] != 0 {
				t.Errorf("token %d: the residual gives %v of what q gives too often", i, rest[i])
			}
			if accept[i] < 0 || accept[i] > 1 {
				t.Errorf("token %d is accepted with probability %v", i, accept[i])
			}
			if got := q[i]*accept[i] + (1-common)*rest[i]; !near(got, p[i]) {
				t.Errorf("token %d comes out with %v, want %v", i, got, p[i])
			}
		}
	})
}

func TestEqualDistributionsAcceptAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyDist(t, "p")
		accept := acceptance(&p, &p)
		for i, a := range accept {
			if a != 1 {
				t.Errorf("token %d is accepted with probability %v, want 1", i, a)
			}
		}
		if rest := residual(&p, &p); rest != p || !near(overlap(&p, &p), 1) {
			t.Errorf("the residual is %v, want p in its place: %v", rest, p)
		}
	})
}

func TestDisjointSupports(t *testing.T) {
	p, q := dist{0.5, 0.25, 0.25}, dist{5: 0.75, 7: 0.25}
	if got := overlap(&p, &q); got != 0 {
		t.Errorf("they have %v in common, want nothing", got)
	}
	if rest := residual(&p, &q); rest != p {
		t.Errorf("the residual is %v, want p", rest)
	}
	accept := acceptance(&p, &q)
	if accept[5] != 0 || accept[7] != 0 {
		t.Errorf("proposals are accepted with %v and %v, want never", accept[5], accept[7])
	}
}

// A table's slots give every token its share, counted slot by slot and not
// drawn.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyDist(t, "d")
		table := newTable(d)
		const whole = 1 << (64 - vocabularyBits)
		var got dist
		for slot, cut := range table.cut {
			if cut > whole {
				t.Fatalf("slot %d is cut at %d of %d", slot, cut, uint64(whole))
			}
			got[slot] += float64(cut) / whole / vocabulary
			got[table.other[slot]] += float64(whole-cut) / whole / vocabulary
		}
		for i := range d {
			if !near(got[i], d[i]) || d[i] == 0 && got[i] != 0 {
				t.Errorf("token %d has %v of the table, want %v", i, got[i], d[i])
			}
		}
		// The words at both ends of a slot's cut.
		for slot, cut := range table.cut {
			check := func(above uint64, want token) {
				if got := table.at(above<<vocabularyBits | uint64(slot)); got != want {
					t.Errorf("slot %d at %d of cut %d gives %d, want %d", slot, above, cut, got, want)
				}
			}
			if cut > 0 {
				check(0, token(slot))
				check(cut-1, token(slot))
			}
			if cut < whole {
				check(cut, table.other[slot])
				check(whole-1, table.other[slot])
			}
		}
	})
}

func TestRanked(t *testing.T) {
	d := dist{0.1, 0.3, 0.05, 0.3, 0.05, 0.2}
	if got, want := d.ranked(), [vocabulary]token{1, 3, 5, 0, 2, 4, 6, 7}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
